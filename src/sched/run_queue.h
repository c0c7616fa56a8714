// Queues of contexts that can run.
//
// While one carrier runs, all of them are in its FifoQueue, strictly first in, first out. With several, each carrier
// has a StealableQueue (after Go's scheduler): a ring to which only its owner adds, without a read-modify-write, and
// from whose front everybody takes by compare-and-swap. What finds no room goes to the shared queue, half a ring at a
// time.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/context.h"

namespace nlang::sched {

// Linked through Context::queueNext. Not locked.
class FifoQueue {
 public:
  bool empty() const { return head_ == nullptr; }
  uint32_t length() const { return length_; }
  Context* first() const { return head_; }
  void push(Context& context) {
    context.queueNext = nullptr;
    (tail_ ? tail_->queueNext : head_) = &context;
    tail_ = &context;
    ++length_;
  }
  // Null: empty.
  Context* pop() {
    Context* context = head_;
    if (context == nullptr) return nullptr;
    head_ = context->queueNext;
    if (head_ == nullptr) tail_ = nullptr;
    --length_;
    return context;
  }

 private:
  Context* head_ = nullptr;
  Context* tail_ = nullptr;
  uint32_t length_ = 0;
};

// Invariant: the contexts are in places [head, tail) of the ring, modulo its size; tail - head is at most kCapacity.
// `tail_` is written by the owner only. A thief that loses the race for `head_` has read places that may hold anything,
// and throws them away.
class StealableQueue {
 public:
  static constexpr uint32_t kCapacity = 256;

  // Of any carrier; a moment's truth.
  uint32_t length() const {
    uint32_t tail = tail_.load(std::memory_order_acquire), head = head_.load(std::memory_order_acquire);
    return tail - head > kCapacity ? 0 : tail - head;
  }
  // The owner's. False: full.
  bool push(Context& context) {
    uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == kCapacity) return false;
    place(tail).store(&context, std::memory_order_relaxed);
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  // The owner's. Null: empty.
  Context* pop() {
    uint32_t tail = tail_.load(std::memory_order_relaxed);
    uint32_t head = head_.load(std::memory_order_acquire);
    while (head != tail) {
      Context* context = place(head).load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(head, head + 1, std::memory_order_acq_rel)) return context;
    }
    return nullptr;
  }
  // Takes the older half (rounded up) of the contexts out into `to`, which has room for kCapacity; gives their number.
  uint32_t takeHalf(Context** to) {
    uint32_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      uint32_t length = tail_.load(std::memory_order_acquire) - head;
      if (length == 0) return 0;
      if (length <= kCapacity) {
        uint32_t count = length - length / 2;
        for (uint32_t i = 0; i < count; ++i) to[i] = place(head + i).load(std::memory_order_relaxed);
        if (head_.compare_exchange_weak(head, head + count, std::memory_order_acq_rel)) return count;
      } else {
        head = head_.load(std::memory_order_acquire); // others have moved it on since it was read
      }
    }
  }

 private:
  std::atomic<Context*>& place(uint32_t i) { return places_[i % kCapacity]; }

  alignas(64) std::atomic<uint32_t> head_{0};
  alignas(64) std::atomic<uint32_t> tail_{0};
  std::atomic<Context*> places_[kCapacity] = {};
};

} // namespace nlang::sched
