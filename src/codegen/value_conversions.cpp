// Conversions between types: numbers, boxes, casts, type tests.
#include "codegen/function_generator.h"

namespace nlang::codegen {

using sema::Conversion;
using sema::TypeKind;

namespace {

constexpr uint32_t kBoxedValueOffset = 8;

bool isSignedSmall(const sema::Type* type) {
  return type->kind == TypeKind::kByte || type->kind == TypeKind::kShort || type->kind == TypeKind::kInt ||
         type->kind == TypeKind::kEnum;
}

// Whether a register that holds a value of `from` (up to 32 bits) already holds the same bits of `to` (up to 32 bits)
// in canonical form.
bool keepsCanonicalForm(const sema::Type* from, const sema::Type* to) {
  switch (to->kind) {
  case TypeKind::kShort:
    return from->kind == TypeKind::kByte || from->kind == TypeKind::kUByte || from->kind == TypeKind::kShort;
  case TypeKind::kByte: return from->kind == TypeKind::kByte;
  case TypeKind::kUShort: return from->kind == TypeKind::kUByte || from->kind == TypeKind::kUShort;
  case TypeKind::kUByte: return from->kind == TypeKind::kUByte || from->kind == TypeKind::kBool;
  default: return true;
  }
}

bytecode::Op truncationTo(TypeKind kind) {
  using bytecode::Op;
  switch (kind) {
  case TypeKind::kByte: return Op::to_i8;
  case TypeKind::kUByte: return Op::to_u8;
  case TypeKind::kShort: return Op::to_i16;
  case TypeKind::kUShort: return Op::to_u16;
  default: return Op::kCount;
  }
}

bool isWide(Family family) { return family == Family::kI64 || family == Family::kU64; }

} // namespace

Value FunctionGenerator::evaluateConvert(const sema::ConvertExpression& expression, Target target) {
  const Type* from = concrete(expression.operand->type);
  const Type* to = concrete(expression.type);
  if (expression.conversion == Conversion::kUpcast) return evaluate(*expression.operand, target);
  Value value = evaluate(*expression.operand);
  mark(expression.range);
  return convert(expression.conversion, from, to, value, target);
}

Value FunctionGenerator::convert(Conversion conversion, const Type* from, const Type* to, Value value, Target target) {
  switch (conversion) {
  case Conversion::kUpcast: return value;
  case Conversion::kNumeric: return convertNumber(from, to, value, target);
  case Conversion::kToText: return toText(from, value, target);
  case Conversion::kBox: return from->isReference() ? value : box(from, value, target);
  case Conversion::kUnbox: return to->isReference() ? narrow(to, value, target) : unbox(to, value, target);
  case Conversion::kDowncast: return narrow(to, value, target);
  case Conversion::kGeneric: return convertGeneric(from, to, value, target);
  case Conversion::kToChar:
  case Conversion::kToEnum: {
    Value wide = convertToLong(from, value);
    release(wide);
    Value result = destinationOne(target, false);
    if (conversion == Conversion::kToChar)
      builder_.emit(Op::check_char, result.reg, wide.reg);
    else
      builder_.emit(Op::check_enum, result.reg, wide.reg, static_cast<uint16_t>(program_.classOf(to).index));
    return result;
  }
  }
  return value;
}

// What check_char and check_enum take. A ulong beyond long stands for no character and no enum member either way.
Value FunctionGenerator::convertToLong(const Type* from, Value value) {
  if (from->kind != TypeKind::kULong) return convertNumber(from, program_.simple(TypeKind::kLong), value, {});
  Value result = copy(value, from);
  Value zero = integerRegister(0, Family::kI64);
  Label fits = builder_.newLabel();
  builder_.emitJump(Op::jle_i64, fits, zero.reg, result.reg);
  loadInteger(result.reg, static_cast<uint64_t>(INT64_MIN), Family::kI64);
  builder_.bind(fits);
  release(zero);
  return result;
}

Value FunctionGenerator::convertNumber(const Type* from, const Type* to, Value value, Target target) {
  if (from == to) return value;
  Family source = familyOf(from), goal = familyOf(to);
  auto emit = [&](Op op, uint16_t detail = 0) {
    release(value);
    Value result = destinationOne(target, false);
    builder_.emit(op, result.reg, value.reg, detail);
    return result;
  };
  if (isFloatingFamily(source)) {
    if (source == goal) return value;
    if (goal == Family::kF32) return emit(Op::f64_to_f32);
    if (source == Family::kF32) {
      Value wide = emitFresh(Op::f32_to_f64, value);
      if (goal == Family::kF64) return wide;
      return convertNumber(program_.simple(TypeKind::kDouble), to, wide, target);
    }
    switch (goal) {
    case Family::kI64: return emit(Op::f64_to_i64);
    case Family::kU64: return emit(Op::f64_to_u64);
    case Family::kU32: return emit(Op::f64_to_u32);
    default: break;
    }
    if (truncationTo(to->kind) == Op::kCount) return emit(Op::f64_to_i32);
    Value whole = emitFresh(Op::f64_to_i32, value);
    value = whole;
    uint16_t range = to->kind == TypeKind::kByte    ? 0
                     : to->kind == TypeKind::kUByte ? 1
                     : to->kind == TypeKind::kShort ? 2
                                                    : 3;
    return emit(Op::saturate_i32, range);
  }
  switch (goal) {
  case Family::kF64:
    return emit(source == Family::kU64 ? Op::u64_to_f64 : source == Family::kI32 ? Op::i32_to_f64 : Op::i64_to_f64);
  case Family::kF32:
    return emit(source == Family::kU64 ? Op::u64_to_f32 : source == Family::kI32 ? Op::i32_to_f32 : Op::i64_to_f32);
  case Family::kI64:
  case Family::kU64: return isSignedSmall(from) ? emit(Op::i32_to_i64) : value;
  default: break;
  }
  // To at most 32 bits.
  Op truncation = truncationTo(to->kind);
  if (truncation != Op::kCount && (isWide(source) || !keepsCanonicalForm(from, to))) return emit(truncation);
  return isWide(source) ? emit(Op::i64_to_i32) : value;
}

Value FunctionGenerator::emitFresh(Op op, Value value) {
  release(value);
  Value result = allocateOne(false);
  builder_.emit(op, result.reg, value.reg);
  return result;
}

// ---------------------------------------------------------------- objects

Value FunctionGenerator::box(const Type* type, Value value, Target target) {
  if (type->kind == TypeKind::kString) {
    // A string is an object, but the empty one may be null.
    Value object = scratch(target, type);
    move(object.reg, value);
    Label isObject = builder_.newLabel();
    builder_.emitJump(Op::jump_not_null, isObject, object.reg);
    builder_.emitWide(Op::const_pool, object.reg, program_.stringConstant(""));
    builder_.bind(isObject);
    if (object.reg != value.reg) release(value);
    return object;
  }
  auto classIndex = program_.boxOf(type).index;
  if (type->isScalar()) {
    release(value);
    Value object = destinationOne(target, true);
    builder_.emit(Op::box, object.reg, value.reg, static_cast<uint16_t>(classIndex));
    return object;
  }
  Value object = scratch(target, program_.objectType());
  builder_.emitWide(Op::new_object, object.reg, classIndex);
  store({.kind = Place::Kind::kField,
         .type = type,
         .object = object,
         .base = kBoxedValueOffset,
         .whole = &layout(type),
         .range = range_},
        value);
  release(value);
  return object;
}

Value FunctionGenerator::unbox(const Type* type, Value value, Target target) {
  auto classIndex = static_cast<uint16_t>(program_.boxOf(type).index);
  if (type->isScalar()) {
    release(value);
    Value result = destinationOne(target, false);
    builder_.emit(Op::unbox, result.reg, value.reg, classIndex);
    return result;
  }
  // The cast makes the exception of all but null; it is not reached with an object of the class.
  Value isExact = allocateOne(false);
  Label fits = builder_.newLabel();
  builder_.emit(Op::is_exact, isExact.reg, value.reg, classIndex);
  builder_.emitJump(Op::jump_true, fits, isExact.reg);
  Value object = allocateOne(true);
  builder_.emit(Op::cast_class, object.reg, value.reg, classIndex);
  release(object);
  throwNew(bytecode::WellKnown::kCastException, "null is not " + program_.typeText(type));
  builder_.bind(fits);
  release(isExact);
  return boxedValue(type, value);
}

Value FunctionGenerator::narrow(const Type* type, Value value, Target target) {
  auto classIndex = static_cast<uint16_t>(program_.classOf(type).index);
  release(value);
  Value result = destinationOne(target, true);
  builder_.emit(Op::cast_class, result.reg, value.reg, classIndex);
  return result;
}

Value FunctionGenerator::convertGeneric(const Type* from, const Type* to, Value value, Target target) {
  if (from == to) return value;
  sema::ExplicitConversion found = program_.conversions().explicitly(from, to);
  if (found.isIdentity) return value;
  if (!found.allowed) {
    throwNew(bytecode::WellKnown::kCastException,
             "cannot convert " + program_.typeText(from) + " to " + program_.typeText(to));
    return allocate(to);
  }
  if (found.via) {
    value = convertNumber(from, found.via, value, {});
    from = found.via;
  }
  return convert(found.conversion, from, to, value, target);
}

Value FunctionGenerator::evaluateTypeTest(const sema::TypeTestExpression& expression, Target target) {
  const Type* from = concrete(expression.operand->type);
  const Type* tested = concrete(expression.testedType);
  Value value = evaluate(*expression.operand);
  release(value);
  Value result = destinationOne(target, false);
  if (!from->isReference()) {
    // A value is of its own type and of those that its box would have.
    bool holds = program_.conversions().typeTest(from, tested) == sema::TypeTestResult::kAlways;
    loadInteger(result.reg, holds, Family::kI32);
    return result;
  }
  bool isValue = tested->isScalar() || tested->kind == TypeKind::kStruct || tested->kind == TypeKind::kString;
  ClassRecord& record = isValue ? program_.boxOf(tested) : program_.classOf(tested);
  builder_.emit(isValue ? Op::is_exact : Op::is_class, result.reg, value.reg, static_cast<uint16_t>(record.index));
  return result;
}

} // namespace nlang::codegen
