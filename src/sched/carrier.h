// A carrier: one operating-system thread that runs contexts. Everything here is written by that thread only, unless
// said.
#pragma once

#include <atomic>
#include <cstdint>

#include "heap/heap.h"
#include "sched/context.h"
#include "sched/run_queue.h"

namespace nlang::sched {

class Scheduler;

// What a primitive leaves for the scheduler when its native answers "parked".
struct ParkRequest {
  ParkReason reason;
  Object* lock;     // whose lock bit to release once the context is saved; null if none
  int64_t deadline; // scheduler clock, nanoseconds; kNoDeadline: waits for ever
};
constexpr int64_t kNoDeadline = INT64_MAX;
constexpr int64_t kNeverComes = kNoDeadline - 1; // a deadline beyond the range of the clock

// Counts of one carrier; Scheduler::statistics() adds them up.
struct CarrierStatistics {
  uint64_t started = 0, switches = 0, preemptions = 0, steals = 0;
  uint64_t parks[static_cast<unsigned>(ParkReason::kCount)] = {};
};

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
  bool isSearching = false;        // woken to look for work, and none found yet
  uint32_t quotaLeft = 0;          // of the running context's quota, beyond what its counter holds
  uint32_t untilPoll = 0;          // switches until timers and shared queue are looked at again
  uint32_t untilLook = 0;          // slices until the clock, signals and descriptors are looked at again
  uint32_t backlog = 0;            // switches in a row at which other contexts were left waiting
  uint32_t selectTurn = 0;         // the branch that a select tries first, so that none starves
  uint32_t freeNodeCount = 0;      // of freeNodes
  uint32_t parkTime = 0;           // milliseconds of the scheduler's clock when it was last read here
  int64_t nextLookOutside = 0;     // CLOCK_MONOTONIC nanoseconds: signals and descriptors are not looked at before
  uint32_t victim = 0;             // the carrier that is robbed first next time
  ParkRequest park = {};           // valid when a native has answered "parked"
  WaitNode* freeNodes = nullptr;   // pool, linked through `next`
  uint64_t nextId = 0, idsEnd = 0; // ids of threads that this carrier may give out: [nextId, idsEnd)
  CarrierStatistics statistics;
  std::atomic<uint32_t> wakeToken{0}; // set to 1 by who wakes it from its sleep (Scheduler::sleep)
  Context* nextUp = nullptr;          // what runs next, before what is in `queue`, once there are several carriers
  FifoQueue ready;                    // what can run while there is one carrier
  StealableQueue queue;               // what can run, of this carrier, once there are several

  explicit Carrier(heap::Heap& h) : heap(&h), allocator(h) {}
};

} // namespace nlang::sched
