#include <coroutine>
#include <cstdio>
#include <cstdlib>

#include "../../lib/stopwatch.h"

struct Player {
  struct promise_type {
    Player get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<> handle;
};

struct HandOver {
  std::coroutine_handle<>& other;
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const { return other; }
  void await_resume() const {}
};

static Player takeTurns(std::coroutine_handle<>& other, int times, int& switches) {
  for (int i = 0; i < times; i++) {
    switches++;
    co_await HandOver{other};
  }
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]), switches = 0;
  std::coroutine_handle<> first, second;
  auto start = Clock::now();
  first = takeTurns(second, n / 2, switches).handle;
  second = takeTurns(first, n / 2, switches).handle;
  first.resume(); // comes back when the first has ended
  std::printf("%.1f %d\n", nanosecondsSince(start) / n, switches);
  first.destroy();
  second.destroy();
}
