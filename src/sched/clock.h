// The one clock of a scheduler: real or virtual. Every read of time by the run-time system comes through here.
#pragma once

#include <atomic>
#include <cstdint>

namespace nlang::sched {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kNanosPerMilli = 1'000'000;

class Clock {
 public:
  explicit Clock(bool isVirtual) : isVirtual_(isVirtual) {}
  // Nanoseconds: CLOCK_MONOTONIC, or the virtual time, which starts at 0. Any thread.
  int64_t now() const { return isVirtual_ ? virtualNow_.load(std::memory_order_relaxed) : realNow(); }
  bool isVirtual() const { return isVirtual_; }
  // Virtual only: time stands still while anything can run and jumps when nothing can. By one carrier, while all others
  // are idle.
  void advanceTo(int64_t time) {
    if (time > virtualNow_.load(std::memory_order_relaxed)) virtualNow_.store(time, std::memory_order_relaxed);
  }
  static int64_t realNow();

 private:
  bool isVirtual_;
  std::atomic<int64_t> virtualNow_{0};
};

} // namespace nlang::sched
