#include "vm/input.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace nlang::vm {

// kLine: there are more bytes. The descriptor is shared with other processes and therefore not made non-blocking, but
// asked first.
Input::Read Input::fill() {
  if (buffer_ == nullptr) buffer_ = std::make_unique<char[]>(kCapacity);
  for (;;) {
    pollfd readable = {wait_.descriptor, POLLIN, 0};
    if (::poll(&readable, 1, 0) == 0) return Read::kNothing;
    ssize_t got = ::read(wait_.descriptor, buffer_.get(), kCapacity);
    if (got >= 0) {
      next_ = 0;
      end_ = static_cast<size_t>(got);
      return got > 0 ? Read::kLine : Read::kEnd;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Read::kNothing;
    if (errno != EINTR) return Read::kError;
  }
}

Input::Read Input::readLine(std::string& line, uint64_t most) {
  std::lock_guard lock(mutex_);
  for (;;) {
    if (next_ == end_) {
      Read more = fill();
      if (more == Read::kEnd && !line_.empty()) {
        line = std::exchange(line_, {});
        return Read::kLine;
      }
      if (more != Read::kLine) return more;
    }
    const char* start = buffer_.get() + next_;
    const void* newline = std::memchr(start, '\n', end_ - next_);
    size_t size = newline ? static_cast<size_t>(static_cast<const char*>(newline) - start) : end_ - next_;
    if (size > most - line_.size()) {
      line_ = {};
      return Read::kTooLong;
    }
    line_.append(start, size);
    next_ += size;
    if (newline == nullptr) continue;
    ++next_;
    if (line_.ends_with('\r')) line_.pop_back();
    line = std::exchange(line_, {});
    return Read::kLine;
  }
}

} // namespace nlang::vm
