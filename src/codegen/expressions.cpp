// Expressions: operators, null operators, arrays, lists and brace values. Calls, places, texts, conversions and
// function values have files of their own.
#include "codegen/function_generator.h"

namespace nlang::codegen {

using sema::BinaryOp;
using sema::ExpressionKind;
using sema::TypeKind;

namespace {

template <class T> const T& as(const sema::Expression& expression) { return static_cast<const T&>(expression); }

bool isComparison(BinaryOp op) { return op >= BinaryOp::kLess; }

struct Operators {
  bytecode::Op add, subtract, multiply, divide, remainder, shiftLeft, shiftRight, shiftRightUnsigned, bitAnd, bitXor,
      bitOr;
};

using bytecode::Op;
constexpr Op kNoOp = Op::kCount;
// By family, kI32 to kF64. Bits of bool count as kI32.
constexpr Operators kOperators[] = {
    {Op::add_i32, Op::sub_i32, Op::mul_i32, Op::div_i32, Op::rem_i32, Op::shl_i32, Op::shr_i32, Op::ushr_i32,
     Op::and_i32, Op::xor_i32, Op::or_i32},
    {Op::add_i32, Op::sub_i32, Op::mul_i32, Op::div_u32, Op::rem_u32, Op::shl_i32, Op::ushr_i32, Op::ushr_i32,
     Op::and_i32, Op::xor_i32, Op::or_i32},
    {Op::add_i64, Op::sub_i64, Op::mul_i64, Op::div_i64, Op::rem_i64, Op::shl_i64, Op::shr_i64, Op::ushr_i64,
     Op::and_i64, Op::xor_i64, Op::or_i64},
    {Op::add_i64, Op::sub_i64, Op::mul_i64, Op::div_u64, Op::rem_u64, Op::shl_i64, Op::ushr_i64, Op::ushr_i64,
     Op::and_i64, Op::xor_i64, Op::or_i64},
    {Op::add_f32, Op::sub_f32, Op::mul_f32, Op::div_f32, Op::rem_f32, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp},
    {Op::add_f64, Op::sub_f64, Op::mul_f64, Op::div_f64, Op::rem_f64, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp},
};

Op operatorOf(BinaryOp op, Family family) {
  const Operators& row = kOperators[static_cast<unsigned>(family)];
  switch (op) {
  case BinaryOp::kAdd: return row.add;
  case BinaryOp::kSubtract: return row.subtract;
  case BinaryOp::kMultiply: return row.multiply;
  case BinaryOp::kDivide: return row.divide;
  case BinaryOp::kRemainder: return row.remainder;
  case BinaryOp::kShiftLeft: return row.shiftLeft;
  case BinaryOp::kShiftRight: return row.shiftRight;
  case BinaryOp::kShiftRightUnsigned: return row.shiftRightUnsigned;
  case BinaryOp::kAnd: return row.bitAnd;
  case BinaryOp::kXor: return row.bitXor;
  case BinaryOp::kOr: return row.bitOr;
  default: return kNoOp;
  }
}

bool mayFault(BinaryOp op) { return op == BinaryOp::kDivide || op == BinaryOp::kRemainder; }

const sema::ConstantValue* integerConstant(const sema::Expression& expression) {
  if (expression.kind != ExpressionKind::kConstant) return nullptr;
  const sema::ConstantValue& value = as<sema::ConstantExpression>(expression).value;
  return value.kind == sema::ConstantValue::Kind::kInteger ? &value : nullptr;
}

} // namespace

Value FunctionGenerator::evaluate(const Expression& expression, Target target) {
  if (program_.failed()) return allocate(concrete(expression.type));
  switch (expression.kind) {
  case ExpressionKind::kConstant: {
    const Type* type = concrete(expression.type);
    Value value = destination(target, type);
    loadConstant(value.reg, as<sema::ConstantExpression>(expression).value, type);
    return value;
  }
  case ExpressionKind::kDefault: {
    const Type* type = concrete(expression.type);
    Value value = destination(target, type);
    loadZero(value, type);
    return value;
  }
  case ExpressionKind::kLocal: return evaluateLocal(as<sema::LocalExpression>(expression), target);
  case ExpressionKind::kThis: return context_.self;
  case ExpressionKind::kStaticField:
  case ExpressionKind::kField: return take(place(expression), target);
  case ExpressionKind::kElement: {
    auto& element = as<sema::ElementExpression>(expression);
    if (element.container == sema::ElementExpression::Container::kString)
      return evaluateElementOfString(element, target);
    return take(place(expression), target);
  }
  case ExpressionKind::kUnary: return evaluateUnary(as<sema::UnaryExpression>(expression), target);
  case ExpressionKind::kBinary: return evaluateBinary(as<sema::BinaryExpression>(expression), target);
  case ExpressionKind::kLogical: return evaluateLogical(as<sema::LogicalExpression>(expression), target);
  case ExpressionKind::kConditional: return evaluateConditional(as<sema::ConditionalExpression>(expression), target);
  case ExpressionKind::kCoalesce: return evaluateCoalesce(as<sema::CoalesceExpression>(expression), target);
  case ExpressionKind::kConvert: return evaluateConvert(as<sema::ConvertExpression>(expression), target);
  case ExpressionKind::kTypeTest: return evaluateTypeTest(as<sema::TypeTestExpression>(expression), target);
  case ExpressionKind::kCall: return evaluateCall(as<sema::CallExpression>(expression), target);
  case ExpressionKind::kCallValue: return evaluateCallValue(as<sema::CallValueExpression>(expression), target);
  case ExpressionKind::kNew: return evaluateNew(as<sema::NewExpression>(expression), target);
  case ExpressionKind::kNewArray: return evaluateNewArray(as<sema::NewArrayExpression>(expression), target);
  case ExpressionKind::kListValue: return evaluateListValue(as<sema::ListValueExpression>(expression), target);
  case ExpressionKind::kDictValue: return evaluateDictValue(as<sema::DictValueExpression>(expression), target);
  case ExpressionKind::kFieldsValue: return evaluateFieldsValue(as<sema::FieldsValueExpression>(expression), target);
  case ExpressionKind::kInterpolation:
    return evaluateInterpolation(as<sema::InterpolationExpression>(expression), target);
  case ExpressionKind::kLambda: return evaluateLambda(as<sema::LambdaExpression>(expression), target);
  case ExpressionKind::kFunctionValue:
    return evaluateFunctionValue(as<sema::FunctionValueExpression>(expression), target);
  case ExpressionKind::kChain: return evaluateChain(as<sema::ChainExpression>(expression), target);
  case ExpressionKind::kChainReceiver: {
    Value value = chainReceivers_.back();
    value.isTemporary = false;
    return value;
  }
  }
  return {};
}

void FunctionGenerator::evaluateInto(const Expression& expression, uint16_t reg, bool isFresh) {
  settle(evaluate(expression, {reg, isFresh}), reg);
}

Value FunctionGenerator::evaluateFresh(const Expression& expression) {
  Value value = allocate(concrete(expression.type));
  evaluateInto(expression, value.reg);
  return value;
}

Value FunctionGenerator::evaluateLocal(const sema::LocalExpression& expression, Target target) {
  Storage storage = variables_.at(expression.variable);
  if (storage.isCell) return load(cellPlace(storage), target);
  Value value{storage.reg, layout(storage.type).count(), false};
  // An `out` argument further on in the statement may change it.
  if (expression.variable->isPassedOut && !target.isGiven()) return copy(value, storage.type);
  return value;
}

// ---------------------------------------------------------------- operators

Value FunctionGenerator::evaluateUnary(const sema::UnaryExpression& expression, Target target) {
  using UnaryOp = sema::UnaryExpression::Op;
  Family family = familyOf(concrete(expression.type));
  bool isWide = family == Family::kI64 || family == Family::kU64;
  Op op = Op::not_bool;
  if (expression.op == UnaryOp::kComplement) op = isWide ? Op::not_i64 : Op::not_i32;
  if (expression.op == UnaryOp::kNegate)
    op = family == Family::kF64   ? Op::neg_f64
         : family == Family::kF32 ? Op::neg_f32
         : isWide                 ? Op::neg_i64
                                  : Op::neg_i32;
  Value operand = evaluate(*expression.operand);
  release(operand);
  Value result = destinationOne(target, false);
  builder_.emit(op, result.reg, operand.reg);
  return result;
}

// Chains of operators lean to the left and may be longer than any stack is deep.
Value FunctionGenerator::evaluateBinary(const sema::BinaryExpression& expression, Target target) {
  if (isComparison(expression.op)) return evaluateComparison(expression, target);
  if (familyOf(concrete(expression.type)) == Family::kString) return evaluateConcatenation(expression, target, false);
  absl::InlinedVector<const sema::BinaryExpression*, 8> chain{&expression};
  for (const Expression* left = expression.left; left->kind == ExpressionKind::kBinary; left = chain.back()->left) {
    auto& inner = as<sema::BinaryExpression>(*left);
    if (isComparison(inner.op)) break;
    chain.push_back(&inner);
  }
  Value value;
  if (!operateReversed(*chain.back(), chain.size() == 1 ? target : Target{}, value))
    value = evaluate(*chain.back()->left);
  else
    chain.pop_back();
  while (!chain.empty()) {
    const sema::BinaryExpression& next = *chain.back();
    chain.pop_back();
    if (mayFault(next.op)) mark(next.range);
    value = operate(next.op, concrete(next.type), value, *next.right, chain.empty() ? target : Target{});
  }
  return value;
}

// constant op value, for operators that commute and take an immediate.
bool FunctionGenerator::operateReversed(const sema::BinaryExpression& expression, Target target, Value& result) {
  const sema::ConstantValue* constant = integerConstant(*expression.left);
  bool commutes =
      expression.op == BinaryOp::kAdd || expression.op == BinaryOp::kMultiply || expression.op == BinaryOp::kAnd;
  if (!constant || !commutes || integerConstant(*expression.right)) return false;
  Immediate immediate =
      immediateFor(expression.op, familyOf(concrete(expression.type)), static_cast<int64_t>(constant->bits));
  if (immediate.op == kNoOp) return false;
  Value operand = evaluate(*expression.right);
  release(operand);
  result = destinationOne(target, false);
  builder_.emit(immediate.op, result.reg, operand.reg, immediate.value);
  return true;
}

Value FunctionGenerator::operate(BinaryOp op, const Type* type, Value left, const Expression& right, Target target) {
  Family family = familyOf(type);
  if (const sema::ConstantValue* constant = integerConstant(right)) {
    Immediate immediate = immediateFor(op, family, static_cast<int64_t>(constant->bits));
    if (immediate.op != kNoOp) {
      release(left);
      Value result = destinationOne(target, false);
      builder_.emit(immediate.op, result.reg, left.reg, immediate.value);
      return result;
    }
  }
  Value operand = evaluate(right);
  release(left);
  release(operand);
  Value result = destinationOne(target, false);
  builder_.emit(operatorOf(op, family), result.reg, left.reg, operand.reg);
  return result;
}

FunctionGenerator::Immediate FunctionGenerator::immediateFor(BinaryOp op, Family family, int64_t right) {
  auto fits = [](int64_t value) { return value >= INT16_MIN && value <= INT16_MAX; };
  auto fitsNegated = [](int64_t value) { return value >= -INT16_MAX && value <= INT16_MAX; };
  auto bits = [](int64_t value) { return static_cast<uint16_t>(value); };
  if (family == Family::kI64 || family == Family::kU64) {
    if (op == BinaryOp::kAdd && fits(right)) return {Op::addi_i64, bits(right)};
    if (op == BinaryOp::kSubtract && fitsNegated(right)) return {Op::addi_i64, bits(-right)};
    return {kNoOp, 0};
  }
  if (family != Family::kI32 && family != Family::kU32) return {kNoOp, 0};
  switch (op) {
  case BinaryOp::kShiftLeft: return {Op::shli_i32, bits(right & 31)};
  case BinaryOp::kShiftRight: return {family == Family::kU32 ? Op::ushri_i32 : Op::shri_i32, bits(right & 31)};
  case BinaryOp::kShiftRightUnsigned: return {Op::ushri_i32, bits(right & 31)};
  case BinaryOp::kAdd: return fits(right) ? Immediate{Op::addi_i32, bits(right)} : Immediate{kNoOp, 0};
  case BinaryOp::kSubtract: return fitsNegated(right) ? Immediate{Op::addi_i32, bits(-right)} : Immediate{kNoOp, 0};
  case BinaryOp::kMultiply: return fits(right) ? Immediate{Op::muli_i32, bits(right)} : Immediate{kNoOp, 0};
  case BinaryOp::kAnd: return fits(right) ? Immediate{Op::andi_i32, bits(right)} : Immediate{kNoOp, 0};
  case BinaryOp::kDivide:
  case BinaryOp::kRemainder:
    if (family == Family::kU32 || !fits(right) || right == 0 || right == -1) return {kNoOp, 0};
    return {op == BinaryOp::kDivide ? Op::divi_i32 : Op::remi_i32, bits(right)};
  default: return {kNoOp, 0};
  }
}

Value FunctionGenerator::evaluateLogical(const sema::LogicalExpression& expression, Target target) {
  Value result = scratch(target, expression.type);
  Label end = builder_.newLabel();
  loadInteger(result.reg, expression.isAnd ? 0 : 1, Family::kI32);
  jumpIf(*expression.left, !expression.isAnd, end);
  evaluateInto(*expression.right, result.reg);
  builder_.bind(end);
  return result;
}

Value FunctionGenerator::evaluateConditional(const sema::ConditionalExpression& expression, Target target) {
  const Type* type = concrete(expression.type);
  Value result = destination(target, type);
  bool isFresh = !target.isGiven() || target.isFresh;
  Label otherwise = builder_.newLabel(), end = builder_.newLabel();
  jumpIf(*expression.condition, false, otherwise);
  evaluateInto(*expression.whenTrue, result.reg, isFresh);
  builder_.emitJump(end);
  builder_.bind(otherwise);
  evaluateInto(*expression.whenFalse, result.reg, isFresh);
  builder_.bind(end);
  return result;
}

// ---------------------------------------------------------------- null: ?? and ?.

Value FunctionGenerator::evaluateCoalesce(const sema::CoalesceExpression& expression, Target target) {
  const Type* type = concrete(expression.type);
  Value result = scratch(target, type);
  Label end = builder_.newLabel();
  // Chains lean to the left: a ?? b ?? c is (a ?? b) ?? c.
  absl::InlinedVector<const sema::CoalesceExpression*, 4> chain{&expression};
  while (chain.back()->value->kind == ExpressionKind::kCoalesce)
    chain.push_back(&as<sema::CoalesceExpression>(*chain.back()->value));
  coalesceStep(*chain.back()->value, result, end);
  for (size_t i = chain.size(); i-- > 1;) coalesceStep(*chain[i]->fallback, result, end);
  evaluateInto(*chain.front()->fallback, result.reg);
  builder_.bind(end);
  return result;
}

// `value` into `result`, and to `end` unless it is null or a chain that met a null.
void FunctionGenerator::coalesceStep(const Expression& value, Value result, Label end) {
  const Expression* inner = &value;
  bool isReference = familyOf(concrete(value.type)) == Family::kReference;
  // The conversion of a chain's value happens only if there is one.
  const sema::ConvertExpression* conversion = nullptr;
  if (inner->kind == ExpressionKind::kConvert &&
      as<sema::ConvertExpression>(*inner).operand->kind == ExpressionKind::kChain) {
    conversion = &as<sema::ConvertExpression>(*inner);
    inner = conversion->operand;
  }
  if (inner->kind != ExpressionKind::kChain) {
    evaluateInto(value, result.reg);
    if (isReference)
      builder_.emitJump(Op::jump_not_null, end, result.reg);
    else
      builder_.emitJump(end);
    return;
  }
  Label next = builder_.newLabel();
  Value found = chainValue(as<sema::ChainExpression>(*inner), conversion ? Target{} : Target{result.reg, true}, next);
  if (conversion) {
    const Type* from = concrete(inner->type);
    if (familyOf(from) == Family::kReference) builder_.emitJump(Op::jump_null, next, found.reg);
    found = convert(conversion->conversion, from, concrete(conversion->type), found, {result.reg, true});
  }
  settle(found, result.reg);
  if (isReference)
    builder_.emitJump(Op::jump_not_null, end, result.reg);
  else
    builder_.emitJump(end);
  builder_.bind(next);
}

Value FunctionGenerator::evaluateChain(const sema::ChainExpression& expression, Target target) {
  const Type* type = concrete(expression.type);
  Label isNull = builder_.newLabel(), end = builder_.newLabel();
  if (type->isVoid()) {
    chainValue(expression, {}, isNull);
    builder_.bind(isNull);
    return {};
  }
  Value result = scratch(target, type);
  settle(chainValue(expression, {result.reg, true}, isNull), result.reg);
  builder_.emitJump(end);
  builder_.bind(isNull);
  loadZero(result, type);
  builder_.bind(end);
  return result;
}

// The chain's value; where its receiver is null control goes to `onNull`.
Value FunctionGenerator::chainValue(const sema::ChainExpression& chain, Target target, Label onNull) {
  Value receiver = chain.receiver->kind == ExpressionKind::kChain
                       ? chainValue(as<sema::ChainExpression>(*chain.receiver), {}, onNull)
                       : evaluate(*chain.receiver);
  builder_.emitJump(Op::jump_null, onNull, receiver.reg);
  chainReceivers_.push_back(receiver);
  Value value = evaluate(*chain.rest, target);
  chainReceivers_.pop_back();
  return value;
}

// ---------------------------------------------------------------- arrays, lists, brace values

Value FunctionGenerator::evaluateNewArray(const sema::NewArrayExpression& expression, Target target) {
  uint32_t type = program_.classOf(concrete(expression.type)).index;
  Value length = evaluate(*expression.length);
  release(length);
  mark(expression.range);
  Value result = destinationOne(target, true);
  builder_.emit(Op::new_array, result.reg, length.reg, static_cast<uint16_t>(type));
  return result;
}

Value FunctionGenerator::evaluateListValue(const sema::ListValueExpression& expression, Target target) {
  const Type* type = concrete(expression.type);
  uint32_t classIndex = program_.classOf(type).index;
  Value result = scratch(target, type);
  bool isArray = type->kind == TypeKind::kArray;
  bool isList = type->declaration == program_.known().classes.list;
  const Type* elementType = type->arguments[0];
  if (isArray) {
    Value length = integerRegister(expression.elements.size(), Family::kI32);
    builder_.emit(Op::new_array, result.reg, length.reg, static_cast<uint16_t>(classIndex));
    release(length);
  } else {
    builder_.emitWide(Op::new_object, result.reg, classIndex);
  }
  for (size_t i = 0; i < expression.elements.size(); ++i) {
    const Expression& element = *expression.elements[i];
    Value value = evaluate(element);
    if (isArray) {
      Value index = integerRegister(i, Family::kI32);
      Place to{.kind = Place::Kind::kArray,
               .type = elementType,
               .object = result,
               .index = index,
               .whole = &layout(elementType)};
      store(to, value);
      release(index);
    } else if (isList) {
      builder_.emit(Op::list_add, result.reg, value.reg, value.count);
    } else {
      Value arguments[] = {result, value};
      arguments[0].isTemporary = false;
      release(callByName("add", type, arguments, element.range, {}));
    }
    release(value);
  }
  return result;
}

Value FunctionGenerator::evaluateDictValue(const sema::DictValueExpression& expression, Target target) {
  const Type* type = concrete(expression.type);
  Value result = scratch(target, type);
  builder_.emitWide(Op::new_object, result.reg, program_.classOf(type).index);
  for (const sema::DictEntry& entry : expression.entries) {
    Value key = evaluate(*entry.key);
    Value value = evaluate(*entry.value);
    Value arguments[] = {{result.reg, 1, false}, key, value};
    release(callByName("set", type, arguments, entry.key->range, {}));
    release(key);
    release(value);
  }
  return result;
}

Value FunctionGenerator::evaluateFieldsValue(const sema::FieldsValueExpression& expression, Target target) {
  const Type* type = concrete(expression.type);
  if (type->kind == TypeKind::kStruct) {
    const TypeLayout& shape = layout(type);
    Value result = scratch(target, type);
    std::vector<bool> isSet(shape.fields.size());
    for (const sema::FieldValue& field : expression.fields) isSet[field.field->index] = true;
    for (size_t i = 0; i < shape.fields.size(); ++i) {
      const FieldSlice& slice = shape.fields[i];
      if (!isSet[i]) loadZero(result.part(slice.firstLeaf, layout(slice.type).count()), slice.type);
    }
    if (shape.fields.empty()) loadZero(result, type);
    for (const sema::FieldValue& field : expression.fields)
      evaluateInto(*field.value, static_cast<uint16_t>(result.reg + shape.fields[field.field->index].firstLeaf));
    return result;
  }
  Value object = construct(expression.constructor, type, {}, expression.range, target.isFresh ? target : Target{});
  for (const sema::FieldValue& field : expression.fields) {
    Value value = evaluate(*field.value);
    store(fieldOfObject(object, type, *field.field), value);
    release(value);
  }
  return object;
}

Value FunctionGenerator::evaluateElementOfString(const sema::ElementExpression& expression, Target target) {
  Value text = evaluate(*expression.object);
  Value index = evaluate(*expression.index);
  release(text);
  release(index);
  mark(expression.range);
  Value result = destinationOne(target, false);
  builder_.emit(Op::string_byte, result.reg, text.reg, index.reg);
  return result;
}

} // namespace nlang::codegen
