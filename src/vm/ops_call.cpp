// Calls, returns, natives, the end of a context.
//
// A call copies its arguments into a new frame behind the caller's and jumps to the callee's first instruction; a
// native function's first instruction is the stub `native`, so calls need not know what they call. The result register
// is in field a of the word before the return address (see opcodes.def), so returning needs no more than the frame
// header.
#include <new>

#include "object/layout.h"
#include "vm/dispatch.h"
#include "vm/faults.h"
#include "vm/interpreter.h"
#include "vm/native.h"
#include "vm/vm.h"

namespace nlang::vm {

using bytecode::LoadedFunction;
using sched::kFrameHeader;

// The frame does not fit: a bigger stack, then the instruction runs again. Stack overflow is thrown here.
static NLANG_SLOW(growStack) {
  ++quota; // the call will use it again
  saveContext(ca, pc, r);
  if (!enlargeStack(ca, ca->neededSlots)) SLOW(stackFault);
  GO(pc, ca->current->stack + ca->current->frame);
}

// Common to all calls: uses quota, makes room, writes the header. Leaves `callee` (the new base) and `f`.
#define ENTER_FRAME(functionPointer, returnTo)                                                                         \
  const LoadedFunction* f = (functionPointer);                                                                         \
  if (--quota < 0) [[unlikely]]                                                                                        \
    SLOW(quotaUsedUp);                                                                                                 \
  uint32_t distance = sched::functionOf(r)->registerCount + kFrameHeader;                                              \
  Slot* callee = r + distance;                                                                                         \
  if (callee + f->registerCount > ca->stackLimit) [[unlikely]] {                                                       \
    ca->neededSlots = static_cast<uint32_t>(callee + f->registerCount - ca->current->stack);                           \
    SLOW(growStack);                                                                                                   \
  }                                                                                                                    \
  sched::setFrameHeader(callee, f, (returnTo), distance)

namespace {

// Copies the arguments that the words behind `pc` name. `last` is the last of them, whose lane a is the result
// register.
inline const Instruction* copyArguments(const Instruction* pc, unsigned count, const Slot* r, Slot* callee) {
  const Instruction* word = pc + 1;
  while (count >= 4) {
    Instruction w = *word++;
    callee[0] = r[static_cast<uint16_t>(w)];
    callee[1] = r[static_cast<uint16_t>(w >> 16)];
    callee[2] = r[static_cast<uint16_t>(w >> 32)];
    callee[3] = r[static_cast<uint16_t>(w >> 48)];
    callee += 4;
    count -= 4;
  }
  Instruction w = *word;
  if (count > 0) callee[0] = r[static_cast<uint16_t>(w)];
  if (count > 1) callee[1] = r[static_cast<uint16_t>(w >> 32)];
  if (count > 2) callee[2] = r[static_cast<uint16_t>(w >> 48)];
  return word;
}

// The first argument of the call at pc.
inline Slot firstArgument(const Instruction* pc, const Slot* r) { return r[static_cast<uint16_t>(pc[1])]; }

inline const heap::Class& classOf(Carrier* ca, const Object* object) {
  return *reinterpret_cast<const heap::Class*>(ca->classBase + object->classOffset);
}

} // namespace

#define CALL_WITH_WORDS(functionPointer)                                                                               \
  unsigned count = A & 0xff;                                                                                           \
  ENTER_FRAME(functionPointer, pc + 1 + bytecode::argumentWords(count));                                               \
  copyArguments(pc, count, r, callee);                                                                                 \
  GO(f->code, callee)

NLANG_OP(call) { CALL_WITH_WORDS(ca->functions + UIMM_BC); }

NLANG_OP(call_1) {
  ENTER_FRAME(ca->functions + B, pc + 1);
  callee[0] = RC;
  GO(f->code, callee);
}

NLANG_OP(call_virtual) {
  const Object* receiver = firstArgument(pc, r).object();
  if (receiver == nullptr) [[unlikely]]
    SLOW(nullFault);
  CALL_WITH_WORDS(classOf(ca, receiver).virtualTable[B]);
}

NLANG_OP(call_interface) {
  const Object* receiver = firstArgument(pc, r).object();
  if (receiver == nullptr) [[unlikely]]
    SLOW(nullFault);
  const heap::Class& cls = classOf(ca, receiver);
  const heap::Class::MethodEntry& entry = cls.methods[UIMM_BC & cls.methodMask];
  if (entry.selector != UIMM_BC) [[unlikely]]
    SLOW(abstractFault);
  CALL_WITH_WORDS(entry.function);
}

NLANG_OP(call_closure) {
  auto* closure = firstArgument(pc, r).as<object::Closure>();
  if (closure == nullptr) [[unlikely]]
    SLOW(nullFault);
  CALL_WITH_WORDS(closure->function);
}

#define RETURN_TO_CALLER()                                                                                             \
  const Instruction* returnTo = sched::returnAddress(r);                                                               \
  Slot* caller = r - sched::callerDistance(r);                                                                         \
  Slot* to = caller + bytecode::aOf(returnTo[-1])

NLANG_OP(ret) {
  Slot value = RA;
  RETURN_TO_CALLER();
  *to = value;
  GO(returnTo, caller);
}

NLANG_OP(ret_void) { GO(sched::returnAddress(r), r - sched::callerDistance(r)); }

NLANG_OP(ret_n) {
  RETURN_TO_CALLER();
  const Slot* from = &RA;
  unsigned count = B;
  for (unsigned i = 0; i < count; ++i) to[i] = from[i];
  GO(returnTo, caller);
}

// ---------------------------------------------------------------- natives

namespace {

// The one place where a native's C++ exceptions end.
Outcome invokeNative(Carrier* ca, Slot* r, bool resumed) {
  Call call(*ca, *ca->current, r, resumed);
  auto function = reinterpret_cast<NativeFunction>(sched::functionOf(r)->nativeEntry);
  try {
    return function(call);
  } catch (const std::bad_alloc&) {
    return call.outOfMemory();
  } catch (const std::exception& e) {
    return call.fail(bytecode::WellKnown::kIllegalStateException, e.what());
  }
}

} // namespace

// What follows from a native's answer; `outcome` is in ca->nativeOutcome. The context was saved before the native ran,
// at native_resume.
static NLANG_CONVENTION void afterNative(NLANG_PARAMETERS);

static NLANG_SLOW(afterNativeSlow) {
  Context& context = *ca->current;
  switch (static_cast<Outcome>(ca->nativeOutcome)) {
  case Outcome::kReturned: break;
  case Outcome::kThrew: SLOW(unwind);
  case Outcome::kParked:
    if (ca->scheduler->finishPark(*ca, context)) GO(context.pc, r);
    SLOW(switchContext);
  case Outcome::kYielded:
    if (!ca->scheduler->othersReady(*ca)) GO(context.pc, r);
    ca->scheduler->enqueue(*ca, context);
    SLOW(switchContext);
  case Outcome::kAgain:
    if (--quota < 0) SLOW(quotaUsedUp);
    GO(context.pc, r);
  case Outcome::kCall: {
    // The native left closure and arguments behind its frame, with room for the callee; see Call::invoke.
    Slot* callee = ca->current->stack + ca->current->frame + ca->invokeDistance;
    GO(sched::functionOf(callee)->code, callee);
  }
  }
  __builtin_unreachable();
}

static NLANG_CONVENTION void afterNative(NLANG_PARAMETERS) {
  if (static_cast<Outcome>(ca->nativeOutcome) != Outcome::kReturned) SLOW(afterNativeSlow);
  const LoadedFunction* f = sched::functionOf(r);
  RETURN_TO_CALLER();
  const Slot* from = r + f->parameterCount;
  unsigned count = f->resultCount;
  for (unsigned i = 0; i < count; ++i) to[i] = from[i];
  GO(returnTo, caller);
}

NLANG_OP(native) {
  const LoadedFunction* f = sched::functionOf(r);
  for (uint32_t i = f->parameterCount; i < f->registerCount; ++i) r[i].bits = 0;
  saveContext(ca, pc + 1, r);
  ca->nativeOutcome = static_cast<uint8_t>(invokeNative(ca, r, false));
  SLOW(afterNative);
}

NLANG_OP(native_resume) {
  saveContext(ca, pc, r);
  ca->nativeOutcome = static_cast<uint8_t>(invokeNative(ca, r, true));
  SLOW(afterNative);
}

// The clock is the real one, whatever the scheduler's is.
static void invokeTimed(Carrier* ca, Slot* r, bool resumed) {
  int64_t start = sched::Clock::realNow();
  ca->nativeOutcome = static_cast<uint8_t>(invokeNative(ca, r, resumed));
  Vm::of(ca).noteNativeCall(*ca, sched::Clock::realNow() - start);
}

NLANG_CONVENTION void timedNative(NLANG_PARAMETERS) {
  const LoadedFunction* f = sched::functionOf(r);
  for (uint32_t i = f->parameterCount; i < f->registerCount; ++i) r[i].bits = 0;
  saveContext(ca, pc + 1, r);
  invokeTimed(ca, r, false);
  SLOW(afterNative);
}

NLANG_CONVENTION void timedNativeResume(NLANG_PARAMETERS) {
  saveContext(ca, pc, r);
  invokeTimed(ca, r, true);
  SLOW(afterNative);
}

// ---------------------------------------------------------------- the end

NLANG_OP(exit_context) {
  finishContext(ca, r);
  SLOW(switchContext);
}

} // namespace nlang::vm
