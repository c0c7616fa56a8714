// From a file to a program: loading, parsing, checking, code generation, liveness.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bytecode/program.h"

namespace nlang::embed {

struct CompileOptions {
  std::vector<std::string> searchDirectories; // -I
  bool requireMain = true;                    // a program without main is an error; otherwise it is a library: no code
  bool tests = false;                         // the file's test functions are what is compiled, main is of no account
  bool checkOnly = false;                     // no code is generated; `program` stays empty
  bool color = false;                         // ANSI colours in diagnostics
};

struct CompileResult {
  std::optional<bytecode::Program>
      program;             // set if there was no error, there is a main (or a test), and code was asked for
  bool ok = false;         // no errors (there may be warnings)
  std::string diagnostics; // errors and warnings as text, ready to print
};

// Compiles the program whose main file is `path`; if that lies in a project, modules are looked for where its
// nlang.toml says. Any file, however wrong, gives diagnostics. Thread-safe: shares nothing.
CompileResult compileFile(const std::string& path, const CompileOptions& options);

// The same for a main file that is in memory already; `path` is its name in diagnostics and where its imports are
// looked for.
CompileResult compileText(const std::string& path, std::string text, const CompileOptions& options);

// The same for the main file of the project whose nlang.toml is `projectFile` (see findProjectFile).
CompileResult compileProject(const std::string& projectFile, const CompileOptions& options);

} // namespace nlang::embed
