#include "sched/clock.h"

#include <ctime>

namespace nlang::sched {

int64_t Clock::realNow() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kNanosPerSecond + t.tv_nsec;
}

} // namespace nlang::sched
