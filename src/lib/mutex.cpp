// Mutex and ReentrantMutex.
#include "sync/mutex.h"

#include "lib/natives.h"
#include "lib/waiting.h"
#include "vm/vm.h"

namespace nlang::lib {

namespace {

using sync::LockStatus;

sync::Mutex& receiver(Call& call) { return *call.object<sync::Mutex>(0); }

std::string quotedName(Call& call, const sched::Context& context) { return '"' + call.vm().contextName(context) + '"'; }

Outcome heldBySelf(Call& call) {
  return call.fail(WellKnown::kDeadlockException,
                   "the thread " + quotedName(call, call.context()) + " holds the mutex already");
}

Outcome holderEnded(Call& call) {
  return call.fail(WellKnown::kIllegalStateException,
                   "the mutex is held by the thread " + quotedName(call, *receiver(call).holder) + ", which has ended");
}

Outcome cycleClosed(Call& call, const std::vector<sched::Context*>& cycle) {
  std::string text = quotedName(call, *cycle[0]);
  for (size_t i = 1; i <= cycle.size(); ++i) {
    text += (i == 1 ? " would wait for a mutex of " : ", which waits for a mutex of ") +
            quotedName(call, *cycle[i % cycle.size()]);
  }
  return call.fail(WellKnown::kDeadlockException, text);
}

Outcome answer(Call& call, LockStatus status, const std::vector<sched::Context*>& cycle = {}) {
  switch (status) {
  case LockStatus::kDone: return call.returned();
  case LockStatus::kParked: return Outcome::kParked;
  case LockStatus::kWouldBlock: return timedOut(call);
  case LockStatus::kHeldBySelf: return heldBySelf(call);
  case LockStatus::kHolderEnded: return holderEnded(call);
  case LockStatus::kCycle: return cycleClosed(call, cycle);
  case LockStatus::kNotHolder:
    return call.fail(WellKnown::kIllegalStateException, "the mutex is not held by this thread");
  }
  __builtin_unreachable();
}

Outcome lock(Call& call, bool reentrant, int64_t limit) {
  if (call.resumed()) {
    LockStatus status = sync::resumeLock(call.scheduler(), call.carrier(), call.context(), receiver(call));
    return status == LockStatus::kDone ? afterWait(call) : answer(call, status);
  }
  std::vector<sched::Context*> cycle;
  LockStatus status =
      sync::lock(call.scheduler(), call.carrier(), call.context(), receiver(call), reentrant, limit, cycle);
  return answer(call, status, cycle);
}

Outcome tryLock(Call& call, bool reentrant) {
  std::vector<sched::Context*> cycle;
  LockStatus status = sync::lock(call.scheduler(), call.carrier(), call.context(), receiver(call), reentrant, 0, cycle);
  if (status == LockStatus::kHolderEnded) return holderEnded(call);
  return call.returnBool(status == LockStatus::kDone);
}

// void lock()
template <bool kReentrant> Outcome lockForever(Call& call) { return lock(call, kReentrant, sync::kForever); }
// void lock(long milliseconds)
template <bool kReentrant> Outcome lockWithin(Call& call) { return lock(call, kReentrant, lastArgumentAsLimit(call)); }
// bool tryLock()
template <bool kReentrant> Outcome tryLock(Call& call) { return tryLock(call, kReentrant); }

// void unlock()
Outcome unlock(Call& call) {
  return answer(call, sync::unlock(call.scheduler(), call.carrier(), call.context(), receiver(call)));
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.Mutex.lock()", lockForever<false>},
    {"prelude.Mutex.lock(long)", lockWithin<false>},
    {"prelude.Mutex.tryLock", tryLock<false>},
    {"prelude.Mutex.unlock", unlock},
    {"prelude.ReentrantMutex.lock()", lockForever<true>},
    {"prelude.ReentrantMutex.lock(long)", lockWithin<true>},
    {"prelude.ReentrantMutex.tryLock", tryLock<true>},
    {"prelude.ReentrantMutex.unlock", unlock},
};

} // namespace

NativeTable mutexNatives() { return kNatives; }

} // namespace nlang::lib
