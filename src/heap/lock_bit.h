// The lock bit of an object: a spin lock around the few instructions of a container operation or a primitive's change
// of state.
//
// Invariants
// - Between taking and releasing it there is no allocation, no park and no call of the program's code, so it is held
// for nanoseconds. One
//   exception: a primitive that parks its context keeps the bit; the scheduler releases it when the context is saved.
// - While one carrier runs, nobody can meet a held bit, so it is not taken at all. Debug builds set it all the same,
// without atomics, and
//   assert that it was free.
// - Order: a mutex before the context that holds it; nothing else takes two.
#pragma once

#include <cassert>

#include "base/steps.h"
#include "heap/heap.h"

namespace nlang::heap {

// Holds an object's lock bit for a scope.
class LockBit {
 public:
  LockBit(const Heap& heap, Object& object) : heap_(heap), object_(&object) { acquire(heap, object); }
  ~LockBit() {
    if (object_ != nullptr) release(heap_, *object_);
  }
  LockBit(const LockBit&) = delete;
  LockBit& operator=(const LockBit&) = delete;

  // The bit stays taken when the scope ends: a parking primitive leaves it to the scheduler, which calls release().
  Object* keep() {
    Object* object = object_;
    object_ = nullptr;
    return object;
  }

  static void acquire(const Heap& heap, Object& object) {
    if (heap.severalCarriers()) [[unlikely]] {
      NLANG_STEP_WHEN("takes a lock bit", &object, !(object.flags.load(std::memory_order_relaxed) & kLockBit));
      if (object.flags.fetch_or(kLockBit, std::memory_order_acquire) & kLockBit) acquireSlow(object);
      return;
    }
#ifndef NDEBUG
    uint8_t flags = object.flags.load(std::memory_order_relaxed);
    assert(!(flags & kLockBit) && "a lock bit is taken twice");
    object.flags.store(flags | kLockBit, std::memory_order_relaxed);
#endif
  }

  static void release(const Heap& heap, Object& object) {
    if (heap.severalCarriers()) [[unlikely]] {
      NLANG_STEP("releases a lock bit", &object);
      // A store and not a read-modify-write: four of those fewer in a round trip over a channel. Another carrier's
      // kDirty of this moment may be lost with it; the object is in the remembered set all the same, perhaps twice.
      object.flags.store(object.flags.load(std::memory_order_relaxed) & static_cast<uint8_t>(~kLockBit),
                         std::memory_order_release);
      return;
    }
#ifndef NDEBUG
    uint8_t flags = object.flags.load(std::memory_order_relaxed);
    assert((flags & kLockBit) && "a lock bit is released that was not taken");
    object.flags.store(flags & static_cast<uint8_t>(~kLockBit), std::memory_order_relaxed);
#endif
  }

 private:
  static void acquireSlow(Object& object);

  const Heap& heap_;
  Object* object_; // null once kept
};

} // namespace nlang::heap
