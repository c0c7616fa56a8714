// Finishing: the order in which module variables and static fields are initialised, and the entry point (rules L1.3,
// L1.5, L1.6, L7.8).
//
// A variable is initialised after those its initialiser needs: the ones it mentions, and those mentioned by the
// functions it calls, as far as the call names them. A lambda or function value in an initialiser runs later; what it
// mentions goes first if that is possible. Variables that need each other are an error.
//
// What a body mentions is listed once (Needs); the order comes from a walk over these lists, depth first with a stack
// of its own, because a chain of functions or variables may be as long as a program.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "sema/program.h"
#include "sema/typed_walk.h"

namespace nlang::sema {

using syntax::DiagId;

namespace {

// Something that an initialiser or a body mentions: a variable or a function.
struct Need {
  FieldInfo* field = nullptr;
  FunctionSymbol* function = nullptr;
  bool isSoft = false; // inside a lambda or function value: needed later, if at all

  friend bool operator==(const Need&, const Need&) = default;
  template <class H> friend H AbslHashValue(H state, const Need& need) {
    return H::combine(std::move(state), need.field, need.function, need.isSoft);
  }
};

// Lists what trees mention, in order of evaluation, everything once.
class NeedFinder {
 public:
  std::vector<Need> take() { return std::move(needs_); }

  void visit(Expression* expression) {
    // In order of evaluation: the first operand of a long chain stands at its end.
    std::vector<Expression*> chain;
    for (; expression != nullptr; expression = firstOperand(expression)) chain.push_back(expression);
    for (; !chain.empty(); chain.pop_back()) visitBehindFirst(chain.back());
  }

  void visit(std::span<Statement* const> statements) {
    for (Statement* statement : statements) visit(statement);
  }

  void visit(Statement* statement) {
    if (statement == nullptr) return;
    switch (statement->kind) {
    case StatementKind::kBlock: return visit(static_cast<Block*>(statement)->statements);
    case StatementKind::kExpression: return visit(static_cast<ExpressionStatement*>(statement)->expression);
    case StatementKind::kLocal: return visit(static_cast<LocalStatement*>(statement)->initializer);
    case StatementKind::kAssign: {
      auto* assign = static_cast<AssignStatement*>(statement);
      visit(assign->place);
      return visit(assign->value);
    }
    case StatementKind::kIf:
      for (const IfBranch& branch : static_cast<IfStatement*>(statement)->branches) {
        visit(branch.condition);
        visit(branch.body);
      }
      return visit(static_cast<IfStatement*>(statement)->otherwise);
    case StatementKind::kWhile: {
      auto* loop = static_cast<WhileStatement*>(statement);
      visit(loop->condition);
      return visit(loop->body);
    }
    case StatementKind::kDoWhile: {
      auto* loop = static_cast<DoWhileStatement*>(statement);
      visit(loop->body);
      return visit(loop->condition);
    }
    case StatementKind::kFor: {
      auto* loop = static_cast<ForStatement*>(statement);
      visit(loop->initializer);
      visit(loop->condition);
      visit(loop->update);
      return visit(loop->body);
    }
    case StatementKind::kForEach: {
      auto* loop = static_cast<ForEachStatement*>(statement);
      visit(loop->sequence);
      visit(loop->upper);
      return visit(loop->body);
    }
    case StatementKind::kSwitch: {
      auto* choice = static_cast<SwitchStatement*>(statement);
      visit(choice->subject);
      for (const SwitchCase& one : choice->cases) visit(one.body);
      return;
    }
    case StatementKind::kReturn: return visit(static_cast<ReturnStatement*>(statement)->value);
    case StatementKind::kThrow: return visit(static_cast<ThrowStatement*>(statement)->value);
    case StatementKind::kTry: {
      auto* attempt = static_cast<TryStatement*>(statement);
      visit(attempt->body);
      for (const CatchClause& clause : attempt->catches) visit(clause.body);
      return visit(attempt->finallyBody);
    }
    case StatementKind::kLock: {
      auto* lock = static_cast<LockStatement*>(statement);
      visit(lock->mutex);
      return visit(lock->body);
    }
    case StatementKind::kUsing: {
      auto* use = static_cast<UsingStatement*>(statement);
      visit(use->value);
      add(use->close);
      return visit(use->body);
    }
    case StatementKind::kSelect:
      for (const SelectBranch& branch : static_cast<SelectStatement*>(statement)->branches) {
        visit(branch.object);
        visit(branch.value);
        visit(branch.body);
      }
      return;
    case StatementKind::kAssert: {
      auto* assertion = static_cast<AssertStatement*>(statement);
      visit(assertion->condition);
      return visit(assertion->message);
    }
    case StatementKind::kBreak:
    case StatementKind::kContinue: return;
    }
  }

