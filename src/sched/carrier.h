// A carrier: one operating-system thread that runs contexts. Everything here is written by that thread only, unless said.
#pragma once

#include <cstdint>

#include "heap/heap.h"
#include "sched/context.h"

namespace nlang::sched {

class Scheduler;

// What a primitive leaves for the scheduler when its native answers "parked".
struct ParkRequest {
  ParkReason reason;
  Object* lock;            // whose lock bit to release once the context is saved; null if none
  int64_t deadline;        // scheduler clock, nanoseconds; kNoDeadline: waits for ever
};
constexpr int64_t kNoDeadline = INT64_MAX;

struct Carrier {
  // ---- read by every handler of the interpreter
  const bytecode::LoadedFunction* functions;  // of the Vm, by index
  char* classBase;                            // base of the class table
  Slot* constants;                            // of the Vm, by index
  Slot* globals;                              // of the Vm, by index
  Slot* stackLimit;                           // end of the running context's stack
  Context* current;                           // null between contexts
  heap::Heap* heap;
  heap::Allocator allocator;
  Scheduler* scheduler;
  void* vm;                                   // vm::Vm
  // ---- scheduling
  int32_t quota;                              // what the counter is loaded with: the quota left of the running context
  uint32_t untilPoll;                         // switches until timers and poller are looked at again
  ParkRequest park;                           // valid when a native has answered "parked"
  Context* runHead;                           // run queue: first in, first out, linked through queueNext
  Context* runTail;
  uint32_t runLength;
  WaitNode* freeNodes;                        // pool, linked through `next`

  explicit Carrier(heap::Heap& h) : heap(&h), allocator(h) {}
};

}  // namespace nlang::sched
