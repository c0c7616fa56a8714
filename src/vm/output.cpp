#include "vm/output.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace nlang::vm {

Output::Output(int descriptor, Buffer buffer, TextSink sink)
    : sink_(std::move(sink)), capacity_(buffer == Buffer::kLarge ? kLarge : 0),
      wait_(descriptor, sched::Direction::kWrite) {}

Output::~Output() {
  flush(Patience::kWaits);
  if (isOwn_) ::close(wait_.descriptor);
}

int Output::write(std::string_view text, std::string_view more, Patience patience) {
  std::lock_guard lock(mutex_);
  size_t size = text.size() + more.size();
  if (size > capacity_ - std::min(capacity_, used())) {
    int error = flushLocked(patience);
    if (error > 0) return error;
    bool hasRoom = used() == 0 || size <= capacity_ - std::min(capacity_, used());
    if (!hasRoom && patience != Patience::kKeeps) return kFull;
    if (used() == 0 && size > capacity_) return emit(text, more, patience);
  }
  if (buffer_.capacity() < capacity_) buffer_.reserve(capacity_);
  (buffer_ += text) += more;
  return 0;
}

int Output::flush(Patience patience) {
  std::lock_guard lock(mutex_);
  int error = flushLocked(patience);
  if (error > 0 && lost_ == 0) lost_ = error;
  return error;
}

int Output::lost() {
  std::lock_guard lock(mutex_);
  return lost_;
}

int Output::flushLocked(Patience patience) {
  std::string_view rest = std::string_view(buffer_).substr(start_), none;
  int error = 0;
  while (!rest.empty() && error == 0) error = writeSome(rest, none, patience);
  if (error != kFull) rest = {};
  // What is left moves to the front, unless that would cost more than was gained.
  start_ = buffer_.size() - rest.size();
  if (start_ < rest.size()) return error;
  buffer_.erase(0, start_);
  start_ = 0;
  if (buffer_.empty() && buffer_.capacity() > 2 * kLarge) buffer_ = {};
  return error;
}

// With an empty buffer; what is not taken now goes there, so that the piece stays one.
int Output::emit(std::string_view text, std::string_view more, Patience patience) {
  while (!text.empty() || !more.empty()) {
    int error = writeSome(text, more, patience);
    if (error > 0) return error;
    if (error == kFull) {
      (buffer_ += text) += more;
      return 0;
    }
  }
  return 0;
}

namespace {

// At most so many bytes of the text, up to the end of a line if there is one among them.
std::string_view wholeLines(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  size_t newline = text.rfind('\n', most - 1);
  return text.substr(0, newline == std::string_view::npos ? most : newline + 1);
}

} // namespace

// One system call's worth, taken off both texts.
int Output::writeSome(std::string_view& text, std::string_view& more, Patience patience) {
  if (sink_) {
    if (!text.empty()) sink_(text);
    if (!more.empty()) sink_(more);
    text = more = {};
    return 0;
  }
  if (!isOpen_) open();
  if (mayWait_ && !isOwn_ && !waitsForRoom(patience)) return kFull;
  // Who says that it can be written to takes so much without waiting, and a pipe takes it whole or not at all: so lines
  // are not torn by what another writes to the same pipe.
  size_t most = mayWait_ ? PIPE_BUF : SSIZE_MAX;
  std::string_view first = wholeLines(text, most), second;
  if (first.size() == text.size()) second = more.substr(0, most - first.size());
  iovec pieces[] = {{const_cast<char*>(first.data()), first.size()}, {const_cast<char*>(second.data()), second.size()}};
  ssize_t written = ::writev(wait_.descriptor, pieces, 2);
  if (written < 0) {
    if (errno == EINTR) return 0;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return errno;
    return waitsForRoom(patience) ? 0 : kFull;
  }
  size_t ofText = std::min(static_cast<size_t>(written), text.size());
  text.remove_prefix(ofText);
  more.remove_prefix(static_cast<size_t>(written) - ofText);
  return 0;
}

// False: there is none now. An error of the descriptor counts as room; the write then tells of it.
bool Output::waitsForRoom(Patience patience) const {
  pollfd writable = {wait_.descriptor, POLLOUT, 0};
  return ::poll(&writable, 1, patience == Patience::kWaits ? -1 : 0) != 0;
}

void Output::open() {
  isOpen_ = true;
  struct stat status;
  if (::fstat(wait_.descriptor, &status) != 0) return;
  mayWait_ = !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode);
  if (!S_ISFIFO(status.st_mode) && !::isatty(wait_.descriptor)) return;
  std::string path = "/proc/self/fd/" + std::to_string(wait_.descriptor);
  int own = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (own < 0) return;
  isOwn_ = true;
  wait_.descriptor = own;
}

} // namespace nlang::vm
