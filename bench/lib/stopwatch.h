// The clock of the C++ programs.
#pragma once

#include <chrono>

using Clock = std::chrono::steady_clock;

inline double nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}
