// A context: a virtual thread's execution state, and at the same time the object that a program knows as Thread or
// Future<T>.
//
// States and who makes each transition
//   kNew      made by spawn, queued                      → kRunning by a carrier's first dispatch
//   kReady    in a run queue                             → kRunning by a carrier
//   kRunning  on a carrier                               → kReady by preemption or yield, → kParking by a primitive,
//                                                          → kDone / kFailed when its outermost function is left
//   kParking  queued at what it waits for, not yet saved → kParked by its carrier, which then releases the primitive's
//             lock; → kWoken by a waker that was quicker; → kRunning by its carrier, which claims it itself: it was
//             cancelled before, or what it waits for has come
//   kWoken    woken before it was saved                  → kRunning by its carrier, which goes on with it at once
//   kParked   saved; its wait nodes or its timer wake it → kReady by the one waker whose claim() succeeded
//   kDone, kFailed  final; the stack is gone, `result` holds the value or the exception
//   kPending  a promise's future (no stack)              → kDone / kFailed by the promise
//
// One outcome: however many would end a wait at the same time, exactly one does. What holds for that
// - Ticket: even while the context does not wait. Only its own carrier makes it odd (beginPark), and only a claim, a
// compare-and-swap from the odd number that the waker was told, makes it even again. So of a hand-over, a time-out, a
// cancel and a close one succeeds; a late waker (a select's loser, an old timer) has an older number and goes away.
// - Between the claim and the queueing the context is the claimer's: it writes the outcome (wake, an exception in
// `result`, values in the frame's result slots). A waker that does not get the claim touches nothing, and keeps its
// value.
// - Saved or woken: the carrier that parks the context and the claimer both leave kParking by compare-and-swap. If the
// claimer comes first (kWoken), the carrier goes on with the context; else (kParked) the claimer queues it. So it is
// queued once or goes on once.
// - Timer: set by the parking carrier before kParked, and taken off before the context goes on, by whoever is second
// at leaving kParking, or by the expiry. An expiry reads the ticket while the timer is still set, so that it is the
// ticket of that wait, or the next even one.
// - Cancel: the canceller sets the flag and then reads the ticket; the parking carrier makes the ticket odd and then
// looks at the flag, once cheaply and once more after the barrier of becoming kParked. One of the two sees the other.
// The canceller reads the shield after the ticket: if its claim then succeeds, the shield was that of this wait.
// - Nodes: linked and taken out under the lock of the object that has the queue. The context unlinks what is left of
// them before it goes on, so none of an older wait is ever in a queue.
//
// tests/unit/sync/one_outcome_test.cpp runs every interleaving of these steps.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>

#include "bytecode/instruction.h"
#include "bytecode/loaded_function.h"
#include "heap/heap.h"

namespace nlang::sched {

using heap::Object;
using heap::Slot;

struct Context;

enum class ContextState : uint8_t { kNew, kReady, kRunning, kParking, kWoken, kParked, kDone, kFailed, kPending };

enum class ParkReason : uint8_t {
#define NLANG_PARK_REASON(name, text) name,
#include "sched/park_reasons.def"
#undef NLANG_PARK_REASON
  kCount
};
const char* parkReasonText(ParkReason reason);

// How a wait ended.
enum class Wake : uint8_t {
  kNone,  // not waited
  kValue, // what was waited for has happened; values, if any, are in the frame's result slots
  kTimeout,
  kCancelled,
  kClosed,      // the channel was closed
  kFailed,      // the exception is in Context::result
  kHolderEnded, // the context that holds what was waited for has ended without releasing it
};

enum ContextFlags : uint8_t {
  kObserved = 1, // its failure was delivered to somebody, or cannot be unobserved
  kCancelRequested = 2,
  kResultIsReference = 4, // kDone: `result` holds a reference
  kReported = 8,          // its unobserved failure is on the report list
  kGoesOn = 16,           // during a search for leaked contexts (sync/leaks.h): found not to be one
};

struct WaitQueue;

// WaitNode::mode of a wait for all of several futures: the slot that the node names holds the number of those still
// pending.
constexpr uint8_t kWaitForAll = 1;
// WaitNode::mode of the node through which its context was claimed: which branch of a select has happened.
constexpr uint8_t kClaimedNode = 2;

// One context waiting at one place. From a pool; owned by the waiting context, which unlinks and frees all its nodes
// before it goes on. Linked and unlinked under the lock of the object that has the queue, and a waker lets go of it
// before it releases that lock: so its owner takes the lock before it frees a node that was not claimed.
struct WaitNode {
  WaitNode* next;
  WaitNode* previous;
  WaitQueue* queue;  // the queue it is linked in; null once taken out
  WaitNode* sibling; // the context's next node (select, all)
  Context* context;
  uint64_t ticket; // to claim the context with
  Object* owner;   // the object that has the queue, for reports and the leak trace
  uint32_t slot;   // where in the context's stack the value to send stands, or the value received goes (slots from the
                   // stack's start)
  uint16_t branch; // of a select or selectAny
  uint8_t mode;    // for the primitive's use (future: any, all)
  uint8_t unused;
};

static_assert(sizeof(WaitNode) == 64, "a cache line each: nodes of one chunk serve several carriers");

// First in, first out.
struct WaitQueue {
  WaitNode* head;
  WaitNode* tail;

