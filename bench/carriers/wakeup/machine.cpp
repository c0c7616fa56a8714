// What the machine itself takes: a thread that sleeps on one processor is woken by one that is busy on another.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <thread>
#include <vector>

#include "../../lib/stopwatch.h"

static void stayOn(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static void computeFor(std::chrono::microseconds time) {
  for (auto start = Clock::now(); Clock::now() - start < time;) {
  }
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]);
  std::binary_semaphore call{0};
  std::atomic<bool> isAwake{false};
  std::thread sleeper([&] {
    stayOn(1);
    for (int i = 0; i < n; i++) {
      call.acquire();
      isAwake = true;
    }
  });
  stayOn(0);
  std::vector<double> times;
  for (int i = 0; i < n; i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    computeFor(std::chrono::microseconds(300));
    auto start = Clock::now();
    call.release();
    while (!isAwake) {
    }
    times.push_back(nanosecondsSince(start));
    isAwake = false;
  }
  sleeper.join();
  std::ranges::sort(times);
  std::printf("%.1f %zu\n", times[times.size() / 2], times.size());
}
