// A hash over what the scheduler did, in its order: two runs with the same hash were interleaved in the same way
// (C2.2).
//
// One carrier only; with several there is no one order. Kept only where somebody asks for it.
#pragma once

#include <cstdint>

namespace nlang::sched {

enum class ScheduleEvent : uint8_t { kSpawn, kRun, kPark, kUnpark, kPreempt, kEnd };

class EventHash {
 public:
  // `detail` is the reason of a park, the outcome of a wait, whether a context failed; else 0.
  void note(ScheduleEvent event, uint64_t contextId, unsigned detail = 0) {
    ++count_;
    uint64_t mixed = (hash_ ^ contextId << 16 ^ detail << 8 ^ static_cast<uint64_t>(event)) * 0x9e3779b97f4a7c15;
    hash_ = mixed ^ mixed >> 29;
  }
  uint64_t count() const { return count_; }
  uint64_t hash() const { return hash_; }

 private:
  uint64_t count_ = 0;
  uint64_t hash_ = 0;
};

} // namespace nlang::sched
