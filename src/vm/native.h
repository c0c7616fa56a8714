// Native functions: C++ behind a function declared `native`.
//
// A native has a frame like any function: registers 0 … parameterCount-1 are its arguments (a method's receiver first;
// a struct takes one slot a leaf), then its results (results first, then `out` parameters; zero on entry), then, if its
// definition asks for them, one scalar state slot and reference locals (zero on entry). The collector traces arguments
// and results by their declared kinds, and the locals. Objects do not move, so a raw pointer stays right as long as a
// slot keeps the object alive.
//
// A native never blocks and never recurses into the interpreter. It answers with an Outcome:
//   returned   results are in place
//   threw      the exception is set (call.fail, call.throwObject)
//   parked     it has linked the context somewhere and filled carrier.park; when the context is woken, the native is
//   called again with
//              call.resumed() true and call.context().wake telling how the wait ended
//   yielded    others run first; then the native is called again, resumed
//   call       it has prepared a call of a closure (call.invoke); when that returns, the native is called again,
//   resumed, with the closure's
//              results in its result slots
//   again      more work to do: called again after a check for preemption; the state slot says where it was
// A native that was suspended owns nothing that needs clean-up. C++ exceptions (std::bad_alloc …) that leave it become
// OutOfMemoryException or IllegalStateException in the one trampoline.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "object/layout.h"
#include "sched/scheduler.h"

namespace nlang::vm {

using heap::Object;
using heap::Slot;

class Vm;

enum class Outcome : uint8_t { kReturned, kThrew, kParked, kYielded, kCall, kAgain };

class Call {
 public:
  Call(sched::Carrier& carrier, sched::Context& context, Slot* frame, bool resumed)
      : carrier_(carrier), context_(context), frame_(frame), function_(*sched::functionOf(frame)), resumed_(resumed) {}

  sched::Carrier& carrier() { return carrier_; }
  sched::Context& context() { return context_; }
  sched::Scheduler& scheduler() { return *carrier_.scheduler; }
  heap::Heap& heap() { return *carrier_.heap; }
  heap::Allocator& allocator() { return carrier_.allocator; }
  Vm& vm() { return *static_cast<Vm*>(carrier_.vm); }
  const bytecode::LoadedFunction& function() const { return function_; }
  bool resumed() const { return resumed_; }

  Slot* arguments() { return frame_; }
  Slot& argument(unsigned i) { return frame_[i]; }
  template <class T> T* object(unsigned i) { return frame_[i].as<T>(); }
  std::string_view text(unsigned i); // a string argument's bytes (null is "")
  Slot* results() { return frame_ + function_.parameterCount; }
  Slot& result(unsigned i = 0) { return results()[i]; }
  // Position of result i in the context's stack, for WaitNode::slot. argumentSlot likewise.
  uint32_t resultSlot(unsigned i = 0) { return static_cast<uint32_t>(results() + i - context_.stack); }
  uint32_t argumentSlot(unsigned i) { return static_cast<uint32_t>(frame_ + i - context_.stack); }
  uint32_t stateSlot() { return static_cast<uint32_t>(&state() - context_.stack); }
  Slot& state() { return results()[function_.resultCount]; }
  Slot& local(unsigned i) { return results()[function_.resultCount + 1 + i]; }

  // The runtime class of the member's (monomorphised) class, of the i-th type argument's array type, and by well-known
  // name.
  const heap::Class& ownerClass();
  const heap::Class& typeArrayClass(unsigned i);
  const heap::Class& wellKnown(bytecode::WellKnown which) { return heap().classes().wellKnown(which); }

  Outcome returned() { return Outcome::kReturned; }
  Outcome returnBool(bool v) {
    result().setBool(v);
    return Outcome::kReturned;
  }
  Outcome returnI32(int32_t v) {
    result().setI32(v);
    return Outcome::kReturned;
  }
  Outcome returnI64(int64_t v) {
    result().setI64(v);
    return Outcome::kReturned;
  }
  Outcome returnF64(double v) {
    result().setF64(v);
    return Outcome::kReturned;
  }
  Outcome returnObject(const void* v) {
    result().setObject(v);
    return Outcome::kReturned;
  }
  // Makes a string (may collect) and returns it.
  Outcome returnText(std::string_view text);
  // Makes an exception (may collect) and throws it.
  Outcome fail(bytecode::WellKnown cls, std::string_view message);
  Outcome throwObject(Object* exception);
  Outcome outOfMemory();
  Outcome nullPointer(std::string_view message);
  // Prepares the call of a closure with arguments (slots, references kept alive by this frame); its results go to this
  // native's result slots.
  Outcome invoke(Object* closure, std::span<const Slot> arguments);
  // Fills carrier.park and answers "parked". `lock` is the object whose lock bit the caller holds (released after the
  // context is saved) or null.
  Outcome park(sched::ParkReason reason, Object* lock, int64_t deadline);
  // For a resumed native: leaves the wait (unlinks nodes). True if the wait ended in kValue; else the matching
  // exception has been set (TimeoutException, CancelledException, ChannelClosedException, the handed exception) and
  // `outcome` says threw.
  bool finishWait(Outcome& outcome);
  // Throws what a wait that ended like this throws.
  Outcome failWait(sched::Wake wake);

 private:
  sched::Carrier& carrier_;
  sched::Context& context_;
  Slot* frame_;
  const bytecode::LoadedFunction& function_;
  bool resumed_;
};

using NativeFunction = Outcome (*)(Call&);

struct NativeDefinition {
  const char* name; // prelude.Channel.send, io.writeText, … as the code generator writes it
  NativeFunction function;
  uint16_t locals = 0;   // reference locals
  bool hasState = false; // a state slot (implied by locals)
};

} // namespace nlang::vm
