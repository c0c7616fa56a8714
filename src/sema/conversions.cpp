// Conversions between types. The types of operators and common types are in operator_types.cpp.
#include "sema/conversions.h"

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include "sema/constants.h"

namespace nlang::sema {

namespace {

constexpr Distance kWidening = 1, kConstantFits = 20, kToFloat = 40, kToDouble = 41, kToSuper = 100,
                   kToObject = 1'000'000;

// Numbers, char and enums convert among each other with `as`.
bool isNumberLike(const Type* type) {
  return type->isNumeric() || type->kind == TypeKind::kChar || type->kind == TypeKind::kEnum;
}

bool isComparableWithItself(const Type* type) { return type->isScalar() || type->kind == TypeKind::kString; }

// A value, not a reference: conversion to Object or an interface boxes it.
bool isValue(const Type* type) {
  return type->isScalar() || type->kind == TypeKind::kString || type->kind == TypeKind::kStruct ||
         type->kind == TypeKind::kParameter;
}

// Every value of integer type `source` is one of integer type `target`.
bool widens(const Type* source, const Type* target) {
  if (source->isSigned() == target->isSigned()) return source->integerBits() < target->integerBits();
  return !source->isSigned() && source->integerBits() < target->integerBits();
}

// Byte, ubyte, short, … ulong: the fewest bits first, signed before unsigned.
Distance integerRank(const Type* type) {
  return static_cast<Distance>(type->kind) - static_cast<Distance>(TypeKind::kByte);
}

// One declaration on the way from a type to its supers.
struct Step {
  ClassSymbol* declaration;
  const Type* mentioned; // the type as its subtype's declaration mentions it; null for the start
  size_t from;           // index of the subtype's step
  Distance steps;
};

// The shortest way from `start` to another declaration, `target`, through base classes and interfaces, in the order of
// breadth. Empty if there is none; else its last element is the target, whose first meeting ends the search.
absl::InlinedVector<Step, 16> pathToSuper(ClassSymbol* start, ClassSymbol* target) {
  absl::InlinedVector<Step, 16> steps{{start, nullptr, 0, 0}};
  absl::flat_hash_set<ClassSymbol*> seen; // used once there are many
  for (size_t i = 0; i < steps.size(); ++i) {
    auto visit = [&](const Type* super) {
      if (super == nullptr || super->declaration == nullptr) return false;
      bool isNew = true;
      if (steps.size() < 16) {
        for (const Step& step : steps) isNew &= step.declaration != super->declaration;
      } else {
        if (seen.empty()) {
          for (const Step& step : steps) seen.insert(step.declaration);
        }
        isNew = seen.insert(super->declaration).second;
      }
      if (isNew) steps.push_back({super->declaration, super, i, steps[i].steps + 1});
      return super->declaration == target;
    };
    ClassSymbol* at = steps[i].declaration;
    if (visit(at->superType)) return steps;
    for (const Type* interface : at->interfaces) {
      if (visit(interface)) return steps;
    }
  }
  return {};
}

} // namespace

Substitution substitutionOf(const Type* named) {
  if (named->declaration == nullptr) return {};
  return {named->declaration->typeParameters, named->arguments};
}

const Type* Conversions::objectType() const {
  return known_.object == nullptr ? simple(TypeKind::kError) : types_.named(known_.object, {});
}

const Type* Conversions::superType(const Type* type) const {
  if (type->kind != TypeKind::kClass || type->declaration->superType == nullptr) return nullptr;
  return types_.substitute(type->declaration->superType, substitutionOf(type));
}

bool Conversions::hasUnknownBase(const Type* type) {
  if (type->kind == TypeKind::kParameter) return type->parameter->hasUnknownBound;
  if (type->declaration == nullptr) return false;
  const ClassSymbol* at = type->declaration;
  // Cycles are cut when all headers are known; until then the walk is bounded.
  for (size_t steps = 0; at != nullptr && steps < 1000; ++steps) {
    if (at->hasUnknownBase) return true;
    at = at->superType != nullptr ? at->superType->declaration : nullptr;
  }
  return false;
}

const Type* Conversions::asSuper(const Type* type, ClassSymbol* base) const {
  if (base == nullptr) return nullptr;
  switch (type->kind) {
  case TypeKind::kError:
  case TypeKind::kVoid:
  case TypeKind::kNull: return nullptr;
  case TypeKind::kParameter:
    if (base == known_.object) return objectType();
    return type->parameter->bound == nullptr ? nullptr : asSuper(type->parameter->bound, base);
  case TypeKind::kArray:
    if (base == known_.object) return objectType();
    return known_.array == nullptr ? nullptr : asSuper(types_.named(known_.array, type->arguments), base);
  case TypeKind::kStruct:
  case TypeKind::kClass:
  case TypeKind::kInterface:
  case TypeKind::kEnum: break;
  default:
    if (base == known_.object) return objectType();
    if (base == known_.comparable && isComparableWithItself(type)) return types_.named(base, std::span(&type, 1));
    return nullptr;
  }
  if (type->declaration == base) return type;
  if (base == known_.object) return objectType();
  if (type->kind == TypeKind::kEnum && base == known_.comparable) return types_.named(base, std::span(&type, 1));

  auto steps = pathToSuper(type->declaration, base);
  if (steps.empty()) return nullptr;
  absl::InlinedVector<const Type*, 8> path; // from the target down to the first step
  for (size_t i = steps.size() - 1; i != 0; i = steps[i].from) path.push_back(steps[i].mentioned);
  const Type* at = type;
  for (size_t i = path.size(); i-- > 0;) at = types_.substitute(path[i], substitutionOf(at));
  return at;
}

Distance Conversions::stepsTo(const Type* type, const Type* target) const {
  if (type == target) return 0;
  if (target->declaration == nullptr) return kNoConversion;
  if (asSuper(type, target->declaration) != target) return hasUnknownBase(type) ? 1 : kNoConversion;
  if (type->kind == TypeKind::kParameter && type->parameter->bound != nullptr && !isObject(target)) {
    return 1 + stepsTo(type->parameter->bound, target);
  }
  ClassSymbol* start = type->kind == TypeKind::kArray ? known_.array : type->declaration;
  if (start == nullptr) return 1;
  auto steps = pathToSuper(start, target->declaration);
  return steps.empty() ? 1 : steps.back().steps;
}

ImplicitKind Conversions::implicit(const Type* source, const Type* target, const ConstantValue* constant) const {
  if (source == target || source->isError() || target->isError()) return ImplicitKind::kIdentity;
  if (source->isVoid() || target->isVoid()) return ImplicitKind::kNone;
  if (source->kind == TypeKind::kNull) return target->isReference() ? ImplicitKind::kNull : ImplicitKind::kNone;
  if (source->isNumeric() && target->isNumeric()) {
    if (target->isFloating()) {
      bool fits = source->isInteger() ? target->kind == TypeKind::kDouble || source->integerBits() <= 32
                                      : target->kind == TypeKind::kDouble;
      return fits ? ImplicitKind::kNumeric : ImplicitKind::kNone;
    }
    if (!source->isInteger()) return ImplicitKind::kNone;
    bool fits = widens(source, target) || (constant != nullptr && constant->kind == ConstantValue::Kind::kInteger &&
                                           fitsInto(*constant, source, target));
    return fits ? ImplicitKind::kNumeric : ImplicitKind::kNone;
  }
  if (target->kind != TypeKind::kClass && target->kind != TypeKind::kInterface) return ImplicitKind::kNone;
  if (asSuper(source, target->declaration) != target && !hasUnknownBase(source)) return ImplicitKind::kNone;
  return isValue(source) ? ImplicitKind::kBox : ImplicitKind::kUpcast;
}

Conversion Conversions::implicitNode(ImplicitKind kind, const Type* source) const {
  if (kind == ImplicitKind::kNumeric) return Conversion::kNumeric;
  if (kind == ImplicitKind::kBox) return source->kind == TypeKind::kParameter ? Conversion::kGeneric : Conversion::kBox;
  return Conversion::kUpcast;
}

Distance Conversions::distance(const Type* source, const Type* target, const ConstantValue* constant) const {
  switch (implicit(source, target, constant)) {
  case ImplicitKind::kNone: return kNoConversion;
  case ImplicitKind::kIdentity: return 0;
  case ImplicitKind::kNumeric:
    if (target->kind == TypeKind::kFloat) return kToFloat;
    if (target->kind == TypeKind::kDouble) return kToDouble;
    return (widens(source, target) ? kWidening : kConstantFits) + integerRank(target);
  case ImplicitKind::kNull: return isObject(target) ? kToObject : kToSuper;
  case ImplicitKind::kBox:
  case ImplicitKind::kUpcast: break;
  }
  return isObject(target) ? kToObject : kToSuper + stepsTo(source, target);
}

Distance Conversions::resultDistance(const Type* result, const Type* targetResult) const {
  if (result == targetResult || result->isError() || targetResult->isError()) return 0;
  if (targetResult->isVoid()) return kDroppedResult;
  return distance(result, targetResult);
}

bool Conversions::mayBeInstance(const Type* source, const Type* target) const {
  if (source->kind == TypeKind::kParameter || target->kind == TypeKind::kParameter || isObject(source)) return true;
  // Related by declaration: the arguments must agree, as far as they are known.
  auto agrees = [](const Type* a, const Type* b) { return a == b || a->hasParameters || b->hasParameters; };
  if (hasUnknownBase(source) || hasUnknownBase(target)) return true;
  if (source->declaration != nullptr) {
    if (const Type* super = asSuper(target, source->declaration)) return agrees(super, source);
  }
  if (target->declaration != nullptr) {
    if (const Type* super = asSuper(source, target->declaration)) return agrees(super, target);
  }
  if (source->kind == TypeKind::kArray || source->kind == TypeKind::kFunction) {
    return source->kind == target->kind && agrees(source, target) &&
           source->arguments.size() == target->arguments.size() && source->outMask == target->outMask;
  }
  // Not related, but a subclass of the one may implement the other.
  if (source->kind == TypeKind::kInterface)
    return target->kind == TypeKind::kClass || target->kind == TypeKind::kInterface;
  return source->kind == TypeKind::kClass && target->kind == TypeKind::kInterface;
}

ExplicitConversion Conversions::explicitly(const Type* source, const Type* target) const {
  constexpr ExplicitConversion kImpossible{};
  ImplicitKind kind = implicit(source, target);
  if (kind == ImplicitKind::kIdentity) return {.allowed = true, .isIdentity = true};
  if (kind != ImplicitKind::kNone) return {.allowed = true, .conversion = implicitNode(kind, source)};
  if (source->isVoid() || target->isVoid() || source->kind == TypeKind::kNull || target->kind == TypeKind::kNull)
    return kImpossible;
  if (isNumberLike(source) && isNumberLike(target)) {
    if (target->isNumeric()) return {.allowed = true, .conversion = Conversion::kNumeric};
    const Type* via = source->kind == TypeKind::kInt ? nullptr : simple(TypeKind::kInt);
    return {.allowed = true,
            .conversion = target->kind == TypeKind::kChar ? Conversion::kToChar : Conversion::kToEnum,
            .via = via};
  }
  if (source->kind != TypeKind::kParameter && !source->isReference()) {
    // A value becomes nothing else, but T may turn out to be its type, or one it converts to.
    if (target->kind != TypeKind::kParameter && !(source->kind == TypeKind::kStruct && source->hasParameters))
      return kImpossible;
    bool possible = mayBeInstance(source, target);
    return possible ? ExplicitConversion{.allowed = true, .conversion = Conversion::kGeneric} : kImpossible;
  }
  if (!mayBeInstance(source, target)) return kImpossible;
  if (source->hasParameters || target->hasParameters) return {.allowed = true, .conversion = Conversion::kGeneric};
  return {.allowed = true, .conversion = target->isReference() ? Conversion::kDowncast : Conversion::kUnbox};
}

TypeTestResult Conversions::typeTest(const Type* source, const Type* target) const {
  if (source->isError() || target->isError()) return TypeTestResult::kDynamic;
  if (source->isVoid() || target->isVoid() || source->kind == TypeKind::kNull || target->kind == TypeKind::kNull)
    return TypeTestResult::kNever;
  if (source->kind == TypeKind::kParameter || target->kind == TypeKind::kParameter) return TypeTestResult::kDynamic;
  if (!source->isReference()) {
    ImplicitKind kind = implicit(source, target);
    if (kind == ImplicitKind::kIdentity || kind == ImplicitKind::kBox) return TypeTestResult::kAlways;
    bool isOpen = (source->hasParameters || target->hasParameters) && mayBeInstance(source, target);
    return isOpen ? TypeTestResult::kDynamic : TypeTestResult::kNever;
  }
  return mayBeInstance(source, target) ? TypeTestResult::kDynamic : TypeTestResult::kNever;
}

bool Conversions::satisfiesBound(const Type* type, const Type* bound) const {
  if (type->isError()) return true;
  if (type->isVoid() || type->kind == TypeKind::kNull) return false;
  if (bound == nullptr || bound->isError()) return true;
  return asSuper(type, bound->declaration) == bound || hasUnknownBase(type);
}

} // namespace nlang::sema
