// Loading: reads the main file and, through its imports, every module the program needs; puts them in order.
//
// A file is one module however it is imported, so modules are known by their file. Imports may form cycles; `modules`
// holds every module behind those it imports, as far as cycles allow.
#include <fmt/format.h>

#include "sema/program.h"
#include "sema/suggestions.h"
#include "syntax/parser.h"

namespace nlang::sema {

namespace {

std::string_view stemOf(std::string_view path) {
  size_t slash = path.find_last_of('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  size_t dot = path.find_last_of('.');
  return dot == std::string_view::npos || dot == 0 ? path : path.substr(0, dot);
}

} // namespace

ModuleInfo* Program::loadModule(uint32_t file, std::string name, bool isStandard) {
  ModuleInfo*& known = modulesByFile_[file];
  if (known != nullptr) return known;
  ModuleInfo* module = newModule();
  known = module;
  module->name = std::move(name);
  module->file = file;
  module->isStandard = isStandard;
  syntax::DiagnosticSink messages;
  module->tree = syntax::parseModule(*sources.file(file), arena, names, messages);
  for (const syntax::Diagnostic* one : messages.sorted()) {
    if (one->severity == syntax::Severity::Error) module->faults.push_back(one->range.begin);
  }
  diagnostics->append(messages);
  return module;
}

void Program::loadAll(uint32_t mainFile) {
  prelude = loadModule(loader.prelude(), "prelude", true);
  prelude->isPrelude = true;
  mainModule = loadModule(mainFile, std::string(stemOf(sources.file(mainFile)->path())), false);

  std::vector<ModuleInfo*> pending{prelude, mainModule};
  for (size_t i = 0; i < pending.size(); ++i) {
    ModuleInfo* importer = pending[i];
    importer->imports.reserve(importer->tree->imports.size());
    for (const syntax::ImportDecl* import : importer->tree->imports) {
      std::string path;
      std::string dotted;
      bool isBroken = false;
      for (const syntax::Ident& part : import->path) {
        isBroken |= part.empty();
        if (!path.empty()) path += '/', dotted += '.';
        path += part.text;
        dotted += part.text;
      }
      if (isBroken) continue;
      ModuleLoader::Found found;
      bool isFound = loader.find(path, importer->file, found);
      if (!isFound || !found.fault.empty()) {
        syntax::SourceRange range = syntax::join(import->path.front().range, import->path.back().range);
        if (isFound) {
          diagnostics->report(syntax::DiagId::ModuleUnreadable, range, dotted, found.fault);
        } else {
          diagnostics->report(syntax::DiagId::UnknownModule, range, dotted)
              .suggest(suggestModule(path, dotted, importer->file));
        }
        importer->imports.push_back({import, nullptr, true});
        continue;
      }
      size_t before = modulesByFile_.size();
      ModuleInfo* module = loadModule(found.file, found.moduleName, found.isStandard);
      if (modulesByFile_.size() != before) pending.push_back(module);
      importer->imports.push_back({import, module, false});
    }
  }
  modules.reserve(pending.size());
  for (ModuleInfo* module : pending) orderModule(*module);
}

std::string Program::suggestModule(const std::string& path, std::string_view dotted, uint32_t importer) {
  // What an import names is a module, not something in it.
  if (size_t slash = path.rfind('/'); slash != std::string::npos) {
    ModuleLoader::Found found;
    if (loader.find(std::string_view(path).substr(0, slash), importer, found)) {
      return fmt::format("`{}` is a module; import that", dotted.substr(0, slash));
    }
  }
  std::vector<std::string> near = loader.modulesNear(path, importer);
  return didYouMean(dotted, {near.begin(), near.end()});
}

// Depth first with a stack of its own: a chain of imports may be as long as it likes.
void Program::orderModule(ModuleInfo& first) {
  struct Step {
    ModuleInfo* module;
    size_t nextImport;
  };
  if (first.ordered != Progress::kNone) return;
  std::vector<Step> stack{{&first, 0}};
  first.ordered = Progress::kRunning;
  while (!stack.empty()) {
    Step& step = stack.back();
    if (step.nextImport == step.module->imports.size()) {
      step.module->ordered = Progress::kDone;
      modules.push_back(step.module);
      stack.pop_back();
      continue;
    }
    ModuleInfo* next = step.module->imports[step.nextImport++].module;
    if (next == nullptr || next->ordered != Progress::kNone) continue;
    next->ordered = Progress::kRunning;
    stack.push_back({next, 0});
  }
}

ImportInfo* Program::findImport(ModuleInfo& module, std::span<const std::string_view> path, bool* ambiguous) {
  ImportInfo* found = nullptr;
  for (ImportInfo& import : module.imports) {
    const syntax::ImportDecl& declaration = *import.declaration;
    bool matches = path.size() == 1 && declaration.name.text == path[0];
    if (!matches && !declaration.hasAlias && path.size() == declaration.path.size()) {
      matches = true;
      for (size_t i = 0; i < path.size(); ++i) matches &= declaration.path[i].text == path[i];
    }
    if (!matches) continue;
    import.isUsed = true;
    if (found == nullptr) {
      found = &import;
    } else if (found->module != import.module && ambiguous != nullptr) {
      *ambiguous = true;
    }
  }
  return found;
}

void Program::warnUnusedImports() {
  for (ModuleInfo* module : modules) {
    if (module->isStandard || module->isBroken()) continue;
    for (const ImportInfo& import : module->imports) {
      if (!import.isUsed)
        diagnostics->report(syntax::DiagId::UnusedImport, import.declaration->name.range,
                            import.declaration->name.text);
    }
  }
}

} // namespace nlang::sema
