#include "../../lib/tasks.h"

static Task echo(Channel<int>& there, Channel<int>& back) {
  while (true) co_await back.send(co_await there.recv() + 1);
}

static Task ask(Channel<int>& there, Channel<int>& back, int n, int64_t& sum) {
  for (int i = 0; i < n; i++) {
    co_await there.send(i);
    sum += co_await back.recv();
  }
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]);
  int64_t sum = 0;
  Channel<int> there, back;
  echo(there, back);
  auto start = Clock::now();
  ask(there, back, n, sum);
  scheduler.run();
  std::printf("%.1f %lld\n", nanosecondsSince(start) / n, static_cast<long long>(sum));
}
