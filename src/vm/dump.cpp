#include "vm/dump.h"

#include <algorithm>

#include "object/layout.h"
#include "sched/held.h"
#include "vm/vm.h"

namespace nlang::vm {

using sched::Context;
using sched::ContextState;
using sched::ParkReason;

namespace {

constexpr size_t kNamed = 10;            // threads of a group that are named
constexpr size_t kNamedAwaited = 3;      // threads that one waits for and that are named
constexpr uint32_t kLongMillis = 10'000; // from here on durations are given in seconds

// ---------------------------------------------------------------- what one thread does

ContextState stateOf(const Context& context) { return context.state.load(std::memory_order_relaxed); }

std::string stateText(ContextState state, ParkReason reason, bool several) {
  switch (state) {
  case ContextState::kNew: return several ? "have not started" : "has not started";
  case ContextState::kReady: return several ? "are ready to run" : "is ready to run";
  case ContextState::kRunning: return several ? "are running" : "is running";
  default: return (several ? "are " : "is ") + std::string(sched::parkReasonText(reason));
  }
}

std::string quotedName(Vm& vm, const Context& context) {
  return context.id == 0 ? "of a promise" : '"' + vm.contextName(context) + '"';
}

std::string numberOf(uint64_t count, const char* one, const char* several) {
  return count == 1 ? one : std::to_string(count) + several;
}

void appendPart(std::string& list, const std::string& part) {
  if (!list.empty()) list += ", ";
  list += part;
}

bool isThread(Vm& vm, const Object& object) {
  return vm.heap().classes().of(&object).kind == bytecode::ClassKind::kThread;
}

// The channels and threads of a wait in several places: ` (2 channels, "worker" and 3 other threads)`.
std::string waitedForTogether(Vm& vm, const Context& context) {
  uint64_t channels = 0;
  std::vector<const Context*> threads;
  for (const sched::WaitNode* node = context.waits; node != nullptr; node = node->sibling) {
    if (isThread(vm, *node->owner))
      threads.push_back(reinterpret_cast<const Context*>(node->owner));
    else
      ++channels;
  }
  std::reverse(threads.begin(), threads.end()); // the latest node comes first
  std::string list;
  if (channels > 0) list = numberOf(channels, "a channel", " channels");
  size_t named = std::min(threads.size(), kNamedAwaited);
  for (size_t i = 0; i < named; ++i) appendPart(list, quotedName(vm, *threads[i]));
  if (threads.size() > named) list += " and " + numberOf(threads.size() - named, "another thread", " other threads");
  return list.empty() ? "" : " (" + list + ")";
}

// What is known about what a parked context waits for, beyond the reason: who holds a mutex, which thread a join is
// about.
std::string waitedFor(Vm& vm, const Context& context) {
  if (context.waits == nullptr) return "";
  switch (context.parkReason) {
  case ParkReason::kAll:
  case ParkReason::kSelectAny:
  case ParkReason::kSelect: return waitedForTogether(vm, context);
  case ParkReason::kJoin:
  case ParkReason::kGet: return " (" + quotedName(vm, reinterpret_cast<const Context&>(*context.waits->owner)) + ")";
  case ParkReason::kLock: {
    const Context* holder = reinterpret_cast<const sched::HeldObject*>(context.waits->owner)->holder;
    return holder == nullptr ? "" : " held by " + quotedName(vm, *holder);
  }
  default: return "";
  }
}

bool isParked(const Context& context) { return stateOf(context) == ContextState::kParked; }

std::string idAndName(Vm& vm, const Context& context) {
  return std::to_string(context.id) + " " + quotedName(vm, context);
}

// ---------------------------------------------------------------- stacks

// The frames of source code; of a context that has not started the function that it will call.
void readStack(const Context& context, object::TraceBuilder& stack) {
  if (stateOf(context) == ContextState::kNew) {
    if (const auto* closure = context.result.as<object::Closure>()) stack.add(closure->function, 0);
    return;
  }
  sched::walkFrames(context, [&](const Slot*, const bytecode::LoadedFunction& f, uint32_t pc, bool) {
    if (f.nativeEntry == nullptr) stack.add(&f, pc);
    return true;
  });
}

std::vector<object::RawFrame> keptFrames(const object::TraceBuilder& stack) {
  std::vector<object::RawFrame> kept(stack.keptCount());
  for (uint32_t i = 0; i < kept.size(); ++i) kept[i] = stack.kept(i);
  return kept;
}

bool hasFrames(const object::TraceBuilder& stack, uint64_t total, const std::vector<object::RawFrame>& kept) {
  if (stack.total() != total) return false;
  for (uint32_t i = 0; i < kept.size(); ++i)
    if (stack.kept(i) != kept[i]) return false;
  return true;
}

uint64_t hashOf(const object::TraceBuilder& stack, uint64_t seed) {
  uint64_t hash = seed + stack.total();
  for (uint32_t i = 0; i < stack.keptCount(); ++i) {
    const object::RawFrame& frame = stack.kept(i);
    hash = (hash ^ reinterpret_cast<uintptr_t>(frame.function) ^ uint64_t{frame.pc} << 48) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

void appendStack(std::string& text, std::span<const object::RawFrame> kept, uint64_t frames, const Vm& vm) {
  for (const std::string& frame : object::framesText(kept, frames, vm.program().files)) text += "  at " + frame + '\n';
}

std::string duration(uint32_t millis) {
  if (millis < kLongMillis) return std::to_string(millis);
  return std::to_string(millis / 1000) + "." + std::to_string(millis % 1000 / 100);
}

} // namespace

std::string stackText(Vm& vm, const Context& context) {
  object::TraceBuilder stack;
  readStack(context, stack);
  std::string text;
  appendStack(text, keptFrames(stack), stack.total(), vm);
  return text;
}

std::string threadText(Vm& vm, const Context& context) {
  std::string text = "Thread " + idAndName(vm, context) + " " + stateText(stateOf(context), context.parkReason, false);
  if (isParked(context)) text += waitedFor(vm, context);
  return text + '\n' + stackText(vm, context);
}

// ---------------------------------------------------------------- groups

ThreadGroups::ThreadGroups(Vm& vm) : vm_(vm), now_(vm.scheduler().nowMillis()) {}

ThreadGroups::Group& ThreadGroups::groupOf(const Context& context) {
  object::TraceBuilder stack;
  readStack(context, stack);
  ContextState state = stateOf(context);
  bool parked = state == ContextState::kParked;
  ParkReason reason = parked ? context.parkReason : ParkReason::kCount;
  uint64_t hash = hashOf(stack, static_cast<uint64_t>(state) << 40 | static_cast<uint64_t>(reason) << 32);
  auto [at, end] = groups_.equal_range(hash);
  for (; at != end; ++at) {
    Group& group = at->second;
    if (group.state == state && group.reason == reason && hasFrames(stack, group.frames, group.kept)) return group;
  }
  Group fresh{};
  fresh.state = state;
  fresh.reason = reason;
  fresh.owner = parked && context.waits != nullptr ? context.waits->owner : nullptr;
  fresh.frames = stack.total();
  fresh.kept = keptFrames(stack);
  return groups_.emplace(hash, std::move(fresh))->second;
}

void ThreadGroups::add(const Context& context) {
  Group& group = groupOf(context);
  ++threads_;
  ++group.count;
  if (isParked(context)) {
    uint32_t since = now_ - context.parkedAt;
    group.shortest = std::min(group.shortest, since);
    group.longest = std::max(group.longest, since);
    const sched::WaitNode* node = context.waits;
    if (node == nullptr || node->sibling != nullptr || node->owner != group.owner) group.owner = nullptr;
  }
  auto& named = group.named;
  if (named.size() == kNamed && context.id > named.back()->id) return;
  auto place = std::find_if(named.begin(), named.end(), [&](const Context* other) { return other->id > context.id; });
  named.insert(place, &context);
  if (named.size() > kNamed) named.pop_back();
}

// `Thread 2 "worker" is sleeping (for 3 ms)`, `3 threads are sleeping (for 3 to 9 ms): 2 "worker", …`
std::string ThreadGroups::heading(const Group& group) const {
  bool several = group.count > 1;
  const Context& first = *group.named[0];
  bool parked = group.state == ContextState::kParked;
  bool sameForAll = parked && (!several || group.owner != nullptr);
  std::string text = several ? std::to_string(group.count) + " threads " : "Thread " + idAndName(vm_, first) + " ";
  text += stateText(group.state, group.reason, several);
  if (sameForAll) text += waitedFor(vm_, first);
  if (parked) {
    text += " (for " + duration(group.shortest);
    if (group.longest != group.shortest) text += " to " + duration(group.longest);
    text += group.longest < kLongMillis ? " ms)" : " s)";
  }
  if (!several) return text;
  text += ':';
  for (const Context* context : group.named) {
    text += (context == &first ? " " : ", ") + idAndName(vm_, *context);
    if (parked && !sameForAll) text += waitedFor(vm_, *context);
  }
  if (group.count > group.named.size()) text += " and " + std::to_string(group.count - group.named.size()) + " more";
  return text;
}

std::string ThreadGroups::text() const {
  std::vector<const Group*> sorted;
  for (const auto& [hash, group] : groups_) sorted.push_back(&group);
  std::sort(sorted.begin(), sorted.end(),
            [](const Group* a, const Group* b) { return a->named[0]->id < b->named[0]->id; });
  std::string text;
  for (const Group* group : sorted) {
    text += heading(*group) + '\n';
    appendStack(text, group->kept, group->frames, vm_);
  }
  return text;
}

} // namespace nlang::vm
