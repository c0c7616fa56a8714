// Which value becomes which type: implicit conversions (L2.3), `as` and `is` (L2.5), the types of operators (L2.4),
// common types (L3.4), distances for overloads (L6.1), bounds (L2.1).
//
// Everything here is a question about types; nothing builds nodes or reports. Types that mention type parameters are
// answered for the generic body: two different types of which one mentions a parameter never convert implicitly unless
// their declarations say so. The type kError converts to and from everything, so that one mistake is reported once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "sema/known_classes.h"
#include "sema/symbols.h"
#include "sema/typed_tree.h"
#include "sema/types.h"

namespace nlang::sema {

enum class ImplicitKind : uint8_t {
  kNone,     // there is no implicit conversion
  kIdentity, // same type (or an error type): no node
  kNumeric,  // Conversion::kNumeric; also a constant that fits into a narrower integer type
  kBox, // value → Object or an interface it implements: Conversion::kBox (kGeneric if the source is a type parameter)
  kUpcast, // reference → base class or interface: Conversion::kUpcast
  kNull,   // null → reference: Conversion::kUpcast
};

struct ExplicitConversion {
  bool allowed = false; // false: no value of the source can ever become one of the target: an error, "cannot convert"
  bool isIdentity = false; // no node needed
  Conversion conversion = Conversion::kUpcast;
  // Not null: convert to this type first (kNumeric), then by `conversion`. kToChar and kToEnum take an int operand
  // always.
  const Type* via = nullptr;
};

enum class TypeTestResult : uint8_t {
  kDynamic, // decided at run time (null is never an instance)
  kAlways,  // a value type tested for itself, Object or its interface
  kNever,   // cannot be: worth an error
};

// How far an argument's type is from a parameter's (L6.1); smaller is better, kNoConversion if there is none. Bands:
// exact 0, integer widening 1…, constant that fits 20…, float 40, double 41, base class or interface 100 + steps,
// Object 1'000'000, and a lambda's result that is dropped kDroppedResult.
using Distance = uint32_t;
inline constexpr Distance kDroppedResult = 2'000'000;
inline constexpr Distance kNoConversion = UINT32_MAX;

// A value as operators and common types see it.
struct Operand {
  const Type* type = nullptr;
  const ConstantValue* constant = nullptr; // null, or of kind kNone, if not known at compile time
};

enum class OperationError : uint8_t {
  kNone,
  kMismatch,        // the operator is not defined for these types
  kSignedWithULong, // a signed non-constant or a negative constant with ulong (L2.4)
  kNeverNull,       // a value that is never null (scalar, string, struct) is compared with null
};

// The types of a binary operation. The left operand converts implicitly to `operand`, the right one to `right`; but the
// count of a shift converts as by `as`, since only its lowest bits matter.
struct OperationTypes {
  OperationError error = OperationError::kNone;
  const Type* operand = nullptr; // null on error
  const Type* right = nullptr;   // the same as `operand` but for shifts: int or long
  const Type* result = nullptr;
  bool isShift = false;
  bool isText = false; // `+` with a string: operands that are no strings convert by kToText
};

// Is `source` a function type with a result and `target` the same without it? Then the name of such a function, or a
// lambda, does for the target.
inline bool dropsResult(const Type* source, const Type* target) {
  return source->kind == TypeKind::kFunction && target->kind == TypeKind::kFunction && !source->result()->isVoid() &&
         target->result()->isVoid() && source->outMask == target->outMask &&
         std::ranges::equal(source->parameters(), target->parameters());
}

class Conversions {
 public:
  Conversions(TypeTable& types, const KnownClasses& known) : types_(types), known_(known) {}

  TypeTable& types() const { return types_; }

  // L2.3. `constant` (may be null) is the source's value if it is known: an integer constant that fits converts to any
  // integer type.
  ImplicitKind implicit(const Type* source, const Type* target, const ConstantValue* constant = nullptr) const;
  bool converts(const Type* source, const Type* target, const ConstantValue* constant = nullptr) const {
    return implicit(source, target, constant) != ImplicitKind::kNone;
  }
  // The node for an implicit conversion that is neither kNone nor kIdentity.
  Conversion implicitNode(ImplicitKind kind, const Type* source) const;

  // L2.5: `source as target`. Implicit conversions are included. With concrete types it also decides what
  // Conversion::kGeneric means after substitution; if it is not allowed then, the conversion throws CastException.
  ExplicitConversion explicitly(const Type* source, const Type* target) const;
  // `source is target`.
  TypeTestResult typeTest(const Type* source, const Type* target) const;

  // The instance of `base` (class or interface) that `type` is or inherits, or null: asSuper(Future<int>, Thread),
  // asSuper(int[], Iterable) is Iterable<int>, asSuper(int, Comparable) is Comparable<int>. Type parameters answer
  // through their bound.
  const Type* asSuper(const Type* type, ClassSymbol* base) const;
  // Whether a class among the bases of `type` has one that was reported, or the bound of a type parameter was: then
  // `type` may have any member and convert to any class or interface.
  static bool hasUnknownBase(const Type* type);
  // The direct base class of a class type, with its arguments substituted; null for Object and types that are no
  // classes.
  const Type* superType(const Type* type) const;
  // Inheritance steps from `type` to its super `target`; kNoConversion if it is none.
  Distance stepsTo(const Type* type, const Type* target) const;

  // L6.1.
  Distance distance(const Type* source, const Type* target, const ConstantValue* constant = nullptr) const;
  // For a lambda argument whose parameters fit: the distance of its result from the target's ("the exact result wins",
  // L4.7). `result` is kVoid for a void lambda.
  Distance resultDistance(const Type* result, const Type* targetResult) const;

  // L2.4, and == (L4.3), < of strings, char and enums, & ^ | of bool, + of strings.
  OperationTypes binaryOperation(BinaryOp op, Operand left, Operand right) const;
  // Unary - and ~: the promoted type, unsigned ones too (the value wraps); `!`: bool. Null if the operator is not
  // defined for the type.
  const Type* unaryOperation(UnaryExpression::Op op, const Type* type) const;

  // L3.4. Null if there is none. Error types are passed over; kNull alone gives kNull, which is no type of a list's
  // elements.
  const Type* commonType(std::span<const Operand> values) const;

  // `type` may stand for a type parameter whose bound, already substituted, is `bound` (null: no bound). False for void
  // and null.
  bool satisfiesBound(const Type* type, const Type* bound) const;

  bool isObject(const Type* type) const { return type->kind == TypeKind::kClass && type->declaration == known_.object; }
  const Type* objectType() const;

 private:
  const Type* mixedNumeric(const Type* left, const Type* right) const;
  const Type* adopted(Operand left, Operand right) const;
  OperationTypes arithmetic(BinaryOp op, Operand left, Operand right) const;
  OperationTypes shift(Operand left, Operand right) const;
  OperationTypes equality(Operand left, Operand right) const;
  bool mayBeInstance(const Type* source, const Type* target) const;
  const Type* simple(TypeKind kind) const { return types_.simple(kind); }

  TypeTable& types_;
  const KnownClasses& known_;
};

// The mapping of a named type's parameters to its arguments (List<int>: T → int).
Substitution substitutionOf(const Type* named);

} // namespace nlang::sema
