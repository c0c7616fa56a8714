// What stress tests with several threads of the system have in common.
#pragma once

#include <barrier>
#include <cstdlib>
#include <thread>
#include <vector>

namespace nlang::test {

constexpr unsigned kThreads = 4;

// Rounds of a stress test: `few` in a test run, NLANG_STRESS times as many where that is set (./dev soak).
inline unsigned stressRounds(unsigned few) {
  const char* times = std::getenv("NLANG_STRESS");
  return times == nullptr ? few : few * static_cast<unsigned>(std::atoi(times));
}

// Calls body(0), body(1), … on threads that start together, and waits for their end.
template <class F> void onThreads(unsigned count, F&& body) {
  std::barrier start(count);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

} // namespace nlang::test
