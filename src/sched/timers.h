// Timers: a 4-ary heap ordered by deadline, ties by order of creation, with back-pointers (Context::timer), so that a
// timer is cancelled in O(log n) and a cancelled one is not kept. Grown by chunks: a million timers are never copied.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sched/context.h"

namespace nlang::sched {

class Timers {
 public:
  bool empty() const { return size_ == 0; }
  uint32_t size() const { return size_; }
  // Deadline of the earliest timer; kNoDeadline (INT64_MAX) if there is none.
  int64_t nextDeadline() const { return size_ == 0 ? INT64_MAX : at(0).deadline; }
  void set(Context& context, int64_t deadline);
  // No-op if the context has no timer.
  void cancel(Context& context);
  // Removes and returns the context of the earliest timer.
  Context* pop();

 private:
  struct Entry {
    int64_t deadline;
    uint64_t sequence;
    Context* context;
  };
  static constexpr uint32_t kChunkBits = 12;
  Entry& at(uint32_t i) { return chunks_[i >> kChunkBits][i & ((1u << kChunkBits) - 1)]; }
  const Entry& at(uint32_t i) const { return chunks_[i >> kChunkBits][i & ((1u << kChunkBits) - 1)]; }
  void place(uint32_t i, const Entry& entry) {
    at(i) = entry;
    entry.context->timer = i + 1;
  }
  void siftUp(uint32_t i, const Entry& entry);
  void siftDown(uint32_t i, const Entry& entry);
  void removeAt(uint32_t i);
  static bool before(const Entry& a, const Entry& b) {
    return a.deadline != b.deadline ? a.deadline < b.deadline : a.sequence < b.sequence;
  }

  std::vector<std::unique_ptr<Entry[]>> chunks_;
  uint32_t size_ = 0;
  uint64_t nextSequence_ = 0;
};

} // namespace nlang::sched
