// Which function a call means (rules L2.1, L4.7, L6.1).
//
// Arguments that have a type of their own were checked once, before. What is left waits for a parameter's type: it is
// checked for the only candidate directly, or for each candidate that may fit on trial, and then the winner's reports
// are kept and the others' dropped. An argument of the error type fits everything, and where it leaves a call undecided
// nothing more is said.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body_checker.h"

namespace nlang::sema {

namespace {

const syntax::Expr* withoutParentheses(const syntax::Expr* node) {
  while (const auto* paren = syntax::dyn<syntax::ParenExpr>(node)) node = paren->inner;
  return node;
}

} // namespace

// ---------------------------------------------------------------- rejections

bool BodyChecker::reject(CallCandidate& candidate, DiagId id, syntax::SourceRange range, std::string first,
                         std::string second, std::string third) {
  candidate.rejection = {id, range, std::move(first), std::move(second), std::move(third)};
  return false;
}

void BodyChecker::reportRejection(const CallCandidate& candidate) {
  const Rejection& why = candidate.rejection;
  // With a syntax error among the arguments their number says nothing.
  bool isCount = why.id == DiagId::ArgumentCount || why.id == DiagId::ArgumentMissing;
  if (isCount && why.range.end > 0 && module_->isBrokenIn({why.range.file, why.range.begin, why.range.end - 1})) return;
  auto& diagnostic = report(why.id, why.range, why.first, why.second, why.third);
  if (candidate.function.function->range.valid() && !candidate.function.function->module->isStandard) {
    diagnostic.note(candidate.function.function->range,
                    fmt::format("declared here: {}", signatureOf(candidate.function)));
  } else {
    diagnostic.note({}, fmt::format("it is `{}`", signatureOf(candidate.function)));
  }
}

std::string BodyChecker::signatureOf(const FoundFunction& found) {
  const FunctionInfo& function = *found.function;
  std::string text = function.kind == FunctionKind::kConstructor
                         ? ""
                         : typeName(p_.substitute(function.resultType, function.owner, found.ownerArguments)) + " ";
  if (function.owner != nullptr && function.kind != FunctionKind::kConstructor)
    text += std::string(function.owner->name) + ".";
  text += function.name;
  if (!function.typeParameters.empty()) {
    text += "<";
    for (size_t i = 0; i < function.typeParameters.size(); ++i)
      text += (i > 0 ? ", " : "") + std::string(function.typeParameters[i]->name);
    text += ">";
  }
  text += "(";
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const VariableSymbol& parameter = *function.parameters[i];
    if (i > 0) text += ", ";
    if (parameter.isOut) text += "out ";
    text += typeName(p_.substitute(parameter.type, function.owner, found.ownerArguments)) + " " +
            std::string(parameter.name);
    if (i >= function.requiredParameters) text += " = …";
  }
  return text + ")";
}

const Type* BodyChecker::typeOfArgument(const CallArgument& argument) {
  if (argument.state == CallArgument::State::kChecked) return argument.value->type;
  if (argument.state == CallArgument::State::kLambda && !argument.draft->resultType->isError()) {
    bool isNull = argument.draft->resultType->kind == TypeKind::kNull;
    return isNull
               ? nullptr
               : p_.types.function(argument.draft->resultType, argument.draft->parameterTypes, argument.draft->outMask);
  }
  return nullptr;
}

