#include "../../lib/tasks.h"

static Task yieldTimes(int n, int& switches) {
  for (int i = 0; i < n; i++) {
    co_await Yield{};
    switches++;
  }
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]), switches = 0;
  auto start = Clock::now();
  yieldTimes(n / 2, switches);
  yieldTimes(n / 2, switches);
  scheduler.run();
  std::printf("%.1f %d\n", nanosecondsSince(start) / n, switches);
}
