// Several carriers: whose queue a context goes to, stealing, sleeping and waking.
//
// Why no wake-up is lost
// - A carrier that runs looks at its own queue, and once in kSwitchesPerPoll switches (and whenever its queue is empty)
// at the shared queue and the timers. So what it has queued is run even if nobody is ever woken for it.
// - A carrier is idle only with an empty queue of its own: it puts itself on the list of idle ones under mutex_ and
// looks once more at everything before. What is queued after that is queued by a carrier that runs.
// - A timer is set by a carrier that runs. When it becomes idle and its timer is earlier than what the carrier in the
// poller sleeps for, it wakes that one, which takes the earlier deadline.
// - A wake-up that comes between prepareSleep and sleep is kept, in the token or in the poller.
//
// The first context that is queued in an empty queue waits in Carrier::nextUp, where taking it needs no
// compare-and-swap and nobody steals it: it is the next to run here, when the running one parks or has used up its
// quota.
//
// Why carriers do not wake each other all the time: waking one costs as much as a thousand hand-overs (64 µs against
// 60 ns, docs/decisions/0003). So one is woken only when contexts have been left waiting at several switches in a row
// or one has used up its quota beside others, and only if nobody is searching already; who finds work wakes the next if
// there is more. Two contexts that only talk to each other stay on one carrier, because a waker queues whom it wakes in
// its own queue. (Rejected: waking at every enqueue, as Go does; a pipeline then spends its time in futex calls.)
#include <algorithm>
#include <utility>

#include "heap/lock_bit.h"
#include "sched/scheduler.h"

namespace nlang::sched {

namespace {

constexpr uint32_t kBacklogToWake = 8; // switches in a row
constexpr uint32_t kStealRounds = 4;
constexpr int64_t kLingerNanos = 30'000; // half of what a sleep and a wake-up cost

} // namespace

// ---------------------------------------------------------------- becoming several

void Scheduler::addFirstCarrier(Carrier& carrier) {
  carriers_[0].store(&carrier, std::memory_order_release);
  startedCount_.store(1, std::memory_order_release);
}

void Scheduler::startSeveral(Carrier& carrier) {
  heap_.world().enter();
  heap_.setSeveralCarriers();
  isPlain_ = false;
  std::lock_guard lock(mutex_);
  shared_ = carrier.ready;
  carrier.ready = {};
  sharedLength_.store(shared_.length(), std::memory_order_relaxed);
}

void Scheduler::noteBacklog(Carrier& carrier, bool othersWait) {
  if (!othersWait && !options_.carrierStress) {
    carrier.backlog = 0;
    return;
  }
  if (++carrier.backlog < kBacklogToWake && !options_.carrierStress) return;
  carrier.backlog = 0;
  wakeForWaiting(carrier);
}

void Scheduler::wakeForWaiting(Carrier& carrier) {
  if (!heap_.severalCarriers()) startSeveral(carrier);
  wakeAnother();
}

// ---------------------------------------------------------------- queues

void Scheduler::unparkAmongSeveral(Carrier& carrier, Context& context) {
  if (NLANG_FAULT("timer-before-state")) dropTimer(context);
  // Not saved yet: its carrier goes on with it, and drops its timer.
  NLANG_LOOK("looks whether it is saved", &context.state);
  ContextState state = context.state.load(std::memory_order_acquire);
  if (state == ContextState::kParking && !NLANG_FAULT("skip-woken")) {
    NLANG_STEP("wakes it unsaved", &context.state);
    if (context.state.compare_exchange_strong(state, ContextState::kWoken, std::memory_order_acq_rel)) return;
  }
  if (!NLANG_FAULT("timer-before-state")) dropTimer(context);
  NLANG_STEP("queues it", &context.queueNext);
  heap_.addDirtyContext(&context.header);
  enqueue(carrier, context);
}

void Scheduler::enqueueAmongSeveral(Carrier& carrier, Context& context) {
  if (!options_.carrierStress) [[likely]] {
    if (carrier.nextUp == nullptr && carrier.queue.length() == 0) {
      carrier.nextUp = &context;
      return;
    }
    if (carrier.queue.push(context)) return;
  }
  Context* moved[StealableQueue::kCapacity];
  uint32_t count = carrier.queue.takeHalf(moved);
  if (options_.carrierStress) wakeAnother(); // whoever looks at the shared queue first gets it
  std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < count; ++i) shared_.push(*moved[i]);
  shared_.push(context);
  sharedLength_.store(shared_.length(), std::memory_order_relaxed);
}

