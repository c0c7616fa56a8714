// Exploration of schedules (C2.8): another order of what can run, drawn by a generator with a seed, so that the same
// seed gives the same order again.
//
// One carrier only. The contexts that can run are in no order: the next one is any of them, with equal chance, so that
// none starves for long. Contexts are still queued in the carrier's FifoQueue, so that queueing costs nothing more;
// they move on when the next one is picked.
//
// Slices are drawn by halving the quota some random number of times first, so that with the usual quota of 1000 half of
// them are at most 31 long. A fault that shows when a context is preempted between a look and the act that relies on it
// needs a preemption within a few calls; slices spread evenly over the quota would hardly ever bring one about in a
// short test.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sched/run_queue.h"

namespace nlang::sched {

class Exploration {
 public:
  explicit Exploration(uint64_t seed) : state_(seed) {}

  bool empty() const { return ready_.empty(); }
  // Any of those that can run, `queued` among them, taken out; null: there is none.
  Context* next(FifoQueue& queued) {
    while (Context* context = queued.pop()) ready_.push_back(context);
    if (ready_.empty()) return nullptr;
    Context*& place = ready_[below(static_cast<uint32_t>(ready_.size()))];
    Context* picked = place;
    place = ready_.back();
    ready_.pop_back();
    return picked;
  }
  // From 1 to `quota`.
  uint32_t sliceLength(uint32_t quota) {
    uint32_t halvings = below(static_cast<uint32_t>(std::bit_width(quota)));
    return 1 + below(quota >> halvings);
  }

 private:
  // Splitmix64, by Steele, Lea and Flood: neighbouring seeds give sequences that have nothing in common.
  uint64_t random() {
    uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  }
  // From 0 to `limit` - 1.
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>((random() >> 32) * limit >> 32); }

  std::vector<Context*> ready_; // in no order
  uint64_t state_;
};

} // namespace nlang::sched
