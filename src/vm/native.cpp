#include "vm/native.h"

#include "object/string.h"
#include "vm/interpreter.h"
#include "vm/vm.h"

namespace nlang::vm {

using bytecode::WellKnown;

std::string_view Call::text(unsigned i) { return object::bytes(frame_[i].as<object::String>()); }

const heap::Class& Call::ownerClass() { return heap().classes().byIndex(function_.definition->ownerClass); }

const heap::Class& Call::typeArrayClass(unsigned i) {
  return heap().classes().byIndex(function_.definition->typeClasses[i]);
}

Outcome Call::returnText(std::string_view text) {
  object::String* made = nullptr;
  if (!text.empty()) {
    made = object::newString(heap(), allocator(), text);
    if (made == nullptr) return outOfMemory();
  }
  return returnObject(made);
}

Outcome Call::fail(WellKnown cls, std::string_view message) {
  return throwObject(&vm().makeException(carrier_, cls, message)->header);
}

Outcome Call::throwObject(Object* exception) {
  context_.result.setObject(exception);
  return Outcome::kThrew;
}

Outcome Call::outOfMemory() { return fail(WellKnown::kOutOfMemoryException, "the heap limit is reached"); }

Outcome Call::nullPointer(std::string_view message) { return fail(WellKnown::kNullPointerException, message); }

Outcome Call::invoke(Object* closure, std::span<const Slot> arguments) {
  const bytecode::LoadedFunction* f = reinterpret_cast<object::Closure*>(closure)->function;
  uint32_t distance = function_.registerCount + sched::kFrameHeader;
  uint32_t needed = static_cast<uint32_t>(frame_ - context_.stack) + distance + f->registerCount;
  if (needed > context_.stackSlots) {
    if (!enlargeStack(&carrier_, needed)) return fail(WellKnown::kStackOverflowException, "the stack limit is reached");
    frame_ = context_.stack + context_.frame;
  }
  Slot* callee = frame_ + distance;
  sched::setFrameHeader(callee, f, function_.code + 1, distance);
  callee[0].setObject(closure);
  for (size_t i = 0; i < arguments.size(); ++i) callee[1 + i] = arguments[i];
  carrier_.invokeDistance = distance;
  context_.wake = sched::Wake::kNone;
  return Outcome::kCall;
}

Outcome Call::park(sched::ParkReason reason, Object* lock, int64_t deadline) {
  carrier_.park = {reason, lock, deadline};
  return Outcome::kParked;
}

bool Call::finishWait(Outcome& outcome) {
  scheduler().leaveWait(carrier_, context_);
  if (context_.wake == sched::Wake::kNone || context_.wake == sched::Wake::kValue) return true;
  outcome = failWait(context_.wake);
  return false;
}

Outcome Call::failWait(sched::Wake wake) {
  switch (wake) {
  case sched::Wake::kTimeout: return fail(WellKnown::kTimeoutException, "the time is up");
  case sched::Wake::kCancelled: return fail(WellKnown::kCancelledException, "the thread was cancelled");
  case sched::Wake::kClosed: return fail(WellKnown::kChannelClosedException, "the channel is closed");
  case sched::Wake::kFailed: return Outcome::kThrew; // the exception is in `result` already
  case sched::Wake::kNone:
  case sched::Wake::kValue:
  case sched::Wake::kHolderEnded: break; // no failure, or one that the primitive's native explains better
  }
  __builtin_unreachable();
}

} // namespace nlang::vm
