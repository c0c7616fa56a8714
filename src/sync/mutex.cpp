#include "sync/mutex.h"

namespace nlang::sync {

namespace {

void setHolder(heap::Heap& heap, Mutex& mutex, Context* holder) {
  heap::storeReference(heap, &mutex.header, reinterpret_cast<Object**>(&mutex.holder),
                       holder ? &holder->header : nullptr);
  mutex.depth = holder ? 1 : 0;
}

Context* holderOf(const Mutex& mutex) {
  return reinterpret_cast<Context*>(heap::loadReference(reinterpret_cast<Object* const*>(&mutex.holder)));
}

// The mutex that a context waits for without a timeout; null if it does anything else.
Mutex* awaitedBy(const Context& context) {
  const sched::ContextExtra* extra = context.extraOrNull();
  return extra != nullptr ? extra->awaited.load(std::memory_order_seq_cst) : nullptr;
}

// One step of a chain of waits: who holds the mutex, as of which wait, and what it waits for.
struct Link {
  Context* holder;
  uint64_t ticket;
  Mutex* awaited;

  explicit Link(const Mutex& mutex) : holder(holderOf(mutex)), ticket(0), awaited(nullptr) {
    if (holder == nullptr) return;
    ticket = holder->ticket.load(std::memory_order_acquire);
    if (ticket & 1) awaited = awaitedBy(*holder);
  }
  bool operator==(const Link&) const = default;
};

// Whether the chain of holders from `mutex` on leads to `self`, which waits for it; then who is in it.
//
// Others run meanwhile, so a chain that was followed may never have stood as a whole. It is followed twice: if every
// holder is then still in the same wait, all of them waited at the moment between, and who waits neither takes nor
// gives up a mutex.
bool closesCycle(Scheduler& scheduler, Context& self, const Mutex& mutex, std::vector<Context*>& cycle) {
  std::vector<Link> chain;
  const Mutex* at = &mutex;
  for (uint64_t longest = scheduler.aliveCount(); chain.size() <= longest; at = chain.back().awaited) {
    Link link(*at);
    if (link.holder == &self) break;
    if (link.awaited == nullptr) return false;
    chain.push_back(link);
  }
  at = &mutex;
  for (const Link& link : chain) {
    if (Link(*at) != link) return false;
    at = link.awaited;
  }
  if (holderOf(*at) != &self) return false;
  cycle = {&self};
  for (const Link& link : chain) cycle.push_back(link.holder);
  return true;
}

// The context has been linked, and must not wait after all. False: somebody has claimed it, and it must.
bool refuseToWait(Scheduler& scheduler, Carrier& carrier, Context& self, Mutex& mutex) {
  if (!scheduler.claimSelf(self)) return false;
  mutex.waiters.remove(self.waits);
  self.waits->mode = sched::kClaimedNode; // the lock bit that leaveWait would take is held
  scheduler.leaveWait(carrier, self);
  self.extraOrNull()->awaited.store(nullptr, std::memory_order_relaxed);
  if (mutex.waiters.empty()) unwatchHolder(scheduler.heap(), mutex);
  return true;
}

} // namespace

LockStatus lock(Scheduler& scheduler, Carrier& carrier, Context& self, Mutex& mutex, bool reentrant, int64_t limit,
                std::vector<Context*>& cycle) {
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
  // A handover may have to watch the new holder and must not fail, so each waiter brings the memory for it.
  sched::ContextExtra& extra = ensureExtra(self);
  if (!watchHolder(heap, mutex)) return LockStatus::kHolderEnded;
  parkOn(scheduler, carrier, self, mutex.waiters, mutex.header, 0, ParkReason::kLock, limit);
  if (limit == kForever) {
    extra.awaited.store(&mutex, std::memory_order_seq_cst);
    if (awaitedBy(*mutex.holder) != nullptr) {
      std::lock_guard search(scheduler.cycleMutex());
      if (closesCycle(scheduler, self, mutex, cycle) && refuseToWait(scheduler, carrier, self, mutex))
        return LockStatus::kCycle;
    }
  }
  bit.keep();
  return LockStatus::kParked;
}

LockStatus resumeLock(Scheduler& scheduler, Carrier& carrier, Context& self, Mutex& mutex) {
  scheduler.leaveWait(carrier, self);
  self.extraOrNull()->awaited.store(nullptr, std::memory_order_relaxed);
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

void traceMutex(heap::Marker& marker, Object* object, const heap::Class&) {
  auto* mutex = reinterpret_cast<Mutex*>(object);
  if (mutex->holder != nullptr) marker.mark(&mutex->holder->header);
}

} // namespace nlang::sync
