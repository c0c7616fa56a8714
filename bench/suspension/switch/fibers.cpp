#include <boost/context/fiber.hpp>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "../../lib/stopwatch.h"

using boost::context::fiber;

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]), switches = 0;
  auto takeTurns = [&](fiber other) {
    for (int i = 0; i < n / 2; i++) {
      switches++;
      other = std::move(other).resume();
    }
    return other;
  };
  auto start = Clock::now();
  takeTurns(fiber([&](fiber&& main) { return takeTurns(std::move(main)); }));
  std::printf("%.1f %d\n", nanosecondsSince(start) / n, switches);
}
