// A carrier: one operating-system thread that runs contexts. Everything here is written by that thread only, unless
// said.
#pragma once

#include <cstdint>

#include "heap/heap.h"
#include "sched/context.h"

namespace nlang::sched {

class Scheduler;

// What a primitive leaves for the scheduler when its native answers "parked".
struct ParkRequest {
  ParkReason reason;
  Object* lock;     // whose lock bit to release once the context is saved; null if none
  int64_t deadline; // scheduler clock, nanoseconds; kNoDeadline: waits for ever
};
constexpr int64_t kNoDeadline = INT64_MAX;

struct Carrier {
  // ---- read by every handler of the interpreter
  const bytecode::LoadedFunction* functions; // of the Vm, by index
  const heap::Class* const* classes;         // of the Vm, by index
  char* classBase;                           // base of the class table
  Slot* constants;                           // of the Vm, by index
  Slot* globals;                             // of the Vm, by index
  Slot* stackLimit;                          // end of the running context's stack
  Context* current;                          // null between contexts
  heap::Heap* heap;
  heap::Allocator allocator;
  Scheduler* scheduler;
  const Context* runUntil;          // the interpreter is left when this context has finished
  void* vm;                         // vm::Vm
  uint64_t faultIndex, faultLength; // what a bounds fault was about, on its way to the exception's message
  uint32_t neededSlots;             // size of the stack that a call which found no room needs
  uint32_t invokeDistance;          // from a native's frame to that of the closure it calls (Outcome::kCall)
  uint8_t nativeOutcome;            // vm::Outcome of the native that just ran
  // ---- scheduling
  uint32_t quotaLeft; // of the running context's quota, beyond what its counter holds
  uint32_t untilPoll; // switches until timers and poller are looked at again
  ParkRequest park;   // valid when a native has answered "parked"
  Context* runHead;   // run queue: first in, first out, linked through queueNext
  Context* runTail;
  uint32_t runLength;
  WaitNode* freeNodes; // pool, linked through `next`

  explicit Carrier(heap::Heap& h) : heap(&h), allocator(h) {}
};

} // namespace nlang::sched
