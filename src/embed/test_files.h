// Which files hold tests (docs/testing.md): those named *_test.n.
#pragma once

#include <string>
#include <vector>

namespace nlang::embed {

struct TestFiles {
  std::vector<std::string> files; // in order of their paths, each once
  std::string diagnostics;        // about nlang.toml, or a path that is not there; ready to print
  bool ok = true;                 // no errors among them
};

// A path that is a file is taken, whatever its name; in a folder all files of tests are, at any depth, but for folders
// whose name begins with a dot. Without paths: what [test] of the project around the current folder names, else the
// whole project; the current folder if it lies in none.
TestFiles findTestFiles(const std::vector<std::string>& paths);

} // namespace nlang::embed
