#include "sched/timers.h"

namespace nlang::sched {

void Timers::set(Context& context, int64_t deadline) {
  if ((size_ >> kChunkBits) == chunks_.size())
    chunks_.push_back(std::make_unique_for_overwrite<Entry[]>(1u << kChunkBits));
  siftUp(size_++, Entry{deadline, nextSequence_++, &context});
  noteEarliest();
}

void Timers::cancel(Context& context) {
  uint32_t place = context.timer.load(std::memory_order_relaxed);
  if (place == 0) return;
  removeAt(place - 1);
  noteEarliest();
}

void Timers::pop() {
  removeAt(0);
  noteEarliest();
}

void Timers::removeAt(uint32_t i) {
  at(i).context->timer.store(0, std::memory_order_release); // see Scheduler::dropTimer
  Entry last = at(--size_);
  // A spare chunk is kept, so that a heap that breathes around a chunk's end does not allocate each time.
  if ((size_ >> kChunkBits) + 2 < chunks_.size()) chunks_.pop_back();
  if (i == size_) return;
  if (i > 0 && before(last, at((i - 1) / 4)))
    siftUp(i, last);
  else
    siftDown(i, last);
}

void Timers::siftUp(uint32_t i, const Entry& entry) {
  while (i > 0) {
    uint32_t parent = (i - 1) / 4;
    if (!before(entry, at(parent))) break;
    place(i, at(parent));
    i = parent;
  }
  place(i, entry);
}

void Timers::siftDown(uint32_t i, const Entry& entry) {
  for (;;) {
    uint64_t first = uint64_t{i} * 4 + 1;
    if (first >= size_) break;
    uint32_t least = static_cast<uint32_t>(first);
    uint32_t end = first + 4 < size_ ? static_cast<uint32_t>(first + 4) : size_;
    for (uint32_t child = least + 1; child < end; ++child) {
      if (before(at(child), at(least))) least = child;
    }
    if (!before(at(least), entry)) break;
    place(i, at(least));
    i = least;
  }
  place(i, entry);
}

} // namespace nlang::sched
