// Lambdas and function values (rules L4.7, L4.9).
//
// A lambda's body is checked once, as soon as its parameter types are known; the values it returns are converted when
// its result type is known too, which may be later. Until then it is a LambdaDraft.
#include <fmt/format.h>

#include "sema/body_checker.h"

namespace nlang::sema {

std::vector<const Type*> BodyChecker::writtenParameters(const syntax::LambdaExpr& node) {
  std::vector<const Type*> types;
  for (const syntax::Parameter* parameter : node.parameters)
    types.push_back(parameter->type != nullptr ? resolveType(parameter->type) : nullptr);
  return types;
}

bool BodyChecker::lambdaFits(const syntax::LambdaExpr& node, const Type* target) const {
  if (node.parameters.size() != target->parameters().size()) return false;
  for (size_t i = 0; i < node.parameters.size(); ++i) {
    bool isWritten = node.parameters[i]->type != nullptr;
    if (isWritten && node.parameters[i]->isOut != target->isOut(i)) return false;
  }
  return true;
}

LambdaDraft BodyChecker::draftLambda(const syntax::LambdaExpr& node, std::span<const Type* const> types,
                                     const Type* resultType) {
  LambdaDraft draft;
  draft.syntax = &node;
  FunctionInfo* function = p_.newFunction();
  draft.function = function;
  function->kind = FunctionKind::kLambda;
  function->name = "lambda";
  function->range = node.range;
  function->module = module_;
  function->enclosing = frame_->function;
  function->syntax = &node;
  function->bodyChecked = true;
  function->bodyProgress = Progress::kDone;

  FunctionFrame frame;
  frame.function = function;
  frame.outer = frame_;
  frame.resultType = resultType;
  frame.returns = &draft.returns;
  frame_ = &frame;
  pushScope();
  for (size_t i = 0; i < node.parameters.size(); ++i) {
    const syntax::Parameter& written = *node.parameters[i];
    VariableSymbol* parameter = declare(written.name, types[i] != nullptr ? types[i] : p_.errorType());
    parameter->isParameter = true;
    parameter->isOut = written.isOut;
    parameter->index = static_cast<uint32_t>(i);
    function->parameters.push_back(parameter);
    draft.parameterTypes.push_back(parameter->type);
    if (written.isOut && i < 64) draft.outMask |= uint64_t{1} << i;
  }
  function->defaults.resize(node.parameters.size());
  function->requiredParameters = static_cast<uint32_t>(node.parameters.size());

  if (node.block != nullptr) {
    function->body = checkBlock(*node.block, false);
  } else {
    bool dropsValue = resultType != nullptr && resultType->isVoid();
    Expression* value = check(node.expression, dropsValue ? nullptr : resultType);
    draft.constant = constantOf(value);
    Statement* statement = nullptr;
    if (dropsValue || value->type->isVoid()) {
      statement = makeStatement<ExpressionStatement>(StatementKind::kExpression, value->range, value);
    } else {
      auto* result = makeStatement<ReturnStatement>(StatementKind::kReturn, value->range, value);
      draft.returns.push_back(result);
      statement = result;
    }
    std::span<Statement*> statements = p_.arena.copyList(&statement, 1);
    draft.bodyStatement = statements.data();
    std::span<Statement* const> body = statements;
    function->body = makeStatement<Block>(StatementKind::kBlock, node.expression->range, body);
  }
  popScope();
  frame_ = frame.outer;

  if (resultType == nullptr && !draft.returns.empty() && frame.bareReturn.valid())
    report(DiagId::MixedReturns, frame.bareReturn);
  if (resultType != nullptr) {
    draft.resultType = resultType;
  } else if (draft.returns.empty()) {
    draft.resultType = p_.simple(TypeKind::kVoid);
  } else {
    std::vector<Expression*> values;
    bool isBroken = false;
    for (const ReturnStatement* one : draft.returns) {
      values.push_back(one->value);
      isBroken |= one->value->type->isError();
    }
    const Type* common = meet(values, nullptr);
    if (common == nullptr && !isBroken) {
      report(DiagId::NoCommonType, node.range, typeName(values.front()->type), typeName(values.back()->type));
    }
    draft.resultType = common != nullptr ? common : p_.errorType();
  }
  return draft;
}

void BodyChecker::convertLambdaResult(LambdaDraft& draft, const Type* resultType) {
  if (draft.resultType->isError() || resultType->isError()) return;
  if (resultType->isVoid()) {
    if (draft.bodyStatement != nullptr && !draft.returns.empty()) {
      Expression* value = draft.returns.front()->value;
      *draft.bodyStatement = makeStatement<ExpressionStatement>(StatementKind::kExpression, value->range, value);
    } else if (!draft.returns.empty()) {
      report(DiagId::ReturnValueInVoid, draft.returns.front()->range);
    }
    draft.returns.clear();
  } else if (draft.resultType->isVoid()) {
    report(DiagId::LambdaGivesNothing, draft.syntax->range, typeName(resultType));
    draft.resultType = p_.errorType();
    return;
  }
  draft.resultType = resultType;
}

Expression* BodyChecker::finishLambda(LambdaDraft& draft) {
  if (draft.resultType->kind == TypeKind::kNull) {
    report(DiagId::LambdaResultUnknown, draft.syntax->range);
    draft.resultType = p_.errorType();
  }
  for (ReturnStatement* one : draft.returns) one->value = convert(one->value, draft.resultType);
  draft.function->resultType = draft.resultType;
  bool isBroken = draft.resultType->isError();
  for (const Type* parameter : draft.parameterTypes) isBroken |= parameter->isError();
  const Type* type =
      isBroken ? p_.errorType() : p_.types.function(draft.resultType, draft.parameterTypes, draft.outMask);
  return make<LambdaExpression>(ExpressionKind::kLambda, draft.syntax->range, type,
                                static_cast<FunctionSymbol*>(draft.function));
}

Expression* BodyChecker::checkLambda(const syntax::LambdaExpr& node, const Type* expected) {
  std::vector<const Type*> types = writtenParameters(node);
  bool isPoisoned = expected != nullptr && expected->isError();
  bool isBroken = false;
  const Type* result = nullptr;
  if (expected != nullptr && expected->kind == TypeKind::kFunction) {
    if (!lambdaFits(node, expected)) {
      report(DiagId::LambdaParameterCount, node.range, typeName(expected), expected->parameters().size(),
             node.parameters.size());
      isBroken = true;
    } else {
      for (size_t i = 0; i < types.size(); ++i) {
        const Type* wanted = expected->parameters()[i];
        if (types[i] == nullptr) {
          types[i] = wanted;
        } else if (types[i] != wanted && !types[i]->isError()) {
          report(DiagId::LambdaParameterType, node.parameters[i]->range, typeName(types[i]), typeName(wanted));
          types[i] = wanted;
        }
      }
    }
    result = expected->result();
  } else {
    for (const Type* type : types) isBroken |= type == nullptr;
    if (isBroken && !isPoisoned) report(DiagId::LambdaNeedsTarget, node.range);
  }
  if (isPoisoned) result = expected;
  LambdaDraft draft = draftLambda(node, types, result);
  if (isBroken || isPoisoned) draft.resultType = p_.errorType();
  return finishLambda(draft);
}

// ---------------------------------------------------------------- functions as values

const Type* BodyChecker::typeOfFunction(const FoundFunction& found, std::span<const Type* const> typeArguments) {
  const FunctionInfo& function = *found.function;
  auto seen = [&](const Type* type) {
    type = p_.substitute(type, function.owner, found.ownerArguments);
    return typeArguments.empty() ? type : p_.types.substitute(type, {function.typeParameters, typeArguments});
  };
  std::vector<const Type*> parameters;
  uint64_t outMask = 0;
  for (const VariableSymbol* parameter : function.parameters) {
    if (parameter->isOut && parameters.size() < 64) outMask |= uint64_t{1} << parameters.size();
    parameters.push_back(seen(parameter->type));
    if (parameters.back()->isError()) return p_.errorType();
  }
  const Type* result = seen(function.resultType);
  return result->isError() ? result : p_.types.function(result, parameters, outMask);
}

const FoundFunction* BodyChecker::functionFor(const Denotation& group, const Type* target,
                                              std::vector<const Type*>& typeArguments) {
  for (const FoundFunction& found : group.functions) {
    const FunctionInfo& function = *found.function;
    if (function.parameters.size() != target->parameters().size()) continue;
    typeArguments.clear();
    if (!function.typeParameters.empty()) {
      if (group.hasTypeArguments) {
        if (group.typeArguments.size() != function.typeParameters.size()) continue;
        typeArguments = group.typeArguments;
      } else {
        Inference inference(p_.conversions, function.typeParameters);
        bool fits = true;
        for (size_t i = 0; i < function.parameters.size() && fits; ++i) {
          const Type* parameter = p_.substitute(function.parameters[i]->type, function.owner, found.ownerArguments);
          fits = inference.learnExactly(parameter, target->parameters()[i]);
        }
        if (!fits || !inference.finish()) continue;
        typeArguments.assign(inference.arguments().begin(), inference.arguments().end());
      }
    }
    const Type* type = typeOfFunction(found, typeArguments);
    if (type->isError() || type->outMask != target->outMask) continue;
    bool isSame = true;
    for (size_t i = 0; i < type->parameters().size(); ++i) isSame &= type->parameters()[i] == target->parameters()[i];
    if (isSame) return &found;
  }
  return nullptr;
}

Expression* BodyChecker::makeFunctionValue(const FoundFunction& found, std::span<const Type* const> typeArguments,
                                           const Denotation& group) {
  FunctionInfo* function = found.function;
  const Type* type = typeOfFunction(found, typeArguments);
  if (type->isError()) return errorExpression(group.range);
  bool isMethod = function->kind == FunctionKind::kMethod;
  Dispatch dispatch = dispatchOf(*function, group.isSuper);
  Expression* receiver = isMethod ? group.receiver : nullptr;
  if (dispatch == Dispatch::kInterface) receiver = asInterface(receiver, *function, found.ownerArguments);
  return make<FunctionValueExpression>(ExpressionKind::kFunctionValue, group.range, type,
                                       static_cast<FunctionSymbol*>(function), dispatch, receiver, found.ownerArguments,
                                       typeArguments);
}

Expression* BodyChecker::functionValue(Denotation&& group, const Type* expected) {
  if (expected != nullptr && expected->kind == TypeKind::kFunction) {
    std::vector<const Type*> typeArguments;
    if (const FoundFunction* found = functionFor(group, expected, typeArguments); found != nullptr)
      return makeFunctionValue(*found, p_.copyTypes(typeArguments), group);
  }
  const FoundFunction& first = group.functions.front();
  if (group.functions.size() > 1) {
    if (expected == nullptr || !expected->isError()) report(DiagId::FunctionValueAmbiguous, group.range, group.name);
    return errorExpression(group.range);
  }
  size_t wanted = first.function->typeParameters.size();
  if (wanted > 0 && !group.hasTypeArguments) {
    if (expected == nullptr || !expected->isError())
      report(DiagId::CannotInfer, group.range, first.function->typeParameters.front()->name, group.name);
    return errorExpression(group.range);
  }
  if (group.hasTypeArguments && group.typeArguments.size() != wanted) {
    if (wanted == 0) {
      report(DiagId::NotGeneric, group.range, group.name);
    } else {
      report(DiagId::TypeArgumentCount, group.range, group.name, wanted, group.typeArguments.size());
    }
    return errorExpression(group.range);
  }
  return makeFunctionValue(first, p_.copyTypes(group.typeArguments), group);
}

} // namespace nlang::sema
