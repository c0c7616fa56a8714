#include "heap/lock_bit.h"

#include <sched.h>

namespace nlang::heap {

void LockBit::acquireSlow(Object& object) {
  unsigned rounds = 0;
  do {
    // The holder may have lost its processor: after a while give way.
    while (object.flags.load(std::memory_order_relaxed) & kLockBit) {
      if (++rounds > 64) {
        sched_yield();
        rounds = 0;
      }
    }
  } while (object.flags.fetch_or(kLockBit, std::memory_order_acquire) & kLockBit);
}

} // namespace nlang::heap
