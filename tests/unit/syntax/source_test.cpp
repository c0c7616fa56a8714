#include "unit/syntax/support.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>

namespace nlang::syntax {
namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nlang-source-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

TEST(Source, PositionsCountLinesAndCodePointsFromOne) {
  SourceManager sources;
  const SourceFile& file = *sources.add("a.n", "ab\nh\xC3\xA9x\n\nlast").file;
  EXPECT_EQ(file.lineCount(), 4U);
  const auto at = [&](std::uint32_t offset) {
    const LineColumn p = file.positionOf(offset);
    return std::to_string(p.line) + ":" + std::to_string(p.column);
  };
  EXPECT_EQ(at(0), "1:1");
  EXPECT_EQ(at(2), "1:3");
  EXPECT_EQ(at(3), "2:1");
  EXPECT_EQ(at(6), "2:3");
  EXPECT_EQ(at(8), "3:1");
  EXPECT_EQ(at(13), "4:5");
  EXPECT_EQ(at(99), "4:5");
  EXPECT_EQ(file.lineText(2), "h\xC3\xA9x");
  EXPECT_EQ(file.lineText(3), "");
}

TEST(Source, AByteOrderMarkHasNoColumn) {
  SourceManager sources;
  const SourceFile& file = *sources
                                .add("a.n", "\xEF\xBB\xBF"
                                            "ab\r\n")
                                .file;
  EXPECT_EQ(file.positionOf(3).column, 1U);
  EXPECT_EQ(file.lineText(1), "ab");
}

TEST(Source, LoadsFilesAndCountsThem) {
  const Folder folder;
  std::ofstream(folder / "a.n") << "void main() { }\n";
  SourceManager sources;
  const LoadResult a = sources.load(folder / "a.n");
  ASSERT_NE(a.file, nullptr);
  EXPECT_EQ(a.file->text(), "void main() { }\n");
  EXPECT_EQ(a.file->id(), 1U);
  EXPECT_EQ(sources.file(1), a.file);
  EXPECT_EQ(sources.file(0), nullptr);
  EXPECT_EQ(sources.file(2), nullptr);
}

TEST(Source, AnEmptyFileIsAFile) {
  const Folder folder;
  std::ofstream(folder / "empty.n").flush();
  SourceManager sources;
  ASSERT_NE(sources.load(folder / "empty.n").file, nullptr);
  EXPECT_EQ(sources.file(1)->positionOf(0).line, 1U);
}

// rule: L12.1
TEST(Source, WhatIsNoFileIsAnError) {
  const Folder folder;
  SourceManager sources;
  EXPECT_EQ(sources.load(folder / "missing.n").error.id, DiagId::FileNotFound);
  EXPECT_EQ(sources.load(folder / "").error.id, DiagId::FileIsDirectory);
  EXPECT_EQ(sources.load("/dev/zero").error.id, DiagId::FileNotRegular);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(sources.load(folder / "pipe").error.id, DiagId::FileNotRegular);
  EXPECT_EQ(sources.fileCount(), 0U);

  DiagnosticSink sink;
  sink.reportFile("missing.n", sources.load(folder / "missing.n").error);
  EXPECT_EQ(renderDiagnostics(sources, sink),
            "missing.n: error[E0101]: cannot read the file: No such file or directory\n");
}

// rule: L1.1
TEST(Source, TheLimitIs64Megabytes) {
  const Folder folder;
  std::ofstream(folder / "big.n").flush();
  std::filesystem::resize_file(folder / "big.n", kMaxSourceBytes + 1);
  SourceManager sources;
  EXPECT_EQ(sources.load(folder / "big.n").error.id, DiagId::FileTooLarge);
  EXPECT_EQ(sources.add("big.n", std::string(kMaxSourceBytes + 1, ' ')).error.id, DiagId::FileTooLarge);
  EXPECT_NE(sources.add("just.n", std::string(kMaxSourceBytes, ' ')).file, nullptr);
}

} // namespace
} // namespace nlang::syntax
