// Semaphore (C3.6).
//
// Invariant, under its lock bit: nobody waits while there are permits. release() hands its permit to the one that has
// waited longest.
#pragma once

#include "sync/parking.h"

namespace nlang::sync {

struct Semaphore {
  Object header;
  uint32_t permits; // free ones, at most INT32_MAX
  uint32_t unused;
  WaitQueue waiters;
};

enum class AcquireStatus : uint8_t { kDone, kParked, kWouldBlock };

AcquireStatus acquire(Scheduler& scheduler, Carrier& carrier, Context& self, Semaphore& semaphore, int64_t limit);
// False: there would be more than INT32_MAX permits.
bool release(Scheduler& scheduler, Carrier& carrier, Semaphore& semaphore);

} // namespace nlang::sync
