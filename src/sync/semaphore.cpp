#include "sync/semaphore.h"

namespace nlang::sync {

AcquireStatus acquire(Scheduler& scheduler, Carrier& carrier, Context& self, Semaphore& semaphore, int64_t limit) {
  LockBit lock(scheduler.heap(), semaphore.header);
  if (semaphore.permits > 0) {
    --semaphore.permits;
    return AcquireStatus::kDone;
  }
  if (limit <= 0) return AcquireStatus::kWouldBlock;
  parkOn(scheduler, carrier, self, semaphore.waiters, semaphore.header, 0, ParkReason::kAcquire, limit);
  lock.keep();
  return AcquireStatus::kParked;
}

bool release(Scheduler& scheduler, Carrier& carrier, Semaphore& semaphore) {
  LockBit lock(scheduler.heap(), semaphore.header);
  if (WaitNode* heir = scheduler.claimFirst(semaphore.waiters)) {
    scheduler.unpark(carrier, *heir->context, Wake::kValue);
    return true;
  }
  if (semaphore.permits == INT32_MAX) return false;
  ++semaphore.permits;
  return true;
}

} // namespace nlang::sync
