// What a compiled function is made from.
//
// Functions are compiled for concrete types only (whole-program monomorphisation): a function of the source together
// with the types that its class and it were given is an instance; so is each hidden function that the generator makes
// up. Two requests for equal instances give one function. Lists of types are represented by the interned type
// func<void, T1, T2, …>, so that an instance is a few pointers.
#pragma once

#include <cstdint>
#include <utility>

#include "sema/symbols.h"
#include "sema/types.h"

namespace nlang::codegen {

enum class InstanceKind : uint8_t {
  kDeclared,      // a function, method or constructor of the source; natives too
  kLambda,        // a lambda; register 0 is its closure
  kFunctionThunk, // behind a function value that names `function`: drops the closure and calls it
  kBoundThunk, // behind a method value: calls `function` on the receiver in the closure; `type` is the receiver's type
  kBoundHash,  // hashCode of such a closure
  kBoxMethod,  // `function`, a method of Object or of the interface `owner`, for boxed values (or strings) of type
               // `type`
  kEqualObjects, // equals of strings, boxes and function values: what == means for them
  kText,         // toString of the struct `type`
  kInitializers, // the static initialisers of one stretch of TypedProgram::initialization
  kEntry,        // an entry of the program (Program::entry): initialises, then calls `function`
};

struct Instance {
  InstanceKind kind = InstanceKind::kDeclared;
  sema::FunctionSymbol* function = nullptr;
  const sema::Type* owner =
      nullptr; // concrete type of the class whose member it is; null if there is none or nothing depends on it
  const sema::Type* arguments = nullptr; // func<void, …> of the function's own type arguments; null without any
  const sema::Type* type = nullptr;      // see InstanceKind
  uint32_t number = 0;      // kInitializers: the stretch; kBoundThunk: 1 if the method does not dispatch (super.m)
  bool dropsResult = false; // kFunctionThunk, kBoundThunk: the value is one of func<void, …>, `function` has a result

  friend bool operator==(const Instance&, const Instance&) = default;
  template <class H> friend H AbslHashValue(H h, const Instance& i) {
    return H::combine(std::move(h), i.kind, i.function, i.owner, i.arguments, i.type, i.number, i.dropsResult);
  }
};

// The declaration behind a type that has members: Array<T> for T[], String for string; null for scalars and functions.
inline std::span<const sema::Type* const> argumentsOf(const sema::Type* type) {
  return type ? type->arguments : std::span<const sema::Type* const>();
}

} // namespace nlang::codegen