  bool empty() const { return head == nullptr; }
  void push(WaitNode* node) {
    node->queue = this;
    node->next = nullptr;
    node->previous = tail;
    (tail ? tail->next : head) = node;
    tail = node;
  }
  // A node that is in the queue.
  void moveToFront(WaitNode* node) {
    remove(node);
    node->queue = this;
    node->next = head;
    node->previous = nullptr;
    (head ? head->previous : tail) = node;
    head = node;
  }
  // No-op if it is in no queue.
  void remove(WaitNode* node) {
    if (node->queue == nullptr) return;
    assert(node->queue == this);
    (node->previous ? node->previous->next : head) = node->next;
    (node->next ? node->next->previous : tail) = node->previous;
    node->queue = nullptr;
  }
};

struct HeldObject;

struct ContextExtra {
  Object* name;                     // String; null: `thread-ID`; set at birth; traced
  HeldObject* held;                 // what it holds and others wait for (held.h)
  std::atomic<HeldObject*> awaited; // the mutex that it waits for without a timeout, else null; written by itself
};
// The context's extra record, made if it has none. Any carrier. Throws std::bad_alloc.
ContextExtra& ensureExtra(Context& context);

struct Context {
  Object header;                     // class of kind kThread
  Slot* stack;                       // null: finished, or a promise's future
  const bytecode::Instruction* pc;   // where it goes on; stale while running
  uint32_t frame;                    // base of its current frame, in slots from `stack`; stale while running
  uint32_t stackSlots;               // capacity
  std::atomic<uint64_t> ticket;      // see above
  Context* queueNext;                // in a run queue
  WaitNode* waits;                   // its own nodes while it waits
  WaitQueue waiters;                 // who waits for its end (under the header's lock bit)
  Slot result;                       // kNew: the closure; unfinished: an exception being handed over, or null;
                                     // kDone: the value (a struct: an array of one element); kFailed: the exception
  std::atomic<ContextExtra*> extra;  // null unless it has a name or had to do with a mutex; malloc'd
  uint64_t id;                       // 1 is main; 0 a promise's future
  std::atomic<uint32_t> timer;       // position in the timer heap + 1; 0: no timer set. Changed under the timers' lock
  std::atomic<uint32_t> shieldDepth; // > 0: cancellation is held back; written by itself
  uint32_t parkedAt;                 // milliseconds of the scheduler's clock, roughly, when it parked
  std::atomic<ContextState> state;
  ParkReason parkReason;      // while kParking, kParked
  Wake wake;                  // how the last wait ended
  std::atomic<uint8_t> flags; // ContextFlags

  bool finished() const {
    ContextState s = state.load(std::memory_order_acquire);
    return s == ContextState::kDone || s == ContextState::kFailed;
  }
  bool hasFlag(uint8_t flag) const { return flags.load(std::memory_order_relaxed) & flag; }
  void setFlag(uint8_t flag) { flags.fetch_or(flag, std::memory_order_relaxed); }
  // Whether a wait throws CancelledException now (C1.5).
  bool mustThrowCancelled() const {
    return hasFlag(kCancelRequested) && shieldDepth.load(std::memory_order_relaxed) == 0;
  }
  // Its own carrier's: enters (1) or leaves (-1) a shield.
  void changeShield(int by) {
    shieldDepth.store(shieldDepth.load(std::memory_order_relaxed) + static_cast<uint32_t>(by),
                      std::memory_order_relaxed);
  }
  ContextExtra* extraOrNull() const { return extra.load(std::memory_order_acquire); }
};
static_assert(sizeof(Context) == 112, "a million contexts are kept: every 16 bytes count");

// ---------------------------------------------------------------- frames
// A frame is a two-slot header below its base and its registers from the base on:
//   base[-2]  const LoadedFunction*
//   base[-1]  return address (48 bits) | distance to the caller's frame in slots << 48; distance 0 marks the outermost
//   frame
// The instruction word before the return address has the result register in its field a, which counts from the caller's
// base.

constexpr uint32_t kFrameHeader = 2;

inline const bytecode::LoadedFunction* functionOf(const Slot* base) {
  return base[-2].as<const bytecode::LoadedFunction>();
}
inline const bytecode::Instruction* returnAddress(const Slot* base) {
  return reinterpret_cast<const bytecode::Instruction*>(base[-1].bits & 0xffffffffffffull);
}
inline uint32_t callerDistance(const Slot* base) { return static_cast<uint32_t>(base[-1].bits >> 48); }
inline void setFrameHeader(Slot* base, const bytecode::LoadedFunction* f, const bytecode::Instruction* returnTo,
                           uint64_t distance) {
  base[-2].setObject(f);
  base[-1].bits = reinterpret_cast<uint64_t>(returnTo) | distance << 48;
}

// Calls visit(base, function, pcOffset, isTop) for each frame from the innermost out. pcOffset is the word whose
// safepoint map and line hold: the saved pc of the top frame, the last word of the call in the others. Stops early if
// visit returns false.
template <class F> void walkFrames(const Context& context, F&& visit) {
  if (context.stack == nullptr) return;
  Slot* base = context.stack + context.frame;
  const bytecode::Instruction* pc = context.pc;
  bool top = true;
  for (;;) {
    const bytecode::LoadedFunction* f = functionOf(base);
    if (!visit(base, *f, static_cast<uint32_t>(pc - f->code), top)) return;
    uint32_t distance = callerDistance(base);
    if (distance == 0) return;
    pc = returnAddress(base) - 1;
    base -= distance;
    top = false;
  }
}

} // namespace nlang::sched
