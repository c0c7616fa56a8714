// Contexts, parking, timers, and the run queue of one carrier. What several carriers do is in carriers.cpp.
#include "sched/scheduler.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "base/coverage.h"
#include "heap/lock_bit.h"
#include "sched/held.h"

namespace nlang::sched {

namespace {

// A switch costs about as much as a clock read, so timers are looked at once in this many switches (and at every
// preemption check).
constexpr uint32_t kSwitchesPerPoll = 64;
constexpr uint32_t kSlicesPerLook = 64;
constexpr int64_t kNanosPerLookOutside = kNanosPerMilli;
constexpr uint32_t kNodesPerChunk = 64;
constexpr uint64_t kIdsPerBlock = 1024;

// Scheduler::timerMutex_ for a scope, where more than one carrier could want it.
class TimerLock {
 public:
  TimerLock(bool needed, std::mutex& mutex) : mutex_(needed ? &mutex : nullptr) {
    if (mutex_ == nullptr) return;
    NLANG_STEP_WHEN("locks the timers", mutex_, mutex_->try_lock() && (mutex_->unlock(), true));
    mutex_->lock();
  }
  ~TimerLock() {
    if (mutex_ == nullptr) return;
    NLANG_STEP("unlocks the timers", mutex_);
    mutex_->unlock();
  }
  TimerLock(const TimerLock&) = delete;

