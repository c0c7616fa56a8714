// What is checked once, when something asks for it: bodies, default values, initialisers, values of enums.
//
// Each is marked while it is being checked, so that what depends on itself is found. Reports always go to the real
// sink, also when an expression on trial was the one to ask.
#include <utility>

#include <fmt/format.h>

#include "sema/body_checker.h"
#include "sema/flow.h"

namespace nlang::sema {

using syntax::DiagId;

namespace {

// Restores the sink that belongs to the program while something is checked once and for all.
class RealSink {
 public:
  explicit RealSink(Program& program) : program_(program), saved_(program.diagnostics) {
    program.diagnostics = program.mainDiagnostics;
  }
  ~RealSink() { program_.diagnostics = saved_; }
  RealSink(const RealSink&) = delete;
  RealSink& operator=(const RealSink&) = delete;

 private:
  Program& program_;
  syntax::DiagnosticSink* saved_;
};

} // namespace

// What is computed on demand may demand more, as often as the program is long.
bool Program::isChainTooLong(syntax::SourceRange range, std::string_view name) {
  if (!nativeStack.isLow()) return false;
  if (!std::exchange(chainReported_, true)) mainDiagnostics->report(DiagId::DependencyTooLong, range, name);
  return true;
}

void Program::ensureBody(FunctionInfo& function) {
  if (function.bodyProgress != Progress::kNone) return;
  function.bodyProgress = Progress::kRunning;
  RealSink real(*this);
  size_t errorsBefore = diagnostics->errorCount();
  ModuleInfo* module = info(function.module);
  ClassInfo* owner = function.owner != nullptr ? info(function.owner) : nullptr;
  ensureDefaults(function);
  if (function.kind == FunctionKind::kConstructor) ensureFieldInitializers(*owner);
  if (function.declaration == nullptr && owner != nullptr && owner->kind == ClassKind::kEnum) {
    makeEnumValuesBody(function);
  } else if (!function.isNative && !function.isAbstract) {
    bool hasThis = function.kind == FunctionKind::kMethod || function.kind == FunctionKind::kConstructor;
    BodyChecker checker(*this, module, owner, hasThis);
    checker.checkFunction(function);
    if (function.body == nullptr)
      function.body =
          arena.make<Block>(Statement{StatementKind::kBlock, function.range}, std::span<Statement* const>{});
  }
  if (function.declaration != nullptr && !module->isBrokenIn(function.declaration->range))
    analyzeFlow(&function, *diagnostics, {.warnings = !module->isStandard && !module->isBroken()});
  function.bodyFailed = diagnostics->errorCount() != errorsBefore;
  function.bodyChecked = true;
  function.bodyProgress = Progress::kDone;
}

// `E.values()` is `[E.A, E.B, …]`.
void Program::makeEnumValuesBody(FunctionInfo& function) {
  ClassInfo& owner = *info(function.owner);
  ensureEnumValues(owner);
  std::vector<Expression*> elements;
  for (const EnumMember& member : owner.members) {
    ConstantValue value = integerConstant(static_cast<uint64_t>(int64_t{member.value}), owner.selfType);
    elements.push_back(
        arena.make<ConstantExpression>(Expression{ExpressionKind::kConstant, owner.range, owner.selfType}, value));
  }
  std::span<Expression* const> list = arena.copyList(elements);
  Expression* value =
      arena.make<ListValueExpression>(Expression{ExpressionKind::kListValue, owner.range, function.resultType}, list);
  Statement* result = arena.make<ReturnStatement>(Statement{StatementKind::kReturn, owner.range}, value);
  std::span<Statement* const> statements = arena.copyList(&result, 1);
  function.body = arena.make<Block>(Statement{StatementKind::kBlock, owner.range}, statements);
}

void Program::ensureDefaults(FunctionInfo& function) {
  if (function.defaultsProgress != Progress::kNone) {
    if (function.defaultsProgress == Progress::kRunning) {
      mainDiagnostics->report(DiagId::DefaultCycle, function.range, function.name);
      function.defaultsProgress = Progress::kDone;
    }
    return;
  }
  if (function.declaration == nullptr || function.requiredParameters == function.parameters.size()) return;
  if (isChainTooLong(function.range, function.name)) {
    function.defaultsProgress = Progress::kDone;
    return;
  }
  function.defaultsProgress = Progress::kRunning;
  RealSink real(*this);
  std::span<syntax::Parameter* const> parameters;
  if (const auto* constructor = syntax::dyn<syntax::ConstructorDecl>(function.declaration)) {
    parameters = constructor->parameters;
  } else {
    parameters = syntax::as<syntax::FunctionDecl>(function.declaration)->parameters;
  }
  ClassInfo* owner = function.owner != nullptr ? info(function.owner) : nullptr;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i]->defaultValue == nullptr) continue;
    // A constructor's defaults are evaluated before there is an object.
    BodyChecker checker(*this, info(function.module), owner, function.kind == FunctionKind::kMethod);
    std::span<VariableSymbol* const> earlier{function.parameters.data(), i};
    Expression* value =
        checker.checkInitializer(parameters[i]->defaultValue, function.parameters[i]->type, &function, earlier);
    if (function.defaultsProgress == Progress::kRunning) function.defaults[i].value = value;
  }
  function.defaultsProgress = Progress::kDone;
}

