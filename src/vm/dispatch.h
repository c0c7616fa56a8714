// How handlers are written, and how control passes from one to the next.
//
// Each opcode is one small function, NLANG_OP(name) { … NEXT(pc + 1); }. Its parameters are the interpreter's
// registers:
//   pc     the instruction being executed            r     base of the current frame
//   ca     the carrier                               table handlers by opcode (a parameter, so that it stays in a
//   register) quota  loop iterations and calls left            in    the instruction word at pc
// With Clang every handler ends in a guaranteed tail call to the next (musttail, preserve_none: the parameters live in
// machine registers for good; after Reid Kleckner's and Josh Haberman's work on the Protobuf parser). No object with a
// destructor may be alive there. Other compilers run the same handlers from a loop. A slow path is another function of
// the same signature, reached by SLOW.
//
// A conditional jump must be two NEXTs in an if, not a select of the target: a select puts the load of the next
// instruction behind the comparison and costs twice the time.
#pragma once

#include <cstdint>

#include "base/coverage.h"
#include "bytecode/instruction.h"
#include "heap/object.h"
#include "heap/slot.h"
#include "sched/carrier.h"

namespace nlang::vm {

using bytecode::Instruction;
using heap::Object;
using heap::Slot;
using sched::Carrier;
using sched::Context;

#if defined(__clang__) && defined(__has_attribute) && __has_cpp_attribute(clang::musttail) &&                          \
    __has_attribute(preserve_none) && !defined(NLANG_LOOP_DISPATCH)
#define NLANG_TAIL_DISPATCH 1
#endif

// For the report of what the tests exercise: every dispatch notes its opcode.
#define NLANG_COVER_OP(instruction) NLANG_COVER("opcode", bytecode::info(bytecode::opOf(instruction)).name)

#ifdef NLANG_TAIL_DISPATCH

#define NLANG_CONVENTION __attribute__((preserve_none))
struct HandlerTable;
using Handler = NLANG_CONVENTION void (*)(const Instruction* pc, Slot* r, Carrier* ca, const HandlerTable* table,
                                          int64_t quota, Instruction in);
#define NLANG_PARAMETERS                                                                                               \
  [[maybe_unused]] const Instruction *pc, [[maybe_unused]] Slot *r, [[maybe_unused]] Carrier *ca,                      \
      [[maybe_unused]] const HandlerTable *table, [[maybe_unused]] int64_t quota, [[maybe_unused]] Instruction in
// Goes on at instruction `target` with frame base `base`.
#define GO(target, base)                                                                                               \
  do {                                                                                                                 \
    const Instruction* nextPc_ = (target);                                                                             \
    Slot* nextBase_ = (base);                                                                                          \
    Instruction nextIn_ = *nextPc_;                                                                                    \
    NLANG_COVER_OP(nextIn_);                                                                                           \
    [[clang::musttail]] return table->handlers[static_cast<uint16_t>(nextIn_)](nextPc_, nextBase_, ca, table, quota,   \
                                                                               nextIn_);                               \
  } while (0)
#define SLOW(function) [[clang::musttail]] return function(pc, r, ca, table, quota, in)
// Leaves the interpreter; the carrier finds out why in ca.
#define LEAVE return

#else

#define NLANG_CONVENTION
struct HandlerTable;
using Handler = void (*)(const Instruction*& pc, Slot*& r, Carrier* ca, const HandlerTable* table, int64_t& quota,
                         Instruction in);
#define NLANG_PARAMETERS                                                                                               \
  [[maybe_unused]] const Instruction *&pc, [[maybe_unused]] Slot *&r, [[maybe_unused]] Carrier *ca,                    \
      [[maybe_unused]] const HandlerTable *table, [[maybe_unused]] int64_t &quota, [[maybe_unused]] Instruction in
#define GO(target, base)                                                                                               \
  do {                                                                                                                 \
    const Instruction* nextPc_ = (target);                                                                             \
    Slot* nextBase_ = (base);                                                                                          \
    NLANG_COVER_OP(*nextPc_);                                                                                          \
    pc = nextPc_;                                                                                                      \
    r = nextBase_;                                                                                                     \
    return;                                                                                                            \
  } while (0)
#define SLOW(function) return function(pc, r, ca, table, quota, in)
#define LEAVE                                                                                                          \
  do {                                                                                                                 \
    pc = nullptr;                                                                                                      \
    return;                                                                                                            \
  } while (0)

#endif

struct HandlerTable {
  Handler handlers[static_cast<unsigned>(bytecode::Op::kCount)];
};
extern const HandlerTable kHandlers;

#define NEXT(target) GO(target, r)

#define NLANG_OP(name) NLANG_CONVENTION void op_##name(NLANG_PARAMETERS)
// A slow path: rare, so kept out of the handlers' cache lines.
#define NLANG_SLOW(name) __attribute__((cold, noinline)) NLANG_CONVENTION void name(NLANG_PARAMETERS)

#define NLANG_OPCODE(name, operands, flags, meaning) NLANG_OP(name);
#include "bytecode/opcodes.def"
#undef NLANG_OPCODE

// In place of native and native_resume when natives are timed (VmOptions::pinReportMillis).
NLANG_CONVENTION void timedNative(NLANG_PARAMETERS);
NLANG_CONVENTION void timedNativeResume(NLANG_PARAMETERS);

// ---- slow paths that several families use. All take the faulting or calling instruction in pc.
NLANG_SLOW(quotaUsedUp);   // the counter ran out: requests, timers, preemption; then the instruction runs again
NLANG_SLOW(nullFault);     // NullPointerException
NLANG_SLOW(divisionFault); // DivByZeroException
NLANG_SLOW(boundsFault);   // IndexOutOfBoundsException about ca->faultIndex and ca->faultLength
NLANG_SLOW(castFault);     // CastException; register b of the instruction is the object, c the class
NLANG_SLOW(memoryFault);   // OutOfMemoryException
NLANG_SLOW(unwind);        // throws the exception in ca->current->result, from pc on outwards
NLANG_SLOW(switchContext); // the current context has been saved and queued or parked: runs the next one

#define A bytecode::aOf(in)
#define B bytecode::bOf(in)
#define C bytecode::cOf(in)
#define RA r[bytecode::aOf(in)]
#define RB r[bytecode::bOf(in)]
#define RC r[bytecode::cOf(in)]
#define SIMM_B bytecode::simmB(in)
#define SIMM_C bytecode::simmC(in)
#define UIMM_BC bytecode::uimmBC(in)
#define SIMM_BC bytecode::simmBC(in)

// Saves the running context at `at`, so that a collection or a report sees it complete.
inline void saveContext(Carrier* ca, const Instruction* at, Slot* base) {
  ca->current->pc = at;
  ca->current->frame = static_cast<uint32_t>(base - ca->current->stack);
}

} // namespace nlang::vm