// One context of the shared queue, or with `batch` this carrier's share of it, of which the first is returned.
Context* Scheduler::takeShared(Carrier& carrier, bool batch) {
  if (sharedLength_.load(std::memory_order_relaxed) == 0) return nullptr;
  std::lock_guard lock(mutex_);
  Context* first = shared_.pop();
  if (batch && first != nullptr) {
    uint32_t share = options_.carrierStress ? 0
                                            : std::min(shared_.length() / startedCount_.load(std::memory_order_relaxed),
                                                       StealableQueue::kCapacity / 2);
    for (; share > 0 && carrier.queue.push(*shared_.first()); --share) shared_.pop();
  }
  sharedLength_.store(shared_.length(), std::memory_order_relaxed);
  return first;
}

// Half of another carrier's queue, of which the first is returned.
Context* Scheduler::steal(Carrier& carrier) {
  Context* taken[StealableQueue::kCapacity];
  uint32_t carriers = startedCount_.load(std::memory_order_acquire);
  for (uint32_t round = 0; round < kStealRounds * carriers; ++round) {
    Carrier* victim = carriers_[++carrier.victim % carriers].load(std::memory_order_acquire);
    if (victim == &carrier) continue;
    uint32_t count = victim->queue.takeHalf(taken);
    if (count == 0) continue;
    carrier.statistics.steals += count;
    for (uint32_t i = 1; i < count; ++i) carrier.queue.push(*taken[i]); // its own queue is empty: there is room
    return taken[0];
  }
  return nullptr;
}

Context* Scheduler::nextAmongSeveral(Carrier& carrier) {
  heap_.world().safepoint();
  Context* context = nullptr;
  if (carrier.untilPoll-- == 0) {
    poll(carrier);
    if (exiting()) return nullptr;
    context = takeShared(carrier, false);
  }
  if (context == nullptr) context = std::exchange(carrier.nextUp, nullptr);
  if (context == nullptr) context = carrier.queue.pop();
  if (context == nullptr) context = findWork(carrier);
  if (context == nullptr) context = lingerForWork(carrier);
  // Looked at behind the queues: whoever is in them because the program ends does not run (C1.4).
  if (context == nullptr || exiting()) return nullptr;
  if (carrier.isSearching) stopSearching(carrier);
  noteBacklog(carrier, carrier.queue.length() > 0);
  return context;
}

Context* Scheduler::findWork(Carrier& carrier) {
  if (exiting()) return nullptr;
  poll(carrier);
  if (Context* context = std::exchange(carrier.nextUp, nullptr)) return context;
  if (Context* context = takeShared(carrier, true)) return context;
  return steal(carrier);
}

// Looks around a little longer while another carrier runs: going to sleep and being woken costs more than that.
Context* Scheduler::lingerForWork(Carrier& carrier) {
  if (idleCount_.load(std::memory_order_relaxed) + 1 >= startedCount_.load(std::memory_order_relaxed)) return nullptr;
  if (!carrier.isSearching) {
    if (searching_.load(std::memory_order_relaxed) != 0) return nullptr; // one is enough
    carrier.isSearching = true;
    searching_.fetch_add(1, std::memory_order_relaxed);
  }
  for (int64_t end = Clock::realNow() + kLingerNanos; Clock::realNow() < end;) {
    heap_.world().safepoint();
    if (exiting()) return nullptr;
    if (!workInSight()) continue;
    if (Context* context = findWork(carrier)) return context;
  }
  return nullptr;
}

// ---------------------------------------------------------------- waking

// Lets one more carrier look for work, if one has none and nobody is looking already.
void Scheduler::wakeAnother() {
  if (searching_.load(std::memory_order_relaxed) != 0) return;
  if (idleCount_.load(std::memory_order_relaxed) == 0) return startAnother();
  std::lock_guard lock(mutex_);
  if (idle_.empty() || exiting()) return;
  // The one in the poller only if there is no other.
  Carrier* sleeper = idle_.back() == polling_ ? idle_.front() : idle_.back();
  std::erase(idle_, sleeper);
  idleCount_.store(static_cast<uint32_t>(idle_.size()), std::memory_order_relaxed);
  searching_.fetch_add(1, std::memory_order_relaxed);
  sleeper->isSearching = true; // it reads this after its token or its poller's event
  wakeUp(*sleeper);
}

