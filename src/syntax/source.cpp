#include "syntax/source.h"

#include "base/utf8.h"
#include "syntax/diagnostic.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nlang::syntax {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

LoadError errorOf(DiagId id, std::string message) { return {id, std::move(message)}; }

LoadError systemError() {
  const char* reason = std::strerror(errno);
  return errorOf(DiagId::FileNotFound, fmt::vformat(infoOf(DiagId::FileNotFound).text, fmt::make_format_args(reason)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// Reads to the end or to one byte over the limit, whichever comes first: the file may grow while it is read.
bool readAll(int fd, std::size_t expected, std::string& text) {
  text.resize(expected + 1);
  std::size_t used = 0;
  for (;;) {
    if (used == text.size()) {
      if (used > kMaxSourceBytes) return true;
      text.resize(std::min(used * 2, kMaxSourceBytes + 1));
    }
    const ssize_t got = ::read(fd, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  return true;
}

} // namespace

SourceFile::SourceFile(FileId id, std::string path, std::string text)
    : id_(id), path_(std::move(path)), text_(std::move(text)) {}

void SourceFile::findLines() const {
  if (!lineStarts_.empty()) return;
  lineStarts_.push_back(0);
  const char* begin = text_.data();
  const char* end = begin + text_.size();
  for (const char* at = begin; at < end;) {
    const auto* found = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (found == nullptr) break;
    at = found + 1;
    lineStarts_.push_back(static_cast<std::uint32_t>(at - begin));
  }
}

std::uint32_t SourceFile::lineCount() const {
  findLines();
  return static_cast<std::uint32_t>(lineStarts_.size());
}

std::uint32_t SourceFile::lineOf(std::uint32_t offset) const {
  findLines();
  const auto after = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  return static_cast<std::uint32_t>(after - lineStarts_.begin());
}

std::uint32_t SourceFile::lineStart(std::uint32_t line) const {
  findLines();
  std::uint32_t start = lineStarts_[std::min<std::size_t>(line, lineStarts_.size()) - 1];
  if (start == 0 && std::string_view(text_).starts_with(kByteOrderMark)) start = kByteOrderMark.size();
  return start;
}

LineColumn SourceFile::positionOf(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const std::uint32_t line = lineOf(offset);
  const std::uint32_t start = std::min(lineStart(line), offset);
  const auto before = base::countCodePoints(std::string_view(text_).substr(start, offset - start));
  return {line, static_cast<std::uint32_t>(before) + 1};
}

std::string_view SourceFile::lineText(std::uint32_t line) const {
  const std::uint32_t start = lineStart(line);
  std::string_view rest = std::string_view(text_).substr(start);
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

LoadResult SourceManager::load(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer must not hang.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return {nullptr, systemError()};
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return {nullptr, systemError()};
  if (S_ISDIR(info.st_mode)) return {nullptr, errorOf(DiagId::FileIsDirectory, infoOf(DiagId::FileIsDirectory).text)};
  if (!S_ISREG(info.st_mode)) return {nullptr, errorOf(DiagId::FileNotRegular, infoOf(DiagId::FileNotRegular).text)};
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > kMaxSourceBytes) return {nullptr, errorOf(DiagId::FileTooLarge, infoOf(DiagId::FileTooLarge).text)};
  std::string text;
  if (!readAll(fd.get(), static_cast<std::size_t>(size), text)) return {nullptr, systemError()};
  return add(path, std::move(text));
}

LoadResult SourceManager::add(std::string path, std::string text) {
  if (text.size() > kMaxSourceBytes) return {nullptr, errorOf(DiagId::FileTooLarge, infoOf(DiagId::FileTooLarge).text)};
  const auto id = static_cast<FileId>(files_.size() + 1);
  files_.push_back(std::make_unique<SourceFile>(id, std::move(path), std::move(text)));
  return {files_.back().get(), {}};
}

const SourceFile* SourceManager::file(FileId id) const {
  return id == kNoFile || id > files_.size() ? nullptr : files_[id - 1].get();
}

} // namespace nlang::syntax
