// The scheduler: run queues, parking and waking, timers, carriers, deadlock.
//
// Parking is two-phase (after Go's gopark): a primitive, under its own lock, calls beginPark and links wait nodes with
// the ticket, fills carrier.park and answers "parked". The interpreter saves the context; finishPark makes it kParked,
// sets its timer and only then releases the primitive's lock. A wait in several places keeps no lock: a waker that
// finds the context kParking makes it kWoken, and finishPark lets it go on.
//
// One carrier or several. A Vm starts with one, and what it does then costs no atomic read-modify-write. When contexts
// have queued up for a while (and SchedulerOptions::carriers allows it) the first carrier, between two contexts and so
// holding no lock bit, makes the heap take locks from then on, and wakes others as there is work for them
// (carriers.cpp). This is never undone.
//
// Locks: `mutex_` guards the shared queue and who is idle, `timerMutex_` the timers. Neither is taken on a path that
// does not wait or find its own queue empty, but for one look in kSwitchesPerPoll. Order: lock bits, then timerMutex_
// or mutex_.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/planted_fault.h"
#include "base/steps.h"
#include "sched/carrier.h"
#include "sched/clock.h"
#include "sched/context.h"
#include "sched/descriptor_wait.h"
#include "sched/event_hash.h"
#include "sched/exploration.h"
#include "sched/poller.h"
#include "sched/timers.h"

namespace nlang::sched {

struct SchedulerOptions {
  uint32_t quota = 1000;
  uint32_t carriers = 1;      // at most so many run
  bool carrierStress = false; // start and wake carriers at every chance, to find what depends on who runs where
  bool virtualTime = false;
  std::optional<uint64_t> scheduleSeed = {}; // explores (exploration.h): another order, this one; with one carrier
  bool hashEvents = false;                   // keeps eventHash(); with one carrier
  uint64_t stackLimitBytes = 64ull << 20;
};

struct SchedulerStatistics {
  uint64_t started = 0, alive = 0, peakAlive = 0, preemptions = 0, switches = 0, steals = 0, carriers = 0;
  uint64_t parks[static_cast<unsigned>(ParkReason::kCount)] = {};
};

// What the scheduler wants of the Vm.
class SchedulerOwner {
 public:
  virtual ~SchedulerOwner() = default;
  // Makes carrier number `index` (from 1) and a thread that runs it. Null: the system allows no more threads.
  virtual Carrier* startCarrier(uint32_t index) = 0;
  // A signal of watchSignals has come. On a carrier that is inside the world, at a safepoint.
  virtual void signalled(int) {}
};

class Scheduler final : public heap::RootProvider {
 public:
  // `owner` may be null if options.carriers is 1.
  Scheduler(heap::Heap& heap, const SchedulerOptions& options, SchedulerOwner* owner = nullptr);
  ~Scheduler() override;
  // The carrier of the thread that calls Vm::run: before anything else.
  void addFirstCarrier(Carrier& carrier);
  // From now on locks are taken, because others may run beside the first carrier. Once, by that carrier, between two
  // contexts or with the running one saved: no lock bit is held anywhere.
  void startSeveral(Carrier& carrier);

  // ---- contexts
  // A new context of `cls` (kind kThread) that will call `closure` (kept alive by the caller's frame slot), queued
  // behind those that are ready. May collect. Null: out of memory. `name` may be null.
  Context* spawn(Carrier& carrier, const heap::Class& cls, Object* closure, Object* name);
  // A promise's future: pending, without a stack. May collect.
  Context* newPending(Carrier& carrier, const heap::Class& cls);
  // The context's outermost function returned (result already in context.result, state not yet changed) or was left by
  // the exception in context.result. Frees the stack of a context that ran; wakes everybody who waits for it.
  void finish(Carrier& carrier, Context& context, bool failed, bool resultIsReference);
  // The first part of that, for a context whose end nobody sees yet: frees its stack. The caller makes it kPending.
  void retire(Carrier& carrier, Context& context, bool failed);

