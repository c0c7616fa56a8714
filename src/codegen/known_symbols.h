// The declarations of std/prelude.n that generated code speaks of, and the methods that are instructions.
//
// Filled once at the start and never changed. A class or method that the library lacks is null; whoever needs it
// reports that.
#pragma once

#include <cstdint>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include "bytecode/instruction.h"
#include "bytecode/program.h"
#include "sema/known_classes.h"
#include "sema/symbols.h"

namespace nlang::codegen {

// Methods whose calls are instructions.
enum class Intrinsic : uint8_t {
  kNone,
  kStringLength,
  kArrayLength,
  kListLength,
  kListGet,
  kListSet,
  kListAdd,
  kListVersion,
};

class KnownSymbols {
 public:
  explicit KnownSymbols(const sema::ModuleSymbol& prelude);

  // A class of the prelude by name, or null.
  sema::ClassSymbol* find(std::string_view name) const;
  Intrinsic intrinsic(const sema::FunctionSymbol* function) const;
  // For a method of HashTable, Dict or Set: the native `plainNAME` that does its work for keys without code of their
  // own, or null.
  sema::FunctionSymbol* plainTwin(const sema::FunctionSymbol* method) const;
  // The instruction for calls of a function whose address is known: call_find and call_put for natives that have these,
  // else call.
  bytecode::Op callOf(const sema::FunctionSymbol* function) const;
  // The structure of a class's instances: by name for those of the prelude that the run-time system knows, else an
  // object with fields.
  bytecode::ClassKind kindOf(const sema::ClassSymbol* type) const;

  sema::KnownClasses classes; // for sema::Conversions, and for this room
  sema::FunctionSymbol* objectToString = nullptr;
  sema::FunctionSymbol* objectEquals = nullptr;
  sema::FunctionSymbol* objectHashCode = nullptr;

 private:
  void findPlainTwins(const sema::ClassSymbol& table);

  absl::flat_hash_map<std::string_view, sema::ClassSymbol*> byName_;
  absl::flat_hash_map<const sema::ClassSymbol*, bytecode::ClassKind> kinds_;
  absl::flat_hash_map<const sema::FunctionSymbol*, Intrinsic> intrinsics_;
  absl::flat_hash_map<const sema::FunctionSymbol*, sema::FunctionSymbol*> plainTwins_;
};

// The method `name` with `parameters` parameters that `type` itself declares and that is not static, or null.
sema::FunctionSymbol* findMethod(const sema::ClassSymbol* type, std::string_view name, size_t parameters);
// The same of a class of the standard library that must have the method.
sema::FunctionSymbol* libraryMethod(const sema::ClassSymbol* type, std::string_view name, size_t parameters);
// A static function of such a class.
sema::FunctionSymbol* libraryFunction(const sema::ClassSymbol* type, std::string_view name);

} // namespace nlang::codegen
