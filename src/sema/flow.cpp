// Definite assignment and reachability: one walk along the paths of a body, with the state of the path in hand.
//
// Only variables that are declared without a value, and `out` parameters, are tracked; each has a bit. A path that
// cannot be reached has everything assigned, which makes it neutral where paths join. A loop needs no repetition: what
// is assigned at its head on the way in is still assigned on the way back. After an expression of type bool there may
// be two states, one for true, one for false.
//
// A jump that leaves a `try` with a `finally` waits there until the `finally` has been walked: it takes what that
// assigns along, or ends there if the `finally` never ends normally.
#include "sema/flow.h"

#include <algorithm>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "sema/captures.h"
#include "sema/typed_walk.h"

namespace nlang::sema {

namespace {

using syntax::DiagId;

using Bits = absl::InlinedVector<uint64_t, 2>; // a bit for each tracked variable; missing words are zero

struct State {
  bool reachable = true;
  Bits assigned; // meaningless if not reachable

  bool has(uint32_t bit) const { return bit / 64 < assigned.size() && ((assigned[bit / 64] >> (bit % 64)) & 1) != 0; }
  void set(uint32_t bit) {
    if (assigned.size() <= bit / 64) assigned.resize(bit / 64 + 1, 0);
    assigned[bit / 64] |= uint64_t{1} << (bit % 64);
  }
  void clear(uint32_t bit) {
    if (bit / 64 < assigned.size()) assigned[bit / 64] &= ~(uint64_t{1} << (bit % 64));
  }
  void addAll(const Bits& other) {
    if (assigned.size() < other.size()) assigned.resize(other.size(), 0);
    for (size_t i = 0; i < other.size(); ++i) assigned[i] |= other[i];
  }
};

const State kDead{.reachable = false, .assigned = {}};

// The state where two paths meet.
State join(State a, const State& b) {
  if (!b.reachable) return a;
  if (!a.reachable) return b;
  a.assigned.resize(std::min(a.assigned.size(), b.assigned.size()));
  for (size_t i = 0; i < a.assigned.size(); ++i) a.assigned[i] &= b.assigned[i];
  return a;
}

class FlowAnalysis {
 public:
  FlowAnalysis(syntax::DiagnosticSink& diagnostics, const FlowOptions& options)
      : diagnostics_(diagnostics), options_(options) {}

  void walkFunction(FunctionSymbol* function);
  // Leaves one state.
  void walk(Expression* e) {
    evaluate(e);
    merge();
  }

 private:
  enum class JumpKind : uint8_t { kBreak, kContinue, kReturn };

  // A statement that `break` and `continue` can name, while it is being walked.
  struct Target {
    const Statement* statement;
    size_t frameDepth; // protected regions around it
    State afterBreak = kDead;
    State afterContinue = kDead;
  };
  struct Jump {
    JumpKind kind;
    size_t target; // index in `targets`; unused for returns
    State state;
    syntax::SourceRange range;
  };
  // A `try` whose `finally` is still to come, with the jumps that leave it.
  struct Frame {
    std::vector<Jump> jumps;
  };
  // What belongs to the function whose body is being walked.
  struct Context {
    FunctionSymbol* function;
    std::vector<Target> targets;
    std::vector<Frame> frames;
    bool inFinally = false;
    size_t finallyTargets = 0; // targets below this index lie outside the innermost `finally`
  };

  // Expressions
  void evaluate(Expression* root);
  void finish(Expression* e);
  void finishConditional(ConditionalExpression* e);
  void finishOperands(Expression* e);
  void split();
  void merge();
  void read(VariableSymbol* variable, syntax::SourceRange range);
  void assign(Expression* place);
  void walkPlace(Expression* place);
  void walkLambda(FunctionSymbol* lambda);

  // Statements
  void walk(Statement* statement);
  void walkAssign(AssignStatement* statement);
  void walkIf(IfStatement* statement);
  void walkWhile(WhileStatement* loop);
  void walkDoWhile(DoWhileStatement* loop);
  void walkFor(ForStatement* loop);
  void walkForEach(ForEachStatement* loop);
  void walkSwitch(SwitchStatement* statement);
  void walkTry(TryStatement* statement);
  void walkSelect(SelectStatement* statement);
  void walkAssert(AssertStatement* statement);
  void warnUnreachable(syntax::SourceRange range);

