// What every primitive's wait has in common.
//
// A primitive takes its object's lock bit, sees that it has to wait, calls parkOn and answers "parked" with the bit
// still taken: the scheduler releases it once the context is saved. The waker takes the bit, claims a node
// (Scheduler::claimFirst), writes the outcome into the waiting context and unparks it. The woken context first unlinks
// what is left of its wait (Scheduler::leaveWait), whatever the outcome was.
#pragma once

#include "heap/lock_bit.h"
#include "sched/scheduler.h"

namespace nlang::sync {

using heap::LockBit;
using heap::Object;
using heap::Slot;
using sched::Carrier;
using sched::Context;
using sched::ParkReason;
using sched::Scheduler;
using sched::WaitNode;
using sched::WaitQueue;
using sched::Wake;

// Milliseconds that an operation may wait (C1.6). Zero or less: it is only tried.
constexpr int64_t kForever = INT64_MAX;

inline int64_t deadlineFor(Scheduler& scheduler, int64_t limit) {
  return limit == kForever ? sched::kNoDeadline : scheduler.deadlineAfter(limit);
}

// Lets the context wait in one queue of `owner`, whose lock bit is taken and stays so. `slot`: see sched::WaitNode.
inline void parkOn(Scheduler& scheduler, Carrier& carrier, Context& self, WaitQueue& queue, Object& owner,
                   uint32_t slot, ParkReason reason, int64_t limit) {
  int64_t deadline = deadlineFor(scheduler, limit);
  scheduler.beginPark(carrier, self);
  scheduler.wait(carrier, self, queue, &owner, slot);
  carrier.park = {reason, &owner, deadline};
}

} // namespace nlang::sync
