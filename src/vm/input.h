// Standard input, buffered, read by lines.
//
// Invariants: bytes between `next_` and `end_` have been read from the descriptor and not handed out; `line_` is the
// part of a line that came before them. Any thread may use it: a lock is held, but never while bytes are waited for.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "sched/descriptor_wait.h"

namespace nlang::vm {

class Input {
 public:
  // The descriptor stays open.
  explicit Input(int descriptor) : wait_(descriptor, sched::Direction::kRead) {}

  enum class Read { kLine, kEnd, kNothing, kTooLong, kError };
  // The next line without its newline (and the carriage return before it). A last line without a newline counts, unless
  // it is empty. kNothing: there is no whole line yet; wait for wait(). kTooLong: it has more than `most` bytes; what
  // was taken of it is thrown away, and the rest of it is the next line. kError: errno says why.
  Read readLine(std::string& line, uint64_t most);

  sched::DescriptorWait& wait() { return wait_; }

 private:
  static constexpr size_t kCapacity = 64 * 1024;
  Read fill();

  sched::DescriptorWait wait_;
  std::mutex mutex_; // guards what follows
  size_t next_ = 0, end_ = 0;
  std::unique_ptr<char[]> buffer_; // kCapacity bytes; null until something is read
  std::string line_;
};

} // namespace nlang::vm
