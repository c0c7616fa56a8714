#include "embed/file_loader.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "embed/standard_library.h"

namespace nlang::embed {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStandardPrefix = "std/";
constexpr std::string_view kExtension = ".n";
constexpr int kMostEntriesSearched = 5000; // for a suggestion; a folder may be the root of everything

std::string moduleNameOf(std::string_view path) {
  std::string name(path);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::string canonicalPath(const fs::path& file) {
  std::error_code error;
  std::string canonical = fs::canonical(file, error).string();
  return error ? file.string() : canonical;
}

} // namespace

FileLoader::FileLoader(syntax::SourceManager& sources, std::string root, std::vector<std::string> searchDirectories)
    : sources_(sources), root_(std::move(root)), searchDirectories_(std::move(searchDirectories)) {}

void FileLoader::addMain(const syntax::SourceFile& file) {
  loaded_.emplace(canonicalPath(file.path()), Found{file.id(), fs::path(file.path()).stem().string(), false});
}

std::vector<std::string> FileLoader::directoriesFor(uint32_t importer) const {
  const syntax::SourceFile* from = sources_.file(importer);
  std::vector<std::string> directories;
  if (from != nullptr) directories.push_back(fs::path(from->path()).parent_path().string());
  directories.push_back(root_);
  directories.insert(directories.end(), searchDirectories_.begin(), searchDirectories_.end());
  return directories;
}

bool FileLoader::find(std::string_view path, uint32_t importer, Found& found) {
  if (!isStandard(importer)) {
    for (const std::string& directory : directoriesFor(importer)) {
      if (findFile(directory, path, found)) return true;
    }
  }
  return findStandard(path, found);
}

std::vector<std::string> FileLoader::modulesNear(std::string_view path, uint32_t importer) {
  std::set<std::string> names;
  for (const StandardLibraryFile& file : standardLibraryFiles()) {
    std::string_view name = file.path.substr(0, file.path.size() - kExtension.size());
    if (name != "prelude") names.insert(moduleNameOf(name));
  }
  auto depth = static_cast<int>(std::count(path.begin(), path.end(), '/'));
  int budget = kMostEntriesSearched;
  for (const std::string& directory : directoriesFor(importer)) {
    std::error_code error;
    fs::path start(directory.empty() ? "." : directory);
    fs::recursive_directory_iterator entry(start, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::end(entry) && budget > 0; entry.increment(error), --budget) {
      if (entry.depth() >= depth) entry.disable_recursion_pending();
      if (entry->path().extension() != kExtension || !entry->is_regular_file(error)) continue;
      names.insert(moduleNameOf(entry->path().lexically_relative(start).replace_extension().string()));
    }
  }
  return {names.begin(), names.end()};
}

uint32_t FileLoader::prelude() {
  Found found;
  return findStandard("prelude", found) ? found.file : syntax::kNoFile;
}

bool FileLoader::findFile(const std::string& directory, std::string_view path, Found& found) {
  fs::path file = fs::path(directory) / (std::string(path) + std::string(kExtension));
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::string canonical = canonicalPath(file);
  if (auto known = loaded_.find(canonical); known != loaded_.end()) {
    found = known->second;
    return true;
  }
  syntax::LoadResult loaded = sources_.load(file.string());
  if (loaded.file == nullptr) {
    found = {};
    found.fault = file.string() + " " + loaded.error.message;
    return true;
  }
  found = {loaded.file->id(), moduleNameOf(path), false};
  loaded_.emplace(std::move(canonical), found);
  return true;
}

bool FileLoader::findStandard(std::string_view path, Found& found) {
  std::string name = std::string(path) + std::string(kExtension);
  std::string key = std::string(kStandardPrefix) + name;
  if (auto known = loaded_.find(key); known != loaded_.end()) {
    found = known->second;
    return true;
  }
  std::string_view text = standardLibrarySource(name);
  if (text.data() == nullptr) return false;
  syntax::LoadResult loaded = sources_.add(key, std::string(text));
  if (loaded.file == nullptr) return false;
  standardFiles_.insert(loaded.file->id());
  found = {loaded.file->id(), moduleNameOf(path), true};
  loaded_.emplace(std::move(key), found);
  return true;
}

} // namespace nlang::embed
