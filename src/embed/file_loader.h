// Modules from files: the ModuleLoader of the command and of embedders that keep programs on disk.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sema/checker.h"
#include "syntax/source.h"

namespace nlang::embed {

// Resolution order (L1.5): the importing file's directory, the project root, each search directory, the standard
// library. Modules of the standard library see that library alone. The first file of the right name is taken; if it
// cannot be read, that is said, and no other is looked for.
class FileLoader final : public sema::ModuleLoader {
 public:
  // `root` is the project root, a directory; "" stands for the current one.
  FileLoader(syntax::SourceManager& sources, std::string root, std::vector<std::string> searchDirectories);

  // The main file, loaded already: an import of it, also its own, is that module and no second copy.
  void addMain(const syntax::SourceFile& file);

  bool find(std::string_view path, uint32_t importer, Found& found) override;
  std::vector<std::string> modulesNear(std::string_view path, uint32_t importer) override;
  uint32_t prelude() override;

 private:
  bool findFile(const std::string& directory, std::string_view path, Found& found);
  bool findStandard(std::string_view path, Found& found);
  bool isStandard(uint32_t file) const { return standardFiles_.contains(file); }
  // Where modules imported by a file of the program are looked for, in order; "" is the current directory.
  std::vector<std::string> directoriesFor(uint32_t importer) const;

  syntax::SourceManager& sources_;
  std::string root_;
  std::vector<std::string> searchDirectories_;
  std::unordered_map<std::string, Found> loaded_; // by canonical path, which is absolute; of the library `std/PATH`
  std::unordered_set<uint32_t> standardFiles_;    // the library's files among them
};

} // namespace nlang::embed
