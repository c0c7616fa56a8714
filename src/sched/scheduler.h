// The scheduler: run queue, parking and waking, timers, deadlock. One carrier runs today; what several need (tickets,
// two-phase parking, requests, queues per carrier) is how it works already.
//
// Parking is two-phase (after Go's gopark): a primitive, under its own lock, calls beginPark and links wait nodes with
// the ticket, fills carrier.park and answers "parked". The interpreter saves the context; finishPark makes it kParked,
// sets its timer and only then releases the primitive's lock. So no waker finds a context that is not completely saved.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/planted_fault.h"
#include "sched/carrier.h"
#include "sched/clock.h"
#include "sched/context.h"
#include "sched/timers.h"

namespace nlang::sched {

struct SchedulerOptions {
  uint32_t quota = 1000;
  bool virtualTime = false;
  uint64_t stackLimitBytes = 64ull << 20;
};

struct SchedulerStatistics {
  uint64_t started = 0, alive = 0, peakAlive = 0, preemptions = 0, switches = 0;
  uint64_t parks[static_cast<unsigned>(ParkReason::kCount)] = {};
};

class Scheduler final : public heap::RootProvider {
 public:
  Scheduler(heap::Heap& heap, const SchedulerOptions& options);
  ~Scheduler() override;

  // ---- contexts
  // A new context of `cls` (kind kThread) that will call `closure` (kept alive by the caller's frame slot), queued
  // behind those that are ready. May collect. Null: out of memory. `name` may be null.
  Context* spawn(Carrier& carrier, const heap::Class& cls, Object* closure, Object* name);
  // A promise's future: pending, without a stack. May collect.
  Context* newPending(Carrier& carrier, const heap::Class& cls);
  // The context's outermost function returned (result already in context.result, state not yet changed) or was left by
  // the exception in context.result. Frees the stack of a context that ran; wakes everybody who waits for it.
  void finish(Carrier& carrier, Context& context, bool failed, bool resultIsReference);

  // ---- parking (see above)
  uint64_t beginPark(Carrier&, Context& context) {
    // An even ticket is changed by its own context only.
    uint64_t ticket = context.ticket.load(std::memory_order_relaxed) + 1;
    assert((ticket & 1) != 0);
    context.state.store(ContextState::kParking, std::memory_order_relaxed);
    context.ticket.store(ticket, std::memory_order_release);
    return ticket;
  }
  // Links a fresh node for the context in `queue`; `slot` as in WaitNode.
  WaitNode* wait(Carrier& carrier, Context& context, WaitQueue& queue, Object* owner, uint32_t slot);
  // True for exactly one caller per park.
  bool claim(Context& context, uint64_t ticket) {
    // A stale ticket must fail even if the context waits again: that is what the number is for.
    if (NLANG_FAULT("accept-stale-ticket")) {
      context.ticket.store((context.ticket.load(std::memory_order_relaxed) | 1) + 1, std::memory_order_relaxed);
      return true;
    }
    if ((ticket & 1) == 0) return false;
    if (heap_.severalCarriers()) [[unlikely]]
      return context.ticket.compare_exchange_strong(ticket, ticket + 1, std::memory_order_acq_rel);
    // One carrier: nobody competes, and a locked instruction would be a fifth of a hand-over's cost.
    if (context.ticket.load(std::memory_order_relaxed) != ticket) return false;
    context.ticket.store(ticket + 1, std::memory_order_relaxed);
    return true;
  }
  // After a successful claim, with the outcome written: queues the context (behind those that are ready) and drops its
  // timer.
  void unpark(Carrier& carrier, Context& context, Wake wake) {
    context.wake = wake;
    if (context.timer != 0) timers_.cancel(context);
    heap_.addDirtyContext(&context.header);
    enqueue(carrier, context);
  }
  // Takes nodes off the front of `queue` until one can be claimed; returns it claimed (still owned by its context) or
  // null. The caller holds the lock of the queue's owner, writes the outcome and calls unpark.
  WaitNode* claimFirst(WaitQueue& queue) {
    while (WaitNode* node = queue.head) {
      queue.remove(node);
      if (claim(*node->context, node->ticket)) {
        node->mode = kClaimedNode;
        return node;
      }
    }
    return nullptr;
  }
  // Unlinks and frees all wait nodes of a context that goes on after a wait. Every native that waited calls it first
  // thing when it is resumed.
  void leaveWait(Carrier& carrier, Context& context) {
    while (WaitNode* node = context.waits) {
      if (node->queue != nullptr) unlink(*node);
      context.waits = node->sibling;
      node->next = carrier.freeNodes;
      carrier.freeNodes = node;
    }
  }
  // Called by the interpreter for a native's answer "parked", with pc and frame saved in the context. Returns true if
  // the context does not park after all (it was cancelled, or its deadline is already over and nobody claimed it
  // first): it goes on at once, wake is set.
  bool finishPark(Carrier& carrier, Context& context);
  // Milliseconds from now as a deadline; kNoDeadline beyond the clock's range.
  int64_t deadlineAfter(int64_t milliseconds);

