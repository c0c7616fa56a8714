// A small library of declarations for tests of types: what std/prelude.n declares, as far as the rules of types speak
// of it.
#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sema/constants.h"
#include "sema/conversions.h"

namespace nlang::sema {

// Failures of tests print the type's text.
inline void PrintTo(const Type* type, std::ostream* stream) { *stream << (type == nullptr ? "none" : typeName(type)); }

class TypeWorld : public testing::Test {
 private:
  std::deque<ClassSymbol> classes_; // before all members that are made in them
  std::deque<TypeParameterSymbol> parameters_;

 protected:
  using Types = std::vector<const Type*>;

  TypeTable types;
  KnownClasses known;
  Conversions conversions{types, known};

  ClassSymbol* object = declare("Object", ClassKind::kClass);
  ClassSymbol* comparable = declare("Comparable", ClassKind::kInterface, {"T"});
  ClassSymbol* iterable = declare("Iterable", ClassKind::kInterface, {"T"});
  ClassSymbol* array = declare("Array", ClassKind::kClass, {"T"});
  ClassSymbol* list = declare("List", ClassKind::kClass, {"T"});
  ClassSymbol* thread = declare("Thread", ClassKind::kClass);
  ClassSymbol* future = declare("Future", ClassKind::kClass, {"T"});
  ClassSymbol* shape = declare("Shape", ClassKind::kInterface);
  ClassSymbol* roundShape = declare("RoundShape", ClassKind::kInterface);
  ClassSymbol* animal = declare("Animal", ClassKind::kClass);
  ClassSymbol* dog = declare("Dog", ClassKind::kClass);
  ClassSymbol* puppy = declare("Puppy", ClassKind::kClass);
  ClassSymbol* cat = declare("Cat", ClassKind::kClass);
  ClassSymbol* point = declare("Point", ClassKind::kStruct);
  ClassSymbol* pair = declare("Pair", ClassKind::kStruct, {"A", "B"});
  ClassSymbol* color = declare("Color", ClassKind::kEnum);
  ClassSymbol* size = declare("Size", ClassKind::kEnum);

  const Type* Bool = types.simple(TypeKind::kBool);
  const Type* Byte = types.simple(TypeKind::kByte);
  const Type* UByte = types.simple(TypeKind::kUByte);
  const Type* Short = types.simple(TypeKind::kShort);
  const Type* UShort = types.simple(TypeKind::kUShort);
  const Type* Int = types.simple(TypeKind::kInt);
  const Type* UInt = types.simple(TypeKind::kUInt);
  const Type* Long = types.simple(TypeKind::kLong);
  const Type* ULong = types.simple(TypeKind::kULong);
  const Type* Float = types.simple(TypeKind::kFloat);
  const Type* Double = types.simple(TypeKind::kDouble);
  const Type* Char = types.simple(TypeKind::kChar);
  const Type* String = types.simple(TypeKind::kString);
  const Type* Void = types.simple(TypeKind::kVoid);
  const Type* Null = types.simple(TypeKind::kNull);
  const Type* Error = types.simple(TypeKind::kError);
  const Type* Object = object->selfType;
  const Type* Animal = animal->selfType;
  const Type* Dog = dog->selfType;
  const Type* Puppy = puppy->selfType;
  const Type* Cat = cat->selfType;
  const Type* Shape = shape->selfType;
  const Type* Point = point->selfType;
  const Type* Color = color->selfType;
  const Type* Size = size->selfType;
  const Type* Thread = thread->selfType;
  const Type* T = nullptr; // a type parameter without a bound
  const Type* C = nullptr; // a type parameter bounded by Comparable<C>

  TypeWorld() {
    known.object = object;
    known.array = array;
    known.iterable = iterable;
    known.comparable = comparable;
    known.list = list;
    for (ClassSymbol* symbol : {array, list, thread, animal}) symbol->superType = Object;
    future->superType = Thread;
    dog->superType = Animal;
    cat->superType = Animal;
    puppy->superType = Dog;
    dog->interfaces = {roundShape->selfType};
    roundShape->interfaces = {Shape};
    point->interfaces = {Shape};
    array->interfaces = {types.named(iterable, array->selfType->arguments)};
    list->interfaces = {types.named(iterable, list->selfType->arguments)};
    color->members = {{"Red", 0}, {"Green", 5}, {"Blue", 6}};
    T = newParameter("T", 0)->type;
    TypeParameterSymbol* bounded = newParameter("C", 1);
    C = bounded->type;
    bounded->bound = of(comparable, {C});
  }

  const Type* of(ClassSymbol* declaration, Types arguments) { return types.named(declaration, arguments); }
  const Type* listOf(const Type* element) { return of(list, {element}); }
  const Type* iterableOf(const Type* element) { return of(iterable, {element}); }
  const Type* arrayOf(const Type* element) { return types.array(element); }
  const Type* func(const Type* result, Types parameters, uint64_t outMask = 0) {
    return types.function(result, parameters, outMask);
  }

  TypeParameterSymbol* newParameter(std::string_view name, uint32_t index) {
    TypeParameterSymbol& symbol = parameters_.emplace_back();
    symbol.name = name;
    symbol.index = index;
    symbol.type = types.parameter(&symbol);
    return &symbol;
  }

  ConstantValue integer(int64_t value) {
    return {.kind = ConstantValue::Kind::kInteger, .bits = static_cast<uint64_t>(value), .text = {}};
  }

 private:
  ClassSymbol* declare(std::string_view name, ClassKind kind, std::initializer_list<std::string_view> parameters = {}) {
    ClassSymbol& symbol = classes_.emplace_back();
    symbol.name = name;
    symbol.kind = kind;
    Types arguments;
    for (std::string_view parameter : parameters) {
      symbol.typeParameters.push_back(newParameter(parameter, static_cast<uint32_t>(arguments.size())));
      arguments.push_back(symbol.typeParameters.back()->type);
    }
    symbol.selfType = types.named(&symbol, arguments);
    return &symbol;
  }
};

} // namespace nlang::sema
