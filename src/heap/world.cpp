#include "heap/world.h"

namespace nlang::heap {

void World::enter() {
  std::unique_lock lock(mutex_);
  goOn_.wait(lock, [this] { return !stopping_.load(std::memory_order_relaxed); });
  ++inside_;
}

void World::leave() {
  std::lock_guard lock(mutex_);
  --inside_;
  allStopped_.notify_all();
}

void World::waitStopped() {
  std::unique_lock lock(mutex_);
  if (!stopping_.load(std::memory_order_relaxed)) return;
  --inside_;
  allStopped_.notify_all();
  goOn_.wait(lock, [this] { return !stopping_.load(std::memory_order_relaxed); });
  ++inside_;
}

bool World::stop() {
  {
    std::unique_lock lock(mutex_);
    if (!stopping_.load(std::memory_order_relaxed)) {
      stopping_.store(true, std::memory_order_relaxed);
      allStopped_.wait(lock, [this] { return inside_ <= 1; });
      return true;
    }
  }
  waitStopped();
  return false;
}

void World::resume() {
  {
    std::lock_guard lock(mutex_);
    stopping_.store(false, std::memory_order_relaxed);
  }
  goOn_.notify_all();
}

} // namespace nlang::heap
