// Timers: a 4-ary heap ordered by deadline, ties by order of creation, with back-pointers (Context::timer), so that a
// timer is cancelled in O(log n) and a cancelled one is not kept. Grown by chunks: a million timers are never copied.
//
// Not locked, but for nextDeadline(): the scheduler calls the rest under its timer lock once several carriers run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sched/context.h"

namespace nlang::sched {

class Timers {
 public:
  uint32_t size() const { return size_; }
  // Deadline of the earliest timer; kNoDeadline (INT64_MAX) if there is none. Any thread.
  int64_t nextDeadline() const { return earliest_.load(std::memory_order_relaxed); }
  void set(Context& context, int64_t deadline);
  // No-op if the context has no timer.
  void cancel(Context& context);
  // The context of the earliest timer; there is one.
  Context& first() { return *at(0).context; }
  void pop();

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
    entry.context->timer.store(i + 1, std::memory_order_relaxed);
  }
  void siftUp(uint32_t i, const Entry& entry);
  void siftDown(uint32_t i, const Entry& entry);
  void removeAt(uint32_t i);
  void noteEarliest() { earliest_.store(size_ == 0 ? INT64_MAX : at(0).deadline, std::memory_order_relaxed); }
  static bool before(const Entry& a, const Entry& b) {
    return a.deadline != b.deadline ? a.deadline < b.deadline : a.sequence < b.sequence;
  }

  std::vector<std::unique_ptr<Entry[]>> chunks_;
  uint32_t size_ = 0;
  uint64_t nextSequence_ = 0;
  std::atomic<int64_t> earliest_{INT64_MAX};
};

} // namespace nlang::sched