void BodyChecker::reportNoCandidate(std::vector<CallCandidate>& candidates, std::span<const CallArgument> arguments,
                                    const CallRequest& request) {
  if (request.range.end > 0 && module_->isBrokenIn({request.range.file, request.range.begin, request.range.end - 1}))
    return;
  std::string types;
  for (const CallArgument& argument : arguments) {
    const Type* type = typeOfArgument(argument);
    if (type != nullptr && type->isError()) return;
    if (!types.empty()) types += ", ";
    if (!argument.syntax->name.empty()) types += std::string(argument.syntax->name.text) + " = ";
    if (argument.syntax->isOut) types += "out ";
    bool isLambda = withoutParentheses(argument.syntax->value)->kind == syntax::NodeKind::LambdaExpr;
    types += type != nullptr                                 ? typeName(type)
             : isLambda                                      ? "a lambda"
             : argument.state == CallArgument::State::kGroup ? "a function"
                                                             : std::string(sourceText(argument.syntax->value->range));
  }
  auto& diagnostic = report(DiagId::NoOverload, request.nameRange, request.name, types);
  constexpr size_t kMostShown = 8;
  for (size_t i = 0; i < candidates.size() && i < kMostShown; ++i) {
    const CallCandidate& candidate = candidates[i];
    const Rejection& why = candidate.rejection;
    std::string reason =
        fmt::vformat(syntax::infoOf(why.id).text, fmt::make_format_args(why.first, why.second, why.third));
    const FunctionInfo& function = *candidate.function.function;
    diagnostic.note(function.module->isStandard ? syntax::SourceRange{} : function.range,
                    fmt::format("{}: {}", signatureOf(candidate.function), reason));
  }
  if (candidates.size() > kMostShown) diagnostic.note({}, fmt::format("and {} more", candidates.size() - kMostShown));
}

bool BodyChecker::rejectInference(CallCandidate& candidate, const InferenceFailure& failure,
                                  const CallRequest& request) {
  std::string parameter(failure.parameter != nullptr ? failure.parameter->name : "?");
  switch (failure.error) {
  case InferenceError::kConflict:
    return reject(candidate, DiagId::InferenceConflict, request.range, parameter, typeName(failure.first),
                  typeName(failure.second));
  case InferenceError::kVoid: return reject(candidate, DiagId::InferredVoid, request.range, parameter);
  case InferenceError::kBound:
    return reject(candidate, DiagId::BoundNotSatisfied, request.range, typeName(failure.first),
                  typeName(failure.second), parameter);
  default: return reject(candidate, DiagId::CannotInfer, request.range, parameter, std::string(request.name));
  }
}

// ---------------------------------------------------------------- arguments and parameters

bool BodyChecker::matchArguments(CallCandidate& candidate, std::span<const CallArgument> arguments,
                                 const CallRequest& request) {
  const FunctionInfo& function = *candidate.function.function;
  size_t count = function.parameters.size();
  std::vector<bool> isGiven(count);
  candidate.values.resize(arguments.size());
  candidate.drafts.resize(arguments.size());
  candidate.matches.resize(arguments.size());
  candidate.parameterOf.clear();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const syntax::Argument& argument = *arguments[i].syntax;
    size_t parameter = i;
    if (!argument.name.empty()) {
      parameter = 0;
      while (parameter < count && function.parameters[parameter]->name != argument.name.text) ++parameter;
      if (parameter == count) {
        return reject(candidate, DiagId::UnknownArgument, argument.name.range, std::string(request.name),
                      std::string(argument.name.text));
      }
    } else if (parameter >= count) {
      std::string wanted = function.requiredParameters == count
                               ? fmt::format("{}", count)
                               : fmt::format("{} to {}", function.requiredParameters, count);
      return reject(candidate, DiagId::ArgumentCount, request.range, std::string(request.name), wanted,
                    fmt::format("{}", arguments.size()));
    }
    if (isGiven[parameter])
      return reject(candidate, DiagId::ArgumentTwice, argument.range,
                    std::string(function.parameters[parameter]->name));
    isGiven[parameter] = true;
    bool wantsOut = function.parameters[parameter]->isOut;
    if (wantsOut != argument.isOut) {
      return reject(candidate, wantsOut ? DiagId::OutMissing : DiagId::OutUnexpected, argument.range,
                    std::string(function.parameters[parameter]->name));
    }
    candidate.parameterOf.push_back(static_cast<uint32_t>(parameter));
  }
  for (size_t i = 0; i < count; ++i) {
    if (isGiven[i]) continue;
    if (i >= function.requiredParameters && !function.parameters[i]->isOut) {
      candidate.usesDefaults = true;
      continue;
    }
    bool isNamed = !arguments.empty() && !arguments.back().syntax->name.empty();
    if (isNamed)
      return reject(candidate, DiagId::ArgumentMissing, request.range, std::string(function.parameters[i]->name),
                    std::string(request.name));
    std::string wanted = function.requiredParameters == count
                             ? fmt::format("{}", count)
                             : fmt::format("{} to {}", function.requiredParameters, count);
    return reject(candidate, DiagId::ArgumentCount, request.range, std::string(request.name), wanted,
                  fmt::format("{}", arguments.size()));
  }
  return true;
}

