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
  const bytecode::LoadedFunction* functions = nullptr; // of the Vm, by index
  const heap::Class* const* classes = nullptr;         // of the Vm, by index
  char* classBase = nullptr;                           // base of the class table
  Slot* constants = nullptr;                           // of the Vm, by index
  Slot* globals = nullptr;                             // of the Vm, by index
  Slot* stackLimit = nullptr;                          // end of the running context's stack
  Context* current = nullptr;                          // null between contexts
  heap::Heap* heap = nullptr;
  heap::Allocator allocator;
  Scheduler* scheduler = nullptr;
  const Context* runUntil = nullptr;        // the interpreter is left when this context has finished
  void* vm = nullptr;                       // vm::Vm
  uint64_t faultIndex = 0, faultLength = 0; // what a bounds fault was about, on its way to the exception's message
  uint32_t neededSlots = 0;                 // size of the stack that a call which found no room needs
  uint32_t invokeDistance = 0;              // from a native's frame to that of the closure it calls (Outcome::kCall)
  uint8_t nativeOutcome = 0;                // vm::Outcome of the native that just ran
  // ---- scheduling
  uint32_t quotaLeft = 0;     // of the running context's quota, beyond what its counter holds
  uint32_t untilPoll = 0;     // switches until timers and poller are looked at again
  ParkRequest park = {};      // valid when a native has answered "parked"
  Context* runHead = nullptr; // run queue: first in, first out, linked through queueNext
  Context* runTail = nullptr;
  uint32_t runLength = 0;
  uint32_t selectTurn = 0;       // the branch that a select tries first, so that none starves
  WaitNode* freeNodes = nullptr; // pool, linked through `next`

  explicit Carrier(heap::Heap& h) : heap(&h), allocator(h) {}
};

} // namespace nlang::sched