 private:
  void add(const Need& need) {
    if (seen_.insert(need).second) needs_.push_back(need);
  }
  void add(FunctionSymbol* function) {
    if (function != nullptr) add(Need{nullptr, function, isSoft_});
  }

  void visitBehindFirst(Expression* expression) {
    forEachFurtherOperand(
        expression, [&](Expression* operand) { visit(operand); }, [&](Expression* place) { visit(place); });
    switch (expression->kind) {
    case ExpressionKind::kStaticField:
      return add(Need{info(static_cast<StaticFieldExpression*>(expression)->field), nullptr, isSoft_});
    case ExpressionKind::kCall: {
      auto* call = static_cast<CallExpression*>(expression);
      return visitCall(call->function, call->arguments);
    }
    case ExpressionKind::kNew: {
      auto* call = static_cast<NewExpression*>(expression);
      return visitCall(call->constructor, call->arguments);
    }
    case ExpressionKind::kFieldsValue: return add(static_cast<FieldsValueExpression*>(expression)->constructor);
    case ExpressionKind::kFunctionValue:
    case ExpressionKind::kLambda: {
      bool wasSoft = std::exchange(isSoft_, true);
      if (expression->kind == ExpressionKind::kLambda) {
        visit(static_cast<LambdaExpression*>(expression)->function->body);
      } else {
        add(static_cast<FunctionValueExpression*>(expression)->function);
      }
      isSoft_ = wasSoft;
      return;
    }
    default: return;
    }
  }

  void visitCall(FunctionSymbol* callee, std::span<const Argument> arguments) {
    for (const Argument& argument : arguments) {
      if (isFilledIn(callee, argument)) visit(argument.value);
    }
    add(callee);
  }

  std::vector<Need> needs_;
  absl::flat_hash_set<Need> seen_;
  bool isSoft_ = false;
};

class InitializationOrder {
 public:
  explicit InitializationOrder(Program& program) : program_(program) {}

  // Puts a variable behind all that it needs.
  void add(FieldInfo& first) {
    enter(first);
    while (!steps_.empty()) {
      Step& step = steps_.back();
      if (step.next == step.needs.size()) {
        leave(step);
        steps_.pop_back();
        continue;
      }
      Need need = step.needs[step.next++];
      need.isSoft |= step.isSoft;
      if (need.field != nullptr) {
        meet(*need.field, need.isSoft);
      } else {
        enter(*need.function, need.isSoft);
      }
    }
    settled_.insert(visited_.begin(), visited_.end());
    visited_.clear();
  }

  std::vector<FieldSymbol*> take() { return std::move(order_); }

 private:
  // A variable or function whose needs are being gone through.
  struct Step {
    FieldInfo* variable; // null: a function
    std::span<const Need> needs;
    size_t next;
    bool isSoft;
  };
  // What is known of one variable while its needs are being found.
  struct Open {
    FieldInfo* variable;
    absl::flat_hash_map<const FunctionSymbol*, bool> functions; // walked for it; true: only softly so far
  };

  void meet(FieldInfo& field, bool isSoft) {
    if (field.storage != FieldStorage::kStatic || field.ordered == Progress::kDone) return;
    if (field.ordered == Progress::kNone) return enter(field);
    if (!isSoft) reportCycle(field);
  }

  void enter(FieldInfo& field) {
    if (field.ordered != Progress::kNone || field.storage != FieldStorage::kStatic) return;
    field.ordered = Progress::kRunning;
    NeedFinder finder;
    finder.visit(field.initializer);
    std::vector<Need>& needs = fieldNeeds_.emplace_back(finder.take());
    open_.push_back({&field, {}});
    steps_.push_back({&field, needs, 0, false});
  }

  void leave(const Step& step) {
    if (step.variable == nullptr) return;
    step.variable->ordered = Progress::kDone;
    if (step.variable->initializer != nullptr) order_.push_back(step.variable);
    open_.pop_back();
  }

  // Each variable walks the functions it needs anew, so that a function seen on the way to another one hides nothing;
  // those from which only variables that are done can be reached add nothing.
  void enter(FunctionSymbol& function, bool isSoft) {
    Open& open = open_.back();
    // Functions of the standard library know nothing of a program's variables, which come after all of the library's.
    bool isStandard = function.module != nullptr && function.module->isStandard;
    if ((isStandard && !open.variable->module->isStandard) || settled_.contains(&function)) return;
    auto [seen, isNew] = open.functions.try_emplace(&function, isSoft);
    if (!isNew && (isSoft || !seen->second)) return;
    seen->second = isSoft;
    visited_.push_back(&function);
    steps_.push_back({nullptr, needsOf(function), 0, isSoft});
  }