  // Jumps
  void jump(JumpKind kind, const Statement* target, syntax::SourceRange range, const char* word);
  void deliver(Jump jump);
  void checkOuts(const State& state, syntax::SourceRange range);
  Target& enter(const Statement* statement) {
    context_->targets.push_back({statement, context_->frames.size()});
    return context_->targets.back();
  }
  Target leave() {
    Target target = std::move(context_->targets.back());
    context_->targets.pop_back();
    return target;
  }

  void track(const VariableSymbol* variable);
  void walkBody(FunctionSymbol* function);

  syntax::DiagnosticSink& diagnostics_;
  const FlowOptions& options_;
  Context* context_ = nullptr; // null in the initialiser of a field
  State state_;                // of the path, unless isSplit_
  State whenTrue_, whenFalse_; // if isSplit_
  bool isSplit_ = false;
  bool deadReported_ = false;                                    // this unreachable stretch has had its warning
  absl::flat_hash_map<const VariableSymbol*, uint32_t> tracked_; // variable → bit
  std::vector<Expression*> chain_;                               // links of the expressions being walked
};

// ---------------------------------------------------------------- functions

void FlowAnalysis::track(const VariableSymbol* variable) {
  auto [entry, isNew] = tracked_.try_emplace(variable, static_cast<uint32_t>(tracked_.size()));
  state_.clear(entry->second);
}

void FlowAnalysis::walkFunction(FunctionSymbol* function) {
  for (const ParameterDefault& value : function->defaults) {
    if (value.value != nullptr) walk(value.value);
  }
  walkBody(function);
}

void FlowAnalysis::walkBody(FunctionSymbol* function) {
  Context context{.function = function, .targets = {}, .frames = {}};
  Context* outer = context_;
  context_ = &context;
  for (const VariableSymbol* parameter : function->parameters) {
    if (parameter->isOut) track(parameter);
  }
  if (function->superCall != nullptr) walk(function->superCall);
  if (function->body != nullptr) {
    walk(function->body);
    if (state_.reachable) {
      syntax::SourceRange end = function->body->range;
      if (end.end > end.begin) end.begin = end.end - 1; // the closing brace
      if (function->resultType != nullptr && !function->resultType->isVoid() && !function->resultType->isError()) {
        bool isLambda = function->kind == FunctionKind::kLambda;
        diagnostics_.report(DiagId::MissingReturn, end,
                            isLambda ? "the lambda" : "`" + std::string(function->name) + "`");
      }
      checkOuts(state_, end);
    }
  }
  context_ = outer;
}

void FlowAnalysis::walkLambda(FunctionSymbol* lambda) {
  State saved = state_;
  bool savedReported = deadReported_;
  walkFunction(lambda);
  state_ = std::move(saved);
  deadReported_ = savedReported;
}

void FlowAnalysis::checkOuts(const State& state, syntax::SourceRange range) {
  if (!state.reachable || context_ == nullptr) return;
  for (const VariableSymbol* parameter : context_->function->parameters) {
    if (!parameter->isOut || state.has(tracked_[parameter])) continue;
    diagnostics_.report(DiagId::UnassignedOut, range, parameter->name).note(parameter->range, "it is declared here");
  }
}

// ---------------------------------------------------------------- expressions

void FlowAnalysis::split() {
  if (isSplit_) return;
  whenTrue_ = state_;
  whenFalse_ = std::move(state_);
  isSplit_ = true;
}

void FlowAnalysis::merge() {
  if (!isSplit_) return;
  state_ = join(std::move(whenTrue_), whenFalse_);
  isSplit_ = false;
}

void FlowAnalysis::evaluate(Expression* root) {
  size_t base = chain_.size();
  for (Expression* e = root; e != nullptr; e = firstOperand(e)) chain_.push_back(e);
  while (chain_.size() > base) {
    Expression* e = chain_.back();
    chain_.pop_back();
    finish(e);
  }
}

// `e` after its first operand.
void FlowAnalysis::finish(Expression* e) {
  switch (e->kind) {
  case ExpressionKind::kConstant:
    if (e->type->kind == TypeKind::kBool) {
      split();
      (static_cast<ConstantExpression*>(e)->value.bits != 0 ? whenFalse_ : whenTrue_) = kDead;
    }
    return;
  case ExpressionKind::kLocal: return read(static_cast<LocalExpression*>(e)->variable, e->range);
  case ExpressionKind::kLambda: return walkLambda(static_cast<LambdaExpression*>(e)->function);
  case ExpressionKind::kUnary:
    if (static_cast<UnaryExpression*>(e)->op != UnaryExpression::Op::kNot) return merge();
    split();
    return std::swap(whenTrue_, whenFalse_);
  case ExpressionKind::kLogical: {
    auto* logical = static_cast<LogicalExpression*>(e);
    split();
    State skipped = logical->isAnd ? whenFalse_ : whenTrue_;
    state_ = logical->isAnd ? whenTrue_ : whenFalse_;
    isSplit_ = false;
    evaluate(logical->right);
    split();
    State& decided = logical->isAnd ? whenFalse_ : whenTrue_;
    decided = join(std::move(decided), skipped);
    return;
  }
  case ExpressionKind::kConditional: return finishConditional(static_cast<ConditionalExpression*>(e));
  case ExpressionKind::kCoalesce:
  case ExpressionKind::kChain: {
    // What comes second may be skipped; it can only add to what is assigned.
    merge();
    State skipped = state_;
    finishOperands(e);
    state_ = std::move(skipped);
    return;
  }
  default: merge(); return finishOperands(e);
  }
}

void FlowAnalysis::finishConditional(ConditionalExpression* e) {
  split();
  isSplit_ = false;
  State otherwise = std::move(whenFalse_);
  state_ = std::move(whenTrue_);
  if (e->type->kind != TypeKind::kBool) {
    walk(e->whenTrue);
    std::swap(state_, otherwise);
    walk(e->whenFalse);
    state_ = join(std::move(state_), otherwise);
    return;
  }
  evaluate(e->whenTrue);
  split();
  isSplit_ = false;
  State firstTrue = std::move(whenTrue_);
  State firstFalse = std::move(whenFalse_);
  state_ = std::move(otherwise);
  evaluate(e->whenFalse);
  split();
  whenTrue_ = join(std::move(whenTrue_), firstTrue);
  whenFalse_ = join(std::move(whenFalse_), firstFalse);
}

void FlowAnalysis::finishOperands(Expression* e) {
  absl::InlinedVector<Expression*, 4> outs;
  forEachFurtherOperand(
      e, [this](Expression* operand) { walk(operand); },
      [&](Expression* place) {
        walkPlace(place);
        outs.push_back(place);
      });
  for (Expression* place : outs) assign(place);
}

void FlowAnalysis::read(VariableSymbol* variable, syntax::SourceRange range) {
  auto found = tracked_.find(variable);
  if (found == tracked_.end() || !state_.reachable || state_.has(found->second)) return;
  diagnostics_.report(DiagId::UnassignedVariable, range, variable->name).note(variable->range, "it is declared here");
  state_.set(found->second); // said once is enough on this path
}

// Evaluates the parts of a place that is about to be assigned, but does not read the variable that is the place itself.
void FlowAnalysis::walkPlace(Expression* place) {
  if (place->kind != ExpressionKind::kLocal) walk(place);
}

void FlowAnalysis::assign(Expression* place) {
  VariableSymbol* variable = variableOfPlace(place);
  if (variable == nullptr) return;
  if (variable->isConst && !variable->type->isError()) {
    diagnostics_.report(DiagId::AssignedConstant, place->range, variable->name)
        .note(variable->range, "it is declared here");
  }
  auto found = tracked_.find(variable);
  if (found != tracked_.end() && place->kind == ExpressionKind::kLocal) state_.set(found->second);
}

// ---------------------------------------------------------------- statements

void FlowAnalysis::warnUnreachable(syntax::SourceRange range) {
  if (state_.reachable) {
    deadReported_ = false;
  } else if (!deadReported_) {
    deadReported_ = true;
    if (options_.warnings) diagnostics_.report(DiagId::UnreachableCode, range);
  }
}

void FlowAnalysis::walk(Statement* statement) {
  if (statement->kind != StatementKind::kBlock || state_.reachable) warnUnreachable(statement->range);
  switch (statement->kind) {
  case StatementKind::kBlock:
    for (Statement* inner : static_cast<Block*>(statement)->statements) walk(inner);
    return;
  case StatementKind::kExpression: return walk(static_cast<ExpressionStatement*>(statement)->expression);
  case StatementKind::kLocal: {
    auto* local = static_cast<LocalStatement*>(statement);
    if (local->initializer == nullptr && !local->variable->type->isError()) track(local->variable);
    return local->initializer == nullptr ? void() : walk(local->initializer);
  }
  case StatementKind::kAssign: return walkAssign(static_cast<AssignStatement*>(statement));
  case StatementKind::kIf: return walkIf(static_cast<IfStatement*>(statement));
  case StatementKind::kWhile: return walkWhile(static_cast<WhileStatement*>(statement));
  case StatementKind::kDoWhile: return walkDoWhile(static_cast<DoWhileStatement*>(statement));
  case StatementKind::kFor: return walkFor(static_cast<ForStatement*>(statement));
  case StatementKind::kForEach: return walkForEach(static_cast<ForEachStatement*>(statement));
  case StatementKind::kSwitch: return walkSwitch(static_cast<SwitchStatement*>(statement));
  case StatementKind::kBreak:
    return jump(JumpKind::kBreak, static_cast<BreakStatement*>(statement)->target, statement->range, "break");
  case StatementKind::kContinue:
    return jump(JumpKind::kContinue, static_cast<ContinueStatement*>(statement)->target, statement->range, "continue");
  case StatementKind::kReturn:
    if (Expression* value = static_cast<ReturnStatement*>(statement)->value) walk(value);
    return jump(JumpKind::kReturn, nullptr, statement->range, "return");
  case StatementKind::kThrow:
    if (Expression* value = static_cast<ThrowStatement*>(statement)->value) walk(value);
    state_ = kDead;
    return;
  case StatementKind::kTry: return walkTry(static_cast<TryStatement*>(statement));
  case StatementKind::kLock:
    walk(static_cast<LockStatement*>(statement)->mutex);
    return walk(static_cast<LockStatement*>(statement)->body);
  case StatementKind::kUsing:
    walk(static_cast<UsingStatement*>(statement)->value);
    return walk(static_cast<UsingStatement*>(statement)->body);
  case StatementKind::kSelect: return walkSelect(static_cast<SelectStatement*>(statement));
  case StatementKind::kAssert: return walkAssert(static_cast<AssertStatement*>(statement));
  }
}

void FlowAnalysis::walkAssign(AssignStatement* statement) {
  if (statement->compound) {
    walk(statement->place);
  } else {
    walkPlace(statement->place);
  }
  walk(statement->value);
  assign(statement->place);
}

void FlowAnalysis::walkIf(IfStatement* statement) {
  State after = kDead; // of the branches so far
  for (const IfBranch& branch : statement->branches) {
    if (&branch != &statement->branches.front()) warnUnreachable(branch.range);
    evaluate(branch.condition);
    split();
    isSplit_ = false;
    State otherwise = std::move(whenFalse_);
    state_ = std::move(whenTrue_);
    walk(branch.body);
    after = join(std::move(after), state_);
    state_ = std::move(otherwise);
  }
  if (statement->otherwise != nullptr) walk(statement->otherwise);
  state_ = join(std::move(state_), after);
}

void FlowAnalysis::walkWhile(WhileStatement* loop) {
  enter(loop);
  evaluate(loop->condition);
  split();
  isSplit_ = false;
  State exit = std::move(whenFalse_);
  state_ = std::move(whenTrue_);
  walk(loop->body);
  state_ = join(std::move(exit), leave().afterBreak);
}

void FlowAnalysis::walkDoWhile(DoWhileStatement* loop) {
  enter(loop);
  walk(loop->body);
  Target target = leave();
  state_ = join(std::move(state_), target.afterContinue);
  evaluate(loop->condition);
  split();
  isSplit_ = false;
  state_ = join(std::move(whenFalse_), target.afterBreak);
}

void FlowAnalysis::walkFor(ForStatement* loop) {
  for (Statement* statement : loop->initializer) walk(statement);
  enter(loop);
  State exit = kDead;
  if (loop->condition != nullptr) {
    evaluate(loop->condition);
    split();
    isSplit_ = false;
    exit = std::move(whenFalse_);
    state_ = std::move(whenTrue_);
  }
  walk(loop->body);
  Target target = leave();
  state_ = join(std::move(state_), target.afterContinue);
  if (!state_.reachable) deadReported_ = true; // an update that never runs is no mistake
  for (Statement* statement : loop->update) walk(statement);
  state_ = join(std::move(exit), target.afterBreak);
}

void FlowAnalysis::walkForEach(ForEachStatement* loop) {
  walk(loop->sequence);
  if (loop->upper != nullptr) walk(loop->upper);
  State exit = state_;
  enter(loop);
  walk(loop->body);
  state_ = join(std::move(exit), leave().afterBreak);
}

void FlowAnalysis::walkSwitch(SwitchStatement* statement) {
  walk(statement->subject);
  enter(statement);
  State before = state_;
  State after = kDead;
  bool hasDefault = false;
  for (const SwitchCase& branch : statement->cases) {
    hasDefault |= branch.isDefault;
    state_ = before;
    walk(branch.body);
    after = join(std::move(after), state_);
  }
  if (!hasDefault) after = join(std::move(after), before);
  state_ = join(std::move(after), leave().afterBreak);
}

void FlowAnalysis::walkSelect(SelectStatement* statement) {
  for (const SelectBranch& branch : statement->branches) {
    if (branch.object != nullptr) walk(branch.object);
    if (branch.value != nullptr) walk(branch.value);
  }
  enter(statement);
  State before = state_;
  State after = kDead; // it waits until one of its branches runs
  for (const SelectBranch& branch : statement->branches) {
    state_ = before;
    walk(branch.body);
    after = join(std::move(after), state_);
  }
  state_ = join(std::move(after), leave().afterBreak);
}

void FlowAnalysis::walkAssert(AssertStatement* statement) {
  State before = state_;
  evaluate(statement->condition);
  split();
  isSplit_ = false;
  State holds = std::move(whenTrue_);
  state_ = std::move(whenFalse_);
  if (statement->message != nullptr) walk(statement->message);
  // Code behind assert(false) counts as reachable: whoever writes that is not done yet.
  state_ = holds.reachable ? std::move(holds) : std::move(before);
}

void FlowAnalysis::walkTry(TryStatement* statement) {
  State before = state_;
  bool hasFinally = statement->finallyBody != nullptr;
  if (hasFinally) context_->frames.emplace_back();
  walk(statement->body);
  State after = std::move(state_);
  for (const CatchClause& clause : statement->catches) {
    state_ = before; // the exception may have come before anything was assigned
    walk(clause.body);
    after = join(std::move(after), state_);
  }
  if (!hasFinally) {
    state_ = std::move(after);
    return;
  }
  Frame frame = std::move(context_->frames.back());
  context_->frames.pop_back();

  bool wasInFinally = std::exchange(context_->inFinally, true);
  size_t outerTargets = std::exchange(context_->finallyTargets, context_->targets.size());
  state_ = before;
  walk(statement->finallyBody);
  context_->inFinally = wasInFinally;
  context_->finallyTargets = outerTargets;

  if (!state_.reachable) return; // no way leads on
  State end = std::move(state_);
  for (Jump& jump : frame.jumps) {
    jump.state.addAll(end.assigned);
    deliver(std::move(jump));
  }
  state_ = std::move(after);
  if (state_.reachable) state_.addAll(end.assigned);
}

// ---------------------------------------------------------------- jumps

void FlowAnalysis::jump(JumpKind kind, const Statement* target, syntax::SourceRange range, const char* word) {
  Jump jump{kind, 0, std::move(state_), range};
  state_ = kDead;
  auto& targets = context_->targets;
  if (kind != JumpKind::kReturn) {
    jump.target = targets.size();
    while (jump.target > 0 && targets[jump.target - 1].statement != target) --jump.target;
    if (jump.target == 0) return; // its target was in error
    --jump.target;
  }
  if (context_->inFinally && (kind == JumpKind::kReturn || jump.target < context_->finallyTargets)) {
    diagnostics_.report(DiagId::JumpOutOfFinally, range, word);
    return;
  }
  if (jump.state.reachable) deliver(std::move(jump));
}

// Takes a jump on its way out to the next `finally`, or to its target.
void FlowAnalysis::deliver(Jump jump) {
  size_t depth = jump.kind == JumpKind::kReturn ? 0 : context_->targets[jump.target].frameDepth;
  if (context_->frames.size() > depth) {
    context_->frames.back().jumps.push_back(std::move(jump));
    return;
  }
  if (jump.kind == JumpKind::kReturn) return checkOuts(jump.state, jump.range);
  Target& target = context_->targets[jump.target];
  State& at = jump.kind == JumpKind::kBreak ? target.afterBreak : target.afterContinue;
  at = join(std::move(at), jump.state);
}

} // namespace

void analyzeFlow(FunctionSymbol* function, syntax::DiagnosticSink& diagnostics, const FlowOptions& options) {
  analyzeCaptures(function, diagnostics, options.warnings);
  FlowAnalysis(diagnostics, options).walkFunction(function);
}

void analyzeFlow(Expression* initializer, syntax::DiagnosticSink& diagnostics, const FlowOptions& options) {
  analyzeCaptures(initializer, diagnostics, options.warnings);
  FlowAnalysis(diagnostics, options).walk(initializer);
}

} // namespace nlang::sema