void Program::ensureFieldInitializers(ClassInfo& type) {
  if (type.fieldInitializers != Progress::kNone) return;
  type.fieldInitializers = Progress::kDone;
  for (FieldSymbol* field : type.fields) ensureInitializer(*info(field));
}

void Program::ensureInitializer(FieldInfo& field, syntax::SourceRange use) {
  if (field.initialized == Progress::kDone) return;
  if (field.initialized == Progress::kRunning) {
    mainDiagnostics->report(DiagId::ConstantCycle, use.valid() ? use : field.range, field.name);
    field.initialized = Progress::kDone;
    field.ordered = Progress::kDone; // nothing more to say about its order
    return;
  }
  const syntax::Expr* written = field.declaration != nullptr ? field.declaration->initializer : nullptr;
  if (written == nullptr || isChainTooLong(field.range, field.name)) {
    field.initialized = Progress::kDone;
    return;
  }
  field.initialized = Progress::kRunning;
  RealSink real(*this);
  ModuleInfo* module = info(field.module);
  ClassInfo* owner = field.owner != nullptr ? info(field.owner) : nullptr;
  BodyChecker checker(*this, module, owner, owner != nullptr && field.storage == FieldStorage::kInstance);
  Expression* value = checker.checkInitializer(written, field.type, nullptr, {});
  if (!module->isBrokenIn(written->range))
    analyzeFlow(value, *diagnostics, {.warnings = !module->isStandard && !module->isBroken()});
  bool isCyclic = field.initialized == Progress::kDone;
  field.initialized = Progress::kDone;
  field.initializer = value;
  if (field.storage != FieldStorage::kStatic || !field.isConst || isCyclic || value->kind != ExpressionKind::kConstant)
    return;
  field.constant = static_cast<ConstantExpression*>(value)->value;
  if (field.constant.kind != ConstantValue::Kind::kNull) field.storage = FieldStorage::kConstant;
}

void Program::ensureEnumValues(ClassInfo& type) {
  if (type.enumValues == Progress::kDone) return;
  if (type.enumValues == Progress::kRunning) {
    mainDiagnostics->report(DiagId::ConstantCycle, type.range, type.name);
    type.enumValues = Progress::kDone;
    return;
  }
  if (isChainTooLong(type.range, type.name)) {
    type.enumValues = Progress::kDone;
    return;
  }
  type.enumValues = Progress::kRunning;
  RealSink real(*this);
  int64_t next = 0;
  absl::flat_hash_map<std::string_view, bool> seen;
  size_t index = 0;
  for (const syntax::EnumMemberDecl* written : syntax::as<syntax::EnumDecl>(type.declaration)->values) {
    if (written->name.empty() || !seen.emplace(written->name.text, true).second) continue;
    if (written->value != nullptr) {
      BodyChecker checker(*this, info(type.module), &type, false);
      Expression* value = checker.checkInitializer(written->value, simple(TypeKind::kInt), nullptr, {});
      if (value->kind == ExpressionKind::kConstant) {
        next = static_cast<int64_t>(static_cast<ConstantExpression*>(value)->value.bits);
      } else if (!value->type->isError()) {
        diagnostics->report(DiagId::EnumValueNotConstant, written->value->range, written->name.text);
      }
    }
    if (next > INT32_MAX) {
      diagnostics->report(DiagId::ConstantDoesNotFit, written->name.range, next, "int");
      next = 0;
    }
    type.members[index++].value = static_cast<int32_t>(next++);
  }
  type.enumValues = Progress::kDone;
}

} // namespace nlang::sema