  // ---- parking (see above)
  uint64_t beginPark(Carrier&, Context& context) {
    // An even ticket is changed by its own context only.
    uint64_t ticket = context.ticket.load(std::memory_order_relaxed) + 1;
    assert((ticket & 1) != 0);
    context.state.store(ContextState::kParking, std::memory_order_relaxed);
    NLANG_STEP("begins to park", &context.ticket);
    context.ticket.store(ticket, std::memory_order_release);
    return ticket;
  }
  // Links a fresh node for the context in `queue`; `slot` as in WaitNode. The lock of the queue's owner is held.
  WaitNode* wait(Carrier& carrier, Context& context, WaitQueue& queue, Object* owner, uint32_t slot);
  // As of now, to claim with. After a sequentially consistent write, a wait that began before it shows.
  static uint64_t readTicket(const Context& context) {
    NLANG_LOOK("reads the ticket", &context.ticket);
    return context.ticket.load(std::memory_order_seq_cst);
  }
  // True for exactly one caller per park.
  bool claim(Context& context, uint64_t ticket) {
    // A stale ticket must fail even if the context waits again: that is what the number is for.
    if (NLANG_FAULT("accept-stale-ticket")) {
      context.ticket.store((context.ticket.load(std::memory_order_relaxed) | 1) + 1, std::memory_order_relaxed);
      return true;
    }
    if ((ticket & 1) == 0) return false;
    NLANG_STEP("claims", &context.ticket);
    if (heap_.severalCarriers()) [[unlikely]]
      return context.ticket.compare_exchange_strong(ticket, ticket + 1, std::memory_order_seq_cst);
    // One carrier: nobody competes, and a locked instruction would be a fifth of a hand-over's cost.
    if (context.ticket.load(std::memory_order_relaxed) != ticket) return false;
    context.ticket.store(ticket + 1, std::memory_order_relaxed);
    return true;
  }
  // A context that has begun to park finds that it need not. False: somebody has claimed it first; it must park.
  bool claimSelf(Context& context) {
    if (!claim(context, readTicket(context))) return false;
    context.state.store(ContextState::kRunning, std::memory_order_relaxed);
    return true;
  }
  // After a successful claim, with the outcome written: queues the context (behind those that are ready) and drops its
  // timer.
  void unpark(Carrier& carrier, Context& context, Wake wake) {
    context.wake = wake;
    if (!isPlain_) [[unlikely]]
      return unparkSpecially(carrier, context, wake);
    if (context.timer.load(std::memory_order_relaxed) != 0) timers_.cancel(context);
    heap_.addDirtyContext(&context.header);
    context.state.store(ContextState::kReady, std::memory_order_relaxed);
    carrier.ready.push(context);
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
      // Whoever claimed through a node has let go of it; another's queue may be in a waker's hands.
      if (node->mode != kClaimedNode) unlink(*node);
      context.waits = node->sibling;
      freeNode(carrier, node);
    }
  }
  // Called by the interpreter for a native's answer "parked", with pc and frame saved in the context. Returns true if
  // the context does not park after all (it was cancelled, or woken already): it goes on at once, wake is set.
  bool finishPark(Carrier& carrier, Context& context);
  // The clock as Context::parkedAt has it.
  uint32_t nowMillis() const;
  // Milliseconds from now as a deadline; kNeverComes beyond the clock's range.
  int64_t deadlineAfter(int64_t milliseconds);

  // ---- waiting for descriptors (descriptor_wait.h, descriptors.cpp)
  // `seen`: what wait.turn was before the attempt that has just shown that the context must wait. `again`: it has
  // waited before and not left. False: try again. True: answer "parked". Throws std::system_error if the system
  // refuses.
  bool parkOnDescriptor(Carrier& carrier, Context& context, DescriptorWait& wait, ParkReason reason, uint32_t seen,
                        bool again);
  // By a context that has waited: it is done, or will not try any more. After leaveWait.
  void leaveDescriptor(Carrier& carrier, DescriptorWait& wait);
  // From now on an event of the descriptor ends the sleep of an idle program. False: the system refuses (errno).
  bool watch(DescriptorWait& wait);

  // ---- running
  // Puts a context that can go on at the end of the carrier's run queue.
  void enqueue(Carrier& carrier, Context& context) {
    if (context.state.load(std::memory_order_relaxed) != ContextState::kNew) {
      context.state.store(ContextState::kReady, std::memory_order_relaxed);
    }
    if (!isPlain_ && heap_.severalCarriers()) [[unlikely]]
      return enqueueAmongSeveral(carrier, context);
    carrier.ready.push(context);
  }
  // The running context, saved, has used its quota up and others are ready: puts it behind them.
  void preempt(Carrier& carrier, Context& context);
  // The next context to run, with due timers looked at now and then; null: nothing can run now. The carrier is at a
  // safepoint.
  Context* next(Carrier& carrier) {
    Context* context = isPlain_ && carrier.untilPoll != 0 ? carrier.ready.pop() : nullptr;
    if (context == nullptr) return nextSlowly(carrier);
    --carrier.untilPoll;
    if (options_.carriers > 1) noteBacklog(carrier, !carrier.ready.empty());
    return aboutToRun(carrier, context);
  }
  // True if another context could run now (fires due timers first).
  bool othersReady(Carrier& carrier) {
    if (isPlain_ && timers_.nextDeadline() == kNoDeadline) return !carrier.ready.empty();
    return othersReadySlowly(carrier);
  }
  // Requests cancellation (C1.5).
  void cancel(Carrier& carrier, Context& context);
  // What the counter is loaded with when a context starts to run, or goes on because no other can.
  uint32_t sliceLength() {
    if (!isPlain_ && exploration_ != nullptr) [[unlikely]]
      return exploration_->sliceLength(options_.quota);
    return options_.quota;
  }