// A glance at an argument that waits for its target: could it ever become a `parameter`?
bool BodyChecker::mayFit(const syntax::Expr* node, const Type* parameter) {
  node = withoutParentheses(node);
  switch (node->kind) {
  case syntax::NodeKind::LambdaExpr:
    return parameter->kind == TypeKind::kFunction && lambdaFits(*syntax::as<syntax::LambdaExpr>(node), parameter);
  case syntax::NodeKind::ConditionalExpr: {
    const auto& conditional = *syntax::as<syntax::ConditionalExpr>(node);
    return (!needsTarget(conditional.thenValue) || mayFit(conditional.thenValue, parameter)) &&
           (!needsTarget(conditional.elseValue) || mayFit(conditional.elseValue, parameter));
  }
  case syntax::NodeKind::BracketExpr:
    return parameter->kind == TypeKind::kArray || parameter->kind == TypeKind::kParameter ||
           parameter->kind == TypeKind::kInterface || p_.isListType(parameter) || p_.isSetType(parameter) ||
           p_.conversions.isObject(parameter);
  default: return parameter->kind != TypeKind::kFunction;
  }
}

bool BodyChecker::takesWrittenTypes(CallCandidate& candidate, const CallRequest& request,
                                    std::span<TypeParameterSymbol* const> parameters) {
  const std::vector<const Type*>& written = *request.writtenTypes;
  if (written.size() != parameters.size()) {
    if (parameters.empty()) return reject(candidate, DiagId::NotGeneric, request.nameRange, std::string(request.name));
    return reject(candidate, DiagId::TypeArgumentCount, request.nameRange, std::string(request.name),
                  fmt::format("{}", parameters.size()), fmt::format("{}", written.size()));
  }
  FunctionInfo& function = *candidate.function.function;
  for (size_t i = 0; i < written.size(); ++i) {
    if (parameters[i]->bound == nullptr) continue;
    const Type* bound = p_.substitute(parameters[i]->bound, function.owner, candidate.function.ownerArguments);
    bound = p_.types.substitute(bound, {parameters, written});
    if (!p_.conversions.satisfiesBound(written[i], bound)) {
      return reject(candidate, DiagId::BoundNotSatisfied, request.nameRange, typeName(written[i]), typeName(bound),
                    std::string(parameters[i]->name));
    }
  }
  candidate.typeArguments = written;
  return true;
}

bool BodyChecker::fit(CallCandidate& candidate, std::vector<CallArgument>& arguments, const CallRequest& request,
                      Fit mode) {
  FunctionInfo& function = *candidate.function.function;
  candidate.parameterTypes.clear();
  for (const VariableSymbol* parameter : function.parameters) {
    candidate.parameterTypes.push_back(
        p_.substitute(parameter->type, function.owner, candidate.function.ownerArguments));
  }
  std::span<TypeParameterSymbol* const> parameters = function.typeParameters;
  if (request.constructed != nullptr) parameters = request.constructed->typeParameters;
  if (request.writtenTypes != nullptr) {
    if (!takesWrittenTypes(candidate, request, parameters)) return false;
    for (const Type*& type : candidate.parameterTypes)
      type = p_.types.substitute(type, {parameters, candidate.typeArguments});
  } else if (!parameters.empty()) {
    Inference inference(p_.conversions, parameters);
    if (!inferArguments(candidate, arguments, request, inference, mode)) return false;
    if (mode == Fit::kQuick) {
      for (size_t i = 0; i < arguments.size(); ++i) {
        const Type* parameter = candidate.parameterTypes[candidate.parameterOf[i]];
        if (arguments[i].state == CallArgument::State::kDeferred) {
          if (!mayFit(arguments[i].syntax->value, parameter)) {
            return reject(candidate, DiagId::WrongArgument, arguments[i].syntax->range, typeName(parameter));
          }
        } else if (!inference.isOpen(parameter) &&
                   !fitArgument(candidate, arguments[i], i, inference.apply(parameter))) {
          return false;
        }
      }
      return true;
    }
    candidate.typeArguments.assign(inference.arguments().begin(), inference.arguments().end());
    for (const Type*& type : candidate.parameterTypes)
      type = p_.types.substitute(type, {parameters, candidate.typeArguments});
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type* parameter = candidate.parameterTypes[candidate.parameterOf[i]];
    if (mode == Fit::kQuick && arguments[i].state == CallArgument::State::kDeferred) {
      if (!mayFit(arguments[i].syntax->value, parameter)) {
        return reject(candidate, DiagId::WrongArgument, arguments[i].syntax->range, typeName(parameter));
      }
    } else if (!fitArgument(candidate, arguments[i], i, parameter)) {
      return false;
    }
  }
  return true;
}

