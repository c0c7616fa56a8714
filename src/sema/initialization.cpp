// Finishing: the order in which module variables and static fields are initialised, and the entry point (rules L1.3,
// L1.5, L1.6, L7.8).
//
// A variable is initialised after those its initialiser needs: the ones it mentions, and those mentioned by the
// functions it calls, as far as the call names them. A lambda in an initialiser runs later; what it mentions goes first
// if that is possible. Variables that need each other are an error.
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "sema/program.h"
#include "sema/typed_walk.h"

namespace nlang::sema {

using syntax::DiagId;

namespace {

class InitializationOrder {
 public:
  explicit InitializationOrder(Program& program) : program_(program) {}

  void add(FieldInfo& field) {
    if (field.ordered == Progress::kDone || field.storage != FieldStorage::kStatic) return;
    if (field.ordered == Progress::kRunning) {
      if (!isSoft_) reportCycle(field);
      return;
    }
    field.ordered = Progress::kRunning;
    path_.push_back(&field);
    // Each variable walks the functions it needs anew, so that a function seen on the way to another one hides nothing;
    // the functions of variables that are done cannot add anything.
    absl::flat_hash_set<const FunctionSymbol*> outer = std::exchange(functions_, {});
    bool wasSoft = std::exchange(isSoft_, false);
    if (field.initializer != nullptr) visit(field.initializer);
    isSoft_ = wasSoft;
    functions_ = std::move(outer);
    path_.pop_back();
    field.ordered = Progress::kDone;
    if (field.initializer != nullptr) order_.push_back(&field);
  }

  std::vector<FieldSymbol*> take() { return std::move(order_); }

 private:
  void reportCycle(FieldInfo& field) {
    if (!reported_.insert(&field).second) return;
    std::string chain;
    bool isInside = false;
    for (FieldInfo* step : path_) {
      isInside |= step == &field;
      if (isInside) chain += fmt::format("`{}` needs ", step->name);
    }
    program_.diagnostics->report(DiagId::InitializationCycle, field.range, chain + fmt::format("`{}`", field.name));
  }

  void visitFunction(FunctionSymbol* function) {
    if (function == nullptr || !functions_.insert(function).second) return;
    // Functions of the standard library know nothing of a program's variables, which come after all of the library's.
    if (function->module != nullptr && function->module->isStandard && !path_.back()->module->isStandard) return;
    if (function->module != nullptr && function->module->isStandard) program_.ensureBody(*info(function));
    if (function->kind == FunctionKind::kConstructor) {
      for (FieldSymbol* field : function->owner->fields) visit(field->initializer);
    }
    visit(function->superCall);
    visit(function->body);
  }

  void visit(Expression* expression) {
    // In order of evaluation: the first operand of a long chain stands at its end.
    std::vector<Expression*> chain;
    for (; expression != nullptr; expression = firstOperand(expression)) chain.push_back(expression);
    for (; !chain.empty(); chain.pop_back()) {
      expression = chain.back();
      forEachFurtherOperand(
          expression, [&](Expression* operand) { visit(operand); }, [&](Expression* place) { visit(place); });
      switch (expression->kind) {
      case ExpressionKind::kStaticField: add(*info(static_cast<StaticFieldExpression*>(expression)->field)); break;
      case ExpressionKind::kCall: visitFunction(static_cast<CallExpression*>(expression)->function); break;
      case ExpressionKind::kNew: visitFunction(static_cast<NewExpression*>(expression)->constructor); break;
      case ExpressionKind::kFieldsValue:
        visitFunction(static_cast<FieldsValueExpression*>(expression)->constructor);
        break;
      case ExpressionKind::kFunctionValue:
      case ExpressionKind::kLambda: {
        bool wasSoft = std::exchange(isSoft_, true);
        if (expression->kind == ExpressionKind::kLambda) {
          visit(static_cast<LambdaExpression*>(expression)->function->body);
        } else {
          visitFunction(static_cast<FunctionValueExpression*>(expression)->function);
        }
        isSoft_ = wasSoft;
        break;
      }
      default: break;
      }
    }
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
      visitFunction(use->close);
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

  Program& program_;
  std::vector<FieldSymbol*> order_;
  std::vector<FieldInfo*> path_;                         // variables whose needs are being found, outermost first
  absl::flat_hash_set<const FunctionSymbol*> functions_; // seen for the innermost of them
  absl::flat_hash_set<const FieldInfo*> reported_;
  bool isSoft_ = false; // inside a lambda or function value: what is mentioned is needed later, if at all
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
  result.mainFunction = first;
}

} // namespace nlang::sema
