// Operators, `?:`, `??`, `as`, `is`, subscripts and interpolation. Which types they take and give is decided in
// conversions.h; here the operands are converted and what is known at compile time is folded.
#include <array>

#include <fmt/format.h>

#include "sema/body_checker.h"
#include "sema/format_spec.h"

namespace nlang::sema {

namespace {

BinaryOp binaryOpOf(syntax::BinaryOp op) {
  switch (op) {
  case syntax::BinaryOp::Mul: return BinaryOp::kMultiply;
  case syntax::BinaryOp::Div: return BinaryOp::kDivide;
  case syntax::BinaryOp::Rem: return BinaryOp::kRemainder;
  case syntax::BinaryOp::Add: return BinaryOp::kAdd;
  case syntax::BinaryOp::Sub: return BinaryOp::kSubtract;
  case syntax::BinaryOp::Shl: return BinaryOp::kShiftLeft;
  case syntax::BinaryOp::Shr: return BinaryOp::kShiftRight;
  case syntax::BinaryOp::UShr: return BinaryOp::kShiftRightUnsigned;
  case syntax::BinaryOp::Less: return BinaryOp::kLess;
  case syntax::BinaryOp::LessEqual: return BinaryOp::kLessEqual;
  case syntax::BinaryOp::Greater: return BinaryOp::kGreater;
  case syntax::BinaryOp::GreaterEqual: return BinaryOp::kGreaterEqual;
  case syntax::BinaryOp::Equal: return BinaryOp::kEqual;
  case syntax::BinaryOp::NotEqual: return BinaryOp::kNotEqual;
  case syntax::BinaryOp::And: return BinaryOp::kAnd;
  case syntax::BinaryOp::Xor: return BinaryOp::kXor;
  default: return BinaryOp::kOr;
  }
}

} // namespace

Expression* BodyChecker::checkUnary(const syntax::UnaryExpr& node) {
  Expression* operand = checkValue(node.operand);
  if (operand->type->isError()) return operand;
  UnaryExpression::Op op = node.op == syntax::UnaryOp::Minus ? UnaryExpression::Op::kNegate
                           : node.op == syntax::UnaryOp::Not ? UnaryExpression::Op::kNot
                                                             : UnaryExpression::Op::kComplement;
  const Type* type = p_.conversions.unaryOperation(op, operand->type);
  if (type == nullptr) {
    report(DiagId::UnaryMismatch, node.range, syntax::textOf(node.op), typeName(operand->type));
    return errorExpression(node.range);
  }
  operand = tryConvert(operand, type);
  ConstantValue folded;
  if (const ConstantValue* known = constantOf(operand); known != nullptr && p_.folder.unary(op, type, *known, folded)) {
    return constant(folded, type, node.range);
  }
  return make<UnaryExpression>(ExpressionKind::kUnary, node.range, type, op, operand);
}

Expression* BodyChecker::checkBinary(const syntax::BinaryExpr& node, const Type* expected) {
  syntax::BinaryOp firstOp = node.rest.front()->op;
  bool isLogical = firstOp == syntax::BinaryOp::AndAlso || firstOp == syntax::BinaryOp::OrElse;
  Expression* left = isLogical ? checkCondition(node.first) : checkValue(node.first);
  for (const syntax::BinaryOperand* operand : node.rest) {
    syntax::SourceRange range = syntax::join(node.first->range, operand->value->range);
    switch (operand->op) {
    case syntax::BinaryOp::AndAlso:
    case syntax::BinaryOp::OrElse:
      left = logical(operand->op == syntax::BinaryOp::AndAlso, left, checkCondition(operand->value), range);
      break;
    case syntax::BinaryOp::Coalesce: left = coalesce(left, operand->value, expected); break;
    default: left = binary(binaryOpOf(operand->op), left, checkValue(operand->value), range, operand->opRange); break;
    }
  }
  return left;
}

Expression* BodyChecker::logical(bool isAnd, Expression* left, Expression* right, syntax::SourceRange range) {
  const Type* type = p_.simple(TypeKind::kBool);
  const ConstantValue* l = constantOf(left);
  const ConstantValue* r = constantOf(right);
  if (l != nullptr && r != nullptr)
    return constant(boolConstant(isAnd ? l->bits && r->bits : l->bits || r->bits), type, range);
  return make<LogicalExpression>(ExpressionKind::kLogical, range, type, isAnd, left, right);
}

Expression* BodyChecker::binary(BinaryOp op, Expression* left, Expression* right, syntax::SourceRange range,
                                syntax::SourceRange opRange) {
  OperationTypes operation = p_.conversions.binaryOperation(op, operandOf(left), operandOf(right));
  switch (operation.error) {
  case OperationError::kNone: break;
  case OperationError::kMismatch:
    report(DiagId::BinaryMismatch, opRange, sourceText(opRange), typeName(left->type), typeName(right->type));
    return errorExpression(range);
  case OperationError::kSignedWithULong:
    report(DiagId::SignedWithULong, opRange, sourceText(opRange), typeName(left->type), typeName(right->type))
        .suggest("convert one side with `as`");
    return errorExpression(range);
  case OperationError::kNeverNull: {
    const Expression* value = left->type->kind == TypeKind::kNull ? right : left;
    report(DiagId::NeverNull, value->range, typeName(value->type));
    return errorExpression(range);
  }
  }
  if (left->type->isError() || right->type->isError()) return errorExpression(range);
  ConstantValue folded;
  if (operation.isText) {
    left = toText(left);
    right = toText(right);
    const ConstantValue* l = constantOf(left);
    const ConstantValue* r = constantOf(right);
    if (l != nullptr && r != nullptr && p_.folder.concatenate(l->text, r->text, folded))
      return constant(folded, operation.result, range);
    return make<BinaryExpression>(ExpressionKind::kBinary, range, operation.result, op, left, right);
  }
  left = tryConvert(left, operation.operand); // never null: that is what binaryOperation promises
  right = operation.isShift ? convertByAs(right, operation.right, right->range) : tryConvert(right, operation.right);
  const ConstantValue* l = constantOf(left);
  const ConstantValue* r = constantOf(right);
  if (l != nullptr && r != nullptr && p_.folder.binary(op, operation.operand, *l, *r, folded)) {
    return constant(folded, operation.result, range);
  }
  return make<BinaryExpression>(ExpressionKind::kBinary, range, operation.result, op, left, right);
}

// The type in which the values of `?:`, `??` or a list meet; null if there is none. What is wanted decides only where
// they share nothing.
const Type* BodyChecker::meet(std::span<Expression* const> values, const Type* expected) {
  std::vector<Operand> operands;
  operands.reserve(values.size());
  for (const Expression* value : values) operands.push_back(operandOf(value));
  const Type* common = p_.conversions.commonType(operands);
  bool isUseless = common == nullptr || common->kind == TypeKind::kNull;
  if (!isUseless || expected == nullptr || expected->isError()) return common;
  for (Expression* value : values) {
    if (tryConvert(value, expected) == nullptr) return common;
  }
  return expected;
}

// Whether `value` can be null, or is a `?.` chain that may meet a null, or a `??` that ends in one: a?.b ?? c?.d ?? e.
bool BodyChecker::mayMeetNull(const Expression* value) {
  if (value->type->isReference() || value->type->kind == TypeKind::kParameter) return true;
  if (value->kind == ExpressionKind::kCoalesce) value = static_cast<const CoalesceExpression*>(value)->fallback;
  if (value->kind == ExpressionKind::kConvert) value = static_cast<const ConvertExpression*>(value)->operand;
  return value->kind == ExpressionKind::kChain;
}

// Chains and `??` keep their kind, so that the code generator sees them; only what they give is converted.
Expression* BodyChecker::convertCoalesced(Expression* value, const Type* type) {
  if (value->type == type) return value;
  std::vector<CoalesceExpression*> outer; // `??` leans to the left
  while (value->kind == ExpressionKind::kCoalesce) {
    outer.push_back(static_cast<CoalesceExpression*>(value));
    value = outer.back()->value;
  }
  if (value->kind == ExpressionKind::kChain) {
    auto* chain = static_cast<ChainExpression*>(value);
    value =
        make<ChainExpression>(ExpressionKind::kChain, chain->range, type, chain->receiver, convert(chain->rest, type));
  } else {
    value = convert(value, type);
  }
  for (size_t i = outer.size(); i-- > 0;) {
    value = make<CoalesceExpression>(ExpressionKind::kCoalesce, outer[i]->range, type, value,
                                     convert(outer[i]->fallback, type));
  }
  return value;
}

Expression* BodyChecker::coalesce(Expression* value, const syntax::Expr* fallbackNode, const Type* expected) {
  const Type* hint = value->type->isError() || value->type->kind == TypeKind::kNull ? expected : value->type;
  Expression* fallback = checkValue(fallbackNode, hint);
  syntax::SourceRange range = syntax::join(value->range, fallbackNode->range);
  if (value->type->isVoid()) {
    report(DiagId::NoValue, value->range);
    return errorExpression(range);
  }
  if (value->type->isError() || fallback->type->isError()) return errorExpression(range);
  if (!mayMeetNull(value)) {
    report(DiagId::NeverNull, value->range, typeName(value->type));
    return errorExpression(range);
  }
  if (value->type->kind == TypeKind::kNull) return fallback;
  Expression* both[] = {value, fallback};
  const Type* type = meet(both, expected);
  if (type == nullptr) {
    report(DiagId::NoCommonType, range, typeName(value->type), typeName(fallback->type));
    return errorExpression(range);
  }
  value = convertCoalesced(value, type);
  return make<CoalesceExpression>(ExpressionKind::kCoalesce, range, type, value, convert(fallback, type));
}

Expression* BodyChecker::checkConditional(const syntax::ConditionalExpr& node, const Type* expected) {
  Expression* condition = checkCondition(node.condition);
  // A branch that waits for its target takes the type of the other one if nothing else is wanted.
  bool thenWaits = needsTarget(node.thenValue) && expected == nullptr && !needsTarget(node.elseValue);
  bool elseWaits = needsTarget(node.elseValue) && expected == nullptr && !needsTarget(node.thenValue);
  Expression* whenTrue = thenWaits ? nullptr : checkValue(node.thenValue, expected);
  Expression* whenFalse = checkValue(node.elseValue, elseWaits ? whenTrue->type : expected);
  if (thenWaits) whenTrue = checkValue(node.thenValue, whenFalse->type);
  if (whenTrue->type->isError() || whenFalse->type->isError()) return errorExpression(node.range);
  Expression* both[] = {whenTrue, whenFalse};
  const Type* type = meet(both, expected);
  if (type == nullptr) {
    report(DiagId::NoCommonType, node.range, typeName(whenTrue->type), typeName(whenFalse->type));
    return errorExpression(node.range);
  }
  whenTrue = convert(whenTrue, type);
  whenFalse = convert(whenFalse, type);
  const ConstantValue* known = constantOf(condition);
  if (known != nullptr && constantOf(whenTrue) != nullptr && constantOf(whenFalse) != nullptr) {
    return constant(*constantOf(known->bits ? whenTrue : whenFalse), type, node.range);
  }
  return make<ConditionalExpression>(ExpressionKind::kConditional, node.range, type, condition, whenTrue, whenFalse);
}

// ---------------------------------------------------------------- as, is

Expression* BodyChecker::checkCast(const syntax::CastExpr& node) {
  const Type* target = resolveType(node.type);
  Expression* value = checkValue(node.value, target->isError() ? nullptr : target);
  if (target->isError() || value->type->isError()) return errorExpression(node.range);
  return convertByAs(value, target, node.range);
}

Expression* BodyChecker::convertByAs(Expression* value, const Type* target, syntax::SourceRange range) {
  if (value->type->kind == TypeKind::kNull) return convert(value, target);
  ExplicitConversion step = p_.conversions.explicitly(value->type, target);
  if (!step.allowed) {
    auto& diagnostic = report(DiagId::CannotCast, range, typeName(value->type), typeName(target));
    if (target->kind == TypeKind::kString)
      diagnostic.suggest("write `\"${…}\"` or `.toString()` for the text of a value");
    if (value->type->kind == TypeKind::kString && target->isNumeric())
      diagnostic.suggest("`toInt()`, `toLong()` and `toDouble()` read a number from a string");
    return errorExpression(range);
  }
  auto apply = [&](Conversion conversion, const Type* to) {
    ConstantValue folded;
    const ConstantValue* known = constantOf(value);
    if (known != nullptr && p_.folder.convert(conversion, value->type, to, *known, folded)) {
      value = constant(folded, to, range);
    } else {
      value = make<ConvertExpression>(ExpressionKind::kConvert, range, to, conversion, value);
    }
  };
  if (step.isIdentity) return value;
  if (step.via != nullptr && step.via != value->type) apply(Conversion::kNumeric, step.via);
  apply(step.conversion, target);
  return value;
}

Expression* BodyChecker::checkTypeTest(const syntax::TypeTestExpr& node) {
  Expression* value = checkValue(node.value);
  const Type* tested = resolveType(node.type);
  const Type* type = p_.simple(TypeKind::kBool);
  if (tested->isError() || value->type->isError()) return errorExpression(node.range);
  if (value->type->kind == TypeKind::kNull) return constant(boolConstant(false), type, node.range);
  switch (p_.conversions.typeTest(value->type, tested)) {
  case TypeTestResult::kDynamic: break;
  case TypeTestResult::kAlways:
    if (Expression* boxed = tryConvert(value, p_.objectType()); boxed != nullptr) value = boxed;
    break;
  case TypeTestResult::kNever:
    report(DiagId::NeverInstance, node.range, typeName(value->type), typeName(tested));
    return errorExpression(node.range);
  }
  return make<TypeTestExpression>(ExpressionKind::kTypeTest, node.range, type, value, tested);
}

// ---------------------------------------------------------------- subscripts, interpolation

Expression* BodyChecker::checkIndex(const syntax::IndexExpr& node) {
  using Container = ElementExpression::Container;
  Expression* object = checkValue(node.target);
  const Type* type = object->type;
  const Type* indexType = p_.simple(TypeKind::kInt);
  const Type* elementType = nullptr;
  Container container = Container::kArray;
  if (type->kind == TypeKind::kArray) {
    elementType = type->element();
  } else if (type->kind == TypeKind::kString) {
    container = Container::kString;
    elementType = p_.simple(TypeKind::kUByte);
  } else if (p_.isListType(type)) {
    container = Container::kList;
    elementType = type->arguments[0];
  } else if (p_.isDictType(type)) {
    container = Container::kDict;
    indexType = type->arguments[0];
    elementType = type->arguments[1];
  }
  if (elementType == nullptr) {
    if (!type->isError()) report(DiagId::NotIndexable, node.target->range, typeName(type));
    checkPoisoned(node.index);
    return errorExpression(node.range);
  }
  Expression* index = checkAs(node.index, indexType);
  return make<ElementExpression>(ExpressionKind::kElement, node.range, elementType, container, object, index);
}

Expression* BodyChecker::checkInterpolation(const syntax::InterpolatedString& node) {
  const Type* text = p_.simple(TypeKind::kString);
  std::vector<InterpolationPart> parts;
  std::string pending; // literal text since the last value
  bool isBroken = false;
  for (const syntax::InterpolationPart* part : node.parts) {
    if (part->value == nullptr) {
      pending += part->text;
      continue;
    }
    Expression* value = checkValue(part->value);
    if (value->type->isError()) {
      isBroken = true;
      continue;
    }
    if (part->formatRange.valid()) {
      std::string problem = checkFormatSpec(part->format, value->type);
      if (!problem.empty()) {
        report(DiagId::BadFormat, part->formatRange, part->format, problem);
        isBroken = true;
        continue;
      }
    }
    if (part->format.empty() || !formatsDirectly(value->type)) value = toText(value);
    const ConstantValue* known = part->format.empty() ? constantOf(value) : nullptr;
    if (known != nullptr) {
      pending += known->text;
      continue;
    }
    parts.push_back({p_.arena.copyText(pending), value, part->format});
    pending.clear();
  }
  if (isBroken) return errorExpression(node.range);
  if (parts.empty()) return constant(stringConstant(p_.arena.copyText(pending)), text, node.range);
  if (!pending.empty()) parts.push_back({p_.arena.copyText(pending), nullptr, {}});
  std::span<const InterpolationPart> list = p_.arena.copyList(parts);
  return make<InterpolationExpression>(ExpressionKind::kInterpolation, node.range, text, list);
}

} // namespace nlang::sema
