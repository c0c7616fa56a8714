// The interpreter's entry, and what its handlers share with the scheduler: starting, switching and ending contexts,
// stacks.
#pragma once

#include "sched/carrier.h"
#include "vm/dispatch.h"

namespace nlang::vm {

// Runs contexts until none is ready or `until` has finished. The C++ stack holds this one activation, whatever programs
// do.
void runContexts(Carrier& carrier, const Context* until);

// Makes the running context's stack at least `slots` large; frames keep their offsets, so ca->current->frame stays
// right and the caller takes its base from there. False: the stack limit or the heap limit forbids it.
bool enlargeStack(Carrier* ca, uint32_t slots);

// Gives back most of a large stack that is nearly empty (after an overflow was unwound).
void shrinkStack(Carrier* ca);

// The outermost function of the running context has returned; its results stand at `r`.
void finishContext(Carrier* ca, Slot* r);
// The running context was left by the exception in its `result`.
void failContext(Carrier* ca);

// What the counter starts with in a fresh slice: at most kCounterMax, so that requests are seen soon; the rest goes to
// ca->quotaLeft.
constexpr uint32_t kCounterMax = 1000;
int64_t loadQuota(Carrier* ca, uint32_t quota);

} // namespace nlang::vm
