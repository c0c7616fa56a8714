// Objects that a context holds while others wait for them (mutexes), so that its end can wake those who would wait for
// ever (C3.5).
//
// Invariants
// - An object is in its holder's list (ContextExtra::held) exactly while `watched` is set: from the first waiter's
// arrival until it is
//   released, handed over, its last waiter has left, or the holder has ended. So holding what nobody waits for costs
//   nothing, and an object in the list is kept alive by the frames of those who wait for it.
// - `holder` and `waiters` are guarded by the object's lock bit; `watched`, the list and its links by the holder's,
// taken second.
#pragma once

#include "sched/context.h"

namespace nlang::sched {

struct Carrier;

struct HeldObject {
  Object header;
  Context* holder;   // null: free. A context that has ended without releasing it stays its holder. Traced
  WaitQueue waiters; // who waits for it, longest first
  HeldObject* next;  // in the holder's list while `watched`
  HeldObject* previous;
  uint32_t depth;            // how often the holder has taken it; 0 when free
  std::atomic<bool> watched; // see above; reset under the holder's lock bit alone when the holder ends
};

// Puts the object, which somebody is about to wait for, into its holder's list. False if the holder has ended. Throws
// std::bad_alloc.
bool watchHolder(const heap::Heap& heap, HeldObject& object);
// Takes it out again; no-op if it is in no list.
void unwatchHolder(const heap::Heap& heap, HeldObject& object);
// The context has ended: takes the first object out of its list; null when there is none.
HeldObject* takeWatched(const heap::Heap& heap, Context& context);

} // namespace nlang::sched
