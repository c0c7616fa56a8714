// Faults and unwinding.
//
// A fault makes its exception without collecting, since the faulting instruction is no safepoint, and then unwinds:
// from the innermost frame out, the exception tables are searched for the instruction each frame stands at. The
// exception in flight is in Context::result, which the collector marks.
#include "vm/faults.h"

#include <string>
#include <string_view>

#include "base/coverage.h"
#include "object/layout.h"
#include "vm/interpreter.h"
#include "vm/vm.h"

namespace nlang::vm {

using bytecode::WellKnown;

namespace {

void setException(Carrier* ca, const Instruction* pc, Slot* r, WellKnown cls, std::string_view message) {
  saveContext(ca, pc, r);
  ca->current->result.setObject(Vm::of(ca).makeException(*ca, cls, message));
}

const heap::Class& classOf(Carrier* ca, const Object* object) {
  return *reinterpret_cast<const heap::Class*>(ca->classBase + object->classOffset);
}

} // namespace

#define RAISE(cls, message)                                                                                            \
  setException(ca, pc, r, WellKnown::cls, message);                                                                    \
  SLOW(unwind)

// What was null, by the name of the instruction that met it.
static const char* nullMessage(Instruction in) {
  struct Row {
    std::string_view prefix;
    const char* message;
  };
  static constexpr Row kRows[] = {
      {"set_", "a field of null is assigned"},
      {"get_", "a field of null is read"},
      {"array_", "an array is null"},
      {"list_", "a list or dictionary is null"},
      {"dict_", "a dictionary is null"},
      {"call_closure", "a function value is null"},
      {"call", "a method is called on null"},
      {"check_null", "a member of null is used"},
      {"throw_", "the exception to throw is null"},
  };
  std::string_view name = bytecode::info(bytecode::opOf(in)).name;
  for (const Row& row : kRows) {
    if (name.starts_with(row.prefix)) return row.message;
  }
  return "a value is null where none may be";
}
NLANG_SLOW(nullFault) { RAISE(kNullPointerException, nullMessage(in)); }
NLANG_SLOW(divisionFault) { RAISE(kDivByZeroException, "division by zero"); }
NLANG_SLOW(memoryFault) { RAISE(kOutOfMemoryException, "the heap limit is reached"); }

// Messages are made in functions of their own: no std::string may be alive at a tail call.
static void setBoundsException(Carrier* ca, const Instruction* pc, Slot* r) {
  std::string message =
      "index " + std::to_string(static_cast<int32_t>(ca->faultIndex)) + ", length " + std::to_string(ca->faultLength);
  setException(ca, pc, r, WellKnown::kIndexOutOfBoundsException, message);
}
NLANG_SLOW(boundsFault) {
  setBoundsException(ca, pc, r);
  SLOW(unwind);
}

static void setCastException(Carrier* ca, const Instruction* pc, Slot* r, const Object* object,
                             const heap::Class& wanted) {
  std::string message = object == nullptr ? "null" : classOf(ca, object).definition->name;
  message += " is not " + wanted.definition->name;
  setException(ca, pc, r, WellKnown::kCastException, message);
}
NLANG_SLOW(castFault) {
  setCastException(ca, pc, r, RB.object(), *ca->classes[C]);
  SLOW(unwind);
}

static void setNumberException(Carrier* ca, const Instruction* pc, Slot* r, WellKnown cls, int64_t value,
                               const char* text) {
  setException(ca, pc, r, cls, std::to_string(value) + text);
}
NLANG_SLOW(charFault) {
  setNumberException(ca, pc, r, WellKnown::kCastException, RB.i64(), " is not a Unicode scalar value");
  SLOW(unwind);
}
NLANG_SLOW(lengthFault) {
  setNumberException(ca, pc, r, WellKnown::kIllegalArgumentException, RB.i32(), " is a negative length");
  SLOW(unwind);
}
static void setEnumException(Carrier* ca, const Instruction* pc, Slot* r, int64_t value, const heap::Class& cls) {
  setException(ca, pc, r, WellKnown::kCastException,
               std::to_string(value) + " is no member of " + cls.definition->name);
}
NLANG_SLOW(enumFault) {
  setEnumException(ca, pc, r, RB.i64(), *ca->classes[C]);
  SLOW(unwind);
}

NLANG_SLOW(abstractFault) { RAISE(kIllegalStateException, "the object's class does not implement the method"); }
NLANG_SLOW(tooLongFault) { RAISE(kOutOfMemoryException, "the text would be too long"); }

NLANG_SLOW(stackFault) {
  bool overflow = uint64_t{ca->neededSlots} * sizeof(Slot) > ca->scheduler->options().stackLimitBytes;
  setException(ca, pc, r, overflow ? WellKnown::kStackOverflowException : WellKnown::kOutOfMemoryException,
               overflow ? "the stack limit is reached" : "the heap limit is reached");
  SLOW(unwind);
}

// ---------------------------------------------------------------- unwinding

namespace {

// The handler for an exception of class `cls` thrown at `pc` of `f`; null if the function has none.
const bytecode::ExceptionEntry* findHandler(Carrier* ca, const bytecode::LoadedFunction& f, uint32_t pc,
                                            const heap::Class& cls) {
  if (f.nativeEntry != nullptr) return nullptr;
  for (const bytecode::ExceptionEntry& entry : f.definition->exceptions) {
    if (pc < entry.start || pc >= entry.end) continue;
    if (entry.classIndex == bytecode::kNone) return &entry;
    if (!cls.isSubclassOf(*ca->classes[entry.classIndex])) continue;
    if (entry.skipsCancelled && cls.isSubclassOf(ca->heap->classes().wellKnown(WellKnown::kCancelledException)))
      continue;
    return &entry;
  }
  return nullptr;
}

// Finds the frame that handles the exception in the context's `result` and makes it the current one, with pc at the
// handler and the exception in its register. False: nobody handles it.
bool unwindToHandler(Carrier* ca) {
  Context& context = *ca->current;
  auto* exception = context.result.as<object::ExceptionObject>();
  Vm::of(ca).fillTrace(*ca, exception);
  const heap::Class& cls = classOf(ca, &exception->header);
  const bytecode::ExceptionEntry* handler = nullptr;
  sched::walkFrames(context, [&](Slot* base, const bytecode::LoadedFunction& f, uint32_t pc, bool) {
    handler = findHandler(ca, f, pc, cls);
    if (handler == nullptr) return true;
    context.frame = static_cast<uint32_t>(base - context.stack);
    context.pc = f.code + handler->handler;
    base[handler->reg].setObject(exception);
    context.result.bits = 0;
    return false;
  });
  return handler != nullptr;
}

} // namespace

NLANG_SLOW(unwind) {
  Context& context = *ca->current;
  if (!unwindToHandler(ca)) {
    failContext(ca);
    SLOW(switchContext);
  }
  shrinkStack(ca);
  GO(context.pc, context.stack + context.frame);
}

NLANG_OP(throw_) {
  if (RA.bits == 0) [[unlikely]]
    SLOW(nullFault);
  saveContext(ca, pc, r);
  ca->current->result = RA;
  SLOW(unwind);
}

} // namespace nlang::vm