// ---------------------------------------------------------------- inference

bool BodyChecker::inferArguments(CallCandidate& candidate, std::vector<CallArgument>& arguments,
                                 const CallRequest& request, Inference& inference, Fit mode) {
  auto parameterType = [&](size_t i) { return candidate.parameterTypes[candidate.parameterOf[i]]; };
  std::span<TypeParameterSymbol* const> parameters = candidate.function.function->typeParameters;
  if (request.constructed != nullptr) parameters = request.constructed->typeParameters;
  std::vector<bool> onlyNull(parameters.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    CallArgument& argument = arguments[i];
    const Type* parameter = parameterType(i);
    bool learned = true;
    if (argument.state == CallArgument::State::kChecked) {
      if (argument.value->type->isError()) isUncertain_ = true;
      if (argument.value->type->isVoid()) return reject(candidate, DiagId::NoValue, argument.syntax->range);
      learned = argument.syntax->isOut ? inference.learnExactly(parameter, argument.value->type)
                                       : inference.learn(parameter, argument.value->type, constantOf(argument.value));
      bool isNull = argument.value->type->kind == TypeKind::kNull && parameter->kind == TypeKind::kParameter;
      for (size_t k = 0; isNull && k < parameters.size(); ++k)
        onlyNull[k] = onlyNull[k] || parameters[k] == parameter->parameter;
    } else if (argument.state == CallArgument::State::kLambda && parameter->kind == TypeKind::kFunction) {
      LambdaDraft& draft = *argument.draft;
      if (draft.resultType->isError()) isUncertain_ = true;
      bool hasForm = lambdaFits(*draft.syntax, parameter);
      if (hasForm)
        learned = inference.learnLambdaParameters(parameter, draft.parameterTypes) &&
                  (draft.resultType->kind == TypeKind::kNull ||
                   inference.learnResult(parameter, draft.resultType, draft.constant));
    }
    if (!learned) return rejectInference(candidate, inference.failure(), request);
  }
  if (mode == Fit::kQuick) return true;
  for (int lambdas = 0; lambdas < 2; ++lambdas) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      CallArgument& argument = arguments[i];
      if (argument.state != CallArgument::State::kDeferred && argument.state != CallArgument::State::kGroup) continue;
      bool isLambda = withoutParentheses(argument.syntax->value)->kind == syntax::NodeKind::LambdaExpr;
      if (isLambda != (lambdas == 1)) continue;
      if (!inferDeferred(candidate, argument, i, parameterType(i), inference)) {
        if (inference.failure().error != InferenceError::kNone)
          return rejectInference(candidate, inference.failure(), request);
        return false;
      }
    }
  }
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (inference.argument(k) == nullptr && onlyNull[k] && parameters[k]->bound == nullptr)
      inference.set(k, p_.objectType());
  }
  if (inference.finish()) return true;
  if (inference.failure().error == InferenceError::kUnknown && isUncertain_) {
    candidate.rejection = {};
    isSilenced_ = true;
    return false;
  }
  if (inference.failure().error == InferenceError::kUnknown) {
    // Often the reason is an argument that is something else altogether.
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Type* wanted = parameterType(i);
      const Type* given = typeOfArgument(arguments[i]);
      if (given == nullptr || given->kind == TypeKind::kNull || !wanted->hasParameters ||
          wanted->kind == TypeKind::kParameter)
        continue;
      bool isOther = wanted->declaration != nullptr ? p_.conversions.asSuper(given, wanted->declaration) == nullptr
                                                    : given->kind != wanted->kind;
      if (isOther)
        return reject(candidate, DiagId::CannotConvert, arguments[i].syntax->value->range, typeName(given),
                      typeName(wanted));
    }
  }
  return rejectInference(candidate, inference.failure(), request);
}

