// What names stand for: modules, classes (structs, interfaces, enums too), functions, fields, variables.
//
// Symbols are arena-allocated by the checker, live as long as the typed program and are never moved. Fields marked
// "declaration phase" are final before any body is checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sema/types.h"
#include "syntax/source.h"

namespace nlang::sema {

struct Block;
struct Expression;
struct FunctionSymbol;
struct ModuleSymbol;

enum class Visibility : uint8_t { kModule, kPublic, kProtected, kPrivate };

struct Symbol {
  std::string_view name;
  syntax::SourceRange range;      // where the name is declared
  ModuleSymbol* module = nullptr; // null only for locals
  Visibility visibility = Visibility::kModule;
};

struct TypeParameterSymbol : Symbol {
  uint32_t index = 0;           // position in its owner's list
  const Type* bound = nullptr;  // an interface type, may mention the parameter itself; null if unbounded
  const Type* type = nullptr;   // the kParameter type that stands for it
  bool hasUnknownBound = false; // its bound was reported: what `T` has is not all known
};

// A local variable, parameter, or catch/foreach/case/using variable.
struct VariableSymbol : Symbol {
  const Type* type = nullptr;
  FunctionSymbol* owner = nullptr; // the function or lambda whose frame (or cells) holds it
  bool isParameter = false;
  bool isOut = false; // an `out` parameter: an additional result, may not be captured
  bool isConst = false;
  bool isCaptured = false; // some lambda inside its owner uses it
  bool assignedAfterCapture =
      false; // may be assigned once captured (loops included): lives in a heap cell, else it is copied into the closure
  bool isUsed = false;
  bool isAssigned = false;  // by a statement, or as an `out` argument; its initializer does not count
  bool isPassedOut = false; // as an `out` argument, so it may change in the middle of a statement
  uint32_t index = 0;       // parameters: position among the declared ones
};

enum class FieldStorage : uint8_t {
  kInstance, // in each object
  kStatic,   // a module variable, a static field
  kConstant, // has a compile-time value; takes no storage
};

struct ConstantValue {
  enum class Kind : uint8_t { kNone, kInteger, kFloating, kString, kNull } kind = Kind::kNone;
  // kInteger: the value (bool, char, enums too), in the canonical form of its type: signed types sign-extended,
  // unsigned zero-extended.
  uint64_t bits = 0;
  double number = 0;     // kFloating (float values are exactly representable)
  std::string_view text; // kString
};

// A field of a class or struct, a static field, a module variable, or a constant.
struct FieldSymbol : Symbol {
  const Type* type = nullptr;
  struct ClassSymbol* owner = nullptr; // null for module variables
  FieldStorage storage = FieldStorage::kInstance;
  bool isConst = false;
  Expression* initializer = nullptr; // typed, converted to `type`; null for the default value
  ConstantValue constant;            // kConstant
  uint32_t index = 0;                // instance fields: position among the class's own fields, in declaration order
};

enum class FunctionKind : uint8_t { kFunction, kMethod, kStaticMethod, kConstructor, kLambda };

struct ParameterDefault {
  Expression* value = nullptr; // typed in the callee's scope: may refer to earlier parameters; null if none
};

struct FunctionSymbol : Symbol {
  FunctionKind kind = FunctionKind::kFunction;
  struct ClassSymbol* owner = nullptr;              // methods, static methods, constructors
  FunctionSymbol* enclosing = nullptr;              // lambdas: the function or lambda it stands in
  std::vector<TypeParameterSymbol*> typeParameters; // the function's own ones
  std::vector<VariableSymbol*> parameters;
  std::vector<ParameterDefault> defaults; // as long as `parameters`
  const Type* resultType = nullptr;       // kVoid for constructors
  bool isAbstract = false;
  bool isVirtual = false; // dispatches: declared virtual/abstract, overriding, or an interface method
  bool isNative = false;
  bool isBlocking = false;
  bool isProperty = false;                    // std only: native("property"), used as `x.name` without parentheses
  std::string_view nativeLibrary, nativeName; // native("lib", "name")
  FunctionSymbol* overridden = nullptr;       // the base-class method this overrides (declaration phase)
  // Position in its class's virtual table, assigned in the declaration phase: base slots first; the three of Object are
  // 0 toString, 1 equals, 2 hashCode. Interface methods: position in the interface's own method list.
  uint32_t slot = 0;
  Block* body = nullptr; // typed; null if abstract or native
  bool bodyChecked = false;
  // Constructors: the call of super(…) or this class's implicit one; null for Object and structs. Field initialisers
  // run after it.
  Expression* superCall = nullptr;
  bool isDefaultConstructor = false;     // made by the checker for a class that declares none
  std::vector<VariableSymbol*> captures; // lambdas: captured variables of enclosing functions, in order of first use
  bool capturesThis = false;             // lambdas: uses the enclosing method's `this`
  const void* syntax = nullptr;          // the syntax node, for bodies checked on demand
};

enum class ClassKind : uint8_t { kClass, kStruct, kInterface, kEnum };

struct EnumMember {
  std::string_view name;
  int32_t value = 0;
};

struct ClassSymbol : Symbol {
  ClassKind kind = ClassKind::kClass;
  bool isAbstract = false;
  bool isBuiltin = false;      // declared in std/ and known to the run-time system by name (List, Channel, …)
  bool hasUnknownBase = false; // its base or an interface was reported: what the class has and is, is not all known
  std::vector<TypeParameterSymbol*> typeParameters;
  const Type* selfType = nullptr;            // the class with its own parameters as arguments
  const Type* superType = nullptr;           // classes but Object; mentions own type parameters
  std::vector<const Type*> interfaces;       // direct ones
  std::vector<FieldSymbol*> fields;          // own instance fields, in order
  std::vector<FieldSymbol*> staticFields;    // own static and constant fields
  std::vector<FunctionSymbol*> methods;      // own methods, static ones too
  std::vector<FunctionSymbol*> constructors; // classes; inherited ones are synthesised here when none is declared
  std::vector<FunctionSymbol*>
      virtualTable;                // classes: slot → the most derived implementation (its owner may be a base class)
  std::vector<EnumMember> members; // enums
};

struct ModuleSymbol {
  std::string name;        // `a.b` for a/b.n; the main file's stem for the program
  uint32_t file = 0;       // syntax::SourceFile id
  bool isStandard = false; // comes from std/
  std::vector<ClassSymbol*> classes;
  std::vector<FunctionSymbol*> functions;
  std::vector<FieldSymbol*> variables; // module variables and constants, in textual order
};

} // namespace nlang::sema