  // The running context has been saved at the end of a slice: has a look at the clock, signals and descriptors now and
  // then.
  void look(Carrier& carrier) {
    if (carrier.untilLook-- == 0) lookNow(carrier);
  }
  // Signals that the host has blocked, from a signalfd; SchedulerOwner::signalled is told of each. Before the program
  // runs.
  void watchSignals(int descriptor) { poller_.watchSignals(descriptor); }

  // ---- idling (carriers.cpp)
  // next() has found nothing.
  enum class Idle : uint8_t {
    kWork,  // look again: time has moved on, or something can be stolen
    kSleep, // call sleep(); the whole program is idle if `allIdle`
    kExit,  // the program ends, or `deadlocked()`
  };
  Idle prepareSleep(Carrier& carrier, bool& allIdle);
  // After kSleep, once: until something may have happened.
  void sleep(Carrier& carrier);
  // The program's main context has ended: makes all carriers leave the interpreter and their sleep.
  void requestExit();
  bool exiting() const { return exiting_.load(std::memory_order_acquire); }
  // Nothing can ever happen again and main has not ended.
  bool deadlocked() const { return deadlocked_.load(std::memory_order_acquire); }

  Clock& clock() { return clock_; }
  const SchedulerOptions& options() const { return options_; }
  // Somebody relies on two runs being the same: virtual time, a seed, a hash of events.
  bool isReproducible() const { return clock_.isVirtual() || options_.scheduleSeed || options_.hashEvents; }
  // Sums over the carriers. While they stand still, or for a rough look.
  SchedulerStatistics statistics() const;
  heap::Heap& heap() { return heap_; }
  // Unfinished contexts, roughly.
  uint64_t aliveCount() const { return alive_.load(std::memory_order_relaxed); }
  // Null unless options().hashEvents.
  const EventHash* eventHash() const { return events_.get(); }
  // Held while somebody looks for a cycle of mutexes (sync/mutex.cpp). Taken after lock bits.
  std::mutex& cycleMutex() { return cycleMutex_; }

  // ---- reports. The world is stopped, or no other carrier runs.
  // Contexts whose failure nobody observed and that the collector found unreachable, to be reported; taken out of the
  // list. They live until the caller's next safepoint.
  std::vector<Context*> takeUnobserved();
  bool hasUnobserved() const { return hasUnobserved_.load(std::memory_order_relaxed); }
  template <class F> void forEachUnfinished(F&& visit) {
    heap_.forEachContext([&](heap::Object* object) {
      auto& context = *reinterpret_cast<Context*>(object);
      if (!context.finished() && context.state.load(std::memory_order_relaxed) != ContextState::kPending)
        visit(context);
    });
  }
  // All unfinished contexts in order of id.
  std::vector<Context*> unfinished();
  // All contexts that failed unobserved and are not reported yet, in order of id.
  std::vector<Context*> failedUnobserved();

  // ---- heap::RootProvider
  void markRoots(heap::Marker& marker) override;
  void afterMark(heap::Marker& marker) override;

 private:
  // ---- wait nodes
  WaitNode* newNode(Carrier& carrier) {
    if (carrier.freeNodes == nullptr) [[unlikely]]
      makeNodes(carrier);
    WaitNode* node = carrier.freeNodes;
    carrier.freeNodes = node->next;
    --carrier.freeNodeCount;
    return node;
  }
  void freeNode(Carrier& carrier, WaitNode* node) {
    node->next = carrier.freeNodes;
    carrier.freeNodes = node;
    if (++carrier.freeNodeCount > kMostFreeNodes) [[unlikely]]
      shareNodes(carrier);
  }
  void makeNodes(Carrier& carrier);
  void shareNodes(Carrier& carrier);
  void unlink(WaitNode& node);

  // ---- timers
  void setTimer(Context& context, int64_t deadline);
  void cancelTimer(Context& context);
  // Of a context that has been claimed, before it goes on. Among several carriers.
  void dropTimer(Context& context) {
    NLANG_LOOK("looks for a timer", &timerMutex_);
    // Acquires what takeExpired did before it took the timer off: it has read the ticket.
    if (context.timer.load(std::memory_order_acquire) != 0) cancelTimer(context);
  }
  Context* takeExpired(int64_t now);
  bool timersDue() const {
    NLANG_LOOK("looks at the timers", &timerMutex_);
    int64_t earliest = timers_.nextDeadline();
    if (earliest == kNoDeadline) return false;
    NLANG_LOOK("reads the clock", &clock_);
    return earliest <= clock_.now();
  }
  void fireTimers(Carrier& carrier);
  void poll(Carrier& carrier);
  void lookNow(Carrier& carrier);
  bool watchesOutside() const { return poller_.watchesSignals() || poller_.watchesDescriptors(); }
  void lookOutside(Carrier& carrier, int64_t realNow);
  void attendSignals();
  void attendDescriptors(Carrier& carrier);
  void attend(Carrier& carrier, const Poller::Events& events);
  void giveTurn(Carrier& carrier, DescriptorWait& wait);

