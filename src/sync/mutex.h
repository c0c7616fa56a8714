// Mutex and ReentrantMutex (C3.5): one structure; whether the holder may take it again is a matter of the call.
//
// Invariants, all under the mutex's lock bit
// - `holder` is null exactly while `depth` is 0. A free mutex has no waiters: unlock() hands it to the one that has
// waited longest, which holds
//   it from that moment on, before it runs.
// - A holder that has ended stays the holder, so that whoever locks the mutex can be told its name. Those that were
// waiting when it ended are
//   woken (sched/held.h).
// - Nobody waits without a timeout in a cycle of holders that wait likewise: the wait that would close one is refused
// (C2.6). Who is about to wait first says so (ContextExtra::awaited) and then looks whether the holder waits too, so
// that of two that close a cycle together at least one sees it; the search is under one lock of the whole Vm, so that
// exactly one refuses.
#pragma once

#include <vector>

#include "sched/held.h"
#include "sync/parking.h"

namespace nlang::sync {

using Mutex = sched::HeldObject;

enum class LockStatus : uint8_t {
  kDone,
  kParked,     // carrier.park is filled; resumeLock tells how it ended
  kWouldBlock, // somebody else holds it, and the call may not wait
  kHeldBySelf, // and it is not reentrant
  kHolderEnded,
  kCycle,     // waiting would close a cycle of waits
  kNotHolder, // unlock by somebody else
};

// kCycle: `cycle` has the contexts that would wait for each other: `self`, the holder of `mutex`, the holder of what
// that one waits for, …
LockStatus lock(Scheduler& scheduler, Carrier& carrier, Context& self, Mutex& mutex, bool reentrant, int64_t limit,
                std::vector<Context*>& cycle);
// The first thing a context does when it is woken from kParked. kDone: look at Context::wake for the outcome.
LockStatus resumeLock(Scheduler& scheduler, Carrier& carrier, Context& self, Mutex& mutex);
LockStatus unlock(Scheduler& scheduler, Carrier& carrier, Context& self, Mutex& mutex);

void traceMutex(heap::Marker& marker, Object* object, const heap::Class& cls);

} // namespace nlang::sync