bool BodyChecker::inferDeferred(CallCandidate& candidate, CallArgument& argument, size_t index, const Type* parameter,
                                Inference& inference) {
  if (!inference.isOpen(parameter)) return true;
  const syntax::Expr* node = withoutParentheses(argument.syntax->value);
  if (argument.state == CallArgument::State::kGroup) {
    if (parameter->kind != TypeKind::kFunction || !inference.fixForLambda(parameter)) return true;
    std::vector<const Type*> typeArguments;
    const FoundFunction* found = functionFor(*argument.group, inference.apply(parameter), typeArguments);
    return found == nullptr || inference.learn(parameter, typeOfFunction(*found, typeArguments));
  }
  if (const auto* lambda = syntax::dyn<syntax::LambdaExpr>(node)) {
    if (parameter->kind == TypeKind::kParameter)
      return reject(candidate, DiagId::LambdaNeedsTarget, argument.syntax->range);
    if (parameter->kind != TypeKind::kFunction || !lambdaFits(*lambda, parameter)) {
      return reject(candidate, DiagId::WrongArgument, argument.syntax->range, typeName(parameter));
    }
    if (!inference.learnLambdaParameters(parameter, writtenParameters(*lambda)) || !inference.fixForLambda(parameter))
      return false;
    const Type* target = inference.apply(parameter);
    const Type* result = inference.isOpen(parameter->result()) ? nullptr : target->result();
    if (!draftDeferred(candidate, *lambda, index, target, result)) return false;
    const LambdaDraft& draft = *candidate.drafts[index];
    if (draft.resultType->isError()) isUncertain_ = true;
    if (draft.resultType->isError() || draft.resultType->kind == TypeKind::kNull) return true;
    return inference.learnResult(parameter, draft.resultType, draft.constant);
  }
  Expression* value = openAggregate(node, parameter, candidate.isSole);
  candidate.values[index] = value;
  if (value->type->isError()) isUncertain_ = true;
  return inference.learn(parameter, value->type, constantOf(value));
}

// A brace or bracket value whose element type is still to be inferred is a List of the common type. Where the only
// candidate wants an array or a set, it is one.
Expression* BodyChecker::openAggregate(const syntax::Expr* node, const Type* parameter, bool isSole) {
  const auto* bracket = syntax::dyn<syntax::BracketExpr>(node);
  bool hasShape = parameter->kind == TypeKind::kArray || p_.isSetType(parameter);
  if (bracket == nullptr || !isSole || !hasShape) return checkValue(node);
  std::vector<const syntax::Expr*> elements(bracket->elements.begin(), bracket->elements.end());
  std::vector<Expression*> values;
  const Type* element = commonElementType(elements, values, node->range);
  if (element->isError()) return errorExpression(node->range);
  const Type* type = parameter->kind == TypeKind::kArray ? p_.types.array(element)
                                                         : p_.types.named(parameter->declaration, {&element, 1});
  for (Expression*& value : values) value = convert(value, element);
  std::span<Expression* const> list = p_.arena.copyList(values);
  return make<ListValueExpression>(ExpressionKind::kListValue, node->range, type, list);
}

bool BodyChecker::draftDeferred(CallCandidate& candidate, const syntax::LambdaExpr& node, size_t index,
                                const Type* target, const Type* result) {
  // The value of an expression lambda is dropped for a void target, but first it must be known how far that is from
  // what it gives.
  if (result != nullptr && result->isVoid() && node.expression != nullptr) result = nullptr;
  bool wantsResult =
      result != nullptr &&
      (candidate.isSole || (node.expression != nullptr ? needsTarget(node.expression) : returnNeedsTarget(node.block)));
  std::vector<const Type*> written = writtenParameters(node);
  for (size_t i = 0; i < written.size(); ++i) {
    const Type* wanted = target->parameters()[i];
    if (written[i] == nullptr) {
      written[i] = wanted;
    } else if (written[i] != wanted && !written[i]->isError() && !wanted->isError()) {
      return reject(candidate, DiagId::LambdaParameterType, node.parameters[i]->range, typeName(written[i]),
                    typeName(wanted));
    }
  }
  candidate.drafts[index] = std::make_unique<LambdaDraft>(draftLambda(node, written, wantsResult ? result : nullptr));
  return true;
}

