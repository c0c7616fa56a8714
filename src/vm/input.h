// Standard input, buffered, read by lines.
//
// Invariant: bytes between `next_` and `end_` have been read from the descriptor and not handed out. Used by one thread
// at a time. A read occupies its carrier until bytes come.
#pragma once

#include <memory>
#include <string>

namespace nlang::vm {

class Input {
 public:
  // The descriptor stays open; by default it is standard input.
  explicit Input(int descriptor = 0) : descriptor_(descriptor) {}

  enum class Read { kLine, kEnd, kError };
  // The next line without its newline (and the carriage return before it). A last line without a newline counts, unless
  // it is empty. kError: errno says why.
  Read readLine(std::string& line);

 private:
  static constexpr size_t kCapacity = 64 * 1024;
  bool fill();

  int descriptor_;
  size_t next_ = 0, end_ = 0;
  std::unique_ptr<char[]> buffer_; // kCapacity bytes; null until something is read
};

} // namespace nlang::vm
