// The search keeps two facts of each context: its mark says that its handle was reached, which tells nothing about its
// stack; the flag kGoesOn that it goes on, and then its stack is traced. An object that is reached, or a context that
// goes on, leads to those who wait at it, so every context and every wait node is looked at once, in whatever order
// they depend on each other.
#include "sync/leaks.h"

#include <algorithm>

#include "sched/held.h"
#include "sync/channel.h"
#include "sync/future.h"
#include "sync/semaphore.h"

namespace nlang::sync {

namespace {

using bytecode::ClassKind;
using sched::ContextState;

class LeakSearch final : public heap::Search {
 public:
  LeakSearch(heap::Heap& heap, const std::function<void(heap::Marker&)>& markGlobals, bool cancels)
      : heap_(heap), markGlobals_(markGlobals), cancels_(cancels) {}

  void begin(heap::Marker& marker) override;
  void trace(heap::Marker& marker, Object* object, const heap::Class& cls) override;
  bool goOn(heap::Marker& marker) override;
  // Afterwards, once.
  std::vector<Context*> takeLeaked();

 private:
  void reach(heap::Marker& marker, Context& context);
  void wake(Context& context);
  void wakeAll(const WaitQueue& queue);
  void traceStack(heap::Marker& marker, Context& context);

  heap::Heap& heap_;
  const std::function<void(heap::Marker&)>& markGlobals_;
  bool cancels_;
  sched::FifoQueue woken_; // go on, stack not traced yet; a parked context is in no run queue, so its link is free
};

ContextState stateOf(const Context& context) { return context.state.load(std::memory_order_relaxed); }

bool isUnfinishedThread(const Context& context) {
  return !context.finished() && stateOf(context) != ContextState::kPending;
}

// Whether it goes on whatever others do.
bool goesOnByItself(const Context& context) {
  bool awaitsOutside = context.parkReason == ParkReason::kInput || context.parkReason == ParkReason::kOutput;
  return stateOf(context) != ContextState::kParked || context.timer.load(std::memory_order_relaxed) != 0 ||
         awaitsOutside || context.waits == nullptr;
}

void LeakSearch::begin(heap::Marker& marker) {
  markGlobals_(marker);
  heap_.forEachContext([&](Object* object) {
    auto& context = *reinterpret_cast<Context*>(object);
    if (!isUnfinishedThread(context) || !goesOnByItself(context) || context.hasFlag(sched::kGoesOn)) return;
    context.setFlag(sched::kGoesOn);
    traceStack(marker, context);
  });
}

void LeakSearch::trace(heap::Marker& marker, Object* object, const heap::Class& cls) {
  switch (cls.kind) {
  case ClassKind::kThread: return reach(marker, *reinterpret_cast<Context*>(object));
  case ClassKind::kMutex: return;
  case ClassKind::kSemaphore: return wakeAll(reinterpret_cast<Semaphore*>(object)->waiters);
  case ClassKind::kChannel:
    wakeAll(reinterpret_cast<Channel*>(object)->senders);
    wakeAll(reinterpret_cast<Channel*>(object)->receivers);
    break;
  case ClassKind::kPromise:
    if (const Context* future = reinterpret_cast<Promise*>(object)->future) wakeAll(future->waiters);
    break;
  default: break;
  }
  if (cls.trace != nullptr) cls.trace(marker, object, cls);
}

// A handle: it gives the result of a context that has ended, and lets one be cancelled that has not.
void LeakSearch::reach(heap::Marker& marker, Context& context) {
  if (context.finished())
    sched::traceContext(marker, &context.header, heap_.classes().of(&context.header));
  else if (cancels_ && context.shieldDepth.load(std::memory_order_relaxed) == 0)
    wake(context);
}

void LeakSearch::wake(Context& context) {
  if (stateOf(context) != ContextState::kParked || context.hasFlag(sched::kGoesOn)) return;
  context.setFlag(sched::kGoesOn);
  woken_.push(context);
}

void LeakSearch::wakeAll(const WaitQueue& queue) {
  for (const WaitNode* node = queue.head; node != nullptr; node = node->next) wake(*node->context);
}

bool LeakSearch::goOn(heap::Marker& marker) {
  if (woken_.empty()) return false;
  while (Context* context = woken_.pop()) traceStack(marker, *context);
  return true;
}

void LeakSearch::traceStack(heap::Marker& marker, Context& context) {
  sched::traceContext(marker, &context.header, heap_.classes().of(&context.header));
  wakeAll(context.waiters);
  const sched::ContextExtra* extra = context.extraOrNull();
  if (extra == nullptr) return;
  for (const sched::HeldObject* held = extra->held; held != nullptr; held = held->next) wakeAll(held->waiters);
}

std::vector<Context*> LeakSearch::takeLeaked() {
  std::vector<Context*> leaked;
  heap_.forEachContext([&](Object* object) {
    auto& context = *reinterpret_cast<Context*>(object);
    if (isUnfinishedThread(context) && !context.hasFlag(sched::kGoesOn)) leaked.push_back(&context);
    context.flags.fetch_and(static_cast<uint8_t>(~sched::kGoesOn), std::memory_order_relaxed);
  });
  std::sort(leaked.begin(), leaked.end(), [](const Context* a, const Context* b) { return a->id < b->id; });
  return leaked;
}

} // namespace

std::vector<Context*> findLeaked(heap::Heap& heap, const std::function<void(heap::Marker&)>& markGlobals,
                                 bool cancels) {
  LeakSearch search(heap, markGlobals, cancels);
  heap.search(search);
  return search.takeLeaked();
}

} // namespace nlang::sync
