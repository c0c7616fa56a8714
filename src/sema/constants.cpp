#include "sema/constants.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/utf8.h"

namespace nlang::sema {

namespace {

using Kind = ConstantValue::Kind;

constexpr size_t kLongestFoldedText = 1u << 20;

unsigned widthOf(const Type* type) {
  switch (type->kind) {
  case TypeKind::kBool: return 1;
  case TypeKind::kChar:
  case TypeKind::kEnum: return 32;
  default: return type->integerBits();
  }
}

bool isSignedLike(const Type* type) { return type->isSigned() || type->kind == TypeKind::kEnum; }
bool isIntegerLike(const Type* type) {
  return type->isInteger() || type->kind == TypeKind::kBool || type->kind == TypeKind::kChar ||
         type->kind == TypeKind::kEnum;
}

// Rounds to the precision of `type`.
double rounded(double value, const Type* type) {
  return type->kind == TypeKind::kFloat ? static_cast<double>(static_cast<float>(value)) : value;
}

// Saturates; NaN gives 0 (L2.5).
uint64_t floatingToInteger(double value, const Type* target) {
  if (std::isnan(value)) return 0;
  value = std::trunc(value);
  unsigned bits = widthOf(target);
  if (isSignedLike(target)) {
    double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
    if (value >= limit) return maximumOf(target).bits;
    if (value <= -limit) return minimumOf(target).bits;
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  if (value <= 0) return 0;
  if (value >= std::ldexp(1.0, static_cast<int>(bits))) return maximumOf(target).bits;
  return static_cast<uint64_t>(value);
}

template <class T> bool compare(BinaryOp op, T left, T right) {
  switch (op) {
  case BinaryOp::kLess: return left < right;
  case BinaryOp::kLessEqual: return left <= right;
  case BinaryOp::kGreater: return left > right;
  case BinaryOp::kGreaterEqual: return left >= right;
  case BinaryOp::kEqual: return left == right;
  default: return left != right;
  }
}

bool isComparison(BinaryOp op) { return op >= BinaryOp::kLess; }

// Integer division as the machine does it, without its traps. `right` is not zero.
uint64_t divide(uint64_t left, uint64_t right, bool isSigned, bool remainder) {
  if (!isSigned) return remainder ? left % right : left / right;
  if (right == ~uint64_t{0}) return remainder ? 0 : 0 - left; // also for the least integer
  auto l = static_cast<int64_t>(left);
  auto r = static_cast<int64_t>(right);
  return static_cast<uint64_t>(remainder ? l % r : l / r);
}

bool foldInteger(BinaryOp op, const Type* type, uint64_t left, uint64_t right, uint64_t& result) {
  bool isSigned = isSignedLike(type);
  unsigned width = widthOf(type);
  switch (op) {
  case BinaryOp::kAdd: result = left + right; break;
  case BinaryOp::kSubtract: result = left - right; break;
  case BinaryOp::kMultiply: result = left * right; break;
  case BinaryOp::kDivide:
  case BinaryOp::kRemainder:
    if (right == 0) return false;
    result = divide(left, right, isSigned, op == BinaryOp::kRemainder);
    break;
  case BinaryOp::kShiftLeft: result = left << (right & (width - 1)); break;
  case BinaryOp::kShiftRight:
    result = isSigned ? static_cast<uint64_t>(static_cast<int64_t>(left) >> (right & (width - 1)))
                      : left >> (right & (width - 1));
    break;
  case BinaryOp::kShiftRightUnsigned:
    if (width == 32) left = static_cast<uint32_t>(left);
    result = left >> (right & (width - 1));
    break;
  case BinaryOp::kAnd: result = left & right; break;
  case BinaryOp::kXor: result = left ^ right; break;
  case BinaryOp::kOr: result = left | right; break;
  default: return false;
  }
  return true;
}

bool foldFloating(BinaryOp op, const Type* type, double left, double right, double& result) {
  // A float operation is the double one rounded once more: double has more than twice the digits, so that is exact for
  // + - * /.
  switch (op) {
  case BinaryOp::kAdd: result = left + right; break;
  case BinaryOp::kSubtract: result = left - right; break;
  case BinaryOp::kMultiply: result = left * right; break;
  case BinaryOp::kDivide: result = left / right; break;
  case BinaryOp::kRemainder: result = std::fmod(left, right); break;
  default: return false;
  }
  result = rounded(result, type);
  return true;
}

} // namespace

uint64_t canonicalBits(uint64_t bits, const Type* type) {
  unsigned width = widthOf(type);
  if (width == 64) return bits;
  bits &= (uint64_t{1} << width) - 1;
  if (isSignedLike(type) && (bits >> (width - 1)) != 0) bits |= ~uint64_t{0} << width;
  return bits;
}

ConstantValue integerConstant(uint64_t bits, const Type* type) {
  return {.kind = Kind::kInteger, .bits = canonicalBits(bits, type), .text = {}};
}
ConstantValue boolConstant(bool value) { return {.kind = Kind::kInteger, .bits = value ? 1u : 0u, .text = {}}; }
ConstantValue floatingConstant(double value) { return {.kind = Kind::kFloating, .number = value, .text = {}}; }
ConstantValue stringConstant(std::string_view text) { return {.kind = Kind::kString, .text = text}; }
ConstantValue nullConstant() { return {.kind = Kind::kNull, .text = {}}; }

ConstantValue defaultConstant(const Type* type) {
  if (isIntegerLike(type)) return integerConstant(0, type);
  if (type->isFloating()) return floatingConstant(0);
  if (type->kind == TypeKind::kString) return stringConstant({});
  if (type->isReference()) return nullConstant();
  return {};
}

ConstantValue minimumOf(const Type* type) {
  if (type->kind == TypeKind::kFloat) return floatingConstant(-static_cast<double>(FLT_MAX));
  if (type->kind == TypeKind::kDouble) return floatingConstant(-DBL_MAX);
  return integerConstant(isSignedLike(type) ? uint64_t{1} << (widthOf(type) - 1) : 0, type);
}

ConstantValue maximumOf(const Type* type) {
  if (type->kind == TypeKind::kFloat) return floatingConstant(static_cast<double>(FLT_MAX));
  if (type->kind == TypeKind::kDouble) return floatingConstant(DBL_MAX);
  uint64_t ones = ~uint64_t{0} >> (64 - widthOf(type));
  return integerConstant(isSignedLike(type) ? ones >> 1 : ones, type);
}

bool fitsInto(const ConstantValue& value, const Type* source, const Type* target) {
  if (value.kind != Kind::kInteger || !isIntegerLike(source) || !isIntegerLike(target)) return false;
  if (canonicalBits(value.bits, target) != value.bits) return false;
  // The same pattern; it means the same unless one side reads the top bit as a sign.
  return isSignedLike(source) == isSignedLike(target) || static_cast<int64_t>(value.bits) >= 0;
}

bool sameConstant(const ConstantValue& left, const ConstantValue& right) {
  if (left.kind != right.kind) return false;
  switch (left.kind) {
  case Kind::kInteger: return left.bits == right.bits;
  case Kind::kFloating: return left.number == right.number;
  case Kind::kString: return left.text == right.text;
  default: return true;
  }
}

bool isEnumMember(const ClassSymbol* declaration, int64_t value) {
  for (const EnumMember& member : declaration->members) {
    if (member.value == value) return true;
  }
  return false;
}

bool ConstantFolder::unary(UnaryExpression::Op op, const Type* type, const ConstantValue& operand,
                           ConstantValue& result) const {
  if (operand.kind == Kind::kFloating && op == UnaryExpression::Op::kNegate) {
    result = floatingConstant(-operand.number);
    return true;
  }
  if (operand.kind != Kind::kInteger || !isIntegerLike(type)) return false;
  switch (op) {
  case UnaryExpression::Op::kNegate: result = integerConstant(0 - operand.bits, type); return true;
  case UnaryExpression::Op::kComplement: result = integerConstant(~operand.bits, type); return true;
  case UnaryExpression::Op::kNot: result = boolConstant(operand.bits == 0); return true;
  }
  return false;
}

bool ConstantFolder::binary(BinaryOp op, const Type* type, const ConstantValue& left, const ConstantValue& right,
                            ConstantValue& result) const {
  if (left.kind != right.kind) return false;
  switch (left.kind) {
  case Kind::kInteger: {
    if (!isIntegerLike(type)) return false;
    if (isComparison(op)) {
      bool holds = isSignedLike(type) ? compare(op, static_cast<int64_t>(left.bits), static_cast<int64_t>(right.bits))
                                      : compare(op, left.bits, right.bits);
      result = boolConstant(holds);
      return true;
    }
    uint64_t bits = 0;
    if (!foldInteger(op, type, left.bits, right.bits, bits)) return false;
    result = integerConstant(bits, type);
    return true;
  }
  case Kind::kFloating: {
    if (isComparison(op)) {
      result = boolConstant(compare(op, left.number, right.number));
      return true;
    }
    double number = 0;
    if (!foldFloating(op, type, left.number, right.number, number)) return false;
    result = floatingConstant(number);
    return true;
  }
  case Kind::kString:
    if (op == BinaryOp::kAdd) return concatenate(left.text, right.text, result);
    if (!isComparison(op)) return false;
    result = boolConstant(compare(op, left.text, right.text));
    return true;
  case Kind::kNull:
    if (op != BinaryOp::kEqual && op != BinaryOp::kNotEqual) return false;
    result = boolConstant(op == BinaryOp::kEqual);
    return true;
  case Kind::kNone: break;
  }
  return false;
}

bool ConstantFolder::convert(Conversion conversion, const Type* source, const Type* target, const ConstantValue& value,
                             ConstantValue& result) const {
  switch (conversion) {
  case Conversion::kNumeric:
    if (value.kind == Kind::kFloating) {
      if (target->isFloating())
        result = floatingConstant(rounded(value.number, target));
      else
        result = integerConstant(floatingToInteger(value.number, target), target);
      return true;
    }
    if (value.kind != Kind::kInteger) return false;
    if (!target->isFloating()) {
      result = integerConstant(value.bits, target);
    } else if (target->kind == TypeKind::kFloat) { // rounded once, from the integer
      result = floatingConstant(isSignedLike(source) ? static_cast<float>(static_cast<int64_t>(value.bits))
                                                     : static_cast<float>(value.bits));
    } else {
      result = floatingConstant(isSignedLike(source) ? static_cast<double>(static_cast<int64_t>(value.bits))
                                                     : static_cast<double>(value.bits));
    }
    return true;
  case Conversion::kToChar:
    if (value.kind != Kind::kInteger || value.bits > base::kLastCodePoint ||
        !base::isScalarValue(static_cast<char32_t>(value.bits)))
      return false;
    result = integerConstant(value.bits, target);
    return true;
  case Conversion::kToEnum:
    if (value.kind != Kind::kInteger || !isEnumMember(target->declaration, static_cast<int64_t>(value.bits)))
      return false;
    result = integerConstant(value.bits, target);
    return true;
  case Conversion::kToText:
    if (value.kind == Kind::kString) {
      result = value;
      return true;
    }
    if (value.kind != Kind::kInteger || source->kind == TypeKind::kEnum) return false;
    if (source->kind == TypeKind::kBool) {
      result = stringConstant(value.bits != 0 ? "true" : "false");
    } else if (source->kind == TypeKind::kChar) {
      std::string text;
      base::appendUtf8(text, static_cast<char32_t>(value.bits));
      result = stringConstant(arena_.copyText(text));
    } else {
      auto text =
          isSignedLike(source) ? fmt::format_int(static_cast<int64_t>(value.bits)) : fmt::format_int(value.bits);
      result = stringConstant(arena_.copyText({text.data(), text.size()}));
    }
    return true;
  default: return false;
  }
}

bool ConstantFolder::concatenate(std::string_view left, std::string_view right, ConstantValue& result) const {
  if (left.empty() || right.empty()) {
    result = stringConstant(left.empty() ? right : left);
    return true;
  }
  if (left.size() + right.size() > kLongestFoldedText) return false;
  size_t size = left.size() + right.size();
  const char* text = left.data();
  if (left.data() + left.size() != textEnd_ || right.size() > textRoom_) {
    auto* copy = static_cast<char*>(arena_.allocate(2 * size, 1));
    std::memcpy(copy, left.data(), left.size());
    text = copy;
    textEnd_ = copy + left.size();
    textRoom_ = 2 * size - left.size();
  }
  std::memcpy(textEnd_, right.data(), right.size());
  textEnd_ += right.size();
  textRoom_ -= right.size();
  result = stringConstant({text, size});
  return true;
}

} // namespace nlang::sema
