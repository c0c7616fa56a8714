#include "../../lib/tasks.h"

static Task generate(Channel<int>& to) {
  for (int i = 2;; i++) co_await to.send(i);
}

static Task keepIndivisible(Channel<int>& from, Channel<int>& to, int prime) {
  while (true) {
    int candidate = co_await from.recv();
    if (candidate % prime != 0) co_await to.send(candidate);
  }
}

static Task findPrimes(std::deque<Channel<int>>& channels, int n, Clock::time_point start) {
  generate(channels.emplace_back());
  int prime = 0;
  for (int i = 0; i < n; i++) {
    Channel<int>& candidates = channels.back();
    prime = co_await candidates.recv();
    keepIndivisible(candidates, channels.emplace_back(), prime);
  }
  std::printf("%.1f %d\n", nanosecondsSince(start), prime);
  std::fflush(stdout);
  std::_Exit(0);
}

int main(int, char** arguments) {
  std::deque<Channel<int>> channels;
  findPrimes(channels, std::atoi(arguments[1]), Clock::now());
  scheduler.run();
}
