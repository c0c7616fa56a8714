// The one clock of a scheduler: real or virtual. Every read of time by the run-time system comes through here.
#pragma once

#include <cstdint>

namespace nlang::sched {

class Clock {
 public:
  explicit Clock(bool isVirtual) : isVirtual_(isVirtual) {}
  // Nanoseconds: CLOCK_MONOTONIC, or the virtual time, which starts at 0.
  int64_t now() const { return isVirtual_ ? virtualNow_ : realNow(); }
  bool isVirtual() const { return isVirtual_; }
  // Virtual only: time stands still while anything can run and jumps when nothing can.
  void advanceTo(int64_t time) {
    if (time > virtualNow_) virtualNow_ = time;
  }
  // Real only: blocks the calling thread until `time`.
  void sleepUntil(int64_t time) const;

 private:
  static int64_t realNow();
  bool isVirtual_;
  int64_t virtualNow_ = 0;
};

} // namespace nlang::sched
