// One walk over a body, in an order in which whatever may run later without a loop's help comes later.
//
// In that order an assignment that comes after a capture may run after it. The other way round it can only through a
// loop that holds both and not the variable's declaration; all such loops lie one in the other, so it is enough to
// compare the outermost ones. A `for` is walked as one instance of its variables lives: update, condition, body.
#include "sema/captures.h"

#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "sema/typed_walk.h"

namespace nlang::sema {

namespace {

using syntax::DiagId;

class CaptureAnalysis {
 public:
  explicit CaptureAnalysis(syntax::DiagnosticSink& diagnostics) : diagnostics_(diagnostics) {}

  void walkFunction(FunctionSymbol* function);
  void walk(Expression* root);
  void warnUnused();

 private:
  struct VariableInfo {
    size_t loopDepth = 0;    // loops around its declaration
    bool isCaptured = false; // by a lambda before here
    bool outReported = false;
  };
  // A function whose body is being walked; the last one is the innermost lambda.
  struct ActiveFunction {
    FunctionSymbol* function;
    absl::flat_hash_set<VariableSymbol*> captured;
  };
  using InLoop = std::pair<VariableSymbol*, uint32_t>;
  static constexpr size_t kUnknown = static_cast<size_t>(-1);

  void walk(Statement* statement);
  void walkFor(ForStatement* loop);
  void walkForEach(ForEachStatement* loop);
  void walkTry(TryStatement* statement);
  void walkSelect(SelectStatement* statement);
  void finish(Expression* e);
  void walkLambda(FunctionSymbol* lambda);
  void walkPlace(Expression* place);

  void declare(VariableSymbol* variable);
  void use(VariableSymbol* variable, syntax::SourceRange range);
  void assign(VariableSymbol* variable, syntax::SourceRange range);
  void useThis();
  // Index of the variable's function among the active ones; kUnknown for a variable of another function (a callee's
  // parameter).
  size_t ownerOf(const VariableSymbol* variable) const;
  void capture(VariableSymbol* variable, size_t owner, syntax::SourceRange range);
  // The outermost loop around here that does not hold the declaration. False if there is none.
  bool outerLoop(const VariableInfo& info, uint32_t& loop) const;
  void enterLoop() { loops_.push_back(nextLoop_++); }
  void leaveLoop() { loops_.pop_back(); }

