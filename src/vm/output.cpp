#include "vm/output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/uio.h>

namespace nlang::vm {

int writeAll(int descriptor, std::string_view text, std::string_view more) {
  while (!text.empty() || !more.empty()) {
    iovec pieces[] = {{const_cast<char*>(text.data()), text.size()}, {const_cast<char*>(more.data()), more.size()}};
    ssize_t written = ::writev(descriptor, pieces, 2);
    if (written < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        pollfd writable = {descriptor, POLLOUT, 0};
        ::poll(&writable, 1, -1);
      } else if (errno != EINTR) {
        return errno;
      }
      continue;
    }
    size_t ofText = std::min(static_cast<size_t>(written), text.size());
    text.remove_prefix(ofText);
    more.remove_prefix(static_cast<size_t>(written) - ofText);
  }
  return 0;
}

int Output::write(std::string_view text, std::string_view more) {
  std::lock_guard lock(mutex_);
  size_t size = text.size() + more.size();
  if (size > kCapacity - used_) {
    if (int error = flushLocked()) return error;
    if (size > kCapacity) return emit(text, more);
  }
  if (buffer_ == nullptr) buffer_ = std::make_unique<char[]>(kCapacity);
  for (std::string_view piece : {text, more}) {
    if (piece.empty()) continue;
    std::memcpy(buffer_.get() + used_, piece.data(), piece.size());
    used_ += piece.size();
  }
  return 0;
}

int Output::flush() {
  std::lock_guard lock(mutex_);
  return flushLocked();
}

int Output::flushLocked() {
  if (used_ == 0) return 0;
  size_t size = used_;
  used_ = 0;
  return emit({buffer_.get(), size});
}

int Output::emit(std::string_view text, std::string_view more) {
  if (!sink_) return writeAll(descriptor_, text, more);
  sink_(text);
  if (!more.empty()) sink_(more);
  return 0;
}

} // namespace nlang::vm
