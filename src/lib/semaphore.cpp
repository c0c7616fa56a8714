// Semaphore.
#include "sync/semaphore.h"

#include "lib/natives.h"
#include "lib/waiting.h"

namespace nlang::lib {

namespace {

using sync::AcquireStatus;

sync::Semaphore& receiver(Call& call) { return *call.object<sync::Semaphore>(0); }

AcquireStatus acquireWithin(Call& call, int64_t limit) {
  return sync::acquire(call.scheduler(), call.carrier(), call.context(), receiver(call), limit);
}

Outcome acquire(Call& call, int64_t limit) {
  if (call.resumed()) return afterWait(call);
  switch (acquireWithin(call, limit)) {
  case AcquireStatus::kDone: return call.returned();
  case AcquireStatus::kParked: return Outcome::kParked;
  case AcquireStatus::kWouldBlock: return timedOut(call);
  }
  __builtin_unreachable();
}

// Semaphore(int permits)
Outcome construct(Call& call) {
  int32_t permits = call.argument(1).i32();
  if (permits < 0) return call.fail(WellKnown::kIllegalArgumentException, "the number of permits is negative");
  receiver(call).permits = static_cast<uint32_t>(permits);
  return call.returned();
}

// void acquire()
Outcome acquireForever(Call& call) { return acquire(call, sync::kForever); }
// void acquire(long milliseconds)
Outcome acquireLimited(Call& call) { return acquire(call, lastArgumentAsLimit(call)); }
// bool tryAcquire()
Outcome tryAcquire(Call& call) { return call.returnBool(acquireWithin(call, 0) == AcquireStatus::kDone); }

// void release()
Outcome release(Call& call) {
  if (sync::release(call.scheduler(), call.carrier(), receiver(call))) return call.returned();
  return call.fail(WellKnown::kIllegalStateException, "the semaphore has too many permits");
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.Semaphore.Semaphore", construct},
    {"prelude.Semaphore.acquire()", acquireForever},
    {"prelude.Semaphore.acquire(long)", acquireLimited},
    {"prelude.Semaphore.tryAcquire", tryAcquire},
    {"prelude.Semaphore.release", release},
};

} // namespace

NativeTable semaphoreNatives() { return kNatives; }

} // namespace nlang::lib
