// What the scheduler tells the collector and reports: all contexts, which of them are roots, what their frames refer
// to.
#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

#include "bytecode/liveness.h"
#include "sched/scheduler.h"

namespace nlang::sched {

// ---------------------------------------------------------------- reports

std::vector<Context*> Scheduler::takeUnobserved() {
  std::lock_guard lock(reportMutex_);
  hasUnobserved_.store(false, std::memory_order_relaxed);
  return std::exchange(unobserved_, {});
}

std::vector<Context*> Scheduler::unfinished() {
  std::vector<Context*> found;
  forEachUnfinished([&](Context& context) { found.push_back(&context); });
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
      hasUnobserved_.store(true, std::memory_order_relaxed);
      marker.mark(object);
    } else {
      std::free(context->extraOrNull());
      context->extra.store(nullptr, std::memory_order_relaxed);
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
  if (const ContextExtra* extra = context.extraOrNull()) marker.mark(extra->name);
  ContextState state = context.state.load(std::memory_order_relaxed);
  if (state == ContextState::kDone ? context.hasFlag(kResultIsReference) : state != ContextState::kPending)
    marker.markSlot(context.result);
  walkFrames(context, [&](const Slot* base, const bytecode::LoadedFunction& f, uint32_t pc, bool isTop) {
    markFrame(marker, base, f, pc, isTop);
    return true;
  });
}

} // namespace nlang::sched
