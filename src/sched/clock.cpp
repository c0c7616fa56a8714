#include "sched/clock.h"

#include <cerrno>
#include <ctime>

namespace nlang::sched {

namespace {
constexpr int64_t kNanosPerSecond = 1'000'000'000;
}

int64_t Clock::realNow() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kNanosPerSecond + t.tv_nsec;
}

void Clock::sleepUntil(int64_t time) const {
  timespec t{};
  t.tv_sec = time / kNanosPerSecond;
  t.tv_nsec = time % kNanosPerSecond;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

} // namespace nlang::sched