  // ---- running
  // Puts a context that can go on at the end of the run queue.
  void enqueue(Carrier& carrier, Context& context) {
    if (context.state.load(std::memory_order_relaxed) != ContextState::kNew) {
      context.state.store(ContextState::kReady, std::memory_order_relaxed);
    }
    context.queueNext = nullptr;
    (carrier.runTail ? carrier.runTail->queueNext : carrier.runHead) = &context;
    carrier.runTail = &context;
    ++carrier.runLength;
  }
  // The next context to run, taken from the queue, with due timers looked at now and then; null: nothing can run now.
  Context* next(Carrier& carrier);
  // True if another context could run now (fires due timers first).
  bool othersReady(Carrier& carrier);
  // Nothing can run: waits for the next timer (moves a virtual clock to it). False: nothing will ever happen, a
  // deadlock.
  bool waitForEvent(Carrier& carrier);
  // Requests cancellation (C1.5).
  void cancel(Carrier& carrier, Context& context);
  // What the counter is loaded with when a context starts to run.
  uint32_t quota() const { return options_.quota; }

  Clock& clock() { return clock_; }
  const SchedulerOptions& options() const { return options_; }
  SchedulerStatistics& statistics() { return statistics_; }
  heap::Heap& heap() { return heap_; }

  // ---- reports
  // Contexts whose failure nobody observed and that the collector found unreachable, to be reported; cleared by the
  // caller.
  std::vector<Context*>& unobserved() { return unobserved_; }
  // All unfinished contexts in order of id.
  std::vector<Context*> unfinished();
  // All contexts that failed unobserved and are not reported yet, in order of id.
  std::vector<Context*> failedUnobserved();

  // ---- heap::RootProvider
  void markRoots(heap::Marker& marker) override;
  void afterMark(heap::Marker& marker) override;

 private:
  void fireTimers(Carrier& carrier);
  WaitNode* newNode(Carrier& carrier) {
    if (carrier.freeNodes == nullptr) [[unlikely]]
      makeNodes(carrier);
    WaitNode* node = carrier.freeNodes;
    carrier.freeNodes = node->next;
    return node;
  }
  void makeNodes(Carrier& carrier);
  void unlink(WaitNode& node);
  void wakeJoiners(Carrier& carrier, Context& context, bool failed);

  heap::Heap& heap_;
  SchedulerOptions options_;
  Clock clock_;
  Timers timers_;
  SchedulerStatistics statistics_;
  uint64_t nextId_ = 1;
  std::vector<Context*> unobserved_;
  std::vector<void*> nodeChunks_; // what the pools of wait nodes came from
};

// Marks what a context refers to: its live registers by the liveness maps, its result, its name.
void traceContext(heap::Marker& marker, Object* object, const heap::Class& cls);

} // namespace nlang::sched
