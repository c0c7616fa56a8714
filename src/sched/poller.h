// Where a carrier that has nothing to do sleeps: until a time, an event of a descriptor, or a wake() from another
// thread.
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

 private:
  int epoll_;
  int wakeEvent_; // an eventfd, edge-triggered
};

} // namespace nlang::sched
