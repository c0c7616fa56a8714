// Modules from files: the ModuleLoader of the command and of embedders that keep programs on disk.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sema/checker.h"
#include "syntax/source.h"

namespace nlang::embed {

// Resolution order (L1.5): the importing file's directory, the project root, each search directory, the standard
// library.
class FileLoader final : public sema::ModuleLoader {
 public:
  // `root` is the project root, a directory; "" stands for the current one.
  FileLoader(syntax::SourceManager& sources, std::string root, std::vector<std::string> searchDirectories);

  // The main file, loaded already: an import of it, also its own, is that module and no second copy.
  void addMain(const syntax::SourceFile& file);

  bool find(std::string_view path, uint32_t importer, Found& found) override;
  uint32_t prelude() override;

 private:
  bool findFile(const std::string& directory, std::string_view path, Found& found);
  bool findStandard(std::string_view path, Found& found);

  syntax::SourceManager& sources_;
  std::string root_;
  std::vector<std::string> searchDirectories_;
  std::unordered_map<std::string, Found> loaded_; // by canonical path; of the standard library `std:PATH`
};

} // namespace nlang::embed
