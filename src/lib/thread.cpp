// Package thread and class Thread.
#include "lib/natives.h"
#include "lib/waiting.h"
#include "object/list.h"
#include "object/string.h"
#include "sync/future.h"
#include "vm/vm.h"

namespace nlang::lib {

namespace {

using sched::Context;

Context& receiver(Call& call) { return *call.object<Context>(0); }

// ---------------------------------------------------------------- the package

Outcome start(Call& call, const heap::Class& cls, Object* name) {
  Object* body = call.argument(0).object();
  if (body == nullptr) return call.nullPointer("the function to run is null");
  Context* started = call.scheduler().spawn(call.carrier(), cls, body, name);
  return started != nullptr ? call.returnObject(started) : call.outOfMemory();
}

// Null, for a name like thread-7, if none or an empty one is given.
Object* nameArgument(Call& call) { return call.text(1).empty() ? nullptr : call.argument(1).object(); }

const heap::Class& resultClass(Call& call) {
  return call.heap().classes().byIndex(call.function().definition->resultClass);
}

// Thread spawn(func<void> body, string name)
Outcome spawnThread(Call& call) { return start(call, call.wellKnown(WellKnown::kThread), nameArgument(call)); }
// Future<T> spawn<T>(func<T> body, string name)
Outcome spawnFuture(Call& call) { return start(call, resultClass(call), nameArgument(call)); }

// Thread Future.startThread(func<void> body), Future<R> Future.startFuture<R>(func<R> body)
Outcome startThread(Call& call) { return start(call, call.wellKnown(WellKnown::kThread), nullptr); }
Outcome startFuture(Call& call) { return start(call, resultClass(call), nullptr); }

// Counts as waiting, although nothing is waited for (C1.5).
Outcome letOthersRun(Call& call) {
  if (call.context().mustThrowCancelled()) return call.failWait(sched::Wake::kCancelled);
  return call.resumed() ? call.returned() : Outcome::kYielded;
}

// void sleep(long milliseconds)
Outcome sleep(Call& call) {
  int64_t milliseconds = call.argument(0).i64();
  if (milliseconds <= 0) return letOthersRun(call);
  if (!call.resumed()) {
    call.scheduler().beginPark(call.carrier(), call.context());
    return call.park(sched::ParkReason::kSleep, nullptr, call.scheduler().deadlineAfter(milliseconds));
  }
  return call.context().wake == sched::Wake::kTimeout ? call.returned() : call.failWait(call.context().wake);
}

// Thread current()
Outcome current(Call& call) { return call.returnObject(&call.context()); }

// void checkCancelled()
Outcome checkCancelled(Call& call) {
  return call.context().mustThrowCancelled() ? call.failWait(sched::Wake::kCancelled) : call.returned();
}

// string dump()
Outcome dump(Call& call) { return call.returnText(call.vm().dumpThreads()); }

// List<Thread> leaked()
//
// One of them could be cancelled, and end, as soon as the world goes on: until the list holds them nothing may collect.
Outcome leaked(Call& call) {
  heap::Heap& heap = call.heap();
  heap::StoppedWorld stopped(heap.world());
  std::vector<Context*> found = call.vm().findLeaked();
  const heap::Class& listClass = call.wellKnown(WellKnown::kListOfThread);
  auto* list =
      reinterpret_cast<object::List*>(heap.allocateNoCollect(call.allocator(), listClass, sizeof(object::List)));
  if (list == nullptr) return call.outOfMemory();
  call.returnObject(list);
  if (found.empty()) return call.returned();
  uint64_t bytes = sizeof(object::Array) + found.size() * sizeof(Object*);
  auto* storage =
      reinterpret_cast<object::Array*>(heap.allocateNoCollect(call.allocator(), *listClass.arrayClass, bytes));
  if (storage == nullptr) return call.outOfMemory();
  storage->length = static_cast<uint32_t>(found.size());
  auto** elements = reinterpret_cast<Object**>(storage->elements());
  for (size_t i = 0; i < found.size(); ++i)
    heap::storeReference(heap, &storage->header, elements + i, &found[i]->header);
  heap::storeReference(heap, &list->header, reinterpret_cast<Object**>(&list->storage), &storage->header);
  list->length.store(storage->length, std::memory_order_release);
  return call.returned();
}

// void enterShield(), void leaveShield(): cancellation is held back in between
Outcome enterShield(Call& call) {
  call.context().changeShield(1);
  return call.returned();
}
Outcome leaveShield(Call& call) {
  call.context().changeShield(-1);
  return call.returned();
}

// ---------------------------------------------------------------- class Thread

// A thread that has ended: throws what it failed with.
Outcome afterJoin(Call& call, Context& target) {
  if (sync::succeeded(target)) return call.returned();
  target.setFlag(sched::kObserved);
  return call.throwObject(target.result.object());
}

Outcome join(Call& call, int64_t limit) {
  Context& target = receiver(call);
  if (call.resumed()) {
    Outcome outcome;
    return call.finishWait(outcome) ? afterJoin(call, target) : outcome;
  }
  switch (sync::join(call.scheduler(), call.carrier(), call.context(), target, sched::ParkReason::kJoin, limit)) {
  case sync::JoinStatus::kFinished: return afterJoin(call, target);
  case sync::JoinStatus::kParked: return Outcome::kParked;
  case sync::JoinStatus::kWouldBlock: return timedOut(call);
  }
  __builtin_unreachable();
}

// void join()
Outcome joinForever(Call& call) { return join(call, sync::kForever); }
// void join(long milliseconds)
Outcome joinWithin(Call& call) { return join(call, lastArgumentAsLimit(call)); }
// long id
Outcome id(Call& call) { return call.returnI64(static_cast<int64_t>(receiver(call).id)); }

// string name
Outcome name(Call& call) {
  const Context& target = receiver(call);
  const sched::ContextExtra* extra = target.extraOrNull();
  if (extra != nullptr && extra->name != nullptr) return call.returnObject(extra->name);
  return target.id == 0 ? call.returnObject(nullptr) : call.returnText(call.vm().contextName(target));
}

// bool isDone()
Outcome isDone(Call& call) { return call.returnBool(receiver(call).finished()); }
// bool isCancelled()
Outcome isCancelled(Call& call) { return call.returnBool(receiver(call).hasFlag(sched::kCancelRequested)); }

// void cancel()
Outcome cancel(Call& call) {
  if (receiver(call).id == 0)
    return call.fail(WellKnown::kIllegalStateException, "the future of a promise cannot be cancelled");
  call.scheduler().cancel(call.carrier(), receiver(call));
  return call.returned();
}

constexpr vm::NativeDefinition kNatives[] = {
    {"thread.spawn(func<void>,string)", spawnThread},
    {"thread.spawn(func<T>,string)", spawnFuture},
    {"prelude.Future.startThread", startThread},
    {"prelude.Future.startFuture", startFuture},
    {"thread.sleep", sleep},
    {"thread.yield", letOthersRun},
    {"thread.current", current},
    {"thread.checkCancelled", checkCancelled},
    {"thread.dump", dump},
    {"thread.leaked", leaked},
    {"thread.enterShield", enterShield},
    {"thread.leaveShield", leaveShield},
    {"prelude.Thread.join()", joinForever},
    {"prelude.Thread.join(long)", joinWithin},
    {"prelude.Thread.id", id},
    {"prelude.Thread.name", name},
    {"prelude.Thread.isDone", isDone},
    {"prelude.Thread.isCancelled", isCancelled},
    {"prelude.Thread.cancel", cancel},
};

} // namespace

NativeTable threadNatives() { return kNatives; }

} // namespace nlang::lib
