// Checks whole programs that say themselves what is wrong with them.
//
// A comment `//! CODE …` at the end of a line names the diagnostics expected on that line, in order; anything else that
// the checker says, or does not say, fails the test. The standard library is the one of the source tree.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sema/checker.h"

namespace nlang::sema {

// The standard library from std/, and modules given as text.
class TestLoader : public ModuleLoader {
 public:
  explicit TestLoader(syntax::SourceManager& sources) : sources_(sources) {}

  void add(const std::string& path, std::string text) {
    modules_[path] = sources_.add(path + ".n", std::move(text)).file->id();
  }

  bool find(std::string_view path, uint32_t, Found& found) override {
    std::string name(path);
    auto known = modules_.find(name);
    bool isStandard = false;
    if (known == modules_.end()) {
      std::filesystem::path file = standardFolder() / (name + ".n");
      if (!std::filesystem::exists(file)) return false;
      add(name, read(file));
      standard_.push_back(name);
      known = modules_.find(name);
    }
    for (const std::string& one : standard_) isStandard |= one == name;
    for (char& c : name) c = c == '/' ? '.' : c;
    found = {known->second, name, isStandard};
    return true;
  }
  uint32_t prelude() override {
    Found found;
    find("prelude", 0, found);
    return found.file;
  }

 private:
  static std::filesystem::path standardFolder() { return std::filesystem::path(NLANG_SOURCE_DIR) / "std"; }
  static std::string read(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  syntax::SourceManager& sources_;
  std::map<std::string, uint32_t> modules_;
  std::vector<std::string> standard_;
};

// One checked program, with everything it needs alive.
struct CheckedProgram {
  syntax::SourceManager sources;
  syntax::DiagnosticSink sink;
  TestLoader loader{sources};
  std::unique_ptr<Checker> checker;
  TypedProgram program;

  // `text` is the main module; `modules` are others, by path.
  explicit CheckedProgram(const std::string& text, const std::map<std::string, std::string>& modules = {},
                          bool requireMain = false) {
    for (const auto& [path, source] : modules) loader.add(path, source);
    uint32_t file = sources.add("test.n", text).file->id();
    checker = std::make_unique<Checker>(sources, sink, loader);
    program = checker->check(file, requireMain);
  }

  // The body of the function of the main module with this name.
  FunctionSymbol* function(std::string_view name) {
    for (ModuleSymbol* module : program.modules) {
      if (module->isStandard) continue;
      for (FunctionSymbol* function : module->functions) {
        if (function->name == name) return function;
      }
    }
    return nullptr;
  }

  // Everything said, a line each: `file:line code`.
  std::string said(bool withWarnings = true) const {
    std::string lines;
    for (const syntax::Diagnostic* diagnostic : sink.sorted()) {
      if (!withWarnings && diagnostic->severity == syntax::Severity::Warning) continue;
      const syntax::SourceFile* file = sources.file(diagnostic->range.file);
      std::string where =
          file == nullptr ? ""
                          : file->path() + ":" + std::to_string(file->positionOf(diagnostic->range.begin).line) + " ";
      lines += where + syntax::infoOf(diagnostic->id).code + "\n";
    }
    return lines;
  }
  // The messages, for a failure to show.
  std::string messages() const {
    std::string lines;
    for (const syntax::Diagnostic* diagnostic : sink.sorted()) lines += diagnostic->message + "\n";
    return lines;
  }
};

// What the comments of a text announce, in the form of said().
inline std::string announced(const std::string& path, const std::string& text) {
  std::string lines;
  std::istringstream stream(text);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    size_t at = line.find("//!");
    if (at == std::string::npos) continue;
    std::istringstream codes(line.substr(at + 3));
    for (std::string code; codes >> code;) lines += path + ":" + std::to_string(number) + " " + code + "\n";
  }
  return lines;
}

// Checks that the checker says exactly what the comments of `text` announce.
inline void expectDiagnostics(const std::string& text, const std::map<std::string, std::string>& modules = {}) {
  CheckedProgram checked(text, modules);
  EXPECT_EQ(checked.said(), announced("test.n", text)) << checked.messages() << "in\n" << text;
}

// The same for errors alone; warnings are not looked at.
inline void expectErrors(const std::string& text, const std::map<std::string, std::string>& modules = {}) {
  CheckedProgram checked(text, modules);
  EXPECT_EQ(checked.said(false), announced("test.n", text)) << checked.messages() << "in\n" << text;
}

} // namespace nlang::sema
