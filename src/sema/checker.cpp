// The checker's face: runs the phases of program.h in order.
#include "sema/checker.h"

#include "sema/program.h"

namespace nlang::sema {

struct Checker::Impl : Program {
  using Program::Program;
};

Checker::Checker(syntax::SourceManager& sources, syntax::DiagnosticSink& diagnostics, ModuleLoader& loader)
    : impl_(std::make_unique<Impl>(sources, diagnostics, loader)) {}

Checker::~Checker() = default;

TypeTable& Checker::types() { return impl_->types; }

TypedProgram Checker::check(uint32_t file, bool requireMain) {
  Program& program = *impl_;
  program.loadAll(file);
  for (ModuleInfo* module : program.modules) program.declareModule(*module);
  program.findWellKnown();
  for (ModuleInfo* module : program.modules) program.resolveHeaders(*module);
  program.checkInheritance();
  program.checkPendingBounds();
  for (ModuleInfo* module : program.modules) program.resolveSignatures(*module);
  for (size_t i = 0; i < program.classes.size(); ++i) program.buildTable(*program.classes[i]);

  // Also those of the standard library: a member has its value wherever the enum is used, named or not.
  for (ClassInfo* type : program.classes) {
    if (type->kind == ClassKind::kEnum) program.ensureEnumValues(*type);
  }
  for (ModuleInfo* module : program.modules) {
    for (FieldSymbol* field : module->variables) program.ensureInitializer(*info(field));
    for (ClassSymbol* type : module->classes) {
      for (FieldSymbol* field : type->staticFields) program.ensureInitializer(*info(field));
    }
    if (module->isStandard) continue; // its bodies are checked when they are used
    for (auto& [name, place] : module->names) {
      if (place.functions != nullptr) program.checkDuplicateFunctions(place.functions);
    }
    for (FunctionSymbol* function : module->functions) program.ensureBody(*info(function));
    for (ClassSymbol* symbol : module->classes) {
      ClassInfo& type = *info(symbol);
      program.checkClass(type);
      program.ensureFieldInitializers(type);
      for (FunctionSymbol* constructor : type.constructors) program.ensureBody(*info(constructor));
      for (FunctionSymbol* method : type.methods) program.ensureBody(*info(method));
    }
  }

  TypedProgram result;
  program.checkMain(requireMain, result);
  std::vector<FieldSymbol*> order = program.orderInitialization();
  program.warnUnusedImports();
  std::vector<ModuleSymbol*> modules(program.modules.begin(), program.modules.end());
  result.modules = program.arena.copyList(modules);
  result.initialization = program.arena.copyList(order);
  result.prelude = program.prelude;
  return result;
}

bool Checker::ensureBody(FunctionSymbol* function) {
  impl_->ensureBody(*info(function));
  return !info(function)->bodyFailed;
}

FunctionSymbol* Checker::implementation(const Type* type, const Type* interfaceType, FunctionSymbol* method) {
  return impl_->findImplementation(type, interfaceType, method);
}

} // namespace nlang::sema
