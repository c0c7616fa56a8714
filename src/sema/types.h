// Types as the checker and the code generator see them.
//
// Every type is interned in a TypeTable, so two types are the same exactly if their pointers are equal. A type that
// mentions type parameters (List<T> inside class Stack<T>) is an ordinary interned type; `substitute` replaces its
// parameters. Generic bodies are checked once with their parameters in place; the code generator substitutes while it
// walks a body (whole-program monomorphisation).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nlang::sema {

struct ClassSymbol;
struct TypeParameterSymbol;

enum class TypeKind : uint8_t {
  kError, // the type of an expression that was already reported; converts to and from everything silently
  kVoid,
  kNull, // the type of the literal null
  kBool,
  kByte,
  kUByte,
  kShort,
  kUShort,
  kInt,
  kUInt,
  kLong,
  kULong,
  kFloat,
  kDouble,
  kChar,
  kString,
  kEnum,      // declaration
  kStruct,    // declaration, arguments
  kClass,     // declaration, arguments; List, Dict, Set, Thread, Channel, Object … are classes declared in std/
  kInterface, // declaration, arguments
  kArray,     // arguments[0] is the element type
  kFunction,  // func<R, P…>: arguments[0] is R, the rest are parameters; outMask has bit i set if parameter i is `out`
  kParameter, // a type parameter of a class or function
};

// Types nested deeper are refused: where they are written, and where the instance of a generic function or class would
// need one.
inline constexpr unsigned kMaxTypeDepth = 256;

struct Type {
  TypeKind kind;
  bool hasParameters;                       // mentions a kParameter anywhere, so substitution can change it
  uint16_t depth = 1;                       // of nesting: one more than the deepest argument
  uint64_t outMask = 0;                     // kFunction only
  ClassSymbol* declaration = nullptr;       // kEnum, kStruct, kClass, kInterface
  TypeParameterSymbol* parameter = nullptr; // kParameter
  std::span<const Type* const> arguments;   // see TypeKind

  bool isInteger() const { return kind >= TypeKind::kByte && kind <= TypeKind::kULong; }
  bool isFloating() const { return kind == TypeKind::kFloat || kind == TypeKind::kDouble; }
  bool isNumeric() const { return isInteger() || isFloating(); }
  bool isSigned() const {
    return kind == TypeKind::kByte || kind == TypeKind::kShort || kind == TypeKind::kInt || kind == TypeKind::kLong;
  }
  // Scalars fit one slot and hold no reference: bool, numbers, char, enums.
  bool isScalar() const { return (kind >= TypeKind::kBool && kind <= TypeKind::kChar) || kind == TypeKind::kEnum; }
  // References may be null. Strings are heap values but never null, and are not references in this sense.
  bool isReference() const {
    return kind == TypeKind::kNull || kind == TypeKind::kClass || kind == TypeKind::kInterface ||
           kind == TypeKind::kArray || kind == TypeKind::kFunction;
  }
  bool isError() const { return kind == TypeKind::kError; }
  bool isVoid() const { return kind == TypeKind::kVoid; }
  // Bits of an integer type: 8, 16, 32 or 64.
  unsigned integerBits() const {
    return 8u << ((static_cast<unsigned>(kind) - static_cast<unsigned>(TypeKind::kByte)) / 2);
  }
  const Type* element() const { return arguments[0]; }                             // kArray
  const Type* result() const { return arguments[0]; }                              // kFunction
  std::span<const Type* const> parameters() const { return arguments.subspan(1); } // kFunction
  bool isOut(size_t parameterIndex) const { return (outMask >> parameterIndex) & 1; }
};

// A mapping from type parameters to types: parameters[i] stands for arguments[i]. Class and method mappings are chained
// by `outer`.
struct Substitution {
  std::span<TypeParameterSymbol* const> parameters;
  std::span<const Type* const> arguments;
  const Substitution* outer = nullptr;
};

// Owns and interns all types of one compilation. Not thread-safe; lives as long as the typed program.
class TypeTable {
 public:
  TypeTable();
  ~TypeTable();
  TypeTable(const TypeTable&) = delete;
  TypeTable& operator=(const TypeTable&) = delete;

  const Type* simple(TypeKind kind) const; // kError … kString
  const Type* enumType(ClassSymbol* declaration);
  // A struct, class or interface, by the kind of its declaration, with one argument for each of its type parameters.
  const Type* named(ClassSymbol* declaration, std::span<const Type* const> arguments);
  const Type* array(const Type* element);
  const Type* function(const Type* result, std::span<const Type* const> parameters, uint64_t outMask);
  const Type* parameter(TypeParameterSymbol* symbol);
  const Type* substitute(const Type* type, const Substitution& substitution);

 private:
  struct Impl;
  Impl* impl_;
};

// The type's text as in source: `List<int>`, `func<void, string>`, `int[]`.
std::string typeName(const Type* type);

} // namespace nlang::sema
