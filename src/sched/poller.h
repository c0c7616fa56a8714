// Where a carrier that has nothing to do sleeps: until a time, a signal, or a wake() from another thread.
//
// One carrier at a time waits; wake() may be called by any thread, and a wake() that comes before the wait ends it at
// once.
#pragma once

#include <cstdint>

namespace nlang::sched {

class Poller {
 public:
  // Throws std::system_error when the system has no descriptors left.
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;

  // Sleeps until `deadline` (CLOCK_MONOTONIC nanoseconds; INT64_MAX: for ever), an event or a wake().
  void wait(int64_t deadline);
  void wake();

  // Signals, from a non-blocking signalfd that outlives the poller. Once, before anybody waits; throws
  // std::system_error. They end a wait until they have been taken.
  void watchSignals(int descriptor);
  bool watchesSignals() const { return signals_ >= 0; }
  // The number of a signal that has come, each once; 0: there is none. Any thread.
  int takeSignal();

 private:
  int epoll_;
  int wakeEvent_;    // an eventfd, edge-triggered
  int signals_ = -1; // a signalfd of the host's, level-triggered; -1: none
};

} // namespace nlang::sched
