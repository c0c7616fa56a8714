#include "vm/input.h"

#include <cerrno>
#include <cstring>

#include <poll.h>
#include <unistd.h>

namespace nlang::vm {

// False at the end of input (errno 0) and on an error.
bool Input::fill() {
  if (buffer_ == nullptr) buffer_ = std::make_unique<char[]>(kCapacity);
  for (;;) {
    ssize_t got = ::read(descriptor_, buffer_.get(), kCapacity);
    if (got >= 0) {
      next_ = 0;
      end_ = static_cast<size_t>(got);
      errno = 0;
      return got > 0;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd readable = {descriptor_, POLLIN, 0};
      ::poll(&readable, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
}

Input::Read Input::readLine(std::string& line) {
  line.clear();
  for (;;) {
    if (next_ == end_ && !fill()) {
      if (errno != 0) return Read::kError;
      return line.empty() ? Read::kEnd : Read::kLine;
    }
    const char* start = buffer_.get() + next_;
    const void* newline = std::memchr(start, '\n', end_ - next_);
    size_t size = newline ? static_cast<size_t>(static_cast<const char*>(newline) - start) : end_ - next_;
    line.append(start, size);
    next_ += size;
    if (newline == nullptr) continue;
    ++next_;
    if (line.ends_with('\r')) line.pop_back();
    return Read::kLine;
  }
}

} // namespace nlang::vm
