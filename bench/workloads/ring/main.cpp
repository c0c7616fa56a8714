#include "../../lib/tasks.h"

static constexpr int kMembers = 1000;

static Task member(Channel<int>& from, Channel<int>& to, int number, int& last) {
  while (true) {
    int hopsLeft = co_await from.recv();
    if (hopsLeft == 0) {
      last = number;
      co_return;
    }
    co_await to.send(hopsLeft - 1);
  }
}

static Task begin(Channel<int>& first, int hops) { co_await first.send(hops); }

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]), last = 0;
  std::vector<Channel<int>> channels(kMembers);
  for (int i = 0; i < kMembers; i++) member(channels[i], channels[(i + 1) % kMembers], i + 1, last);
  auto start = Clock::now();
  begin(channels[0], n);
  scheduler.run();
  std::printf("%.1f %d\n", nanosecondsSince(start) / n, last);
}
