#include "embed/file_loader.h"

#include <algorithm>
#include <filesystem>

#include "embed/standard_library.h"

namespace nlang::embed {

namespace {

constexpr std::string_view kStandardPrefix = "std/";

std::string moduleNameOf(std::string_view path) {
  std::string name(path);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::string canonicalPath(const std::filesystem::path& file) {
  std::error_code error;
  std::string canonical = std::filesystem::canonical(file, error).string();
  return error ? file.string() : canonical;
}

} // namespace

FileLoader::FileLoader(syntax::SourceManager& sources, std::string root, std::vector<std::string> searchDirectories)
    : sources_(sources), root_(std::move(root)), searchDirectories_(std::move(searchDirectories)) {}

void FileLoader::addMain(const syntax::SourceFile& file) {
  loaded_.emplace(canonicalPath(file.path()),
                  Found{file.id(), std::filesystem::path(file.path()).stem().string(), false});
}

bool FileLoader::find(std::string_view path, uint32_t importer, Found& found) {
  const syntax::SourceFile* from = sources_.file(importer);
  bool fromStandard = from != nullptr && from->path().starts_with(kStandardPrefix);
  if (!fromStandard) {
    std::string directory =
        from == nullptr ? std::string() : std::filesystem::path(from->path()).parent_path().string();
    if (findFile(directory, path, found) || findFile(root_, path, found)) return true;
    for (const std::string& search : searchDirectories_) {
      if (findFile(search, path, found)) return true;
    }
  }
  return findStandard(path, found);
}

uint32_t FileLoader::prelude() {
  Found found;
  return findStandard("prelude", found) ? found.file : syntax::kNoFile;
}

bool FileLoader::findFile(const std::string& directory, std::string_view path, Found& found) {
  std::filesystem::path file = std::filesystem::path(directory) / (std::string(path) + ".n");
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::string canonical = canonicalPath(file);
  if (auto known = loaded_.find(canonical); known != loaded_.end()) {
    found = known->second;
    return true;
  }
  syntax::LoadResult loaded = sources_.load(file.string());
  if (loaded.file == nullptr) return false;
  found = {loaded.file->id(), moduleNameOf(path), false};
  loaded_.emplace(std::move(canonical), found);
  return true;
}

bool FileLoader::findStandard(std::string_view path, Found& found) {
  std::string name = std::string(path) + ".n";
  std::string key = std::string(kStandardPrefix) + name;
  if (auto known = loaded_.find(key); known != loaded_.end()) {
    found = known->second;
    return true;
  }
  std::string_view text = standardLibrarySource(name);
  if (text.data() == nullptr) return false;
  syntax::LoadResult loaded = sources_.add(key, std::string(text));
  if (loaded.file == nullptr) return false;
  found = {loaded.file->id(), moduleNameOf(path), true};
  loaded_.emplace(std::move(key), found);
  return true;
}

} // namespace nlang::embed
