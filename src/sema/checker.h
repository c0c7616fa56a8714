// The checker: syntax trees → typed program. Name resolution, type checking, inference, flow analysis (definite
// assignment, reachability, captures), diagnostics.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sema/symbols.h"
#include "sema/typed_tree.h"
#include "sema/types.h"
#include "syntax/diagnostic.h"
#include "syntax/source.h"

namespace nlang::sema {

// Where modules come from. The embedder implements it on files; tests on a map.
class ModuleLoader {
 public:
  virtual ~ModuleLoader() = default;
  struct Found {
    uint32_t file = 0;      // id in the SourceManager
    std::string moduleName; // canonical: the same file always has the same name
    bool isStandard = false;
    std::string fault = {}; // "" or why the module, which is there, cannot be read; the rest is empty then
  };
  // Resolves `import a.b;` (path "a/b") seen from the file `importer`, in the order of L1.5. False if there is none.
  virtual bool find(std::string_view path, uint32_t importer, Found& found) = 0;
  // Names (`a.b`) of modules that `importer` may have meant by a path that nothing fits.
  virtual std::vector<std::string> modulesNear(std::string_view /*path*/, uint32_t /*importer*/) { return {}; }
  // The built-in declarations (std/prelude.n).
  virtual uint32_t prelude() = 0;
};

// One compilation. Owns types, symbols and typed trees, which live as long as it does.
class Checker {
 public:
  Checker(syntax::SourceManager& sources, syntax::DiagnosticSink& diagnostics, ModuleLoader& loader);
  ~Checker();

  // Loads, parses and checks the program whose main file is `file`. Errors are in the sink; the result is usable only
  // if there is none. `requireMain`: a missing main function is an error (run), or fine (check of a library).
  TypedProgram check(uint32_t file, bool requireMain);

  TypeTable& types();

  // Checks the body of a function of the standard library on first use (bodies of std/ are checked lazily, so that
  // start-up costs only what a program uses). The code generator calls it before it walks a body. No-op for a checked
  // body. False if it had errors (a mistake in std/ itself, reported in the sink).
  bool ensureBody(FunctionSymbol* function);

  // The method of class `type` (a kClass or kStruct or kEnum type, or a boxed scalar's) that implements `method` of
  // interface type `interfaceType`; never null for a type that converts to the interface, except for
  // compareTo/equals/hashCode/toString of scalars, strings and enums, which have no FunctionSymbol: then null, and the
  // code generator knows the operation.
  FunctionSymbol* implementation(const Type* type, const Type* interfaceType, FunctionSymbol* method);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace nlang::sema
