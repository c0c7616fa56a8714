#include "sync/future.h"

namespace nlang::sync {

namespace {

template <class Matches> int64_t firstIndex(const object::Array& futures, Matches&& matches) {
  for (uint32_t i = 0; i < futures.length; ++i) {
    if (matches(*futureAt(futures, i))) return i;
  }
  return -1;
}

// Links a node at every unfinished future, and parks. There are many locks and none can be kept, so a future may end
// while the context is still kParking; with one carrier it cannot.
void parkOnSeveral(Scheduler& scheduler, Carrier& carrier, Context& self, object::Array& futures, uint8_t mode,
                   ParkReason reason) {
  scheduler.beginPark(carrier, self);
  for (uint32_t i = 0; i < futures.length; ++i) {
    Context& future = *futureAt(futures, i);
    LockBit lock(scheduler.heap(), future.header);
    if (future.finished()) continue;
    scheduler.wait(carrier, self, future.waiters, &future.header, 0)->mode = mode;
  }
  carrier.park = {reason, nullptr, sched::kNoDeadline};
}

// A promise's future is completed by whoever moves its ticket, which no wait uses.
bool claimCompletion(Context& future) {
  uint64_t pending = 0;
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

JoinStatus waitForAll(Scheduler& scheduler, Carrier& carrier, Context& self, object::Array& futures) {
  uint64_t unfinished = 0;
  for (uint32_t i = 0; i < futures.length; ++i) {
    Context& future = *futureAt(futures, i);
    future.setFlag(sched::kObserved);
    unfinished += !future.finished();
  }
  if (unfinished == 0 || firstFailed(futures) >= 0) return JoinStatus::kFinished;
  self.result.setU64(unfinished);
  parkOnSeveral(scheduler, carrier, self, futures, sched::kWaitForAll, ParkReason::kAll);
  return JoinStatus::kParked;
}

JoinStatus waitForAny(Scheduler& scheduler, Carrier& carrier, Context& self, object::Array& futures) {
  if (firstFinished(futures) >= 0) return JoinStatus::kFinished;
  parkOnSeveral(scheduler, carrier, self, futures, 0, ParkReason::kSelectAny);
  return JoinStatus::kParked;
}

void resumeAllOrAny(Scheduler& scheduler, Carrier& carrier, Context& self) {
  scheduler.leaveWait(carrier, self);
  if (self.wake != Wake::kFailed) self.result.setU64(0); // the count, if it was cancelled
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
