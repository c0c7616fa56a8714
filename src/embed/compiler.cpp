#include "embed/compiler.h"

#include <filesystem>

#include "bytecode/liveness.h"
#include "bytecode/verifier.h"
#include "codegen/codegen.h"
#include "embed/file_loader.h"
#include "embed/project.h"
#include "sema/checker.h"
#include "syntax/diagnostic.h"
#include "syntax/source.h"

namespace nlang::embed {

namespace {

// The test functions of the main module (docs/testing.md), in textual order.
std::vector<sema::FunctionSymbol*> testsOf(const sema::TypedProgram& typed, uint32_t mainFile) {
  std::vector<sema::FunctionSymbol*> tests;
  for (const sema::ModuleSymbol* module : typed.modules) {
    if (module->file != mainFile) continue;
    for (sema::FunctionSymbol* function : module->functions) {
      bool isTest = function->name.starts_with("test") && function->parameters.empty() &&
                    function->resultType->isVoid() && function->typeParameters.empty() && !function->isNative;
      if (isTest) tests.push_back(function);
    }
  }
  return tests;
}

CompileResult finish(const syntax::SourceManager& sources, const syntax::DiagnosticSink& sink,
                     const CompileOptions& options) {
  CompileResult result;
  result.ok = !sink.hasErrors();
  syntax::RenderOptions render;
  render.color = options.color;
  result.diagnostics = syntax::renderDiagnostics(sources, sink, render);
  return result;
}

// `loaded` is the main file, which `sources` holds unless it could not be loaded; `project` is where it lies, null if
// in none.
CompileResult compile(const std::string& path, const syntax::LoadResult& loaded, const Project* project,
                      syntax::SourceManager& sources, syntax::DiagnosticSink& sink, const CompileOptions& options) {
  if (loaded.file == nullptr) {
    sink.reportFile(path, loaded.error);
    return finish(sources, sink, options);
  }
  std::string root = project != nullptr ? project->root : std::filesystem::path(path).parent_path().string();
  std::vector<std::string> directories;
  if (project != nullptr) directories = project->paths;
  directories.insert(directories.end(), options.searchDirectories.begin(), options.searchDirectories.end());
  FileLoader loader(sources, std::move(root), std::move(directories));
  loader.addMain(*loaded.file);
  sema::Checker checker(sources, sink, loader);
  sema::TypedProgram typed = checker.check(loaded.file->id(), options.requireMain && !options.tests);
  if (options.tests) {
    typed.isTests = true;
    typed.entries = testsOf(typed, loaded.file->id());
  }
  // A program with a main is compiled even when it is only checked: limits show in code generation. A library is not.
  bool isLibrary = typed.entries.empty();
  if (sink.hasErrors() || isLibrary) return finish(sources, sink, options);

  bytecode::Program program;
  bool complete = codegen::generate(checker, typed, sources, sink, program);
  if (!complete || options.checkOnly) return finish(sources, sink, options);
  std::string fault;
#ifndef NDEBUG
  // What the code generator makes must satisfy what is demanded of foreign programs.
  if (!bytecode::verify(program, fault)) fault = "internal error: the generated code is not valid: " + fault;
#endif
  if (fault.empty() && !bytecode::computeLiveness(program)) fault = "error: a function of the program is too large";
  if (!fault.empty()) {
    CompileResult broken = finish(sources, sink, options);
    broken.ok = false;
    broken.diagnostics += path + ": " + fault + "\n";
    return broken;
  }
  CompileResult result = finish(sources, sink, options);
  result.program = std::move(program);
  return result;
}

} // namespace

CompileResult compileFile(const std::string& path, const CompileOptions& options) {
  syntax::SourceManager sources;
  syntax::DiagnosticSink sink;
  std::optional<std::string> file = findProjectFile(std::filesystem::path(path).parent_path().string());
  if (!file) return compile(path, sources.load(path), nullptr, sources, sink, options);
  Project project = readProject(*file, sources, sink);
  if (sink.hasErrors()) return finish(sources, sink, options);
  return compile(path, sources.load(path), &project, sources, sink, options);
}

CompileResult compileText(const std::string& path, std::string text, const CompileOptions& options) {
  syntax::SourceManager sources;
  syntax::DiagnosticSink sink;
  return compile(path, sources.add(path, std::move(text)), nullptr, sources, sink, options);
}

CompileResult compileProject(const std::string& projectFile, const CompileOptions& options) {
  syntax::SourceManager sources;
  syntax::DiagnosticSink sink;
  Project project = readProject(projectFile, sources, sink);
  std::error_code error;
  if (!sink.hasErrors() && project.main.empty()) {
    syntax::SourceRange start = {sources.file(1)->id(), 0, 0};
    sink.report(syntax::DiagId::ProjectWithoutMain, start);
  } else if (!sink.hasErrors() && !std::filesystem::exists(project.main, error)) {
    sink.report(syntax::DiagId::ProjectMainMissing, project.mainRange, project.main);
  }
  if (sink.hasErrors()) return finish(sources, sink, options);
  return compile(project.main, sources.load(project.main), &project, sources, sink, options);
}

} // namespace nlang::embed