// ---------------------------------------------------------------- one argument

bool BodyChecker::fitArgument(CallCandidate& candidate, CallArgument& argument, size_t index, const Type* target) {
  ArgumentMatch& match = candidate.matches[index];
  match = {0, target, false};
  const syntax::SourceRange range = argument.syntax->value->range;
  auto fitValue = [&](const Expression* value) {
    if (value->type->isError()) isUncertain_ = true;
    match.isNull = value->type->kind == TypeKind::kNull;
    if (argument.syntax->isOut) {
      match.distance = value->type == target || value->type->isError() ? 0 : kNoConversion;
    } else if (value->kind == ExpressionKind::kFunctionValue && dropsResult(value->type, target)) {
      match.distance = kDroppedResult;
    } else {
      match.distance = p_.conversions.distance(value->type, target, constantOf(value));
    }
    if (match.distance != kNoConversion || candidate.isSole) return true;
    return reject(candidate, DiagId::CannotConvert, range, typeName(value->type), typeName(target));
  };
  if (target->isError()) return true;
  switch (argument.state) {
  case CallArgument::State::kChecked: return fitValue(argument.value);
  case CallArgument::State::kGroup: {
    std::vector<const Type*> typeArguments;
    bool isFound =
        target->kind == TypeKind::kFunction && functionFor(*argument.group, target, typeArguments) != nullptr;
    return isFound || candidate.isSole || reject(candidate, DiagId::WrongArgument, range, typeName(target));
  }
  case CallArgument::State::kLambda: break;
  case CallArgument::State::kDeferred:
    if (candidate.drafts[index] != nullptr) break;
    if (const auto* lambda = syntax::dyn<syntax::LambdaExpr>(withoutParentheses(argument.syntax->value))) {
      if (target->kind != TypeKind::kFunction || !lambdaFits(*lambda, target)) {
        if (candidate.isSole) {
          candidate.values[index] = checkLambda(*lambda, target);
          return true;
        }
        return reject(candidate, DiagId::WrongArgument, range, typeName(target));
      }
      if (!draftDeferred(candidate, *lambda, index, target, target->result())) return false;
      break;
    }
    if (candidate.values[index] == nullptr) candidate.values[index] = checkValue(argument.syntax->value, target);
    return fitValue(candidate.values[index]);
  }
  const LambdaDraft& draft = candidate.drafts[index] != nullptr ? *candidate.drafts[index] : *argument.draft;
  if (draft.resultType->isError()) isUncertain_ = true;
  if (target->kind != TypeKind::kFunction) {
    match.distance = p_.conversions.isObject(target) ? kDroppedResult : kNoConversion;
    return match.distance != kNoConversion || candidate.isSole ||
           reject(candidate, DiagId::WrongArgument, range, typeName(target));
  }
  bool fits = lambdaFits(*draft.syntax, target);
  for (size_t i = 0; fits && i < draft.parameterTypes.size(); ++i) {
    const Type* own = draft.parameterTypes[i];
    fits = own == target->parameters()[i] || own->isError() || target->parameters()[i]->isError();
  }
  if (!fits) return candidate.isSole || reject(candidate, DiagId::WrongArgument, range, typeName(target));
  bool dropsBlockValue = target->result()->isVoid() && draft.syntax->block != nullptr && !draft.returns.empty();
  match.distance = draft.resultType->isError() ? 0
                   : dropsBlockValue           ? kNoConversion
                                               : p_.conversions.resultDistance(draft.resultType, target->result());
  if (match.distance != kNoConversion || candidate.isSole) return true;
  return reject(candidate, DiagId::CannotConvert, range,
                draft.resultType->isVoid() ? "void" : typeName(draft.resultType), typeName(target->result()));
}

