#include <boost/context/fiber.hpp>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "../../lib/stopwatch.h"

using boost::context::fiber;

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]), gate = 0, passed = 0;
  auto start = Clock::now();
  std::vector<fiber> waiting;
  for (int i = 0; i < n; i++) {
    fiber one([&](fiber&& main) { // on a stack of the default size
      main = std::move(main).resume();
      passed += gate;
      return std::move(main);
    });
    waiting.push_back(std::move(one).resume()); // runs to the gate
  }
  gate = 1;
  for (fiber& one : waiting) one = std::move(one).resume();
  std::printf("%.1f %d\n", nanosecondsSince(start) / (n + 1), passed);
}
