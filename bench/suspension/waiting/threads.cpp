#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <thread>
#include <vector>

#include "../../lib/stopwatch.h"

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]);
  auto start = Clock::now();
  std::atomic<int> gate = 0, passed = 0;
  std::latch arrived(n);
  std::vector<std::thread> waiting;
  for (int i = 0; i < n; i++) {
    waiting.emplace_back([&] {
      arrived.count_down();
      gate.wait(0);
      passed += gate;
    });
  }
  arrived.wait();
  gate = 1;
  gate.notify_all();
  for (std::thread& one : waiting) one.join();
  std::printf("%.1f %d\n", nanosecondsSince(start) / (n + 1), passed.load());
}