  // With one carrier.
  void noteEvent(ScheduleEvent event, const Context& context, unsigned detail = 0) {
    if (!isPlain_ && events_ != nullptr) [[unlikely]]
      events_->note(event, context.id, detail);
  }
  Context* takeReady(Carrier& carrier) {
    if (!isPlain_ && exploration_ != nullptr) [[unlikely]]
      return exploration_->next(carrier.ready);
    return carrier.ready.pop();
  }
  Context* aboutToRun(Carrier& carrier, Context* context) {
    ++carrier.statistics.switches;
    heap_.addDirtyContext(&context->header);
    return context;
  }
  Context* nextSlowly(Carrier& carrier);
  bool othersReadySlowly(Carrier& carrier);
  Context* takeReadyOrPoll(Carrier& carrier);
  void unparkSpecially(Carrier& carrier, Context& context, Wake wake);

  bool finishParkAmongSeveral(Carrier& carrier, Context& context, uint64_t ticket);
  void wakeJoiners(Carrier& carrier, Context& context, bool failed);
  bool notePending(WaitNode& node);
  void releaseParkLock(const ParkRequest& park);
  uint64_t newId(Carrier& carrier);
  void countStarted(Carrier& carrier);

  // ---- several carriers (carriers.cpp)
  void unparkAmongSeveral(Carrier& carrier, Context& context);
  void enqueueAmongSeveral(Carrier& carrier, Context& context);
  Context* nextAmongSeveral(Carrier& carrier);
  Context* findWork(Carrier& carrier);
  Context* lingerForWork(Carrier& carrier);
  Context* takeShared(Carrier& carrier, bool batch);
  Context* steal(Carrier& carrier);
  void noteBacklog(Carrier& carrier, bool othersWait);
  void wakeForWaiting(Carrier& carrier);
  void wakeAnother();
  void startAnother();
  void stopSearching(Carrier& carrier);
  void wakeUp(Carrier& sleeper);
  bool workInSight() const;

  static constexpr uint32_t kMostFreeNodes = 4096; // of one carrier; what is more serves the others

  bool isPlain_; // one carrier so far, no exploration, no events to note: what is asked first on each hot path
  heap::Heap& heap_;
  SchedulerOptions options_;
  SchedulerOwner* owner_;
  Clock clock_;
  std::unique_ptr<Exploration> exploration_; // null unless there is a seed
  std::unique_ptr<EventHash> events_;        // null unless asked for
  Poller poller_;
  Timers timers_;
  std::mutex timerMutex_;
  std::atomic<uint64_t> nextId_{1};
  std::atomic<uint64_t> alive_{0}, peakAlive_{0};
  std::atomic<bool> hasUnobserved_{false};
  std::mutex cycleMutex_;
  std::mutex reportMutex_;
  std::vector<Context*> unobserved_; // under reportMutex_, or while the world is stopped

  std::mutex mutex_;
  FifoQueue shared_;                                  // what did not fit in a carrier's queue; under mutex_
  std::atomic<uint32_t> sharedLength_{0};             // of shared_; written under mutex_
  std::unique_ptr<std::atomic<Carrier*>[]> carriers_; // options.carriers places; the first startedCount_ are set
  std::atomic<uint32_t> startedCount_{0};             // written under mutex_
  std::vector<Carrier*> idle_;                        // who sleeps or is about to; under mutex_
  std::atomic<uint32_t> idleCount_{0};                // of idle_; written under mutex_
  std::atomic<uint32_t> searching_{0};                // carriers woken that have not found work yet
  std::atomic<uint32_t> awaitedDescriptors_{0};       // sum of DescriptorWait::users
  Carrier* polling_ = nullptr;                        // the idle carrier that sleeps in the poller; under mutex_
  int64_t pollDeadline_ = kNoDeadline;                // until when; under mutex_
  std::atomic<bool> exiting_{false}, deadlocked_{false};
  bool canStartMore_;               // the system has not refused a thread yet; under mutex_
  std::vector<void*> nodeChunks_;   // what the pools of wait nodes came from; under mutex_
  WaitNode* sharedNodes_ = nullptr; // pool for all carriers, linked through `next`; under mutex_
};

// Marks what a context refers to: its live registers by the liveness maps, its result, its name.
void traceContext(heap::Marker& marker, Object* object, const heap::Class& cls);

} // namespace nlang::sched
