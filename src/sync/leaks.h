// Leaked contexts (C4.3): those that nothing can ever unpark.
//
// A context goes on if it can run, has a timer, is awaited by something outside the program, or waits for what a
// context that goes on can do. What that is depends on the object it waits at:
//   a channel, a semaphore       somebody who can reach the object
//   the future of a promise      somebody who can reach the promise
//   a thread                     the thread goes on: its end wakes who joins it
//   a mutex                      its holder goes on: it unlocks, or ends. (Whoever else reaches the mutex cannot.)
// and, where the program cancels threads at all, somebody who can reach the context's own handle, unless it is
// shielded. What a context that goes on can reach is what its stack refers to; everybody can reach globals and
// constants. A context that is waited for in several ways goes on if one of them can happen. All others are leaked,
// also those that only wait for each other.
#pragma once

#include <functional>
#include <vector>

#include "sched/scheduler.h"

namespace nlang::sync {

// In order of id. `markGlobals` marks what every running context can reach; `cancels`: the program cancels threads
// somewhere. The world is stopped and the calling context saved; ends with a full collection.
std::vector<sched::Context*> findLeaked(heap::Heap& heap, const std::function<void(heap::Marker&)>& markGlobals,
                                        bool cancels);

} // namespace nlang::sync