  std::span<const Need> needsOf(FunctionSymbol& function) {
    auto [known, isNew] = functionNeeds_.try_emplace(&function);
    if (!isNew) return *known->second;
    known->second = std::make_unique<std::vector<Need>>();
    std::vector<Need>* needs = known->second.get();
    if (function.module != nullptr && function.module->isStandard) program_.ensureBody(*info(&function));
    NeedFinder finder;
    if (function.kind == FunctionKind::kConstructor) {
      for (FieldSymbol* field : function.owner->fields) finder.visit(field->initializer);
    }
    finder.visit(function.superCall);
    finder.visit(function.body);
    *needs = finder.take();
    return *needs;
  }

  void reportCycle(FieldInfo& field) {
    if (!reported_.insert(&field).second) return;
    std::string chain;
    bool isInside = false;
    size_t shown = 0;
    for (const Open& open : open_) {
      isInside |= open.variable == &field;
      if (!isInside) continue;
      if (++shown > kMostShownOfCycle) {
        chain += "… needs ";
        break;
      }
      chain += fmt::format("`{}` needs ", open.variable->name);
    }
    program_.diagnostics->report(DiagId::InitializationCycle, field.range, chain + fmt::format("`{}`", field.name));
  }

  static constexpr size_t kMostShownOfCycle = 10;

  Program& program_;
  std::vector<FieldSymbol*> order_;
  std::vector<Step> steps_;
  std::vector<Open> open_;                   // the variables among the steps
  std::deque<std::vector<Need>> fieldNeeds_; // of the variables walked; a deque, because steps point into it
  absl::flat_hash_map<const FunctionSymbol*, std::unique_ptr<std::vector<Need>>> functionNeeds_;
  std::vector<const FunctionSymbol*> visited_;         // since the outermost variable was begun
  absl::flat_hash_set<const FunctionSymbol*> settled_; // all variables that can be reached from them are done
  absl::flat_hash_set<const FieldInfo*> reported_;
};

} // namespace

std::vector<FieldSymbol*> Program::orderInitialization() {
  InitializationOrder order(*this);
  for (ModuleInfo* module : modules) {
    // Textual order, with the static fields of a class at its place.
    for (const syntax::Decl* declaration : module->tree->declarations) {
      auto at = module->names.find(declaration->name.text);
      if (at == module->names.end()) continue;
      const TopLevel& place = at->second;
      if (place.variable != nullptr && place.variable->declaration == declaration) order.add(*place.variable);
      if (place.type != nullptr && place.type->declaration == declaration) {
        for (FieldSymbol* field : place.type->staticFields) order.add(*info(field));
      }
    }
  }
  return order.take();
}

void Program::checkMain(bool requireMain, TypedProgram& result) {
  auto at = mainModule->names.find("main");
  FunctionInfo* first = at != mainModule->names.end() ? at->second.functions : nullptr;
  if (first == nullptr) {
    if (!requireMain || mainModule->isBroken()) return;
    // About the file as a whole: there is no place where main is missing.
    auto& diagnostic = diagnostics->reportFile(sources.file(mainModule->file)->path(),
                                               {DiagId::MissingMain, syntax::infoOf(DiagId::MissingMain).text});
    if (at != mainModule->names.end()) diagnostic.note(at->second.range(), "`main` is no function here");
    return;
  }
  if (first->nextOverload != nullptr) {
    diagnostics->report(DiagId::SeveralMains, first->nextOverload->range).note(first->range, "the other one is here");
    return;
  }
  bool returnsFits =
      first->resultType->isVoid() || first->resultType->kind == TypeKind::kInt || first->resultType->isError();
  bool parametersFit = first->parameters.empty();
  if (first->parameters.size() == 1) {
    const Type* type = first->parameters[0]->type;
    bool isStrings = type->kind == TypeKind::kArray && type->element()->kind == TypeKind::kString;
    parametersFit = (isStrings || type->isError()) && !first->parameters[0]->isOut;
  }
  if (!returnsFits || !parametersFit || !first->typeParameters.empty() || first->isNative) {
    diagnostics->report(DiagId::BadMain, first->range);
    return;
  }
  result.entries = {first};
}

} // namespace nlang::sema
