#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "../../lib/stopwatch.h"

static std::mutex mutex;
static std::condition_variable changed;
static int turn = 0, switches = 0;

static void takeTurns(int me, int times) {
  std::unique_lock lock(mutex);
  for (int i = 0; i < times; i++) {
    changed.wait(lock, [me] { return turn == me; });
    turn = 1 - me;
    switches++;
    changed.notify_one();
  }
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]);
  auto start = Clock::now();
  std::thread other(takeTurns, 1, n / 2);
  takeTurns(0, n / 2);
  other.join();
  std::printf("%.1f %d\n", nanosecondsSince(start) / n, switches);
}
