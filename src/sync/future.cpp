#include "sync/future.h"

namespace nlang::sync {

namespace {

template <class Matches> int64_t firstIndex(const object::Array& futures, Matches&& matches) {
  for (uint32_t i = 0; i < futures.length; ++i) {
    if (matches(*futureAt(futures, i))) return i;
  }
  return -1;
}

// A context that has begun to wait for several futures sees that the wait is over. kParked: it was claimed meanwhile,
// and the outcome is that of who claimed it.
JoinStatus giveUpWait(Scheduler& scheduler, Carrier& carrier, Context& self) {
  if (!scheduler.claimSelf(self)) return JoinStatus::kParked;
  scheduler.leaveWait(carrier, self);
  return JoinStatus::kFinished;
}

// Links a node at the future unless it has finished.
bool linkUnlessFinished(Scheduler& scheduler, Carrier& carrier, Context& self, Context& future, uint8_t mode,
                        uint32_t slot) {
  LockBit lock(scheduler.heap(), future.header);
  if (future.finished()) return false;
  scheduler.wait(carrier, self, future.waiters, &future.header, slot)->mode = mode;
  return true;
}

// A promise's future is completed by whoever moves its ticket, which no wait uses.
bool claimCompletion(Context& future) {
  uint64_t pending = 0;
  NLANG_STEP("completes", &future.ticket);
  return future.ticket.compare_exchange_strong(pending, 2, std::memory_order_acq_rel);
}

} // namespace

Context* futureAt(const object::Array& futures, uint32_t index) {
  auto* const* slots = reinterpret_cast<Object* const*>(futures.elements());
  return reinterpret_cast<Context*>(heap::loadReference(slots + index));
}

JoinStatus join(Scheduler& scheduler, Carrier& carrier, Context& self, Context& target, ParkReason reason,
                int64_t limit) {
  if (target.finished()) return JoinStatus::kFinished;
  if (limit <= 0) return JoinStatus::kWouldBlock;
  LockBit lock(scheduler.heap(), target.header);
  if (target.finished()) return JoinStatus::kFinished;
  parkOn(scheduler, carrier, self, target.waiters, target.header, 0, reason, limit);
  lock.keep();
  return JoinStatus::kParked;
}

// There are many locks and none can be kept: a future may end, and claim the context, while others are still linked.
JoinStatus waitForAll(Scheduler& scheduler, Carrier& carrier, Context& self, object::Array& futures, uint32_t slot,
                      int64_t limit) {
  for (uint32_t i = 0; i < futures.length; ++i) futureAt(futures, i)->setFlag(sched::kObserved);
  if (limit <= 0) {
    auto isPending = [](const Context& future) { return !future.finished(); };
    bool isDecided = firstFailed(futures) >= 0 || firstIndex(futures, isPending) < 0;
    return isDecided ? JoinStatus::kFinished : JoinStatus::kWouldBlock;
  }
  uint64_t& pending = self.stack[slot].bits;
  __atomic_store_n(&pending, uint64_t{futures.length} + 1, __ATOMIC_RELAXED);
  carrier.park = {ParkReason::kAll, nullptr, deadlineFor(scheduler, limit)};
  scheduler.beginPark(carrier, self);
  uint64_t finished = 1; // and the linking
  for (uint32_t i = 0; i < futures.length; ++i) {
    Context& future = *futureAt(futures, i);
    if (linkUnlessFinished(scheduler, carrier, self, future, sched::kWaitForAll, slot)) continue;
    if (!succeeded(future)) return giveUpWait(scheduler, carrier, self);
    ++finished;
  }
  NLANG_STEP("counts those down that were done", &pending);
  bool allSucceeded = __atomic_sub_fetch(&pending, finished, __ATOMIC_ACQ_REL) == 0;
  return allSucceeded ? giveUpWait(scheduler, carrier, self) : JoinStatus::kParked;
}

JoinStatus waitForAny(Scheduler& scheduler, Carrier& carrier, Context& self, object::Array& futures, int64_t limit) {
  if (limit <= 0) return firstFinished(futures) >= 0 ? JoinStatus::kFinished : JoinStatus::kWouldBlock;
  carrier.park = {ParkReason::kSelectAny, nullptr, deadlineFor(scheduler, limit)};
  scheduler.beginPark(carrier, self);
  for (uint32_t i = 0; i < futures.length; ++i) {
    if (!linkUnlessFinished(scheduler, carrier, self, *futureAt(futures, i), 0, 0))
      return giveUpWait(scheduler, carrier, self);
  }
  return JoinStatus::kParked;
}

int64_t firstFailed(const object::Array& futures) {
  return firstIndex(futures, [](const Context& future) { return future.finished() && !succeeded(future); });
}

int64_t firstFinished(const object::Array& futures) {
  return firstIndex(futures, [](const Context& future) { return future.finished(); });
}

void loadResult(const Context& finished, const heap::Layout& element, Slot* to) {
  if (element.leafCount == 1)
    *to = finished.result;
  else if (element.leafCount > 1)
    heap::loadElement(finished.result.as<object::Array>()->elements(), element, to);
}

bool complete(Scheduler& scheduler, Carrier& carrier, Context& future, Slot value, bool isReference) {
  if (!claimCompletion(future)) return false;
  future.result = value;
  scheduler.finish(carrier, future, false, isReference);
  return true;
}

bool fail(Scheduler& scheduler, Carrier& carrier, Context& future, Object* exception) {
  if (!claimCompletion(future)) return false;
  future.result.setObject(exception);
  // Nobody's thread has ended: what a promise fails with is no news to the one who made it fail.
  future.setFlag(sched::kObserved);
  scheduler.finish(carrier, future, true, true);
  return true;
}

void tracePromise(heap::Marker& marker, Object* object, const heap::Class&) {
  auto* promise = reinterpret_cast<Promise*>(object);
  if (promise->future != nullptr) marker.mark(&promise->future->header);
}

} // namespace nlang::sync