 private:
  std::mutex* mutex_;
};

[[maybe_unused]] const char* parkReasonName(ParkReason reason) {
  static const char* const names[] = {
#define NLANG_PARK_REASON(name, text) #name,
#include "sched/park_reasons.def"
#undef NLANG_PARK_REASON
  };
  return names[static_cast<unsigned>(reason)];
}

} // namespace

Scheduler::Scheduler(heap::Heap& heap, const SchedulerOptions& options, SchedulerOwner* owner)
    : isPlain_(!options.scheduleSeed && !options.hashEvents), heap_(heap), options_(options), owner_(owner),
      clock_(options.virtualTime), carriers_(std::make_unique<std::atomic<Carrier*>[]>(options.carriers)),
      canStartMore_(owner != nullptr) {
  assert(options.carriers == 1 || (!options.scheduleSeed && !options.hashEvents));
  if (options.scheduleSeed) exploration_ = std::make_unique<Exploration>(*options.scheduleSeed);
  if (options.hashEvents) events_ = std::make_unique<EventHash>();
  heap_.addRoots(this);
}

Scheduler::~Scheduler() {
  heap_.forEachContext([](heap::Object* object) { std::free(reinterpret_cast<Context*>(object)->extraOrNull()); });
  for (void* chunk : nodeChunks_) std::free(chunk);
}

// ---------------------------------------------------------------- contexts

// Ids come from blocks of each carrier: 1, 2, 3, … while there is one.
uint64_t Scheduler::newId(Carrier& carrier) {
  if (carrier.nextId == carrier.idsEnd) {
    carrier.nextId = nextId_.fetch_add(kIdsPerBlock, std::memory_order_relaxed);
    carrier.idsEnd = carrier.nextId + kIdsPerBlock;
  }
  return carrier.nextId++;
}

void Scheduler::countStarted(Carrier& carrier) {
  ++carrier.statistics.started;
  uint64_t alive;
  if (heap_.severalCarriers()) {
    alive = alive_.fetch_add(1, std::memory_order_relaxed) + 1;
  } else {
    alive = alive_.load(std::memory_order_relaxed) + 1;
    alive_.store(alive, std::memory_order_relaxed);
  }
  // Two that meet here may leave the smaller of their two numbers, which differ by a few.
  if (alive > peakAlive_.load(std::memory_order_relaxed)) peakAlive_.store(alive, std::memory_order_relaxed);
}

Context* Scheduler::spawn(Carrier& carrier, const heap::Class& cls, Object* closure, Object* name) {
  auto* context = reinterpret_cast<Context*>(heap_.allocateContext(carrier.allocator, cls, sizeof(Context)));
  if (context == nullptr) return nullptr;
  if (name != nullptr) ensureExtra(*context).name = name;
  context->id = newId(carrier);
  context->result.setObject(closure);
  context->state.store(ContextState::kNew, std::memory_order_relaxed);
  heap_.addDirtyContext(&context->header);
  countStarted(carrier);
  noteEvent(ScheduleEvent::kSpawn, *context);
  enqueue(carrier, *context);
  return context;
}

Context* Scheduler::newPending(Carrier& carrier, const heap::Class& cls) {
  auto* context = reinterpret_cast<Context*>(heap_.allocateContext(carrier.allocator, cls, sizeof(Context)));
  if (context == nullptr) return nullptr;
  context->state.store(ContextState::kPending, std::memory_order_relaxed);
  heap_.addDirtyContext(&context->header);
  return context;
}

void Scheduler::retire(Carrier& carrier, Context& context, bool failed) {
  if (context.stack != nullptr) heap_.freeStack(carrier.allocator, context.stack, context.stackSlots);
  context.stack = nullptr;
  noteEvent(ScheduleEvent::kEnd, context, failed);
  if (heap_.severalCarriers())
    alive_.fetch_sub(1, std::memory_order_relaxed);
  else
    alive_.store(alive_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

void Scheduler::finish(Carrier& carrier, Context& context, bool failed, bool resultIsReference) {
  if (context.state.load(std::memory_order_relaxed) != ContextState::kPending) retire(carrier, context, failed);
  if (resultIsReference) context.setFlag(kResultIsReference);
  heap_.addDirtyContext(&context.header);
  {
    heap::LockBit lock(heap_, context.header);
    NLANG_STEP("ends", &context.state);
    context.state.store(failed ? ContextState::kFailed : ContextState::kDone, std::memory_order_release);
    wakeJoiners(carrier, context, failed);
  }
  // Whoever waits for something that this context has not released would wait for ever.
  while (HeldObject* held = takeWatched(heap_, context)) {
    heap::LockBit lock(heap_, held->header);
    while (WaitNode* node = claimFirst(held->waiters)) unpark(carrier, *node->context, Wake::kHolderEnded);
  }
}

// The future that the node is about has succeeded. True: others are still pending, and its context sleeps on.
bool Scheduler::notePending(WaitNode& node) {
  // Its context cannot go on while the future's lock bit is held, so the slot is still its native's.
  Slot& pending = node.context->stack[node.slot];
  NLANG_STEP("counts a future down", &pending);
  return __atomic_sub_fetch(&pending.bits, 1, __ATOMIC_ACQ_REL) != 0;
}

void Scheduler::wakeJoiners(Carrier& carrier, Context& context, bool failed) {
  while (WaitNode* node = context.waiters.head) {
    context.waiters.remove(node);
    // A waiter for all of several futures sleeps on until the last one is done, unless this one failed.
    bool waitsForAll = node->mode == kWaitForAll;
    if (waitsForAll && !failed && notePending(*node)) continue;
    if (!claim(*node->context, node->ticket)) continue;
    if (waitsForAll && failed) node->context->result = context.result;
    node->mode = kClaimedNode;
    unpark(carrier, *node->context, waitsForAll && failed ? Wake::kFailed : Wake::kValue);
  }
}

// ---------------------------------------------------------------- parking

void Scheduler::makeNodes(Carrier& carrier) {
  std::lock_guard lock(mutex_);
  if (sharedNodes_ == nullptr) {
    auto* chunk = static_cast<WaitNode*>(std::aligned_alloc(sizeof(WaitNode), kNodesPerChunk * sizeof(WaitNode)));
    if (chunk == nullptr) throw std::bad_alloc();
    nodeChunks_.push_back(chunk);
    for (uint32_t i = 0; i < kNodesPerChunk; ++i) {
      chunk[i].next = sharedNodes_;
      sharedNodes_ = &chunk[i];
    }
  }
  for (uint32_t i = 0; i < kNodesPerChunk && sharedNodes_ != nullptr; ++i) {
    WaitNode* node = sharedNodes_;
    sharedNodes_ = node->next;
    node->next = carrier.freeNodes;
    carrier.freeNodes = node;
    ++carrier.freeNodeCount;
  }
}

// Nodes are freed where their context goes on, which need not be where new ones are wanted.
void Scheduler::shareNodes(Carrier& carrier) {
  std::lock_guard lock(mutex_);
  for (; carrier.freeNodeCount > kMostFreeNodes / 2; --carrier.freeNodeCount) {
    WaitNode* node = carrier.freeNodes;
    carrier.freeNodes = node->next;
    node->next = sharedNodes_;
    sharedNodes_ = node;
  }
}

WaitNode* Scheduler::wait(Carrier& carrier, Context& context, WaitQueue& queue, Object* owner, uint32_t slot) {
  WaitNode* node = newNode(carrier);
  node->context = &context;
  node->ticket =
      (context.ticket.load(std::memory_order_relaxed) - 1) | 1; // of this wait, also if it is claimed already
  node->owner = owner;
  node->slot = slot;
  node->branch = 0;
  node->mode = 0;
  node->sibling = context.waits;
  context.waits = node;
  queue.push(node);
  return node;
}

void Scheduler::unlink(WaitNode& node) {
  heap::LockBit lock(heap_, *node.owner);
  if (node.queue != nullptr) node.queue->remove(&node);
}

void Scheduler::releaseParkLock(const ParkRequest& park) {
  if (park.lock != nullptr) heap::LockBit::release(heap_, *park.lock);
}

bool Scheduler::finishPark(Carrier& carrier, Context& context) {
  const ParkRequest& park = carrier.park; // not copied: its parts have just been written one by one
  context.parkReason = park.reason;
  context.parkedAt = carrier.parkTime;
  ++carrier.statistics.parks[static_cast<unsigned>(park.reason)];
  NLANG_COVER("park", parkReasonName(park.reason));
  noteEvent(ScheduleEvent::kPark, context, static_cast<unsigned>(park.reason));
  uint64_t ticket = readTicket(context);
  NLANG_LOOK("looks for a cancel", &context.flags);
  if (context.mustThrowCancelled() && !NLANG_MISSES("the cancel") && claim(context, ticket)) {
    context.state.store(ContextState::kRunning, std::memory_order_relaxed);
    context.wake = Wake::kCancelled;
    releaseParkLock(park);
    return true;
  }
  if (park.deadline != kNoDeadline) setTimer(context, park.deadline);
  if (isPlain_ || !heap_.severalCarriers()) [[likely]] {
    context.state.store(ContextState::kParked, std::memory_order_relaxed);
    releaseParkLock(park);
    return false;
  }
  return finishParkAmongSeveral(carrier, context, ticket);
}

// From the moment it is kParked another carrier may run the context: it is not touched any more, but for its ticket.
bool Scheduler::finishParkAmongSeveral(Carrier& carrier, Context& context, uint64_t ticket) {
  bool isShielded = context.shieldDepth.load(std::memory_order_relaxed) != 0;
  ContextState expected = ContextState::kParking;
  NLANG_STEP("is saved", &context.state);
  if (!context.state.compare_exchange_strong(expected, ContextState::kParked, std::memory_order_seq_cst)) {
    dropTimer(context);
    context.state.store(ContextState::kRunning, std::memory_order_relaxed);
    releaseParkLock(carrier.park);
    return true;
  }
  // Against cancel(), which sets the flag before it looks at the ticket: one of the two sees the other. (On x86 the
  // compare-and-swap is a full barrier already.)
#if !defined(__x86_64__)
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  releaseParkLock(carrier.park);
  if (NLANG_FAULT("skip-cancel-recheck")) return false;
  NLANG_LOOK("looks for a cancel again", &context.flags);
  if (context.hasFlag(kCancelRequested) && !isShielded && claim(context, ticket))
    unpark(carrier, context, Wake::kCancelled);
  return false;
}

uint32_t Scheduler::nowMillis() const { return static_cast<uint32_t>(clock_.now() / kNanosPerMilli); }

int64_t Scheduler::deadlineAfter(int64_t milliseconds) {
  NLANG_LOOK("reads the clock", &clock_);
  int64_t now = clock_.now();
  if (milliseconds > (kNeverComes - now) / kNanosPerMilli) return kNeverComes;
  return now + milliseconds * kNanosPerMilli;
}

void Scheduler::cancel(Carrier& carrier, Context& context) {
  if (context.finished()) return;
  NLANG_STEP("requests the cancel", &context.flags);
  context.flags.fetch_or(kCancelRequested, std::memory_order_seq_cst);
  uint64_t ticket = readTicket(context);
  if ((ticket & 1) == 0) return;
  // What is read of it after its ticket holds as long as the ticket does.
  NLANG_LOOK("looks for a shield", &context.shieldDepth);
  if (context.shieldDepth.load(std::memory_order_relaxed) != 0) return;
  if (NLANG_FAULT("late-cancel-ticket")) ticket = readTicket(context);
  if (claim(context, ticket)) unpark(carrier, context, Wake::kCancelled);
}

// ---------------------------------------------------------------- timers

void Scheduler::setTimer(Context& context, int64_t deadline) {
  TimerLock lock(heap_.severalCarriers(), timerMutex_);
  timers_.set(context, deadline);
}

void Scheduler::cancelTimer(Context& context) {
  TimerLock lock(true, timerMutex_);
  timers_.cancel(context);
}

void Scheduler::fireTimers(Carrier& carrier) {
  NLANG_LOOK("reads the clock", &clock_);
  int64_t now = clock_.now();
  for (;;) {
    NLANG_LOOK("looks at the timers", &timerMutex_);
    if (timers_.nextDeadline() > now) return;
    Context* expired;
    {
      TimerLock lock(heap_.severalCarriers(), timerMutex_);
      expired = takeExpired(now);
    }
    if (expired == nullptr) return;
    unpark(carrier, *expired, Wake::kTimeout);
  }
}

// Claims the first context whose time is up, and takes its timer and those before it off; null: there is none. Under
// the timers' lock.
//
// Whoever has claimed a context sees to it that its timer is off before it goes on. So while its timer is set it has
// the ticket with which it was set, or the next one, and a claim with what is read then cannot hit a later wait. Once
// the timer is off, the context may be waiting again.
Context* Scheduler::takeExpired(int64_t now) {
  while (timers_.nextDeadline() <= now) {
    Context& context = timers_.first();
    uint64_t ticket = readTicket(context);
    NLANG_STEP("takes the timer off", &timerMutex_);
    timers_.pop();
    if (NLANG_FAULT("late-timer-ticket")) ticket = readTicket(context);
    if (claim(context, ticket)) return &context;
  }
  return nullptr;
}

// ---------------------------------------------------------------- running

Context* Scheduler::nextSlowly(Carrier& carrier) {
  Context* context = !isPlain_ && heap_.severalCarriers() ? nextAmongSeveral(carrier) : takeReadyOrPoll(carrier);
  return context != nullptr ? aboutToRun(carrier, context) : nullptr;
}

Context* Scheduler::takeReadyOrPoll(Carrier& carrier) {
  if (carrier.untilPoll-- == 0) {
    poll(carrier);
    if (exiting()) return nullptr;
  }
  Context* context = takeReady(carrier);
  if (context == nullptr) [[unlikely]] {
    poll(carrier);
    context = takeReady(carrier);
    if (context == nullptr) return nullptr;
  }
  noteEvent(ScheduleEvent::kRun, *context);
  if (options_.carriers > 1) noteBacklog(carrier, !carrier.ready.empty());
  return context;
}

void Scheduler::unparkSpecially(Carrier& carrier, Context& context, Wake wake) {
  if (heap_.severalCarriers()) return unparkAmongSeveral(carrier, context);
  if (context.timer.load(std::memory_order_relaxed) != 0) timers_.cancel(context);
  heap_.addDirtyContext(&context.header);
  noteEvent(ScheduleEvent::kUnpark, context, static_cast<unsigned>(wake));
  enqueue(carrier, context);
}

void Scheduler::poll(Carrier& carrier) {
  carrier.untilPoll = kSwitchesPerPoll;
  int64_t now = clock_.now();
  carrier.parkTime = static_cast<uint32_t>(now / kNanosPerMilli);
  if (timers_.nextDeadline() <= now) fireTimers(carrier);
  if (!watchesOutside()) return;
  lookOutside(carrier, clock_.isVirtual() ? Clock::realNow() : now);
  // Virtual time must not jump over what has come already.
  if (clock_.isVirtual() && awaitedDescriptors_.load(std::memory_order_relaxed) > 0) attendDescriptors(carrier);
}

// A context that computes without switching must not keep the time of later parks, a signal or an event from being
// noticed.
void Scheduler::lookNow(Carrier& carrier) {
  carrier.untilLook = kSlicesPerLook;
  int64_t now = clock_.now();
  carrier.parkTime = static_cast<uint32_t>(now / kNanosPerMilli);
  if (watchesOutside()) lookOutside(carrier, clock_.isVirtual() ? Clock::realNow() : now);
}

// A look is a system call, so a busy carrier has one at most once a millisecond. An idle one sleeps in the poller.
void Scheduler::lookOutside(Carrier& carrier, int64_t realNow) {
  if (realNow < carrier.nextLookOutside) return;
  carrier.nextLookOutside = realNow + kNanosPerLookOutside;
  attendSignals();
  if (poller_.watchesDescriptors()) attendDescriptors(carrier);
}

void Scheduler::attendDescriptors(Carrier& carrier) {
  Poller::Events events;
  poller_.look(events);
  attend(carrier, events);
}

void Scheduler::attendSignals() {
  if (!poller_.watchesSignals()) return;
  while (int signal = poller_.takeSignal()) owner_->signalled(signal);
}

bool Scheduler::othersReadySlowly(Carrier& carrier) {
  if (timersDue()) fireTimers(carrier);
  if (heap_.severalCarriers()) [[unlikely]]
    return carrier.nextUp != nullptr || carrier.queue.length() > 0 || sharedLength_.load(std::memory_order_relaxed) > 0;
  return !carrier.ready.empty() || (exploration_ != nullptr && !exploration_->empty());
}

void Scheduler::preempt(Carrier& carrier, Context& context) {
  ++carrier.statistics.preemptions;
  noteEvent(ScheduleEvent::kPreempt, context);
  enqueue(carrier, context);
  if (options_.carriers > 1) wakeForWaiting(carrier);
}

SchedulerStatistics Scheduler::statistics() const {
  SchedulerStatistics sum;
  sum.carriers = startedCount_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < sum.carriers; ++i) {
    const CarrierStatistics& one = carriers_[i].load(std::memory_order_acquire)->statistics;
    sum.started += one.started;
    sum.switches += one.switches;
    sum.preemptions += one.preemptions;
    sum.steals += one.steals;
    for (unsigned reason = 0; reason < std::size(sum.parks); ++reason) sum.parks[reason] += one.parks[reason];
  }
  sum.alive = alive_.load(std::memory_order_relaxed);
  sum.peakAlive = peakAlive_.load(std::memory_order_relaxed);
  return sum;
}

} // namespace nlang::sched
