// Entry points of body checking, scopes, and implicit conversions.
#include "sema/body_checker.h"

#include <algorithm>

#include <fmt/format.h>

namespace nlang::sema {

BodyChecker::BodyChecker(Program& program, ModuleInfo* module, ClassInfo* owner, bool hasThis)
    : p_(program), module_(module), owner_(owner), hasThis_(hasThis) {}

// ---------------------------------------------------------------- entry points

void BodyChecker::checkFunction(FunctionInfo& function) {
  function_ = &function;
  FunctionFrame frame;
  frame.function = &function;
  frame.resultType = function.resultType;
  frame_ = &frame;
  pushScope();
  for (VariableSymbol* parameter : function.parameters) bringIntoScope(parameter);

  const syntax::BlockStmt* body = nullptr;
  if (const auto* constructor = syntax::dyn<syntax::ConstructorDecl>(function.declaration)) {
    body = constructor->body;
  } else if (const auto* declared = syntax::dyn<syntax::FunctionDecl>(function.declaration)) {
    body = declared->body;
  }
  std::span<syntax::Stmt* const> statements =
      body != nullptr ? std::span<syntax::Stmt* const>(body->statements) : std::span<syntax::Stmt* const>{};
  if (function.kind == FunctionKind::kConstructor && owner_->superType != nullptr && !function.isNative) {
    const syntax::SuperCallStmt* call =
        statements.empty() ? nullptr : syntax::dyn<syntax::SuperCallStmt>(statements.front());
    if (call != nullptr) statements = statements.subspan(1);
    // One that stands elsewhere is an error of its own, and the only one.
    auto isCall = [](const syntax::Stmt* statement) { return syntax::is<syntax::SuperCallStmt>(statement); };
    if (call != nullptr || std::none_of(statements.begin(), statements.end(), isCall)) checkSuperCall(function, call);
  }
  if (body != nullptr) function.body = checkStatements(statements, body->range);
  popScope();
  frame_ = nullptr;
}

// `super(…)` runs before the object's own fields have values, so its arguments cannot use `this`.
void BodyChecker::checkSuperCall(FunctionInfo& function, const syntax::SuperCallStmt* call) {
  if (owner_->hasUnknownBase) {
    if (call == nullptr) return;
    std::vector<CallArgument> arguments = checkArguments(call->arguments);
    return dropArguments(arguments);
  }
  ClassInfo* base = info(owner_->superType->declaration);
  syntax::SourceRange range = call != nullptr ? call->range : function.range;
  Denotation callee;
  callee.kind = Denotation::Kind::kFunctions;
  callee.name = base->name;
  callee.range = range;
  callee.isSuper = true;
  for (FunctionSymbol* constructor : base->constructors) {
    if (isVisible(*constructor, base)) callee.functions.push_back({info(constructor), owner_->superType->arguments});
  }
  if (function.inheritedFrom != nullptr) {
    std::vector<Argument> arguments;
    for (VariableSymbol* parameter : function.parameters) {
      arguments.push_back({variableValue(parameter, range), parameter->index, false});
    }
    function.superCall = makeCall(function.inheritedFrom, owner_->superType->arguments, {}, thisValue(range), true,
                                  p_.arena.copyList(arguments), range);
    return;
  }
  if (call == nullptr) {
    bool hasPlain = false;
    for (const FoundFunction& candidate : callee.functions) hasPlain |= candidate.function->requiredParameters == 0;
    if (!hasPlain) {
      report(DiagId::NoPlainBaseConstructor, range, typeName(owner_->superType))
          .suggest("start the constructor with `super(…);`");
      return;
    }
  }
  callee.receiver = thisValue(range);
  hasThis_ = false;
  isInSuperCall_ = true;
  Expression* result =
      callFunctions(std::move(callee), call != nullptr ? call->arguments : std::span<syntax::Argument* const>{}, range);
  isInSuperCall_ = false;
  hasThis_ = true;
  if (!result->type->isError()) function.superCall = result;
}

Expression* BodyChecker::checkInitializer(const syntax::Expr* node, const Type* target, FunctionInfo* function,
                                          std::span<VariableSymbol* const> parameters) {
  function_ = function;
  FunctionFrame frame;
  frame.function = function;
  frame.resultType = p_.simple(TypeKind::kVoid);
  frame_ = &frame;
  pushScope();
  for (VariableSymbol* parameter : parameters) bringIntoScope(parameter);
  Expression* value = checkAs(node, target);
  popScope();
  frame_ = nullptr;
  return value;
}

// ---------------------------------------------------------------- values of every kind

Expression* BodyChecker::errorExpression(syntax::SourceRange range) {
  return make<DefaultExpression>(ExpressionKind::kDefault, range, p_.errorType());
}

Expression* BodyChecker::constant(const ConstantValue& value, const Type* type, syntax::SourceRange range) {
  return make<ConstantExpression>(ExpressionKind::kConstant, range, type, value);
}

const ConstantValue* BodyChecker::constantOf(const Expression* expression) {
  return expression->kind == ExpressionKind::kConstant ? &static_cast<const ConstantExpression*>(expression)->value
                                                       : nullptr;
}

Expression* BodyChecker::check(const syntax::Expr* node, const Type* expected) {
  using syntax::NodeKind;
  switch (node->kind) {
  case NodeKind::IntLiteral: {
    const auto& literal = *syntax::as<syntax::IntLiteral>(node);
    static constexpr TypeKind kKinds[] = {TypeKind::kInt, TypeKind::kUInt, TypeKind::kLong, TypeKind::kULong};
    const Type* type = p_.simple(kKinds[static_cast<size_t>(literal.intKind)]);
    return constant(integerConstant(literal.bits, type), type, node->range);
  }
  case NodeKind::FloatLiteral: {
    const auto& literal = *syntax::as<syntax::FloatLiteral>(node);
    return constant(floatingConstant(literal.value), p_.simple(literal.isFloat ? TypeKind::kFloat : TypeKind::kDouble),
                    node->range);
  }
  case NodeKind::CharLiteral: {
    const Type* type = p_.simple(TypeKind::kChar);
    return constant(integerConstant(syntax::as<syntax::CharLiteral>(node)->value, type), type, node->range);
  }
  case NodeKind::StringLiteral:
    return constant(stringConstant(syntax::as<syntax::StringLiteral>(node)->value), p_.simple(TypeKind::kString),
                    node->range);
  case NodeKind::BoolLiteral:
    return constant(boolConstant(syntax::as<syntax::BoolLiteral>(node)->value), p_.simple(TypeKind::kBool),
                    node->range);
  case NodeKind::NullLiteral: return constant(nullConstant(), p_.simple(TypeKind::kNull), node->range);
  case NodeKind::InterpolatedString: return checkInterpolation(*syntax::as<syntax::InterpolatedString>(node));
  case NodeKind::NameExpr:
  case NodeKind::MemberExpr:
  case NodeKind::TypeExpr: return valueOf(denote(node), expected);
  case NodeKind::NullChainExpr: return checkNullChain(*syntax::as<syntax::NullChainExpr>(node));
  case NodeKind::CallExpr: return checkCall(*syntax::as<syntax::CallExpr>(node));
  case NodeKind::IndexExpr: return checkIndex(*syntax::as<syntax::IndexExpr>(node));
  case NodeKind::UnaryExpr: return checkUnary(*syntax::as<syntax::UnaryExpr>(node));
  case NodeKind::BinaryExpr: return checkBinary(*syntax::as<syntax::BinaryExpr>(node), expected);
  case NodeKind::CastExpr: return checkCast(*syntax::as<syntax::CastExpr>(node));
  case NodeKind::TypeTestExpr: return checkTypeTest(*syntax::as<syntax::TypeTestExpr>(node));
  case NodeKind::ConditionalExpr: return checkConditional(*syntax::as<syntax::ConditionalExpr>(node), expected);
  case NodeKind::LambdaExpr: return checkLambda(*syntax::as<syntax::LambdaExpr>(node), expected);
  case NodeKind::NewArrayExpr: {
    const auto& array = *syntax::as<syntax::NewArrayExpr>(node);
    const Type* element = resolveType(array.element);
    Expression* length = checkAs(array.length, p_.simple(TypeKind::kInt));
    if (element->isError()) return errorExpression(node->range);
    return make<NewArrayExpression>(ExpressionKind::kNewArray, node->range, p_.types.array(element), length);
  }
  case NodeKind::BraceExpr: return checkBrace(*syntax::as<syntax::BraceExpr>(node), expected);
  case NodeKind::BracketExpr: return checkBracket(*syntax::as<syntax::BracketExpr>(node), expected);
  case NodeKind::ThisExpr:
    if (hasThis_) return thisValue(node->range);
    report(DiagId::NoThis, node->range,
           isInSuperCall_      ? "the arguments of `super(…)`"
           : owner_ != nullptr ? "a static member"
                               : "a function");
    return errorExpression(node->range);
  case NodeKind::ParenExpr: return check(syntax::as<syntax::ParenExpr>(node)->inner, expected);
  default: return errorExpression(node->range); // the parser has reported it
  }
}

Expression* BodyChecker::checkValue(const syntax::Expr* node, const Type* expected) {
  Expression* value = check(node, expected);
  if (!value->type->isVoid()) return value;
  report(DiagId::NoValue, node->range);
  return errorExpression(node->range);
}

Expression* BodyChecker::checkAs(const syntax::Expr* node, const Type* target) {
  Expression* value = checkValue(node, target->isError() ? nullptr : target);
  return convert(value, target);
}

Expression* BodyChecker::checkCondition(const syntax::Expr* node) {
  Expression* value = checkValue(node, p_.simple(TypeKind::kBool));
  if (value->type->kind == TypeKind::kBool || value->type->isError()) return value;
  auto& diagnostic = report(DiagId::ConditionNotBool, node->range, typeName(value->type));
  if (value->type->isNumeric()) diagnostic.suggest("compare it: `… != 0`");
  if (value->type->isReference()) diagnostic.suggest("compare it: `… != null`");
  return errorExpression(node->range);
}

// The parts of an argument whose call could not be resolved: they are walked so that what they use counts as used, with
// every type an error and every report dropped.
void BodyChecker::checkPoisoned(const syntax::Expr* node) {
  syntax::DiagnosticSink dropped;
  TrialScope trial(p_, dropped);
  check(node, p_.errorType());
}

// ---------------------------------------------------------------- implicit conversions

Expression* BodyChecker::tryConvert(Expression* value, const Type* target) {
  const Type* source = value->type;
  if (source == target || source->isError() || target->isError()) return value;
  if (source->isVoid() || target->isVoid()) return nullptr;
  if (value->kind == ExpressionKind::kFunctionValue && dropsResult(source, target)) {
    auto* name = static_cast<FunctionValueExpression*>(value);
    return make<FunctionValueExpression>(ExpressionKind::kFunctionValue, name->range, target, name->function,
                                         name->dispatch, name->receiver, name->ownerArguments, name->typeArguments);
  }
  const ConstantValue* known = constantOf(value);
  ImplicitKind kind = p_.conversions.implicit(source, target, known);
  switch (kind) {
  case ImplicitKind::kNone: return nullptr;
  case ImplicitKind::kIdentity: return value;
  case ImplicitKind::kNull: return constant(nullConstant(), target, value->range);
  default: break;
  }
  Conversion conversion = p_.conversions.implicitNode(kind, source);
  ConstantValue folded;
  if (known != nullptr && kind == ImplicitKind::kNumeric &&
      p_.folder.convert(conversion, source, target, *known, folded)) {
    return constant(folded, target, value->range);
  }
  return make<ConvertExpression>(ExpressionKind::kConvert, value->range, target, conversion, value);
}

namespace {

// Rule L2.3 lets integers become floating numbers that cannot hold them all (L12.3).
bool isLossy(const Type* source, const Type* target) {
  if (!source->isInteger() || !target->isFloating()) return false;
  return target->kind == TypeKind::kFloat ? source->integerBits() >= 32 : source->integerBits() == 64;
}

} // namespace

Expression* BodyChecker::convert(Expression* value, const Type* target) {
  if (Expression* converted = tryConvert(value, target); converted != nullptr) {
    if (isLossy(value->type, target) && constantOf(value) == nullptr) {
      report(DiagId::LossyConversion, value->range, typeName(value->type), typeName(target))
          .suggest(fmt::format("write `as {}` if that is meant", typeName(target)));
    }
    return converted;
  }
  const ConstantValue* known = constantOf(value);
  if (known != nullptr && known->kind == ConstantValue::Kind::kInteger && value->type->isInteger() &&
      target->isInteger()) {
    std::string text =
        value->type->isSigned() ? fmt::format("{}", static_cast<int64_t>(known->bits)) : fmt::format("{}", known->bits);
    report(DiagId::ConstantDoesNotFit, value->range, text, typeName(target));
  } else if (value->type->kind == TypeKind::kNull) {
    report(DiagId::NullToValue, value->range, typeName(target));
  } else {
    explainConversion(report(DiagId::CannotConvert, value->range, typeName(value->type), typeName(target)), value,
                      target);
  }
  return errorExpression(value->range);
}

void BodyChecker::explainConversion(syntax::Diagnostic& diagnostic, const Expression* value, const Type* target) {
  const Type* source = value->type;
  if (source->kind == TypeKind::kFunction && source->parameters().empty() &&
      p_.conversions.converts(source->result(), target)) {
    diagnostic.suggest("to call the function, write `()` behind its name");
  } else if (dropsResult(source, target)) {
    diagnostic.suggest("to drop the result, write a lambda that calls the function");
  } else if (target->kind == TypeKind::kString) {
    diagnostic.suggest("write `\"${…}\"` or `.toString()` for the text of a value");
  } else if (source->kind == TypeKind::kString && target->isNumeric()) {
    bool isWhole = target->isInteger() && target->integerBits() <= 32;
    diagnostic.suggest(fmt::format("`{}()` reads a number from a string", isWhole               ? "toInt"
                                                                          : target->isInteger() ? "toLong"
                                                                                                : "toDouble"));
  } else if (!target->isVoid() && p_.conversions.explicitly(source, target).allowed) {
    diagnostic.suggest(
        fmt::format("write `… as {}` for a conversion that may lose something or fail", typeName(target)));
  }
}

Expression* BodyChecker::toText(Expression* value) {
  const Type* text = p_.simple(TypeKind::kString);
  if (value->type == text || value->type->isError()) return value;
  if (value->type->kind == TypeKind::kNull) return constant(stringConstant("null"), text, value->range);
  ConstantValue folded;
  const ConstantValue* known = constantOf(value);
  if (known != nullptr && p_.folder.convert(Conversion::kToText, value->type, text, *known, folded))
    return constant(folded, text, value->range);
  return make<ConvertExpression>(ExpressionKind::kConvert, value->range, text, Conversion::kToText, value);
}

// ---------------------------------------------------------------- which expressions wait for their target

bool BodyChecker::needsTarget(const syntax::Expr* node) {
  using syntax::NodeKind;
  switch (node->kind) {
  case NodeKind::ParenExpr: return needsTarget(syntax::as<syntax::ParenExpr>(node)->inner);
  case NodeKind::BracketExpr: return true;
  case NodeKind::BraceExpr: return syntax::as<syntax::BraceExpr>(node)->type == nullptr;
  case NodeKind::ConditionalExpr: {
    const auto& conditional = *syntax::as<syntax::ConditionalExpr>(node);
    return needsTarget(conditional.thenValue) || needsTarget(conditional.elseValue);
  }
  case NodeKind::LambdaExpr: {
    const auto& lambda = *syntax::as<syntax::LambdaExpr>(node);
    for (const syntax::Parameter* parameter : lambda.parameters) {
      if (parameter->type == nullptr) return true;
    }
    return lambda.expression != nullptr ? needsTarget(lambda.expression) : returnNeedsTarget(lambda.block);
  }
  default: return false;
  }
}

bool BodyChecker::returnNeedsTarget(const syntax::Stmt* statement) {
  using syntax::NodeKind;
  auto any = [&](const auto& statements) {
    for (const syntax::Stmt* inner : statements) {
      if (returnNeedsTarget(inner)) return true;
    }
    return false;
  };
  if (statement == nullptr) return false;
  switch (statement->kind) {
  case NodeKind::ReturnStmt: {
    const syntax::Expr* value = syntax::as<syntax::ReturnStmt>(statement)->value;
    return value != nullptr && needsTarget(value);
  }
  case NodeKind::BlockStmt: return any(syntax::as<syntax::BlockStmt>(statement)->statements);
  case NodeKind::IfStmt:
    for (const syntax::IfBranch* branch : syntax::as<syntax::IfStmt>(statement)->branches) {
      if (returnNeedsTarget(branch->body)) return true;
    }
    return returnNeedsTarget(syntax::as<syntax::IfStmt>(statement)->elseBody);
  case NodeKind::WhileStmt: return returnNeedsTarget(syntax::as<syntax::WhileStmt>(statement)->body);
  case NodeKind::DoStmt: return returnNeedsTarget(syntax::as<syntax::DoStmt>(statement)->body);
  case NodeKind::ForStmt: return returnNeedsTarget(syntax::as<syntax::ForStmt>(statement)->body);
  case NodeKind::ForeachStmt: return returnNeedsTarget(syntax::as<syntax::ForeachStmt>(statement)->body);
  case NodeKind::LockStmt: return returnNeedsTarget(syntax::as<syntax::LockStmt>(statement)->body);
  case NodeKind::UsingStmt: return returnNeedsTarget(syntax::as<syntax::UsingStmt>(statement)->body);
  case NodeKind::SwitchStmt:
    for (const syntax::SwitchCase* one : syntax::as<syntax::SwitchStmt>(statement)->cases) {
      if (any(one->body)) return true;
    }
    return false;
  case NodeKind::SelectStmt:
    for (const syntax::SelectCase* one : syntax::as<syntax::SelectStmt>(statement)->cases) {
      if (any(one->body)) return true;
    }
    return false;
  case NodeKind::TryStmt: {
    const auto& attempt = *syntax::as<syntax::TryStmt>(statement);
    for (const syntax::CatchClause* clause : attempt.catches) {
      if (returnNeedsTarget(clause->body)) return true;
    }
    return returnNeedsTarget(attempt.body) || returnNeedsTarget(attempt.finallyBody);
  }
  default: return false;
  }
}

// ---------------------------------------------------------------- scopes

void BodyChecker::pushScope() { scopes_.push_back(hidden_.size()); }

void BodyChecker::popScope() {
  while (hidden_.size() > scopes_.back()) {
    auto& [name, previous] = hidden_.back();
    if (previous.variable != nullptr) {
      visible_[name] = previous;
    } else {
      visible_.erase(name);
    }
    hidden_.pop_back();
  }
  scopes_.pop_back();
}

void BodyChecker::bringIntoScope(VariableSymbol* variable) {
  if (variable->name.empty()) return;
  Visible& place = visible_[variable->name];
  hidden_.emplace_back(variable->name, place);
  place = {variable, static_cast<uint32_t>(scopes_.size())};
}

VariableSymbol* BodyChecker::declare(const syntax::Ident& name, const Type* type) {
  VariableSymbol* variable = p_.newVariable();
  variable->name = name.text;
  variable->range = name.range;
  variable->type = type;
  variable->owner = frame_->function;
  if (name.empty()) return variable;
  if (auto at = visible_.find(name.text); at != visible_.end()) {
    VariableSymbol* other = at->second.variable;
    if (at->second.depth == scopes_.size()) {
      other->isUsed = true; // its uses are taken for uses of the new one
      report(DiagId::DuplicateName, name.range, name.text).note(other->range, "the other one is here");
    } else {
      report(DiagId::Shadowing, name.range, name.text).note(other->range, "the other one is here");
    }
  }
  bringIntoScope(variable);
  return variable;
}

TypeScope BodyChecker::typeScope() const {
  bool isStatic = function_ != nullptr ? function_->kind == FunctionKind::kStaticMethod : !hasThis_ && !isInSuperCall_;
  return {module_, owner_, function_, isStatic};
}

std::string_view BodyChecker::sourceText(syntax::SourceRange range) const {
  const syntax::SourceFile* file = p_.sources.file(range.file);
  return file != nullptr ? file->text().substr(range.begin, range.end - range.begin) : std::string_view{};
}

} // namespace nlang::sema