  syntax::DiagnosticSink& diagnostics_;
  std::vector<ActiveFunction> functions_;
  std::vector<uint32_t> loops_; // those around here, outermost first, through lambdas
  uint32_t nextLoop_ = 0;
  absl::flat_hash_map<VariableSymbol*, VariableInfo> variables_;
  absl::flat_hash_set<InLoop> capturedIn_; // captures, by outermost loop without the declaration
  absl::flat_hash_set<InLoop> assignedIn_; // assignments, likewise
  std::vector<VariableSymbol*> locals_;    // in order of declaration, without those of loop headers
  std::vector<Expression*> chain_;         // links of the expressions being walked
};

size_t CaptureAnalysis::ownerOf(const VariableSymbol* variable) const {
  for (size_t i = functions_.size(); i-- > 0;) {
    if (functions_[i].function == variable->owner) return i;
  }
  return kUnknown;
}

bool CaptureAnalysis::outerLoop(const VariableInfo& info, uint32_t& loop) const {
  if (loops_.size() <= info.loopDepth) return false;
  loop = loops_[info.loopDepth];
  return true;
}

void CaptureAnalysis::declare(VariableSymbol* variable) {
  if (variable != nullptr) variables_[variable].loopDepth = loops_.size();
}

void CaptureAnalysis::capture(VariableSymbol* variable, size_t owner, syntax::SourceRange range) {
  for (size_t i = owner + 1; i < functions_.size(); ++i) {
    if (functions_[i].captured.insert(variable).second) functions_[i].function->captures.push_back(variable);
  }
  VariableInfo& info = variables_[variable];
  info.isCaptured = true;
  variable->isCaptured = true;
  if (variable->isOut && !info.outReported) {
    info.outReported = true;
    diagnostics_.report(DiagId::CapturedOut, range, variable->name);
  }
  uint32_t loop = 0;
  if (outerLoop(info, loop) && capturedIn_.insert({variable, loop}).second && assignedIn_.contains({variable, loop})) {
    variable->assignedAfterCapture = true;
  }
}

void CaptureAnalysis::use(VariableSymbol* variable, syntax::SourceRange range) {
  variable->isUsed = true;
  size_t owner = ownerOf(variable);
  if (owner != kUnknown && owner + 1 < functions_.size()) capture(variable, owner, range);
}

void CaptureAnalysis::assign(VariableSymbol* variable, syntax::SourceRange range) {
  variable->isAssigned = true;
  size_t owner = ownerOf(variable);
  if (owner == kUnknown) return;
  if (owner + 1 < functions_.size()) {
    capture(variable, owner, range);
    variable->assignedAfterCapture = true;
    return;
  }
  VariableInfo& info = variables_[variable];
  if (info.isCaptured) variable->assignedAfterCapture = true;
  uint32_t loop = 0;
  if (outerLoop(info, loop) && assignedIn_.insert({variable, loop}).second && capturedIn_.contains({variable, loop})) {
    variable->assignedAfterCapture = true;
  }
}

void CaptureAnalysis::useThis() {
  for (ActiveFunction& active : functions_) {
    if (active.function->kind == FunctionKind::kLambda) active.function->capturesThis = true;
  }
}

void CaptureAnalysis::walkFunction(FunctionSymbol* function) {
  functions_.push_back({function, {}});
  for (VariableSymbol* parameter : function->parameters) declare(parameter);
  for (const ParameterDefault& value : function->defaults) {
    if (value.value != nullptr) walk(value.value);
  }
  if (function->superCall != nullptr) walk(function->superCall);
  if (function->body != nullptr) walk(function->body);
  functions_.pop_back();
}

void CaptureAnalysis::walkLambda(FunctionSymbol* lambda) {
  lambda->captures.clear();
  lambda->capturesThis = false;
  walkFunction(lambda);
}

void CaptureAnalysis::walk(Expression* root) {
  size_t base = chain_.size();
  for (Expression* e = root; e != nullptr; e = firstOperand(e)) chain_.push_back(e);
  while (chain_.size() > base) {
    Expression* e = chain_.back();
    chain_.pop_back();
    finish(e);
  }
}

// `e` after its first operand.
void CaptureAnalysis::finish(Expression* e) {
  if (e->kind == ExpressionKind::kLocal) return use(static_cast<LocalExpression*>(e)->variable, e->range);
  if (e->kind == ExpressionKind::kThis) return useThis();
  if (e->kind == ExpressionKind::kLambda) return walkLambda(static_cast<LambdaExpression*>(e)->function);
  std::vector<Expression*> outs;
  forEachFurtherOperand(
      e, [&](Expression* operand) { walk(operand); },
      [&](Expression* place) {
        walkPlace(place);
        outs.push_back(place);
      });
  for (Expression* place : outs) {
    if (VariableSymbol* variable = variableOfPlace(place)) {
      assign(variable, place->range);
      variable->isUsed = true; // the callee demands it
      variable->isPassedOut = true;
    }
  }
}

// The parts of a place; a variable that the assignment changes is not read by that.
void CaptureAnalysis::walkPlace(Expression* place) {
  if (variableOfPlace(place) == nullptr) walk(place);
}

void CaptureAnalysis::walkFor(ForStatement* loop) {
  enterLoop();
  size_t before = locals_.size();
  for (Statement* statement : loop->initializer) walk(statement);
  locals_.resize(before); // counting is use enough for the variable of a loop
  for (Statement* statement : loop->update) walk(statement);
  if (loop->condition != nullptr) walk(loop->condition);
  if (loop->body != nullptr) walk(loop->body);
  leaveLoop();
}

void CaptureAnalysis::walkForEach(ForEachStatement* loop) {
  if (loop->sequence != nullptr) walk(loop->sequence);
  if (loop->upper != nullptr) walk(loop->upper);
  enterLoop();
  declare(loop->variable);
  declare(loop->valueVariable);
  if (loop->elementConversion != nullptr) walk(loop->elementConversion);
  if (loop->body != nullptr) walk(loop->body);
  leaveLoop();
}

void CaptureAnalysis::walkTry(TryStatement* statement) {
  walk(statement->body);
  for (const CatchClause& clause : statement->catches) {
    declare(clause.variable);
    walk(clause.body);
  }
  if (statement->finallyBody != nullptr) walk(statement->finallyBody);
}

void CaptureAnalysis::walkSelect(SelectStatement* statement) {
  for (const SelectBranch& branch : statement->branches) {
    if (branch.object != nullptr) walk(branch.object);
    if (branch.value != nullptr) walk(branch.value);
  }
  for (const SelectBranch& branch : statement->branches) {
    declare(branch.variable);
    if (branch.body != nullptr) walk(branch.body);
  }
}

void CaptureAnalysis::walk(Statement* statement) {
  auto walkIf = [this](auto* node) {
    if (node != nullptr) walk(node);
  };
  switch (statement->kind) {
  case StatementKind::kBlock:
    for (Statement* inner : static_cast<Block*>(statement)->statements) walk(inner);
    return;
  case StatementKind::kExpression: return walkIf(static_cast<ExpressionStatement*>(statement)->expression);
  case StatementKind::kLocal: {
    auto* local = static_cast<LocalStatement*>(statement);
    declare(local->variable);
    locals_.push_back(local->variable);
    return walkIf(local->initializer);
  }
  case StatementKind::kAssign: {
    auto* assignment = static_cast<AssignStatement*>(statement);
    walkPlace(assignment->place);
    walkIf(assignment->value);
    if (VariableSymbol* variable = variableOfPlace(assignment->place)) assign(variable, assignment->place->range);
    return;
  }
  case StatementKind::kIf:
    for (const IfBranch& branch : static_cast<IfStatement*>(statement)->branches) {
      walk(branch.condition);
      walk(branch.body);
    }
    return walkIf(static_cast<IfStatement*>(statement)->otherwise);
  case StatementKind::kWhile:
    enterLoop();
    walkIf(static_cast<WhileStatement*>(statement)->condition);
    walkIf(static_cast<WhileStatement*>(statement)->body);
    return leaveLoop();
  case StatementKind::kDoWhile:
    enterLoop();
    walkIf(static_cast<DoWhileStatement*>(statement)->body);
    walkIf(static_cast<DoWhileStatement*>(statement)->condition);
    return leaveLoop();
  case StatementKind::kFor: return walkFor(static_cast<ForStatement*>(statement));
  case StatementKind::kForEach: return walkForEach(static_cast<ForEachStatement*>(statement));
  case StatementKind::kSwitch:
    walkIf(static_cast<SwitchStatement*>(statement)->subject);
    for (const SwitchCase& branch : static_cast<SwitchStatement*>(statement)->cases) walkIf(branch.body);
    return;
  case StatementKind::kBreak:
  case StatementKind::kContinue: return;
  case StatementKind::kReturn: return walkIf(static_cast<ReturnStatement*>(statement)->value);
  case StatementKind::kThrow: {
    auto* thrown = static_cast<ThrowStatement*>(statement);
    if (thrown->value == nullptr && thrown->catchVariable != nullptr) use(thrown->catchVariable, statement->range);
    return walkIf(thrown->value);
  }
  case StatementKind::kTry: return walkTry(static_cast<TryStatement*>(statement));
  case StatementKind::kLock:
    walkIf(static_cast<LockStatement*>(statement)->mutex);
    return walkIf(static_cast<LockStatement*>(statement)->body);
  case StatementKind::kUsing: {
    auto* use = static_cast<UsingStatement*>(statement);
    walkIf(use->value);
    declare(use->variable);
    return walkIf(use->body);
  }
  case StatementKind::kSelect: return walkSelect(static_cast<SelectStatement*>(statement));
  case StatementKind::kAssert:
    walkIf(static_cast<AssertStatement*>(statement)->condition);
    return walkIf(static_cast<AssertStatement*>(statement)->message);
  }
}

void CaptureAnalysis::warnUnused() {
  for (const VariableSymbol* local : locals_) {
    if (local->isUsed || local->name.empty() || local->name.front() == '_' || local->type->isError()) continue;
    diagnostics_.report(DiagId::UnusedVariable, local->range, local->name);
  }
}

} // namespace

void analyzeCaptures(FunctionSymbol* function, syntax::DiagnosticSink& diagnostics, bool warnings) {
  CaptureAnalysis analysis(diagnostics);
  analysis.walkFunction(function);
  if (warnings) analysis.warnUnused();
}

void analyzeCaptures(Expression* initializer, syntax::DiagnosticSink& diagnostics, bool warnings) {
  CaptureAnalysis analysis(diagnostics);
  analysis.walk(initializer);
  if (warnings) analysis.warnUnused();
}

} // namespace nlang::sema
