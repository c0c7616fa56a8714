#include "../../lib/tasks.h"

static Task nap() { co_await Sleep{std::chrono::seconds(10)}; }

static Task joinAll(std::vector<Task>& sleepers, int& ended) {
  for (Task& sleeper : sleepers) {
    co_await sleeper;
    ended++;
  }
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]), ended = 0;
  auto start = Clock::now();
  std::vector<Task> sleepers;
  for (int i = 0; i < n; i++) sleepers.push_back(nap());
  joinAll(sleepers, ended);
  scheduler.run();
  std::printf("%.1f %d\n", (nanosecondsSince(start) - 10e9) / n, ended);
}
