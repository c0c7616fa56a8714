#include "embed/project.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "base/utf8.h"

namespace nlang::embed {

namespace {

namespace fs = std::filesystem;
using syntax::DiagId;
using syntax::SourceRange;

constexpr const char* kProjectFile = "nlang.toml";
constexpr std::array<std::string_view, 5> kKeys = {"name", "version", "main", "paths", "test"};
constexpr std::array<std::string_view, 1> kTestKeys = {"paths"};

// Three numbers and, behind a hyphen or plus, whatever one likes.
bool isVersion(std::string_view text) {
  for (int part = 0; part < 3; ++part) {
    size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text.remove_prefix(digits);
    if (part < 2) {
      if (!text.starts_with('.')) return false;
      text.remove_prefix(1);
    }
  }
  return text.empty() || ((text[0] == '-' || text[0] == '+') && text.size() > 1);
}

class ProjectReader {
 public:
  ProjectReader(const syntax::SourceFile& file, syntax::DiagnosticSink& sink, Project& project)
      : file_(file), sink_(sink), project_(project) {}

  void read() {
    toml::parse_result parsed = toml::parse(file_.text());
    if (!parsed) {
      sink_.report(DiagId::BadProjectFile, rangeOf(parsed.error().source()), std::string(parsed.error().description()));
      return;
    }
    const toml::table& table = parsed.table();
    checkKeys(table, kKeys);
    project_.name = text(table, "name").value_or("");
    readVersion(table);
    if (auto main = text(table, "main")) {
      project_.main = inRoot(*main);
      project_.mainRange = rangeOf(table.get("main")->source());
    }
    project_.paths = folders(table, "paths");
    const toml::node* test = table.get("test");
    if (test != nullptr && !test->is_table()) {
      wrongType(*test, "test", "a table");
    } else if (test != nullptr) {
      checkKeys(*test->as_table(), kTestKeys);
      project_.testPaths = folders(*test->as_table(), "paths");
    }
  }

 private:
  void readVersion(const toml::table& table) {
    auto version = text(table, "version");
    if (!version) return;
    project_.version = *version;
    if (!isVersion(*version)) {
      sink_.report(DiagId::BadProjectVersion, rangeOf(table.get("version")->source()), *version);
    }
  }

  std::optional<std::string> text(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    auto value = node->value_exact<std::string>();
    if (!value) {
      wrongType(*node, key, "a string");
    } else if (value->empty()) {
      sink_.report(DiagId::EmptyProjectValue, rangeOf(node->source()), key);
    }
    return value;
  }

  std::vector<std::string> folders(const toml::table& table, std::string_view key) {
    std::vector<std::string> result;
    const toml::node* node = table.get(key);
    if (node == nullptr) return result;
    if (!node->is_array()) {
      wrongType(*node, key, "an array of strings");
      return result;
    }
    for (const toml::node& element : *node->as_array()) {
      auto value = element.value_exact<std::string>();
      if (!value) {
        wrongType(element, key, "an array of strings");
        continue;
      }
      std::error_code error;
      std::string folder = inRoot(*value);
      if (!fs::is_directory(folder.empty() ? "." : folder, error)) {
        sink_.report(DiagId::ProjectPathMissing, rangeOf(element.source()), *value);
      }
      result.push_back(std::move(folder));
    }
    return result;
  }

  void checkKeys(const toml::table& table, std::span<const std::string_view> known) {
    for (const auto& [key, value] : table) {
      std::string_view name = key.str();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      auto& diagnostic = sink_.report(DiagId::UnknownProjectKey, rangeOf(key.source()), name);
      std::string_view near = syntax::nearestWord(name, {known.begin(), known.end()});
      if (!near.empty()) diagnostic.suggest("did you mean `" + std::string(near) + "`?");
    }
  }

  void wrongType(const toml::node& node, std::string_view key, std::string_view wanted) {
    sink_.report(DiagId::ProjectValueType, rangeOf(node.source()), key, wanted);
  }

  std::string inRoot(const std::string& path) const { return (fs::path(project_.root) / path).lexically_normal(); }

  SourceRange rangeOf(const toml::source_region& region) const {
    uint32_t begin = offsetOf(region.begin);
    return {file_.id(), begin, std::max(begin, offsetOf(region.end))};
  }

  // The library counts lines and columns, from 1 and in code points.
  uint32_t offsetOf(const toml::source_position& position) const {
    if (!position || position.line > file_.lineCount()) return static_cast<uint32_t>(file_.text().size());
    uint32_t at = file_.lineStart(position.line);
    std::string_view line = file_.lineText(position.line);
    size_t within = 0;
    for (uint32_t column = 1; column < position.column && within < line.size(); ++column) {
      within += base::decodeUtf8(line, within).length;
    }
    return at + static_cast<uint32_t>(within);
  }

  const syntax::SourceFile& file_;
  syntax::DiagnosticSink& sink_;
  Project& project_;
};

} // namespace

std::optional<std::string> findProjectFile(const std::string& folder) {
  std::error_code error;
  fs::path start = fs::absolute(folder.empty() ? "." : folder, error).lexically_normal();
  if (error) return std::nullopt;
  for (fs::path at = start;; at = at.parent_path()) {
    fs::path file = at / kProjectFile;
    if (fs::is_regular_file(file, error)) {
      if (fs::path(folder).is_absolute()) return file.string();
      return file.lexically_relative(fs::current_path(error)).string();
    }
    if (at == at.parent_path()) return std::nullopt;
  }
}

Project readProject(const std::string& file, syntax::SourceManager& sources, syntax::DiagnosticSink& sink) {
  Project project;
  project.file = file;
  project.root = fs::path(file).parent_path().string();
  syntax::LoadResult loaded = sources.load(file);
  if (loaded.file == nullptr) {
    sink.reportFile(file, loaded.error);
  } else {
    ProjectReader(*loaded.file, sink, project).read();
  }
  return project;
}

} // namespace nlang::embed
