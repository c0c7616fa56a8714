// Where a carrier that has nothing to do sleeps: until a time, a signal, an event of a descriptor, or a wake() from
// another thread.
//
// One carrier at a time waits; wake() may be called by any thread, and a wake() that comes before the wait ends it at
// once.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "sched/descriptor_wait.h"

namespace nlang::sched {

class Poller {
 public:
  // What has become ready.
  class Events {
   public:
    std::span<DescriptorWait* const> ready() const { return {ready_, count_}; }

   private:
    friend class Poller;
    static constexpr int kMost = 64;
    DescriptorWait* ready_[kMost];
    size_t count_ = 0;
  };

  // Throws std::system_error when the system has no descriptors left.
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;

  // Sleeps until `deadline` (CLOCK_MONOTONIC nanoseconds; INT64_MAX: for ever), an event or a wake().
  void wait(int64_t deadline, Events& events);
  void wake();
  // What has become ready meanwhile. Any thread; an event comes to one.
  void look(Events& events);

  // From now on `wait` is among the events whenever its descriptor becomes ready; if it is already, at once. Until the
  // descriptor is closed. False: errno says why not.
  bool watch(int descriptor, Direction direction, DescriptorWait& wait);
  bool watchesDescriptors() const { return watchesDescriptors_.load(std::memory_order_relaxed); }

  // Signals, from a non-blocking signalfd that outlives the poller. Once, before anybody waits; throws
  // std::system_error. They end a wait until they have been taken.
  void watchSignals(int descriptor);
  bool watchesSignals() const { return signals_ >= 0; }
  // The number of a signal that has come, each once; 0: there is none. Any thread.
  int takeSignal();

 private:
  int sleep_;        // an epoll set of the three that follow; only who sleeps takes its events
  int descriptors_;  // an epoll set, each descriptor edge-triggered; level-triggered in sleep_
  int wakeEvent_;    // an eventfd, edge-triggered
  int signals_ = -1; // a signalfd of the host's, level-triggered; -1: none
  std::atomic<bool> watchesDescriptors_{false};
};

} // namespace nlang::sched
