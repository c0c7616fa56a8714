#include "../../lib/tasks.h"

struct Gate {
  int value = 0;
  std::vector<std::coroutine_handle<>> waiting;
  bool await_ready() const { return value != 0; }
  void await_suspend(std::coroutine_handle<> one) { waiting.push_back(one); }
  int await_resume() const { return value; }
  void open(int with) {
    value = with;
    for (std::coroutine_handle<> one : waiting) scheduler.ready.push_back(one);
  }
};

static Task waitAt(Gate& gate, int& passed) { passed += co_await gate; }

static Task joinAll(std::vector<Task>& tasks) {
  for (Task& task : tasks) co_await task;
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]), passed = 0;
  auto start = Clock::now();
  Gate gate;
  std::vector<Task> waiting;
  for (int i = 0; i < n; i++) waiting.push_back(waitAt(gate, passed));
  scheduler.run(); // until all wait
  gate.open(1);
  joinAll(waiting);
  scheduler.run();
  std::printf("%.1f %d\n", nanosecondsSince(start) / (n + 1), passed);
}
