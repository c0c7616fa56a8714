#include "../../lib/tasks.h"

static Task nothing() { co_return; }

static Task spawnAndJoin(int n, int& ended) {
  for (int i = 0; i < n; i++) {
    co_await nothing();
    ended++;
  }
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]), ended = 0;
  auto start = Clock::now();
  spawnAndJoin(n, ended);
  scheduler.run();
  std::printf("%.1f %d\n", nanosecondsSince(start) / n, ended);
}
