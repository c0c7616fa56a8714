#include "heap/world.h"

#include <chrono>

#include <sched.h>

namespace nlang::heap {

namespace {
constexpr auto kAwake = std::chrono::microseconds(100);
}

// Waits awake until the condition holds; false: it takes longer.
template <class Condition> bool World::becomesSoon(Condition condition) const {
  auto end = std::chrono::steady_clock::now() + kAwake;
  for (unsigned round = 0; !condition(); ++round) {
    if (round % 64 != 63) continue;
    if (std::chrono::steady_clock::now() >= end) return false;
    sched_yield(); // there may be more carriers than processors
  }
  return true;
}

void World::enter() {
  std::unique_lock lock(mutex_);
  goOn_.wait(lock, [this] { return !stopRequested(); });
  inside_.fetch_add(1, std::memory_order_relaxed);
}

void World::leave() {
  std::lock_guard lock(mutex_);
  inside_.fetch_sub(1, std::memory_order_release);
  allStopped_.notify_all();
}

void World::waitStopped() {
  {
    std::lock_guard lock(mutex_);
    if (!stopRequested()) return;
    inside_.fetch_sub(1, std::memory_order_release);
    allStopped_.notify_all();
  }
  becomesSoon([this] { return !stopRequested(); });
  enter();
}

bool World::stop() {
  bool isFirst;
  {
    std::lock_guard lock(mutex_);
    isFirst = !stopRequested();
    stopping_.store(true, std::memory_order_relaxed);
  }
  if (!isFirst) {
    waitStopped();
    return false;
  }
  auto alone = [this] { return inside_.load(std::memory_order_acquire) <= 1; };
  if (!becomesSoon(alone)) {
    std::unique_lock lock(mutex_);
    allStopped_.wait(lock, alone);
  }
  return true;
}

void World::resume() {
  {
    std::lock_guard lock(mutex_);
    stopping_.store(false, std::memory_order_relaxed);
  }
  goOn_.notify_all();
}

} // namespace nlang::heap
