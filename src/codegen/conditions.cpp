// Conditions as control flow, comparisons, equality.
#include "codegen/function_generator.h"

namespace nlang::codegen {

using sema::BinaryOp;
using sema::ExpressionKind;
using sema::TypeKind;

namespace {

template <class T> const T& as(const sema::Expression& expression) { return static_cast<const T&>(expression); }

const sema::Expression& withoutUpcasts(const sema::Expression& expression) {
  const sema::Expression* inner = &expression;
  while (inner->kind == ExpressionKind::kConvert) {
    auto& conversion = as<sema::ConvertExpression>(*inner);
    if (conversion.conversion != sema::Conversion::kUpcast && conversion.conversion != sema::Conversion::kGeneric)
      break;
    inner = conversion.operand;
  }
  return *inner;
}

bool isNullLiteral(const sema::Expression& expression) {
  const sema::Expression& inner = withoutUpcasts(expression);
  return inner.kind == ExpressionKind::kConstant &&
         as<sema::ConstantExpression>(inner).value.kind == sema::ConstantValue::Kind::kNull;
}

BinaryOp mirrored(BinaryOp op) {
  switch (op) {
  case BinaryOp::kLess: return BinaryOp::kGreater;
  case BinaryOp::kLessEqual: return BinaryOp::kGreaterEqual;
  case BinaryOp::kGreater: return BinaryOp::kLess;
  case BinaryOp::kGreaterEqual: return BinaryOp::kLessEqual;
  default: return op;
  }
}

BinaryOp negated(BinaryOp op) {
  switch (op) {
  case BinaryOp::kLess: return BinaryOp::kGreaterEqual;
  case BinaryOp::kLessEqual: return BinaryOp::kGreater;
  case BinaryOp::kGreater: return BinaryOp::kLessEqual;
  case BinaryOp::kGreaterEqual: return BinaryOp::kLess;
  case BinaryOp::kEqual: return BinaryOp::kNotEqual;
  default: return BinaryOp::kEqual;
  }
}

bool isEquality(BinaryOp op) { return op == BinaryOp::kEqual || op == BinaryOp::kNotEqual; }

struct Comparisons {
  bytecode::Op equal, notEqual, less, lessEqual;
};
using bytecode::Op;
// By family, kI32 to kF64.
constexpr Comparisons kComparisons[] = {
    {Op::eq_i32, Op::ne_i32, Op::lt_i32, Op::le_i32}, {Op::eq_i32, Op::ne_i32, Op::lt_u32, Op::le_u32},
    {Op::eq_i64, Op::ne_i64, Op::lt_i64, Op::le_i64}, {Op::eq_i64, Op::ne_i64, Op::lt_u64, Op::le_u64},
    {Op::eq_f32, Op::ne_f32, Op::lt_f32, Op::le_f32}, {Op::eq_f64, Op::ne_f64, Op::lt_f64, Op::le_f64},
};

Op immediateJump(BinaryOp op) {
  switch (op) {
  case BinaryOp::kLess: return Op::jlti_i32;
  case BinaryOp::kLessEqual: return Op::jlei_i32;
  case BinaryOp::kGreater: return Op::jgti_i32;
  case BinaryOp::kGreaterEqual: return Op::jgei_i32;
  case BinaryOp::kEqual: return Op::jeqi_i32;
  default: return Op::jnei_i32;
  }
}

// A reference that may be to a boxed value or a function value, which == compares by what they hold.
bool comparesByValue(const sema::Type* type, const KnownSymbols& known) {
  return type->kind == TypeKind::kInterface || type->kind == TypeKind::kFunction ||
         (type->kind == TypeKind::kClass && type->declaration == known.classes.object);
}

} // namespace

void FunctionGenerator::jumpIf(const Expression& condition, bool sense, Label target) {
  switch (condition.kind) {
  case ExpressionKind::kConstant:
    if ((as<sema::ConstantExpression>(condition).value.bits != 0) == sense) builder_.emitJump(target);
    return;
  case ExpressionKind::kUnary: return jumpIf(*as<sema::UnaryExpression>(condition).operand, !sense, target);
  case ExpressionKind::kBinary: {
    auto& binary = as<sema::BinaryExpression>(condition);
    if (binary.op >= BinaryOp::kLess) return jumpIfComparison(binary, sense, target);
    break;
  }
  case ExpressionKind::kLogical: {
    // Chains lean to the left. An operand that decides the whole jumps to the target, or behind the condition.
    bool isAnd = as<sema::LogicalExpression>(condition).isAnd;
    absl::InlinedVector<const Expression*, 8> operands;
    const Expression* left = &condition;
    for (; left->kind == ExpressionKind::kLogical && as<sema::LogicalExpression>(*left).isAnd == isAnd;
         left = as<sema::LogicalExpression>(*left).left)
      operands.push_back(as<sema::LogicalExpression>(*left).right);
    operands.push_back(left);
    Label behind = builder_.newLabel();
    while (operands.size() > 1) {
      jumpIf(*operands.back(), !isAnd, isAnd == sense ? behind : target);
      operands.pop_back();
    }
    jumpIf(*operands.front(), sense, target);
    builder_.bind(behind);
    return;
  }
  default: break;
  }
  Value value = evaluate(condition);
  release(value);
  builder_.emitJump(sense ? Op::jump_true : Op::jump_false, target, value.reg);
}

const sema::Type* FunctionGenerator::comparedType(const sema::BinaryExpression& comparison) {
  const Type* left = concrete(comparison.left->type);
  if (familyOf(left) != Family::kReference) return left;
  const Type* right = concrete(comparison.right->type);
  // Identity is enough if one side cannot be a boxed value.
  return comparesByValue(left, program_.known()) ? right : left;
}

void FunctionGenerator::jumpIfComparison(const sema::BinaryExpression& comparison, bool sense, Label target) {
  const Type* type = comparedType(comparison);
  Family family = familyOf(type);
  if (family == Family::kReference && (isNullLiteral(*comparison.left) || isNullLiteral(*comparison.right))) {
    Value value = evaluate(isNullLiteral(*comparison.left) ? *comparison.right : *comparison.left);
    release(value);
    bool jumpsOnNull = (comparison.op == BinaryOp::kEqual) == sense;
    builder_.emitJump(jumpsOnNull ? Op::jump_null : Op::jump_not_null, target, value.reg);
    return;
  }
  if (jumpIfImmediate(comparison.op, family, *comparison.left, *comparison.right, sense, target)) return;
  if (jumpIfImmediate(mirrored(comparison.op), family, *comparison.right, *comparison.left, sense, target)) return;
  Value left = evaluate(*comparison.left);
  Value right = evaluate(*comparison.right);
  compareAndJump(comparison.op, type, left, right, sense, target);
  release(left);
  release(right);
}

bool FunctionGenerator::jumpIfImmediate(BinaryOp op, Family family, const Expression& left, const Expression& right,
                                        bool sense, Label target) {
  if (right.kind != ExpressionKind::kConstant || left.kind == ExpressionKind::kConstant) return false;
  if (family != Family::kI32 && !(family == Family::kU32 && isEquality(op))) return false;
  auto constant = static_cast<int64_t>(as<sema::ConstantExpression>(right).value.bits);
  if (constant < INT16_MIN || constant > INT16_MAX) return false;
  Value value = evaluate(left);
  release(value);
  builder_.emitJump(immediateJump(sense ? op : negated(op)), target, value.reg, static_cast<uint16_t>(constant));
  return true;
}

void FunctionGenerator::compareAndJump(BinaryOp op, const Type* type, Value left, Value right, bool sense,
                                       Label target) {
  Family family = familyOf(type);
  if (family == Family::kStruct) {
    bool jumpsIfDifferent = (op == BinaryOp::kNotEqual) == sense;
    if (jumpsIfDifferent) return jumpIfDifferent(type, left, right, Equality::kOperator, target);
    Label different = builder_.newLabel();
    jumpIfDifferent(type, left, right, Equality::kOperator, different);
    builder_.emitJump(target);
    builder_.bind(different);
    return;
  }
  if (op == BinaryOp::kGreater || op == BinaryOp::kGreaterEqual) {
    std::swap(left, right);
    op = mirrored(op);
  }
  bool isInteger = family == Family::kI32 || family == Family::kI64 ||
                   ((family == Family::kU32 || family == Family::kU64) && isEquality(op));
  if (isInteger) {
    bool isWide = family == Family::kI64 || family == Family::kU64;
    if (!sense) {
      // not a < b is b <= a
      op = negated(op);
      if (!isEquality(op)) {
        std::swap(left, right);
        op = mirrored(op);
      }
    }
    Op jump = op == BinaryOp::kEqual      ? (isWide ? Op::jeq_i64 : Op::jeq_i32)
              : op == BinaryOp::kNotEqual ? (isWide ? Op::jne_i64 : Op::jne_i32)
              : op == BinaryOp::kLess     ? (isWide ? Op::jlt_i64 : Op::jlt_i32)
                                          : (isWide ? Op::jle_i64 : Op::jle_i32);
    builder_.emitJump(jump, target, left.reg, right.reg);
    return;
  }
  if (family == Family::kF64 && !isEquality(op)) {
    Op jump = op == BinaryOp::kLess ? (sense ? Op::jlt_f64 : Op::jnlt_f64) : (sense ? Op::jle_f64 : Op::jnle_f64);
    builder_.emitJump(jump, target, left.reg, right.reg);
    return;
  }
  Value result = compare(op, type, left, right, {});
  builder_.emitJump(sense ? Op::jump_true : Op::jump_false, target, result.reg);
  release(result);
}

Value FunctionGenerator::evaluateComparison(const sema::BinaryExpression& comparison, Target target) {
  const Type* type = comparedType(comparison);
  Value left = evaluate(*comparison.left);
  Value right = evaluate(*comparison.right);
  if (familyOf(type) != Family::kStruct) {
    release(left);
    release(right);
  }
  return compare(comparison.op, type, left, right, target);
}

// A comparison's bool. Writes the target only at its end, except for structs.
Value FunctionGenerator::compare(BinaryOp op, const Type* type, Value left, Value right, Target target) {
  Family family = familyOf(type);
  if (op == BinaryOp::kGreater || op == BinaryOp::kGreaterEqual) {
    std::swap(left, right);
    op = mirrored(op);
  }
  const Type* boolType = program_.simple(TypeKind::kBool);
  switch (family) {
  case Family::kStruct: {
    Value result = scratch(target, boolType);
    Label end = builder_.newLabel();
    loadInteger(result.reg, op == BinaryOp::kNotEqual, Family::kI32);
    jumpIfDifferent(type, left, right, Equality::kOperator, end);
    loadInteger(result.reg, op == BinaryOp::kEqual, Family::kI32);
    builder_.bind(end);
    return result;
  }
  case Family::kString: {
    Value result = destinationOne(target, false);
    if (isEquality(op)) {
      builder_.emit(Op::eq_string, result.reg, left.reg, right.reg);
      if (op == BinaryOp::kNotEqual) builder_.emit(Op::not_bool, result.reg, result.reg);
      return result;
    }
    Value order = allocateOne(false), zero = integerRegister(0, Family::kI32);
    builder_.emit(Op::cmp_string, order.reg, left.reg, right.reg);
    builder_.emit(op == BinaryOp::kLess ? Op::lt_i32 : Op::le_i32, result.reg, order.reg, zero.reg);
    release(order);
    release(zero);
    return result;
  }
  case Family::kReference: {
    Value result = destinationOne(target, false);
    if (comparesByValue(type, program_.known())) {
      builder_.emit(Op::eq_object, result.reg, left.reg, right.reg);
      if (op == BinaryOp::kNotEqual) builder_.emit(Op::not_bool, result.reg, result.reg);
    } else {
      builder_.emit(op == BinaryOp::kEqual ? Op::eq_ref : Op::ne_ref, result.reg, left.reg, right.reg);
    }
    return result;
  }
  default: break;
  }
  const Comparisons& row = kComparisons[static_cast<unsigned>(family)];
  Op instruction = op == BinaryOp::kEqual      ? row.equal
                   : op == BinaryOp::kNotEqual ? row.notEqual
                   : op == BinaryOp::kLess     ? row.less
                                               : row.lessEqual;
  Value result = destinationOne(target, false);
  builder_.emit(instruction, result.reg, left.reg, right.reg);
  return result;
}

// To `target` unless the two values are equal; falls through if they are.
void FunctionGenerator::jumpIfDifferent(const Type* type, Value left, Value right, Equality equality, Label target) {
  Family family = familyOf(type);
  if (family == Family::kStruct) {
    if (equality == Equality::kMethod && ownMethod(type, program_.known().objectEquals)) {
      Value result = equals(type, left, right, {});
      builder_.emitJump(Op::jump_false, target, result.reg);
      release(result);
      return;
    }
    const TypeLayout& shape = layout(type);
    for (const FieldSlice& field : shape.fields) {
      uint16_t count = layout(field.type).count();
      jumpIfDifferent(field.type, left.part(field.firstLeaf, count), right.part(field.firstLeaf, count), equality,
                      target);
    }
    return;
  }
  if (equality == Equality::kMethod && (isFloatingFamily(family) || family == Family::kReference)) {
    Value result = equals(type, left, right, {});
    builder_.emitJump(Op::jump_false, target, result.reg);
    release(result);
    return;
  }
  compareAndJump(BinaryOp::kEqual, type, left, right, false, target);
}

} // namespace nlang::codegen
