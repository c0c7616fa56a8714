// Calls and constructions: arguments are checked, a candidate is chosen (candidates.cpp), and the call is built with
// one argument for each parameter.
#include <fmt/format.h>

#include "sema/body_checker.h"

namespace nlang::sema {

Expression* BodyChecker::checkCall(const syntax::CallExpr& node) {
  Denotation callee = denote(node.callee);
  if (node.isNew && callee.kind != Denotation::Kind::kType && callee.kind != Denotation::Kind::kError) {
    report(DiagId::NewNotType, node.callee->range, sourceText(node.callee->range));
    callee = failed();
  }
  switch (callee.kind) {
  case Denotation::Kind::kFunctions: return callFunctions(std::move(callee), node.arguments, node.range);
  case Denotation::Kind::kType: return construct(callee, node.arguments, node.range);
  case Denotation::Kind::kValue: return callValue(callee.value, node.arguments, node.range);
  case Denotation::Kind::kModule:
  case Denotation::Kind::kModulePath: report(DiagId::ModuleAsValue, callee.range, sourceText(callee.range)); break;
  case Denotation::Kind::kError: break;
  }
  std::vector<CallArgument> arguments = checkArguments(node.arguments);
  return failedCall(arguments, node.range);
}

std::vector<CallArgument> BodyChecker::checkArguments(std::span<syntax::Argument* const> arguments) {
  std::vector<CallArgument> result;
  result.reserve(arguments.size());
  for (const syntax::Argument* written : arguments) {
    CallArgument& argument = result.emplace_back();
    argument.syntax = written;
    const syntax::Expr* node = written->value;
    if (written->isOut) {
      argument.value = checkPlace(node, true);
    } else if (needsTarget(node)) {
      argument.state = CallArgument::State::kDeferred;
    } else if (const auto* lambda = syntax::dyn<syntax::LambdaExpr>(node)) {
      argument.state = CallArgument::State::kLambda;
      argument.draft = std::make_unique<LambdaDraft>(draftLambda(*lambda, writtenParameters(*lambda), nullptr));
    } else if (node->kind == syntax::NodeKind::NameExpr || node->kind == syntax::NodeKind::MemberExpr) {
      Denotation denotation = denote(node);
      bool isGroup = denotation.kind == Denotation::Kind::kFunctions &&
                     (denotation.functions.size() > 1 ||
                      (!denotation.functions.front().function->typeParameters.empty() && !denotation.hasTypeArguments));
      if (isGroup) {
        argument.state = CallArgument::State::kGroup;
        argument.group = std::make_unique<Denotation>(std::move(denotation));
      } else {
        argument.value = valueOf(std::move(denotation), nullptr);
      }
    } else {
      argument.value = checkValue(node);
    }
  }
  return result;
}

// The arguments of a call that failed: what they use counts as used, and nothing more is said about them.
void BodyChecker::dropArguments(std::vector<CallArgument>& arguments) {
  for (CallArgument& argument : arguments) {
    switch (argument.state) {
    case CallArgument::State::kChecked: break;
    case CallArgument::State::kLambda:
      if (argument.draft->resultType->kind == TypeKind::kNull) argument.draft->resultType = p_.errorType();
      argument.value = finishLambda(*argument.draft);
      break;
    case CallArgument::State::kDeferred:
      checkPoisoned(argument.syntax->value);
      argument.value = errorExpression(argument.syntax->range);
      break;
    case CallArgument::State::kGroup: argument.value = errorExpression(argument.syntax->range); break;
    }
    argument.state = CallArgument::State::kChecked;
  }
}

// Stands for a call that could not be resolved: evaluates the arguments and assigns the `out` ones, as the call would
// have done.
Expression* BodyChecker::failedCall(std::vector<CallArgument>& arguments, syntax::SourceRange range) {
  dropArguments(arguments);
  std::vector<Argument> list;
  for (const CallArgument& argument : arguments)
    list.push_back({argument.value, static_cast<uint32_t>(list.size()), argument.syntax->isOut});
  std::span<const Argument> copied = p_.arena.copyList(list);
  return make<CallValueExpression>(ExpressionKind::kCallValue, range, p_.errorType(), errorExpression(range), copied);
}

Expression* BodyChecker::callFunctions(Denotation&& callee, std::span<syntax::Argument* const> written,
                                       syntax::SourceRange range) {
  std::vector<CallArgument> arguments = checkArguments(written);
  std::vector<CallCandidate> candidates;
  candidates.reserve(callee.functions.size());
  for (const FoundFunction& function : callee.functions) candidates.emplace_back().function = function;
  CallRequest request{callee.hasTypeArguments ? &callee.typeArguments : nullptr, nullptr, range, callee.range,
                      callee.name};
  CallCandidate* chosen = chooseCandidate(candidates, arguments, request);
  if (chosen == nullptr) return failedCall(arguments, range);
  std::span<const Argument> list = finishArguments(*chosen, arguments);
  return makeCall(chosen->function.function, chosen->function.ownerArguments, p_.copyTypes(chosen->typeArguments),
                  callee.receiver, callee.isSuper, list, range);
}

Dispatch BodyChecker::dispatchOf(const FunctionInfo& function, bool isSuper) {
  if (!function.isVirtual || isSuper || function.kind != FunctionKind::kMethod) return Dispatch::kStatic;
  return function.owner->kind == ClassKind::kInterface ? Dispatch::kInterface : Dispatch::kVirtual;
}

// An abstract class may call a method that it leaves to its subclasses: through the interface that declares it.
Expression* BodyChecker::asInterface(Expression* receiver, const FunctionInfo& function,
                                     std::span<const Type* const> ownerArguments) {
  if (receiver == nullptr || receiver->type->kind != TypeKind::kClass) return receiver;
  return convert(receiver, p_.types.named(function.owner, ownerArguments));
}

Expression* BodyChecker::makeCall(FunctionInfo* function, std::span<const Type* const> ownerArguments,
                                  std::span<const Type* const> typeArguments, Expression* receiver, bool isSuper,
                                  std::span<const Argument> arguments, syntax::SourceRange range) {
  const Type* type = p_.substitute(function->resultType, function->owner, ownerArguments);
  if (!typeArguments.empty()) type = p_.types.substitute(type, {function->typeParameters, typeArguments});
  bool usesReceiver = function->kind == FunctionKind::kMethod || function->kind == FunctionKind::kConstructor;
  Dispatch dispatch = dispatchOf(*function, isSuper);
  // Only elements with an order of their own can be sorted without a function (L10.1); the class itself is for elements
  // of any type.
  bool isPlainSort = function->owner != nullptr && function->name == "sort" && arguments.empty() &&
                     function->module->isStandard &&
                     (function->owner == p_.known.list || function->owner == p_.known.array);
  if (isPlainSort && p_.known.comparable != nullptr) {
    const Type* order = p_.types.named(p_.known.comparable, ownerArguments);
    if (!p_.conversions.satisfiesBound(ownerArguments[0], order))
      report(DiagId::NotSortable, range, typeName(ownerArguments[0]));
  }
  if (dispatch == Dispatch::kInterface) receiver = asInterface(receiver, *function, ownerArguments);
  if (isSuper && function->isAbstract) report(DiagId::AbstractSuperCall, range, function->name);
  return make<CallExpression>(ExpressionKind::kCall, range, type, static_cast<FunctionSymbol*>(function), dispatch,
                              usesReceiver ? receiver : nullptr, ownerArguments, typeArguments, arguments);
}

// Converts the arguments to the parameters of the chosen candidate; defaults follow in the order of the parameters.
std::span<const Argument> BodyChecker::finishArguments(CallCandidate& candidate, std::vector<CallArgument>& arguments) {
  FunctionInfo& function = *candidate.function.function;
  std::vector<Argument> list;
  std::vector<bool> isGiven(function.parameters.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    CallArgument& argument = arguments[i];
    uint32_t parameter = candidate.parameterOf[i];
    const Type* target = candidate.parameterTypes[parameter];
    isGiven[parameter] = true;
    LambdaDraft* draft = candidate.drafts[i] != nullptr ? candidate.drafts[i].get() : argument.draft.get();
    Expression* value = candidate.values[i] != nullptr ? candidate.values[i] : argument.value;
    if (draft != nullptr) {
      if (target->kind == TypeKind::kFunction) convertLambdaResult(*draft, target->result());
      value = finishLambda(*draft);
    } else if (argument.state == CallArgument::State::kGroup) {
      value = functionValue(std::move(*argument.group), target);
    } else if (value == nullptr) { // waited for its parameter's type, which is in error
      value = poisoned(argument.syntax->value);
    }
    if (argument.syntax->isOut) {
      if (value->type != target && !value->type->isError() && !target->isError()) {
        report(DiagId::OutTypeMismatch, argument.syntax->value->range, typeName(value->type), typeName(target));
      }
    } else {
      value = convert(value, target);
    }
    list.push_back({value, parameter, argument.syntax->isOut});
  }
  for (size_t i = 0; i < isGiven.size(); ++i) {
    if (isGiven[i]) continue;
    FunctionInfo& source = function.inheritedFrom != nullptr ? *function.inheritedFrom : function;
    p_.ensureDefaults(source);
    function.defaults[i] = source.defaults[i];
    if (function.defaults[i].value != nullptr)
      list.push_back({function.defaults[i].value, static_cast<uint32_t>(i), false});
  }
  return p_.arena.copyList(list);
}

// ---------------------------------------------------------------- function values

Expression* BodyChecker::callValue(Expression* callee, std::span<syntax::Argument* const> written,
                                   syntax::SourceRange range) {
  const Type* type = callee->type;
  if (type->kind != TypeKind::kFunction) {
    report(DiagId::NotCallable, callee->range, typeName(type));
    std::vector<CallArgument> arguments = checkArguments(written);
    return failedCall(arguments, range);
  }
  std::span<const Type* const> parameters = type->parameters();
  if (written.size() != parameters.size()) {
    report(DiagId::ArgumentCount, range, typeName(type), parameters.size(), written.size());
    std::vector<CallArgument> arguments = checkArguments(written);
    return failedCall(arguments, range);
  }
  std::vector<Argument> list;
  for (size_t i = 0; i < written.size(); ++i) {
    const syntax::Argument& argument = *written[i];
    if (!argument.name.empty()) report(DiagId::NamedForValue, argument.name.range, argument.name.text);
    if (argument.isOut != type->isOut(i)) {
      report(type->isOut(i) ? DiagId::OutMissing : DiagId::OutUnexpected, argument.range, i + 1);
    }
    Expression* value = nullptr;
    if (argument.isOut) {
      value = checkPlace(argument.value, true);
      if (value->type != parameters[i] && !value->type->isError()) {
        report(DiagId::OutTypeMismatch, argument.value->range, typeName(value->type), typeName(parameters[i]));
      }
    } else {
      value = checkAs(argument.value, parameters[i]);
    }
    list.push_back({value, static_cast<uint32_t>(i), argument.isOut});
  }
  std::span<const Argument> copied = p_.arena.copyList(list);
  return make<CallValueExpression>(ExpressionKind::kCallValue, range, type->result(), callee, copied);
}

// ---------------------------------------------------------------- construction

bool BodyChecker::canConstruct(const Type* type, const ClassInfo* declaration, syntax::SourceRange range) {
  auto refuse = [&](std::string_view what) {
    report(DiagId::CannotConstruct, range, declaration != nullptr ? std::string(declaration->name) : typeName(type),
           what);
    return false;
  };
  if (declaration == nullptr) {
    if (type->kind == TypeKind::kParameter) return refuse("it is a type parameter");
    if (type->kind == TypeKind::kFunction) return refuse("write a lambda");
    return refuse(type->kind == TypeKind::kArray ? "write `new T[length]` or `[…]`" : "convert with `as`");
  }
  if (declaration->kind == ClassKind::kInterface) return refuse("it is an interface");
  if (declaration->kind == ClassKind::kEnum) return refuse("it is an enum");
  if (declaration->isAbstract) return refuse("it is abstract");
  return true;
}

Expression* BodyChecker::construct(const Denotation& callee, std::span<syntax::Argument* const> written,
                                   syntax::SourceRange range) {
  ClassInfo* declaration = callee.declaration;
  std::vector<CallArgument> arguments = checkArguments(written);
  if (!canConstruct(callee.type, declaration, callee.range)) return failedCall(arguments, range);
  if (declaration->kind == ClassKind::kStruct) {
    if (callee.type == nullptr) {
      report(DiagId::TypeArgumentsMissing, callee.range, declaration->name);
      return failedCall(arguments, range);
    }
    if (arguments.empty()) return make<DefaultExpression>(ExpressionKind::kDefault, range, callee.type);
    report(DiagId::StructArguments, range, declaration->name);
    return failedCall(arguments, range);
  }
  std::vector<CallCandidate> candidates;
  const Symbol* hidden = nullptr;
  bool mayInherit = Conversions::hasUnknownBase(declaration->selfType) &&
                    (declaration->constructors.empty() || declaration->constructors.front()->isDefaultConstructor);
  if (mayInherit && !arguments.empty()) {
    dropArguments(arguments);
    return errorExpression(range);
  }
  for (FunctionSymbol* constructor : declaration->constructors) {
    if (!isVisible(*constructor, declaration)) {
      hidden = constructor;
      continue;
    }
    candidates.emplace_back().function = {info(constructor), callee.type != nullptr ? callee.type->arguments
                                                                                    : std::span<const Type* const>{}};
  }
  if (candidates.empty()) {
    if (hidden != nullptr) {
      report(DiagId::NotVisible, callee.range, declaration->name, fmt::format("`{}`", declaration->name))
          .note(hidden->range, "declared here");
    } else {
      report(DiagId::CannotConstruct, callee.range, declaration->name, "it has no constructor");
    }
    return failedCall(arguments, range);
  }
  CallRequest request{nullptr, callee.type == nullptr ? declaration : nullptr, range, callee.range, declaration->name};
  CallCandidate* chosen = chooseCandidate(candidates, arguments, request);
  if (chosen == nullptr) return failedCall(arguments, range);
  const Type* type = callee.type != nullptr ? callee.type : p_.types.named(declaration, chosen->typeArguments);
  std::span<const Argument> list = finishArguments(*chosen, arguments);
  return make<NewExpression>(ExpressionKind::kNew, range, type, static_cast<FunctionSymbol*>(chosen->function.function),
                             list);
}

} // namespace nlang::sema
