// Future<T> and Promise<T>.
#include "sync/future.h"

#include "lib/natives.h"
#include "lib/waiting.h"
#include "object/list.h"
#include "vm/vm.h"

namespace nlang::lib {

namespace {

using sched::Context;
using sync::JoinStatus;

// ---------------------------------------------------------------- Future

Outcome afterGet(Call& call, Context& future) {
  if (!sync::succeeded(future)) {
    future.setFlag(sched::kObserved);
    return call.throwObject(future.result.object());
  }
  sync::loadResult(future, call.heap().classes().of(&future.header).element, call.results());
  return call.returned();
}

Outcome get(Call& call, int64_t limit) {
  Context& future = *call.object<Context>(0);
  if (call.resumed()) {
    Outcome outcome;
    return call.finishWait(outcome) ? afterGet(call, future) : outcome;
  }
  switch (sync::join(call.scheduler(), call.carrier(), call.context(), future, sched::ParkReason::kGet, limit)) {
  case JoinStatus::kFinished: return afterGet(call, future);
  case JoinStatus::kParked: return Outcome::kParked;
  case JoinStatus::kWouldBlock: return timedOut(call);
  }
  __builtin_unreachable();
}

// T get()
Outcome getForever(Call& call) { return get(call, sync::kForever); }
// T get(long milliseconds)
Outcome getWithin(Call& call) { return get(call, lastArgumentAsLimit(call)); }

// The list argument as an array that nobody else can change while its futures are waited for, kept alive in local 0.
// False: `outcome` says why not.
bool snapshot(Call& call, Outcome& outcome) {
  auto* list = call.object<object::List>(0);
  if (list == nullptr) {
    outcome = call.nullPointer("the list of futures is null");
    return false;
  }
  object::Array* futures = object::listCopy(call.heap(), call.allocator(), list);
  if (futures == nullptr) {
    outcome = call.outOfMemory();
    return false;
  }
  call.local(0).setObject(futures);
  for (uint32_t i = 0; i < futures->length; ++i) {
    if (heap::loadReference(reinterpret_cast<Object**>(futures->elements()) + i) == nullptr) {
      outcome = call.nullPointer("a future in the list is null");
      return false;
    }
  }
  return true;
}

Outcome waitForAll(Call& call, int64_t limit) {
  Outcome outcome;
  if (call.resumed()) return afterWait(call);
  if (!snapshot(call, outcome)) return outcome;
  auto& futures = *call.local(0).as<object::Array>();
  switch (sync::waitForAll(call.scheduler(), call.carrier(), call.context(), futures, call.stateSlot(), limit)) {
  case JoinStatus::kParked: return Outcome::kParked;
  case JoinStatus::kWouldBlock: return timedOut(call);
  case JoinStatus::kFinished: break;
  }
  int64_t failed = sync::firstFailed(futures);
  if (failed < 0) return call.returned();
  return call.throwObject(sync::futureAt(futures, static_cast<uint32_t>(failed))->result.object());
}

// void waitAll<R>(List<Future<R>> futures)
Outcome waitAll(Call& call) { return waitForAll(call, sync::kForever); }
// void waitAllWithin<R>(List<Future<R>> futures, long milliseconds)
Outcome waitAllWithin(Call& call) { return waitForAll(call, lastArgumentAsLimit(call)); }

Outcome waitForAny(Call& call, int64_t limit) {
  Outcome outcome;
  if (call.resumed()) {
    if (!call.finishWait(outcome)) return outcome;
  } else {
    if (!snapshot(call, outcome)) return outcome;
    auto& futures = *call.local(0).as<object::Array>();
    if (futures.length == 0) return call.fail(WellKnown::kIllegalArgumentException, "there is no future to wait for");
    switch (sync::waitForAny(call.scheduler(), call.carrier(), call.context(), futures, limit)) {
    case JoinStatus::kParked: return Outcome::kParked;
    case JoinStatus::kWouldBlock: return timedOut(call);
    case JoinStatus::kFinished: break;
    }
  }
  return call.returnI32(static_cast<int32_t>(sync::firstFinished(*call.local(0).as<object::Array>())));
}

// int waitAny<R>(List<Future<R>> futures)
Outcome waitAny(Call& call) { return waitForAny(call, sync::kForever); }
// int waitAnyWithin<R>(List<Future<R>> futures, long milliseconds)
Outcome waitAnyWithin(Call& call) { return waitForAny(call, lastArgumentAsLimit(call)); }

// ---------------------------------------------------------------- Promise

Context& futureOf(Call& call) { return *call.object<sync::Promise>(0)->future; }

// Promise()
Outcome constructPromise(Call& call) {
  Object* promise = call.argument(0).object();
  const heap::Class& futureClass = *call.heap().classes().of(promise).arrayClass;
  Context* future = call.scheduler().newPending(call.carrier(), futureClass);
  if (future == nullptr) return call.outOfMemory();
  auto** field = reinterpret_cast<Object**>(&reinterpret_cast<sync::Promise*>(promise)->future);
  heap::storeReference(call.heap(), promise, field, &future->header);
  return call.returned();
}

// Future<T> future()
Outcome promiseFuture(Call& call) { return call.returnObject(&futureOf(call)); }

enum class Completion { kDone, kTooLate, kOutOfMemory };

Completion completeWithArgument(Call& call) {
  Context& future = futureOf(call);
  const heap::Class& cls = call.heap().classes().of(&future.header);
  Slot value{0};
  bool isReference = false;
  if (cls.element.leafCount > 1) {
    value.setObject(call.vm().packResult(&call.carrier(), cls, &call.argument(1)));
    if (value.object() == nullptr) return Completion::kOutOfMemory;
    isReference = true;
  } else if (cls.element.leafCount == 1) {
    value = call.argument(1);
    isReference = cls.element.leaves[0].kind == bytecode::StorageKind::kReference;
  }
  bool first = sync::complete(call.scheduler(), call.carrier(), future, value, isReference);
  return first ? Completion::kDone : Completion::kTooLate;
}

Outcome completedTwice(Call& call) {
  return call.fail(WellKnown::kIllegalStateException, "the promise is completed already");
}

// void complete(T value)
Outcome complete(Call& call) {
  switch (completeWithArgument(call)) {
  case Completion::kDone: return call.returned();
  case Completion::kTooLate: return completedTwice(call);
  case Completion::kOutOfMemory: return call.outOfMemory();
  }
  __builtin_unreachable();
}

// bool tryComplete(T value)
Outcome tryComplete(Call& call) {
  Completion completion = completeWithArgument(call);
  return completion == Completion::kOutOfMemory ? call.outOfMemory() : call.returnBool(completion == Completion::kDone);
}

// void fail(Exception error)
Outcome fail(Call& call) {
  Object* exception = call.argument(1).object();
  if (exception == nullptr) return call.nullPointer("the exception is null");
  if (!sync::fail(call.scheduler(), call.carrier(), futureOf(call), exception)) return completedTwice(call);
  return call.returned();
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.Future.get()", getForever},
    {"prelude.Future.get(long)", getWithin},
    {"prelude.Future.waitAll", waitAll, 1},
    {"prelude.Future.waitAllWithin", waitAllWithin, 1},
    {"prelude.Future.waitAny", waitAny, 1},
    {"prelude.Future.waitAnyWithin", waitAnyWithin, 1},
    {"prelude.Promise.Promise", constructPromise},
    {"prelude.Promise.future", promiseFuture},
    {"prelude.Promise.complete", complete},
    {"prelude.Promise.tryComplete", tryComplete},
    {"prelude.Promise.fail", fail},
};

} // namespace

NativeTable futureNatives() { return kNatives; }

} // namespace nlang::lib
