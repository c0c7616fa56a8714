// Standard output, buffered (L11.2), and unbuffered writes to a descriptor. A host may take the text itself.
//
// Invariants
// - What one write() is given reaches the descriptor as one piece: nothing else comes in between, and the buffer is
// never split around it.
// - The buffer is emptied when it is full, by flush(), and by the destructor. The Vm flushes before it waits for an
// event, before standard input
//   is read, and at its end.
// - Any thread may use it: a lock is held while text is put into the buffer or written out.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

namespace nlang::vm {

// What takes text in place of a descriptor.
using TextSink = std::function<void(std::string_view)>;

class Output {
 public:
  // The descriptor stays open; by default it is standard output. With a sink it is of no account.
  explicit Output(int descriptor = 1, TextSink sink = {}) : descriptor_(descriptor), sink_(std::move(sink)) {}
  ~Output() { flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // 0, or the errno of a write that failed; what had been buffered is then lost.
  int write(std::string_view text, std::string_view more = {});
  int flush();

 private:
  static constexpr size_t kCapacity = 64 * 1024;
  int flushLocked();
  int emit(std::string_view text, std::string_view more = {});

  int descriptor_;
  TextSink sink_;                  // empty: there is none; called while mutex_ is held
  std::mutex mutex_;               // guards what follows
  size_t used_ = 0;                // bytes in the buffer
  std::unique_ptr<char[]> buffer_; // kCapacity bytes; null until something is written
};

// Writes all of both texts to a descriptor, waiting as long as it takes; one system call where possible. 0 or an errno.
int writeAll(int descriptor, std::string_view text, std::string_view more = {});

} // namespace nlang::vm
