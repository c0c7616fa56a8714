// Standard output and standard error (L11.2). A host may take the text itself.
//
// Invariants
// - What one write() is given reaches the descriptor as one piece: nothing else comes in between.
// - Text is kept while there is room for it: in a buffer that is emptied when it is full, by flush(), and by the
// destructor; the Vm flushes before it waits for an event, before standard input is read, and at its end. A piece that
// finds no room and cannot be written either is refused, and its writer waits (C2.5): for `wait()`.
// - Any thread may use it: a lock is held while text is put into the buffer or written out, but never while the
// descriptor has no room, unless the caller asks to wait in place.
//
// How a write is kept from waiting: descriptors are shared with other processes, so they are not made non-blocking. A
// pipe or a terminal is opened once more for that, where the system allows it; else it is asked first, and is given as
// much at a time as then finds room.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "sched/descriptor_wait.h"

namespace nlang::vm {

// What takes text in place of a descriptor.
using TextSink = std::function<void(std::string_view)>;

class Output {
 public:
  enum class Buffer : uint8_t { kNone, kLarge };
  // What becomes of text that finds no room now: it is refused; the operation waits in place until the descriptor has
  // taken it; or it is kept, however much that is.
  enum class Patience : uint8_t { kNone, kWaits, kKeeps };
  static constexpr int kFull = -1;

  // The descriptor stays open. With a sink it is of no account.
  Output(int descriptor, Buffer buffer, TextSink sink = {});
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // 0; kFull: refused, nothing was taken; or the errno of a write that failed: what had been buffered is then lost.
  int write(std::string_view text, std::string_view more, Patience patience);
  // Writes out what is buffered, as much as is taken now or all (kWaits). kFull: some is left.
  int flush(Patience patience);
  // The errno of the first flush that lost text of writers who had been told that all is well; 0: there was none.
  int lost();

  // For who has been told kFull.
  sched::DescriptorWait& wait() { return wait_; }

 private:
  static constexpr size_t kLarge = 64 * 1024; // bytes
  size_t used() const { return buffer_.size() - start_; }
  int flushLocked(Patience patience);
  int emit(std::string_view text, std::string_view more, Patience patience);
  int writeSome(std::string_view& text, std::string_view& more, Patience patience);
  void open();
  bool waitsForRoom(Patience patience) const;

  TextSink sink_;              // empty: there is none; called while mutex_ is held
  const size_t capacity_;      // of buffer_, where text is not kept beyond
  sched::DescriptorWait wait_; // has the descriptor that is written to
  std::mutex mutex_;           // guards what follows, and the descriptor in wait_ until it is open
  bool isOpen_ = false;        // open() has been called
  bool isOwn_ = false;         // the descriptor is one of its own, and non-blocking
  bool mayWait_ = false;       // a write could wait: it is asked first
  int lost_ = 0;               // for lost()
  size_t start_ = 0;           // where in buffer_ that begins which is not written yet
  std::string
      buffer_; // at most capacity_, but for what kKeeps kept and the rest of a piece that began when it was empty
};

} // namespace nlang::vm
