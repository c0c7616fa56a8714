// A project: a folder with an `nlang.toml` (rule L1.7). Its root is the nearest such folder at or above a program's
// file; a single file needs none.
//
// The file is read anew for every compilation. Whatever is wrong with it is a diagnostic that points into it, so the
// file is kept in the compilation's SourceManager like a module.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "syntax/diagnostic.h"
#include "syntax/source.h"

namespace nlang::embed {

struct Project {
  std::string file;                   // path of nlang.toml
  std::string root;                   // its folder; "" is the current one
  std::string name;                   // "" if not given
  std::string version;                // "" if not given
  std::string main;                   // path of the main module; "" if not given
  syntax::SourceRange mainRange;      // where it is named
  std::vector<std::string> paths;     // folders in which modules are looked for, behind the root
  std::vector<std::string> testPaths; // what holds tests; empty if not given
};

// The path of the nearest nlang.toml in `folder` ("" is the current one) or above it; nothing if there is none. It is
// relative to the current folder if `folder` is.
std::optional<std::string> findProjectFile(const std::string& folder);

// Reads an nlang.toml; all paths of the result have its folder in front. Errors and warnings go to the sink.
Project readProject(const std::string& file, syntax::SourceManager& sources, syntax::DiagnosticSink& sink);

} // namespace nlang::embed
