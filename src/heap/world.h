// Stopping the world: a collection, or a report about all contexts, needs every carrier to stand still.
//
// Invariants
// - A carrier is inside while it may touch the heap: it enters before it runs contexts and leaves before it sleeps.
// - `stopRequested()` is all that a running carrier looks at; it does so at safepoints, where its context is saved.
// - Between stop() and resume() the caller is the only one inside that moves: the others wait in safepoint(), enter()
// or stop(), or are outside.
// - Who holds a lock bit comes to no safepoint, so no bit is ever held while the world is stopped.
//
// Most stops are shorter than it takes to put a thread to sleep and wake it, so everybody first waits awake for a
// moment.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace nlang::heap {

class World {
 public:
  World() = default;
  World(const World&) = delete;

  // Of the calling thread. enter() waits while the world is stopped.
  void enter();
  void leave();

  // A relaxed read: cheap enough for every safepoint.
  bool stopRequested() const { return stopping_.load(std::memory_order_relaxed); }
  // Waits until the world goes on, if it is to stop. The caller is inside and its context is saved.
  void safepoint() {
    if (stopRequested()) [[unlikely]]
      waitStopped();
  }

  // Makes all others stand still; the caller is inside, at a safepoint. False: somebody else stopped the world first;
  // the call has waited until that was over, and nothing is stopped now.
  bool stop();
  void resume();

 private:
  void waitStopped();
  template <class Condition> bool becomesSoon(Condition condition) const;

  std::mutex mutex_;
  std::condition_variable allStopped_, goOn_;
  std::atomic<bool> stopping_{false}; // written under the mutex
  std::atomic<uint32_t> inside_{0};   // carriers inside that do not stand still; written under the mutex
};

// Stops the world for a scope, waiting for its turn.
class StoppedWorld {
 public:
  explicit StoppedWorld(World& world) : world_(world) {
    while (!world_.stop()) {
    }
  }
  ~StoppedWorld() { world_.resume(); }
  StoppedWorld(const StoppedWorld&) = delete;

 private:
  World& world_;
};

} // namespace nlang::heap
