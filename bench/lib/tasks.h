// The least that the concurrent workloads need in C++20: coroutines on one thread with a run queue, timers, joins and
// unbuffered channels. No cancellation, no error handling: the floor of what suspension can cost.
#pragma once

#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <queue>
#include <thread>
#include <vector>

#include "stopwatch.h"

struct Scheduler {
  struct Timer {
    Clock::time_point due;
    std::coroutine_handle<> sleeper;
    bool operator<(const Timer& other) const { return due > other.due; }
  };
  std::deque<std::coroutine_handle<>> ready;
  std::priority_queue<Timer> timers;

  // Runs until nothing can run any more.
  void run() {
    while (true) {
      while (!ready.empty()) {
        std::coroutine_handle<> next = ready.front();
        ready.pop_front();
        next.resume();
      }
      if (timers.empty()) return;
      std::this_thread::sleep_until(timers.top().due);
      while (!timers.empty() && timers.top().due <= Clock::now()) {
        ready.push_back(timers.top().sleeper);
        timers.pop();
      }
    }
  }
};

inline Scheduler scheduler;

// A started task; it runs when the scheduler comes to it. Awaiting it joins it. Whoever holds it destroys its frame.
struct Task {
  struct promise_type {
    std::coroutine_handle<> joiner;
    bool done = false;
    Task get_return_object() {
      auto handle = std::coroutine_handle<promise_type>::from_promise(*this);
      scheduler.ready.push_back(handle);
      return {handle};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept {
      done = true;
      if (joiner) scheduler.ready.push_back(joiner);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;

  bool await_ready() const { return handle.promise().done; }
  void await_suspend(std::coroutine_handle<> joiner) const { handle.promise().joiner = joiner; }
  void await_resume() const { handle.destroy(); }
};

struct Sleep {
  Clock::duration time;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> sleeper) const { scheduler.timers.push({Clock::now() + time, sleeper}); }
  void await_resume() const {}
};

struct Yield {
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> task) const { scheduler.ready.push_back(task); }
  void await_resume() const {}
};

// Unbuffered: a send is over when its value has been taken. At most one task waits on each side in these workloads.
template <typename T> class Channel {
  struct Waiter {
    std::coroutine_handle<> task;
    T* value = nullptr;
  };
  Waiter sender_, receiver_;

 public:
  struct Send {
    Channel& channel;
    T value;
    bool await_ready() {
      Waiter& receiver = channel.receiver_;
      if (!receiver.task) return false;
      *receiver.value = value;
      scheduler.ready.push_back(receiver.task);
      receiver = {};
      return true;
    }
    void await_suspend(std::coroutine_handle<> task) { channel.sender_ = {task, &value}; }
    void await_resume() const {}
  };
  struct Receive {
    Channel& channel;
    T value{};
    bool await_ready() {
      Waiter& sender = channel.sender_;
      if (!sender.task) return false;
      value = *sender.value;
      scheduler.ready.push_back(sender.task);
      sender = {};
      return true;
    }
    void await_suspend(std::coroutine_handle<> task) { channel.receiver_ = {task, &value}; }
    T await_resume() const { return value; }
  };

  Send send(T value) { return {*this, value}; }
  Receive recv() { return {*this}; }
};
