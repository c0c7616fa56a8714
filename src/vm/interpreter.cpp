#include "vm/interpreter.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/coverage.h"
#include "object/layout.h"
#include "vm/faults.h"
#include "vm/vm.h"

namespace nlang::vm {

using bytecode::LoadedFunction;
using sched::ContextState;
using sched::kFrameHeader;

constexpr HandlerTable kHandlers = {{
#define NLANG_OPCODE(name, operands, flags, meaning) op_##name,
#include "bytecode/opcodes.def"
#undef NLANG_OPCODE
}};

namespace {

constexpr HandlerTable withTimedNatives() {
  HandlerTable table = kHandlers;
  table.handlers[static_cast<unsigned>(bytecode::Op::native)] = timedNative;
  table.handlers[static_cast<unsigned>(bytecode::Op::native_resume)] = timedNativeResume;
  return table;
}

constexpr HandlerTable kTimingHandlers = withTimedNatives();

// Behind the outermost frame: its caller is this stub, at distance 0, so that the results land in the frame's own first
// registers.
constexpr Instruction kExitStub[] = {bytecode::makeInstruction(bytecode::Op::call_1),
                                     bytecode::makeInstruction(bytecode::Op::exit_context)};
// Small stacks grow to what is needed (a million contexts wait in them), larger ones double.
constexpr uint32_t kSmallStackSlots = 64;
constexpr uint32_t kShrinkAboveSlots = (1u << 20) / sizeof(Slot);

void useStack(Carrier* ca, Context& context) {
  ca->current = &context;
  ca->stackLimit = context.stack + context.stackSlots;
}

// At the limit garbage is collected first: the current context has been saved, or has not started.
Slot* allocateStack(Carrier* ca, uint32_t& slots) {
  Slot* stack = ca->heap->allocateStack(ca->allocator, slots);
  if (stack != nullptr) return stack;
  ca->heap->collect(ca->allocator);
  return ca->heap->allocateStack(ca->allocator, slots);
}

// First dispatch: a stack with the frame of the closure's function. False: no memory, the context has failed.
bool start(Carrier* ca, Context& context) {
  auto* closure = context.result.as<object::Closure>();
  const LoadedFunction* f = closure->function;
  uint32_t slots = kFrameHeader + std::max<uint32_t>({f->registerCount, f->resultCount, 1});
  Slot* stack = allocateStack(ca, slots);
  if (stack == nullptr) return false;
  context.stack = stack;
  context.stackSlots = slots;
  context.frame = kFrameHeader;
  context.pc = f->code;
  Slot* base = stack + kFrameHeader;
  sched::setFrameHeader(base, f, &kExitStub[1], 0);
  base[0].setObject(closure);
  context.result.bits = 0;
  return true;
}

// The next context that can run, made current; null if there is none or the one waited for has finished.
Context* pick(Carrier* ca) {
  for (;;) {
    if (ca->runUntil->finished()) return nullptr;
    Context* context = ca->scheduler->next(*ca);
    if (context == nullptr) return nullptr;
    bool isNew = context->state.load(std::memory_order_relaxed) == ContextState::kNew;
    context->state.store(ContextState::kRunning, std::memory_order_relaxed);
    ca->current = context;
    if (!isNew || start(ca, *context)) {
      useStack(ca, *context);
      return context;
    }
    context->result.setObject(Vm::of(ca).outOfMemoryException());
    failContext(ca);
  }
}

} // namespace

int64_t loadQuota(Carrier* ca, uint32_t quota) {
  uint32_t counter = std::min(quota, kCounterMax);
  ca->quotaLeft = quota - counter;
  return counter;
}

NLANG_SLOW(switchContext) {
  Context* context = pick(ca);
  if (context == nullptr) {
    ca->current = nullptr;
    LEAVE;
  }
  quota = loadQuota(ca, ca->scheduler->sliceLength());
  GO(context->pc, context->stack + context->frame);
}

NLANG_SLOW(quotaUsedUp) {
  saveContext(ca, pc, r);
  ca->heap->world().safepoint();
  ca->scheduler->look(*ca);
  if (ca->quotaLeft == 0 && ca->scheduler->othersReady(*ca)) {
    ca->scheduler->preempt(*ca, *ca->current);
    Vm::of(ca).reportUnobserved();
    SLOW(switchContext);
  }
  // The program ends or is stopped: the running context is left where it is.
  if (ca->scheduler->exiting()) {
    ca->current = nullptr;
    LEAVE;
  }
  quota = loadQuota(ca, ca->quotaLeft != 0 ? ca->quotaLeft : ca->scheduler->sliceLength());
  NEXT(pc);
}

void runContexts(Carrier& carrier, const Context* until) {
  Carrier* ca = &carrier;
  ca->runUntil = until;
  Context* context = pick(ca);
  if (context == nullptr) return;
  const Instruction* pc = context->pc;
  Slot* r = context->stack + context->frame;
  const HandlerTable* table = Vm::of(ca).options().pinReportMillis >= 0 ? &kTimingHandlers : &kHandlers;
  int64_t quota = loadQuota(ca, ca->scheduler->sliceLength());
#ifdef NLANG_TAIL_DISPATCH
  Instruction in = *pc;
  table->handlers[static_cast<uint16_t>(in)](pc, r, ca, table, quota, in);
#else
  while (pc != nullptr) {
    Instruction in = *pc;
    table->handlers[static_cast<uint16_t>(in)](pc, r, ca, table, quota, in);
  }
#endif
}

// ---------------------------------------------------------------- stacks

namespace {

bool moveStack(Carrier* ca, uint32_t slots) {
  Context& context = *ca->current;
  Slot* bigger = allocateStack(ca, slots);
  if (bigger == nullptr) return false;
  std::memcpy(bigger, context.stack, std::min(slots, context.stackSlots) * sizeof(Slot));
  ca->heap->freeStack(ca->allocator, context.stack, context.stackSlots);
  context.stack = bigger;
  context.stackSlots = slots;
  useStack(ca, context);
  return true;
}

} // namespace

bool enlargeStack(Carrier* ca, uint32_t slots) {
  uint32_t limit = static_cast<uint32_t>(ca->scheduler->options().stackLimitBytes / sizeof(Slot));
  if (slots > limit) return false;
  uint32_t have = ca->current->stackSlots;
  uint32_t wanted = have < kSmallStackSlots ? slots : std::max(slots, std::min(have * 2, limit));
  return moveStack(ca, wanted);
}

void shrinkStack(Carrier* ca) {
  Context& context = *ca->current;
  uint32_t used = context.frame + sched::functionOf(context.stack + context.frame)->registerCount;
  // A stack that cannot be moved stays: it is only larger than it need be.
  if (context.stackSlots > kShrinkAboveSlots && used < context.stackSlots / 4) moveStack(ca, used * 2);
}

// ---------------------------------------------------------------- ends

namespace {

constexpr uint64_t kMainThread = 1; // its id

void end(Carrier* ca, Context& context, bool failed, bool resultIsReference) {
  if (context.id == kMainThread && ca->heap->severalCarriers()) return Vm::of(ca).endMain(*ca, failed);
  ca->scheduler->finish(*ca, context, failed, resultIsReference);
}

} // namespace

void finishContext(Carrier* ca, Slot* r) {
  Context& context = *ca->current;
  const heap::Class& cls = ca->heap->classes().of(&context.header);
  bool isReference = false;
  if (cls.element.leafCount > 1) {
    Object* packed = Vm::of(ca).packResult(ca, cls, r);
    if (packed == nullptr) {
      context.result.setObject(Vm::of(ca).outOfMemoryException());
      return failContext(ca);
    }
    context.result.setObject(packed);
    isReference = true;
  } else {
    // The main context is a plain Thread whose function gives the exit status.
    bool hasValue = cls.element.leafCount == 1 || context.id == kMainThread;
    if (hasValue) context.result = r[0];
    isReference = cls.element.leafCount == 1 && cls.element.leaves[0].kind == bytecode::StorageKind::kReference;
  }
  end(ca, context, false, isReference);
}

void failContext(Carrier* ca) {
  Context& context = *ca->current;
  const heap::ClassTable& classes = ca->heap->classes();
  // A cancelled context that ends by that exception has done what it was told: there is nothing to report (C1.5).
  bool asTold =
      context.hasFlag(sched::kCancelRequested) &&
      classes.of(context.result.object()).isSubclassOf(classes.wellKnown(bytecode::WellKnown::kCancelledException));
  if (asTold) context.setFlag(sched::kObserved);
  end(ca, context, true, true);
}

} // namespace nlang::vm
