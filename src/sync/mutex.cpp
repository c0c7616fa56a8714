#include "sync/mutex.h"

namespace nlang::sync {

namespace {

void setHolder(heap::Heap& heap, Mutex& mutex, Context* holder) {
  heap::storeReference(heap, &mutex.header, reinterpret_cast<Object**>(&mutex.holder),
                       holder ? &holder->header : nullptr);
  mutex.depth = holder ? 1 : 0;
}

// The mutex that a context waits for without a timeout; null if it does anything else.
Mutex* awaitedMutex(const Context& context) {
  bool waits = context.state.load(std::memory_order_acquire) == sched::ContextState::kParked &&
               context.parkReason == ParkReason::kLock && context.timer == 0 && context.waits != nullptr;
  return waits ? reinterpret_cast<Mutex*>(context.waits->owner) : nullptr;
}

// Follows holders and what they wait for. The walk ends: a cycle that `self` is not in was refused when it would have
// been closed.
template <class Visit> bool followHolders(const Context& self, Mutex& mutex, Visit&& visit) {
  for (Mutex* at = &mutex; at != nullptr; at = awaitedMutex(*at->holder)) {
    if (at->holder == nullptr) return false;
    if (at->holder == &self) return true;
    visit(*at->holder);
  }
  return false;
}

} // namespace

LockStatus lock(Scheduler& scheduler, Carrier& carrier, Context& self, Mutex& mutex, bool reentrant, int64_t limit) {
  heap::Heap& heap = scheduler.heap();
  LockBit bit(heap, mutex.header);
  if (mutex.holder == nullptr) {
    setHolder(heap, mutex, &self);
    return LockStatus::kDone;
  }
  if (mutex.holder == &self) {
    if (!reentrant) return LockStatus::kHeldBySelf;
    ++mutex.depth;
    return LockStatus::kDone;
  }
  if (mutex.holder->finished()) return LockStatus::kHolderEnded;
  if (limit <= 0) return LockStatus::kWouldBlock;
  if (limit == kForever && followHolders(self, mutex, [](Context&) {})) return LockStatus::kCycle;
  // A handover may have to watch the new holder and must not fail, so each waiter brings the memory for it.
  ensureExtra(self);
  if (!watchHolder(heap, mutex)) return LockStatus::kHolderEnded;
  parkOn(scheduler, carrier, self, mutex.waiters, mutex.header, 0, ParkReason::kLock, limit);
  bit.keep();
  return LockStatus::kParked;
}

LockStatus resumeLock(Scheduler& scheduler, Carrier& carrier, Context& self, Mutex& mutex) {
  scheduler.leaveWait(carrier, self);
  if (self.wake == Wake::kHolderEnded) return LockStatus::kHolderEnded;
  LockBit bit(scheduler.heap(), mutex.header);
  if (mutex.waiters.empty()) unwatchHolder(scheduler.heap(), mutex);
  return LockStatus::kDone;
}

LockStatus unlock(Scheduler& scheduler, Carrier& carrier, Context& self, Mutex& mutex) {
  heap::Heap& heap = scheduler.heap();
  LockBit bit(heap, mutex.header);
  if (mutex.holder != &self) return LockStatus::kNotHolder;
  if (mutex.depth > 1) {
    --mutex.depth;
    return LockStatus::kDone;
  }
  unwatchHolder(heap, mutex);
  WaitNode* heir = scheduler.claimFirst(mutex.waiters);
  setHolder(heap, mutex, heir ? heir->context : nullptr);
  if (heir == nullptr) return LockStatus::kDone;
  if (!mutex.waiters.empty()) watchHolder(heap, mutex);
  scheduler.unpark(carrier, *heir->context, Wake::kValue);
  return LockStatus::kDone;
}

std::vector<Context*> cycleOf(Context& self, Mutex& mutex) {
  std::vector<Context*> cycle = {&self};
  followHolders(self, mutex, [&](Context& holder) { cycle.push_back(&holder); });
  return cycle;
}

void traceMutex(heap::Marker& marker, Object* object, const heap::Class&) {
  auto* mutex = reinterpret_cast<Mutex*>(object);
  if (mutex->holder != nullptr) marker.mark(&mutex->holder->header);
}

} // namespace nlang::sync