// ---------------------------------------------------------------- the choice

CallCandidate* BodyChecker::chooseCandidate(std::vector<CallCandidate>& candidates,
                                            std::vector<CallArgument>& arguments, const CallRequest& request) {
  bool savedUncertain = std::exchange(isUncertain_, false);
  bool savedSilenced = std::exchange(isSilenced_, false);
  CallCandidate* chosen = pickCandidate(candidates, arguments, request);
  isUncertain_ = savedUncertain;
  isSilenced_ = savedSilenced;
  return chosen;
}

// What was checked for the only candidate, whose call then failed, need not be checked again.
void BodyChecker::keepChecked(CallCandidate& candidate, std::vector<CallArgument>& arguments) {
  for (size_t i = 0; i < arguments.size() && i < candidate.values.size(); ++i) {
    if (candidate.drafts[i] != nullptr) {
      arguments[i].draft = std::move(candidate.drafts[i]);
      arguments[i].state = CallArgument::State::kLambda;
    } else if (candidate.values[i] != nullptr) {
      arguments[i].value = candidate.values[i];
      arguments[i].state = CallArgument::State::kChecked;
    }
  }
}

CallCandidate* BodyChecker::pickCandidate(std::vector<CallCandidate>& candidates, std::vector<CallArgument>& arguments,
                                          const CallRequest& request) {
  if (candidates.size() == 1) {
    CallCandidate& only = candidates.front();
    only.isSole = true;
    if (matchArguments(only, arguments, request) && fit(only, arguments, request, Fit::kFull)) return &only;
    if (!isSilenced_) reportRejection(only);
    keepChecked(only, arguments);
    return nullptr;
  }
  std::vector<CallCandidate*> applicable;
  for (CallCandidate& candidate : candidates) {
    if (matchArguments(candidate, arguments, request) && fit(candidate, arguments, request, Fit::kQuick))
      applicable.push_back(&candidate);
  }
  if (applicable.size() == 1) {
    // Nothing else can be meant, so what is wrong inside its arguments is reported as it stands.
    CallCandidate& only = *applicable.front();
    only.isSole = true;
    if (fit(only, arguments, request, Fit::kFull)) return &only;
    if (!isSilenced_) reportRejection(only);
    keepChecked(only, arguments);
    return nullptr;
  }
  if (!mayTry()) {
    report(DiagId::CallTooComplex, request.nameRange, request.name);
    return nullptr;
  }
  std::vector<CallCandidate*> fitting;
  CallCandidate* firstFaulty = nullptr;
  for (CallCandidate* candidate : applicable) {
    candidate->messages = std::make_unique<syntax::DiagnosticSink>();
    TrialScope trial(p_, *candidate->messages);
    if (!fit(*candidate, arguments, request, Fit::kFull)) continue;
    if (!candidate->messages->hasErrors()) {
      fitting.push_back(candidate);
    } else if (firstFaulty == nullptr) {
      firstFaulty = candidate;
    }
  }
  if (fitting.empty()) {
    if (firstFaulty != nullptr) {
      p_.diagnostics->append(*firstFaulty->messages);
      return firstFaulty;
    }
    if (!isSilenced_ && !isUncertain_) reportNoCandidate(candidates, arguments, request);
    return nullptr;
  }
  std::vector<Candidate> ranked;
  for (CallCandidate* candidate : fitting)
    ranked.push_back({candidate->function.function, candidate->matches, candidate->usesDefaults});
  OverloadChoice choice = chooseOverload(ranked, p_.conversions);
  if (choice.winner == OverloadChoice::kNoWinner) {
    if (isUncertain_) return nullptr;
    auto& diagnostic = report(DiagId::AmbiguousCall, request.nameRange, request.name);
    for (size_t index : choice.ambiguous) {
      const FoundFunction& function = fitting[index]->function;
      diagnostic.note(function.function->module->isStandard ? syntax::SourceRange{} : function.function->range,
                      fmt::format("this one fits: {}", signatureOf(function)));
    }
    return nullptr;
  }
  CallCandidate* winner = fitting[choice.winner];
  p_.diagnostics->append(*winner->messages);
  return winner;
}

} // namespace nlang::sema
