#include "embed/test_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "embed/project.h"
#include "syntax/diagnostic.h"
#include "syntax/source.h"

namespace nlang::embed {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTestSuffix = "_test.n";

void addFolder(const std::string& folder, std::vector<std::string>& files) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder.empty() ? "." : folder, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::end(entry); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (entry->is_directory(error)) {
      if (name.starts_with('.')) entry.disable_recursion_pending();
    } else if (name.ends_with(kTestSuffix)) {
      files.push_back((fs::path(folder) / entry->path().lexically_relative(folder.empty() ? "." : folder)).string());
    }
  }
}

// The folders to look in when none is given.
std::vector<std::string> defaultFolders(TestFiles& found) {
  std::optional<std::string> file = findProjectFile("");
  if (!file) return {""};
  syntax::SourceManager sources;
  syntax::DiagnosticSink sink;
  Project project = readProject(*file, sources, sink);
  found.diagnostics = syntax::renderDiagnostics(sources, sink, {});
  found.ok = !sink.hasErrors();
  return project.testPaths.empty() ? std::vector<std::string>{project.root} : project.testPaths;
}

void sortAndUnify(std::vector<std::string>& files) {
  std::sort(files.begin(), files.end());
  std::set<std::string> known;
  std::erase_if(files, [&](const std::string& file) {
    std::error_code error;
    fs::path canonical = fs::canonical(file, error);
    return !known.insert(error ? file : canonical.string()).second;
  });
}

} // namespace

TestFiles findTestFiles(const std::vector<std::string>& paths) {
  TestFiles found;
  for (const std::string& path : paths.empty() ? defaultFolders(found) : paths) {
    std::error_code error;
    if (path.empty() || fs::is_directory(path, error)) {
      addFolder(path, found.files);
    } else if (fs::exists(path, error)) {
      found.files.push_back(path);
    } else {
      found.diagnostics += "there is no file or folder `" + path + "`\n";
      found.ok = false;
    }
  }
  sortAndUnify(found.files);
  return found;
}

} // namespace nlang::embed
