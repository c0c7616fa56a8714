// Source files and positions in them.
//
// A position is a file id and a byte offset, 32 bits each; lines and columns are computed only when somebody wants to
// read them. A `SourceManager` owns the text of every file of a compilation: views into a text stay valid as long as it
// does. Ids count from 1 in the order of loading; 0 means "no file".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nlang::syntax {

enum class DiagId : std::uint16_t;

using FileId = std::uint32_t;
inline constexpr FileId kNoFile = 0;

/// The largest source file, in bytes (rule L1.1).
inline constexpr std::size_t kMaxSourceBytes = std::size_t{64} * 1024 * 1024;

/// Half-open byte range [begin, end) of one file.
struct SourceRange {
  FileId file = kNoFile;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool valid() const { return file != kNoFile; }
  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

/// The smallest range that holds both; `a` comes first in the text.
inline SourceRange join(SourceRange a, SourceRange b) { return {a.file, a.begin, b.end > a.end ? b.end : a.end}; }
/// The empty range behind `range`: where a missing token belongs.
inline SourceRange endOf(SourceRange range) { return {range.file, range.end, range.end}; }

/// A position as people read it: both count from 1, columns in code points.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

class SourceFile {
 public:
  SourceFile(FileId id, std::string path, std::string text);

  FileId id() const { return id_; }
  /// The name as the user wrote it; diagnostics print it.
  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }

  std::uint32_t lineCount() const;
  /// `offset` may be anything up to the size of the text (the end of file has a position too).
  std::uint32_t lineOf(std::uint32_t offset) const;
  LineColumn positionOf(std::uint32_t offset) const;
  /// The line (from 1) without its line break; a byte order mark is not part of line 1.
  std::string_view lineText(std::uint32_t line) const;
  /// Byte offset at which the line (from 1) starts.
  std::uint32_t lineStart(std::uint32_t line) const;

 private:
  void findLines() const;

  FileId id_;
  std::string path_;
  std::string text_;                              // whole file, byte order mark included
  mutable std::vector<std::uint32_t> lineStarts_; // offsets of line starts; empty until first asked for
};

/// Why a file could not be loaded: a diagnostic without a position.
struct LoadError {
  DiagId id{};
  std::string message; // one line, without the path
};

struct LoadResult {
  const SourceFile* file = nullptr; // null: see `error`
  LoadError error;
};

class SourceManager {
 public:
  /// Reads a file of at most `kMaxSourceBytes` bytes. Directories, devices and unreadable files are errors; bytes that
  /// are no UTF-8 are not (the lexer reports them with their position).
  LoadResult load(const std::string& path);
  /// Adds a text that is in memory already. A text over the limit is refused.
  LoadResult add(std::string path, std::string text);

  /// Null for `kNoFile` and unknown ids.
  const SourceFile* file(FileId id) const;
  std::size_t fileCount() const { return files_.size(); }

 private:
  std::vector<std::unique_ptr<SourceFile>> files_; // file with id N is at N - 1
};

} // namespace nlang::syntax
