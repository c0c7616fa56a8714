// The types of operators (L2.4) and of values that must agree (L3.4).
//
// A constant takes the type of the other operand if it fits, unless its own type, written with a suffix or declared,
// already holds every value of the other one: `uintValue + 1` is uint, but `intValue * 1000L` is long, as whoever wrote
// the L wants.
#include "sema/conversions.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>

#include "sema/constants.h"

namespace nlang::sema {

namespace {

bool isComparison(BinaryOp op) { return op >= BinaryOp::kLess; }
bool isEquality(BinaryOp op) { return op == BinaryOp::kEqual || op == BinaryOp::kNotEqual; }
bool isShift(BinaryOp op) { return op >= BinaryOp::kShiftLeft && op <= BinaryOp::kShiftRightUnsigned; }
bool isBitwise(BinaryOp op) { return op >= BinaryOp::kAnd && op <= BinaryOp::kOr; }

bool isConstant(const Operand& operand) {
  return operand.constant != nullptr && operand.constant->kind == ConstantValue::Kind::kInteger &&
         operand.type->isInteger();
}

OperationTypes mismatch() { return {.error = OperationError::kMismatch}; }

} // namespace

const Type* Conversions::mixedNumeric(const Type* left, const Type* right) const {
  if (left->isFloating() || right->isFloating()) {
    auto needsDouble = [](const Type* type) {
      return type->kind == TypeKind::kDouble || (type->isInteger() && type->integerBits() == 64);
    };
    return simple(needsDouble(left) || needsDouble(right) ? TypeKind::kDouble : TypeKind::kFloat);
  }
  unsigned bits = std::max({left->integerBits(), right->integerBits(), 32u});
  if (left->isSigned() && right->isSigned()) return simple(bits == 64 ? TypeKind::kLong : TypeKind::kInt);
  if (!left->isSigned() && !right->isSigned()) {
    bool fitsInt = left->integerBits() < 32 && right->integerBits() < 32;
    return simple(bits == 64 ? TypeKind::kULong : fitsInt ? TypeKind::kInt : TypeKind::kUInt);
  }
  unsigned unsignedBits = left->isSigned() ? right->integerBits() : left->integerBits();
  if (unsignedBits == 64) return nullptr;
  return simple(bits == 64 || unsignedBits == 32 ? TypeKind::kLong : TypeKind::kInt);
}

// The type of mixed arithmetic, constants considered. Null for a signed operand with ulong.
const Type* Conversions::adopted(Operand left, Operand right) const {
  const Type* mixed = mixedNumeric(left.type, right.type);
  if (!left.type->isInteger() || !right.type->isInteger()) return mixed;
  if (left.type->isSigned() == right.type->isSigned()) return mixed;
  const Operand& signedOne = left.type->isSigned() ? left : right;
  const Operand& unsignedOne = left.type->isSigned() ? right : left;
  const Type* wide = mixedNumeric(unsignedOne.type, unsignedOne.type);
  if (isConstant(signedOne) && fitsInto(*signedOne.constant, signedOne.type, wide)) {
    // A long that fits into int was written as one; a larger value is a long only because an int could not hold it.
    bool wroteLong = signedOne.type->kind == TypeKind::kLong && wide->integerBits() == 32 &&
                     fitsInto(*signedOne.constant, signedOne.type, simple(TypeKind::kInt));
    return wroteLong ? mixed : wide;
  }
  if (isConstant(unsignedOne) && wide->kind == TypeKind::kUInt) {
    const Type* narrow = mixedNumeric(signedOne.type, signedOne.type);
    if (fitsInto(*unsignedOne.constant, unsignedOne.type, narrow)) return narrow;
  }
  return mixed;
}

OperationTypes Conversions::arithmetic(BinaryOp op, Operand left, Operand right) const {
  const Type* type = adopted(left, right);
  if (type == nullptr) return {.error = OperationError::kSignedWithULong};
  return {.operand = type, .right = type, .result = isComparison(op) ? simple(TypeKind::kBool) : type};
}

OperationTypes Conversions::shift(Operand left, Operand right) const {
  if (!left.type->isInteger() || !right.type->isInteger()) return mismatch();
  const Type* type = mixedNumeric(left.type, left.type);
  const Type* count = simple(right.type->integerBits() == 64 ? TypeKind::kLong : TypeKind::kInt);
  return {.operand = type, .right = count, .result = type, .isShift = true};
}

// == and !=. Where a box may stand on either side, both sides are Objects, so that values are compared by type and
// value (L4.3).
OperationTypes Conversions::equality(Operand left, Operand right) const {
  const Type* l = left.type;
  const Type* r = right.type;
  auto as = [&](const Type* type) {
    if (type->kind == TypeKind::kInterface || type->kind == TypeKind::kNull) type = objectType();
    return OperationTypes{.operand = type, .right = type, .result = simple(TypeKind::kBool)};
  };
  if (l->isVoid() || r->isVoid()) return mismatch();
  if (l == r) return as(l);
  if (l->kind == TypeKind::kNull || r->kind == TypeKind::kNull) {
    const Type* other = l->kind == TypeKind::kNull ? r : l;
    if (other->isReference()) return as(other);
    if (other->kind == TypeKind::kParameter) return as(objectType());
    return {.error = OperationError::kNeverNull};
  }
  if (l->isNumeric() && r->isNumeric()) return arithmetic(BinaryOp::kEqual, left, right);
  ImplicitKind toRight = implicit(l, r);
  ImplicitKind toLeft = implicit(r, l);
  if (toRight == ImplicitKind::kBox || toLeft == ImplicitKind::kBox) return as(objectType());
  if (toRight != ImplicitKind::kNone) return as(r);
  if (toLeft != ImplicitKind::kNone) return as(l);
  if (l->isReference() && r->isReference() && (mayBeInstance(l, r) || mayBeInstance(r, l))) return as(objectType());
  return mismatch();
}

OperationTypes Conversions::binaryOperation(BinaryOp op, Operand left, Operand right) const {
  const Type* l = left.type;
  const Type* r = right.type;
  if (l->isError() || r->isError()) {
    const Type* error = simple(TypeKind::kError);
    return {.operand = error, .right = error, .result = isComparison(op) ? simple(TypeKind::kBool) : error};
  }
  if (op == BinaryOp::kAdd && (l->kind == TypeKind::kString || r->kind == TypeKind::kString)) {
    if (l->isVoid() || r->isVoid()) return mismatch();
    const Type* text = simple(TypeKind::kString);
    return {.operand = text, .right = text, .result = text, .isText = true};
  }
  if (isEquality(op)) return equality(left, right);
  if (isShift(op)) return shift(left, right);
  if (isBitwise(op)) {
    if (l->kind == TypeKind::kBool && r == l) return {.operand = l, .right = l, .result = l};
    return l->isInteger() && r->isInteger() ? arithmetic(op, left, right) : mismatch();
  }
  if (l->isNumeric() && r->isNumeric()) return arithmetic(op, left, right);
  bool isOrdered = l->kind == TypeKind::kString || l->kind == TypeKind::kChar || l->kind == TypeKind::kEnum;
  if (isComparison(op) && l == r && isOrdered) return {.operand = l, .right = l, .result = simple(TypeKind::kBool)};
  return mismatch();
}

const Type* Conversions::unaryOperation(UnaryExpression::Op op, const Type* type) const {
  if (type->isError()) return type;
  switch (op) {
  case UnaryExpression::Op::kNot: return type->kind == TypeKind::kBool ? type : nullptr;
  case UnaryExpression::Op::kNegate:
    if (type->isFloating()) return type;
    break;
  case UnaryExpression::Op::kComplement: break;
  }
  return type->isInteger() ? mixedNumeric(type, type) : nullptr;
}

namespace {

// Numbers of which all are integer constants. If mixed arithmetic leads to a type that none of them has (int and uint
// to long), or to none at all, an unsigned type that holds them all is better.
const Type* commonOfConstants(const Conversions& conversions, std::span<const Operand> values,
                              std::span<const Type* const> distinct) {
  const Type* mixed = distinct[0];
  const Type* widestUnsigned = nullptr;
  for (const Type* type : distinct) {
    if (mixed != nullptr && mixed != type) mixed = conversions.binaryOperation(BinaryOp::kAdd, {mixed}, {type}).operand;
    bool isWider = widestUnsigned == nullptr || type->integerBits() > widestUnsigned->integerBits();
    if (!type->isSigned() && type->integerBits() >= 32 && isWider) widestUnsigned = type;
  }
  bool someHasIt = false;
  for (const Type* type : distinct) someHasIt |= type == mixed;
  if (someHasIt || widestUnsigned == nullptr) return mixed;
  for (const Operand& value : values) {
    if (!value.type->isError() && !fitsInto(*value.constant, value.type, widestUnsigned)) return mixed;
  }
  return widestUnsigned;
}

// The common type of numbers: what is no constant decides, constants join in.
const Type* commonNumeric(const Conversions& conversions, std::span<const Operand> values,
                          std::span<const Type* const> distinct) {
  const Type* common = nullptr;
  auto add = [&](const Operand& value) {
    if (common == nullptr || common == value.type) {
      common = value.type;
      return true;
    }
    common = conversions.binaryOperation(BinaryOp::kAdd, {common}, value).operand;
    return common != nullptr;
  };
  for (const Operand& value : values) {
    if (!value.type->isError() && !isConstant(value) && !add(value)) return nullptr;
  }
  if (common == nullptr) return commonOfConstants(conversions, values, distinct);
  for (const Operand& value : values) {
    if (!value.type->isError() && isConstant(value) && !add(value)) return nullptr;
  }
  return common;
}

} // namespace

const Type* Conversions::commonType(std::span<const Operand> values) const {
  std::vector<const Type*> distinct;
  absl::flat_hash_set<const Type*> seen;
  bool allNumeric = true;
  for (const Operand& value : values) {
    if (value.type->isError() || !seen.insert(value.type).second) continue;
    distinct.push_back(value.type);
    allNumeric &= value.type->isNumeric();
  }
  if (distinct.empty()) return values.empty() ? nullptr : values[0].type;
  if (distinct.size() == 1) return distinct[0];
  if (allNumeric) return commonNumeric(*this, values, distinct);

  for (const Type* candidate : distinct) {
    if (candidate->kind == TypeKind::kNull) continue;
    bool allConvert = true;
    for (const Type* other : distinct) allConvert = allConvert && converts(other, candidate);
    if (allConvert) return candidate;
  }
  std::erase_if(distinct, [](const Type* type) { return type->kind == TypeKind::kNull; });
  for (const Type* base = distinct[0]; base != nullptr && !isObject(base); base = superType(base)) {
    if (base->kind != TypeKind::kClass) break;
    bool allDerive = true;
    for (const Type* other : distinct)
      allDerive = allDerive && other->kind == TypeKind::kClass && asSuper(other, base->declaration) == base;
    if (allDerive) return base;
  }
  return nullptr;
}

} // namespace nlang::sema