void Scheduler::startAnother() {
  if (startedCount_.load(std::memory_order_relaxed) >= options_.carriers) return;
  std::lock_guard lock(mutex_);
  uint32_t index = startedCount_.load(std::memory_order_relaxed);
  if (index >= options_.carriers || !canStartMore_ || exiting()) return;
  Carrier* started = owner_->startCarrier(index);
  if (started == nullptr) {
    canStartMore_ = false;
    return;
  }
  carriers_[index].store(started, std::memory_order_release);
  startedCount_.store(index + 1, std::memory_order_release);
}

void Scheduler::stopSearching(Carrier& carrier) {
  carrier.isSearching = false;
  if (searching_.fetch_sub(1, std::memory_order_relaxed) == 1 && carrier.queue.length() > 0) wakeAnother();
}

void Scheduler::wakeUp(Carrier& sleeper) {
  if (&sleeper == polling_) return poller_.wake();
  sleeper.wakeToken.store(1, std::memory_order_release);
  sleeper.wakeToken.notify_one();
}

// ---------------------------------------------------------------- sleeping

bool Scheduler::workInSight() const {
  if (sharedLength_.load(std::memory_order_relaxed) != 0 || timersDue()) return true;
  uint32_t carriers = startedCount_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < carriers; ++i) {
    if (carriers_[i].load(std::memory_order_acquire)->queue.length() != 0) return true;
  }
  return false;
}

Scheduler::Idle Scheduler::prepareSleep(Carrier& carrier, bool& allIdle) {
  std::lock_guard lock(mutex_);
  if (exiting()) return Idle::kExit;
  if (workInSight()) return Idle::kWork;
  if (carrier.isSearching) {
    carrier.isSearching = false;
    searching_.fetch_sub(1, std::memory_order_relaxed);
  }
  int64_t deadline = timers_.nextDeadline();
  allIdle = idle_.size() + 1 == startedCount_.load(std::memory_order_relaxed);
  bool awaitsDescriptor = awaitedDescriptors_.load(std::memory_order_relaxed) > 0;
  // Real time is waited for even then; virtual time does not jump to where it never comes.
  bool awaitsTime = clock_.isVirtual() ? deadline < kNeverComes : deadline != kNoDeadline;
  if (allIdle && !awaitsTime && !awaitsDescriptor) {
    deadlocked_.store(true, std::memory_order_release);
    exiting_.store(true, std::memory_order_release);
    for (Carrier* sleeper : idle_) wakeUp(*sleeper);
    return Idle::kExit;
  }
  if (allIdle && clock_.isVirtual() && awaitsTime) {
    clock_.advanceTo(deadline);
    return Idle::kWork;
  }
  carrier.wakeToken.store(0, std::memory_order_relaxed);
  idle_.push_back(&carrier);
  idleCount_.store(static_cast<uint32_t>(idle_.size()), std::memory_order_relaxed);
  if (clock_.isVirtual()) deadline = kNoDeadline; // it is moved by the last to become idle
  if (polling_ == nullptr) {
    polling_ = &carrier;
    pollDeadline_ = deadline;
  } else if (deadline < pollDeadline_) {
    poller_.wake();
  }
  return Idle::kSleep;
}

void Scheduler::sleep(Carrier& carrier) {
  bool several = heap_.severalCarriers();
  if (several) heap_.world().leave();
  bool polls;
  int64_t deadline;
  Poller::Events events;
  {
    std::lock_guard lock(mutex_);
    polls = polling_ == &carrier;
    deadline = pollDeadline_;
  }
  if (polls)
    poller_.wait(deadline, events);
  else
    carrier.wakeToken.wait(0, std::memory_order_acquire);
  if (several) heap_.world().enter();
  {
    std::lock_guard lock(mutex_);
    if (polls) polling_ = nullptr;
    std::erase(idle_, &carrier);
    idleCount_.store(static_cast<uint32_t>(idle_.size()), std::memory_order_relaxed);
  }
  if (!polls) return;
  attendSignals();
  attend(carrier, events);
}

void Scheduler::requestExit() {
  std::lock_guard lock(mutex_);
  exiting_.store(true, std::memory_order_release);
  for (Carrier* sleeper : idle_) wakeUp(*sleeper);
}

} // namespace nlang::sched
