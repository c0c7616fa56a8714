#include "sched/scheduler.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "base/coverage.h"
#include "bytecode/liveness.h"
#include "heap/lock_bit.h"
#include "sched/held.h"

namespace nlang::sched {

namespace {

constexpr int64_t kNanosPerMilli = 1'000'000;
// A switch costs about as much as a clock read, so timers are looked at once in this many switches (and at every
// preemption check).
constexpr uint32_t kSwitchesPerPoll = 64;
constexpr uint32_t kNodesPerChunk = 64;

[[maybe_unused]] const char* parkReasonName(ParkReason reason) {
  static const char* const names[] = {
#define NLANG_PARK_REASON(name, text) #name,
#include "sched/park_reasons.def"
#undef NLANG_PARK_REASON
  };
  return names[static_cast<unsigned>(reason)];
}

} // namespace

Scheduler::Scheduler(heap::Heap& heap, const SchedulerOptions& options)
    : heap_(heap), options_(options), clock_(options.virtualTime) {
  heap_.addRoots(this);
}

Scheduler::~Scheduler() {
  heap_.forEachContext([](heap::Object* object) { std::free(reinterpret_cast<Context*>(object)->extra); });
  for (void* chunk : nodeChunks_) std::free(chunk);
}

// ---------------------------------------------------------------- contexts

Context* Scheduler::spawn(Carrier& carrier, const heap::Class& cls, Object* closure, Object* name) {
  auto* context = reinterpret_cast<Context*>(heap_.allocateContext(carrier.allocator, cls, sizeof(Context)));
  if (context == nullptr) return nullptr;
  if (name != nullptr) {
    ensureExtra(*context).name = name;
  }
  context->id = nextId_++;
  context->result.setObject(closure);
  context->state.store(ContextState::kNew, std::memory_order_relaxed);
  heap_.addDirtyContext(&context->header);
  ++statistics_.started;
  statistics_.peakAlive = std::max(statistics_.peakAlive, ++statistics_.alive);
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

void Scheduler::finish(Carrier& carrier, Context& context, bool failed, bool resultIsReference) {
  if (context.state.load(std::memory_order_relaxed) != ContextState::kPending) {
    if (context.stack != nullptr) heap_.freeStack(context.stack, context.stackSlots);
    context.stack = nullptr;
    --statistics_.alive;
  }
  if (resultIsReference) context.setFlag(kResultIsReference);
  heap_.addDirtyContext(&context.header);
  {
    heap::LockBit lock(heap_, context.header);
    context.state.store(failed ? ContextState::kFailed : ContextState::kDone, std::memory_order_release);
    wakeJoiners(carrier, context, failed);
  }
  // Whoever waits for something that this context has not released would wait for ever.
  while (HeldObject* held = takeWatched(heap_, context)) {
    heap::LockBit lock(heap_, held->header);
    while (WaitNode* node = claimFirst(held->waiters)) unpark(carrier, *node->context, Wake::kHolderEnded);
  }
}

void Scheduler::wakeJoiners(Carrier& carrier, Context& context, bool failed) {
  WaitNode* node = context.waiters.head;
  while (node != nullptr) {
    WaitNode* next = node->next;
    context.waiters.remove(node);
    // A waiter for all of several futures sleeps on until the last one is done, unless this one failed.
    bool waitsForAll = node->mode == kWaitForAll;
    bool sleepsOn = waitsForAll && !failed && --node->context->result.bits != 0;
    if (!sleepsOn && claim(*node->context, node->ticket)) {
      if (waitsForAll)
        node->context->result = failed ? context.result : Slot{0};
      else
        node->mode = kClaimedNode;
      unpark(carrier, *node->context, waitsForAll && failed ? Wake::kFailed : Wake::kValue);
    }
    node = next;
  }
}

// ---------------------------------------------------------------- parking

void Scheduler::makeNodes(Carrier& carrier) {
  auto* chunk = static_cast<WaitNode*>(std::malloc(kNodesPerChunk * sizeof(WaitNode)));
  if (chunk == nullptr) throw std::bad_alloc();
  nodeChunks_.push_back(chunk);
  for (uint32_t i = 0; i < kNodesPerChunk; ++i) {
    chunk[i].next = carrier.freeNodes;
    carrier.freeNodes = &chunk[i];
  }
}

WaitNode* Scheduler::wait(Carrier& carrier, Context& context, WaitQueue& queue, Object* owner, uint32_t slot) {
  WaitNode* node = newNode(carrier);
  node->context = &context;
  node->ticket = context.ticket.load(std::memory_order_relaxed);
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

bool Scheduler::finishPark(Carrier& carrier, Context& context) {
  const ParkRequest& park = carrier.park;
  context.parkReason = park.reason;
  ++statistics_.parks[static_cast<unsigned>(park.reason)];
  NLANG_COVER("park", parkReasonName(park.reason));
  uint64_t ticket = context.ticket.load(std::memory_order_relaxed);
  bool cancelled = context.hasFlag(kCancelRequested) && context.shieldDepth == 0;
  if (cancelled && claim(context, ticket)) {
    context.state.store(ContextState::kRunning, std::memory_order_relaxed);
    context.wake = Wake::kCancelled;
    if (park.lock != nullptr) heap::LockBit::release(heap_, *park.lock);
    return true;
  }
  if (park.deadline != kNoDeadline) timers_.set(context, park.deadline);
  context.state.store(ContextState::kParked, std::memory_order_release);
  if (park.lock != nullptr) heap::LockBit::release(heap_, *park.lock);
  return false;
}

int64_t Scheduler::deadlineAfter(int64_t milliseconds) {
  int64_t now = clock_.now();
  if (milliseconds > (kNoDeadline - 1 - now) / kNanosPerMilli) return kNoDeadline - 1;
  return now + milliseconds * kNanosPerMilli;
}

// ---------------------------------------------------------------- running

Context* Scheduler::next(Carrier& carrier) {
  if (carrier.untilPoll-- == 0) {
    carrier.untilPoll = kSwitchesPerPoll;
    if (!timers_.empty()) fireTimers(carrier);
  }
  Context* context = carrier.runHead;
  if (context == nullptr) return nullptr;
  carrier.runHead = context->queueNext;
  if (carrier.runHead == nullptr) carrier.runTail = nullptr;
  --carrier.runLength;
  ++statistics_.switches;
  heap_.addDirtyContext(&context->header);
  return context;
}

bool Scheduler::othersReady(Carrier& carrier) {
  if (!timers_.empty()) fireTimers(carrier);
  return carrier.runHead != nullptr;
}

void Scheduler::fireTimers(Carrier& carrier) {
  int64_t now = clock_.now();
  while (timers_.nextDeadline() <= now) {
    Context* context = timers_.pop();
    // A context whose timer is set is parked, and whoever else claims it cancels the timer; with one carrier this claim
    // succeeds.
    if (claim(*context, context->ticket.load(std::memory_order_relaxed))) unpark(carrier, *context, Wake::kTimeout);
  }
}

bool Scheduler::waitForEvent(Carrier& carrier) {
  int64_t deadline = timers_.nextDeadline();
  if (deadline == kNoDeadline) return false;
  if (clock_.isVirtual())
    clock_.advanceTo(deadline);
  else
    clock_.sleepUntil(deadline);
  fireTimers(carrier);
  return true;
}

void Scheduler::cancel(Carrier& carrier, Context& context) {
  if (context.finished()) return;
  context.setFlag(kCancelRequested);
  if (context.state.load(std::memory_order_acquire) != ContextState::kParked || context.shieldDepth != 0) return;
  if (claim(context, context.ticket.load(std::memory_order_relaxed))) unpark(carrier, context, Wake::kCancelled);
}

// ---------------------------------------------------------------- reports

std::vector<Context*> Scheduler::unfinished() {
  std::vector<Context*> found;
  heap_.forEachContext([&](heap::Object* object) {
    auto* context = reinterpret_cast<Context*>(object);
    if (!context->finished() && context->state.load(std::memory_order_relaxed) != ContextState::kPending)
      found.push_back(context);
  });
  std::sort(found.begin(), found.end(), [](const Context* a, const Context* b) { return a->id < b->id; });
  return found;
}

namespace {
bool isUnobservedFailure(const Context& context) {
  return context.state.load(std::memory_order_relaxed) == ContextState::kFailed &&
         !context.hasFlag(kObserved | kReported);
}
} // namespace

std::vector<Context*> Scheduler::failedUnobserved() {
  std::vector<Context*> found;
  heap_.forEachContext([&](heap::Object* object) {
    auto* context = reinterpret_cast<Context*>(object);
    if (isUnobservedFailure(*context)) found.push_back(context);
  });
  std::sort(found.begin(), found.end(), [](const Context* a, const Context* b) { return a->id < b->id; });
  return found;
}

// ---------------------------------------------------------------- roots

void Scheduler::markRoots(heap::Marker& marker) {
  // Every unfinished context is a root: its handle may be gone, it still runs. Contexts on the report list are kept for
  // their report.
  heap_.forEachContext([&](heap::Object* object) {
    auto* context = reinterpret_cast<Context*>(object);
    ContextState state = context->state.load(std::memory_order_relaxed);
    bool runs = state != ContextState::kDone && state != ContextState::kFailed && state != ContextState::kPending;
    if (runs) marker.mark(object);
  });
  for (Context* context : unobserved_) marker.mark(&context->header);
}

void Scheduler::afterMark(heap::Marker& marker) {
  // Who runs may store references in its frames right after this collection, so it belongs to the roots of the next
  // minor one. Unreachable failures that nobody has seen are kept for their report; unreachable names are given back.
  heap_.forEachContext([&](heap::Object* object) {
    auto* context = reinterpret_cast<Context*>(object);
    if (context->state.load(std::memory_order_relaxed) == ContextState::kRunning) heap_.addDirtyContext(object);
    if (marker.isMarked(object)) return;
    if (isUnobservedFailure(*context)) {
      context->setFlag(kReported);
      unobserved_.push_back(context);
      marker.mark(object);
    } else {
      std::free(context->extra);
      context->extra = nullptr;
    }
  });
}

namespace {

void markBits(heap::Marker& marker, const Slot* base, const uint64_t* words, uint32_t count) {
  for (uint32_t w = 0; w < count; ++w) {
    for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
      marker.markSlot(base[w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))]);
  }
}

void markFrame(heap::Marker& marker, const Slot* base, const bytecode::LoadedFunction& f, uint32_t pc, bool isTop) {
  if (f.nativeEntry != nullptr) {
    const auto& bits = f.definition->referenceRegisters;
    markBits(marker, base, bits.data(), static_cast<uint32_t>(bits.size()));
    const Slot* locals = base + f.registerCount - f.nativeLocals;
    for (uint32_t i = 0; i < f.nativeLocals; ++i) marker.markSlot(locals[i]);
    return;
  }
  const uint64_t* map = isTop ? bytecode::findMapBefore(f.safepoints, f.safepointCount, f.mapWords, pc)
                              : bytecode::findMap(f.safepoints, f.safepointCount, f.mapWords, pc);
  assert(map != nullptr && "a frame stands at an instruction that is no safepoint");
  if (map != nullptr) markBits(marker, base, map, f.wordsPerMap);
}

} // namespace

void traceContext(heap::Marker& marker, Object* object, const heap::Class&) {
  auto& context = *reinterpret_cast<Context*>(object);
  if (context.extra != nullptr) marker.mark(context.extra->name);
  ContextState state = context.state.load(std::memory_order_relaxed);
  bool waitsForAll = context.waits != nullptr && context.waits->mode == kWaitForAll;
  if (state == ContextState::kDone ? context.hasFlag(kResultIsReference)
                                   : state != ContextState::kPending && !waitsForAll) {
    marker.markSlot(context.result);
  }
  walkFrames(context, [&](const Slot* base, const bytecode::LoadedFunction& f, uint32_t pc, bool isTop) {
    markFrame(marker, base, f, pc, isTop);
    return true;
  });
}

} // namespace nlang::sched
