// Compile-time arithmetic: folds operations on ConstantValues with exactly the meaning that they have at run time
// (L2.4, L2.5, L4.2).
//
// Integers (bool, char and enums too) are 64-bit patterns in the canonical form of symbols.h. What would throw at run
// time, such as a division by zero or a checked conversion that fails, is not folded, so that it throws there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "sema/symbols.h"
#include "sema/typed_tree.h"
#include "sema/types.h"

namespace nlang::sema {

// The canonical form of `bits` for a bool, integer, char or enum type: cut to its width, then sign- or zero-extended.
uint64_t canonicalBits(uint64_t bits, const Type* type);

ConstantValue integerConstant(uint64_t bits, const Type* type); // brings `bits` into canonical form
ConstantValue boolConstant(bool value);
ConstantValue floatingConstant(double value);
ConstantValue stringConstant(std::string_view text); // `text` must outlive the constant
ConstantValue nullConstant();
// The value of `{}` and of all-zero slots, for scalars, enums, strings and references; kNone for others.
ConstantValue defaultConstant(const Type* type);
// `type.min` and `type.max` of a numeric type (L2.2).
ConstantValue minimumOf(const Type* type);
ConstantValue maximumOf(const Type* type);

// Does the value of integer type `source` keep its value in integer type `target`?
bool fitsInto(const ConstantValue& value, const Type* source, const Type* target);

// Do two constants of the same type mean the same, as duplicate `case` labels would? (NaN equals nothing, 0.0 equals
// -0.0.)
bool sameConstant(const ConstantValue& left, const ConstantValue& right);

// Folds; texts it makes live in the arena given, which must live as long as the typed program. Each function returns
// false, and leaves `result` alone, if the operation is not foldable.
class ConstantFolder {
 public:
  explicit ConstantFolder(base::Arena& arena) : arena_(arena) {}

  // `type` is the operation's type, which the operand already has.
  bool unary(UnaryExpression::Op op, const Type* type, const ConstantValue& operand, ConstantValue& result) const;
  // `type` is the operands' type; for shifts `rightType` is the type of the count.
  bool binary(BinaryOp op, const Type* type, const ConstantValue& left, const ConstantValue& right,
              ConstantValue& result) const;
  // Numeric, kToChar, kToEnum and kToText of integers, bool, char and strings. (Texts of floating values and enums are
  // made at run time.)
  bool convert(Conversion conversion, const Type* source, const Type* target, const ConstantValue& value,
               ConstantValue& result) const;
  // left + right; refuses to make texts of more than a megabyte. A chain of `+` takes memory in proportion to its
  // result, because `right` is written behind `left` where that one was made last.
  bool concatenate(std::string_view left, std::string_view right, ConstantValue& result) const;

 private:
  base::Arena& arena_;
  mutable char* textEnd_ = nullptr; // of the last concatenation
  mutable size_t textRoom_ = 0;     // free bytes behind it
};

// The value of enum `declaration` that `value` names, if some member has it.
bool isEnumMember(const ClassSymbol* declaration, int64_t value);

} // namespace nlang::sema
