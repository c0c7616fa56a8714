// Waiting for contexts and promises' futures (C3.3, C3.4). A future is a sched::Context: a thread with a result, or,
// for a promise, one without a stack. Who waits is in its queue `waiters`; Scheduler::finish wakes them, all together.
//
// Invariants
// - Nodes in `waiters` have mode 0 (woken at the end, however it came) or sched::kWaitForAll (woken by the last of
// several successes, or by
//   the first failure, whose exception is then in the woken context's `result`). The slot of the latter counts the
//   futures that are still pending, and one more while the nodes are being linked.
// - A finished context's `result` never changes: it is read without a lock.
// - A value of several slots (a struct) is kept in an array of one element.
#pragma once

#include "object/layout.h"
#include "sync/parking.h"

namespace nlang::sync {

struct Promise {
  Object header;
  Context* future; // set by the constructor, never changed
};

enum class JoinStatus : uint8_t {
  kFinished,
  kParked, // carrier.park is filled; the outcome comes with Context::wake
  kWouldBlock,
};

// Waits for the end of `target`. `reason` is kJoin or kGet.
JoinStatus join(Scheduler& scheduler, Carrier& carrier, Context& self, Context& target, ParkReason reason,
                int64_t limit);

// Waits until all of the futures (an array of contexts without null) have succeeded or one has failed, and marks all as
// observed. `slot`: a scalar in the stack for the count. kFinished: see firstFailed. When it is woken: Wake::kValue,
// all have succeeded; Wake::kFailed, one has not.
JoinStatus waitForAll(Scheduler& scheduler, Carrier& carrier, Context& self, object::Array& futures, uint32_t slot,
                      int64_t limit = kForever);
// Waits until one of the futures has finished.
JoinStatus waitForAny(Scheduler& scheduler, Carrier& carrier, Context& self, object::Array& futures,
                      int64_t limit = kForever);

Context* futureAt(const object::Array& futures, uint32_t index);
// Lowest index of a failed one, of a finished one; -1 if there is none.
int64_t firstFailed(const object::Array& futures);
int64_t firstFinished(const object::Array& futures);

inline bool succeeded(const Context& finished) {
  return finished.state.load(std::memory_order_acquire) == sched::ContextState::kDone;
}
// The value of a context that succeeded, into as many slots as its element has.
void loadResult(const Context& finished, const heap::Layout& element, Slot* to);

// Ends a promise's future with a packed value or an exception; false if that has happened before.
bool complete(Scheduler& scheduler, Carrier& carrier, Context& future, Slot value, bool isReference);
bool fail(Scheduler& scheduler, Carrier& carrier, Context& future, Object* exception);

void tracePromise(heap::Marker& marker, Object* object, const heap::Class& cls);

} // namespace nlang::sync
