// Handlers, calls and unwinding, on hand-made programs.
#include "minimal_program.h"

namespace nlang::vm::test {
namespace {

// int fib(int n) in register 0.
void emitFib(FunctionBuilder& b, uint32_t self) {
  uint16_t a = b.newRegister(false), c = b.newRegister(false);
  bytecode::Label recurse = b.newLabel();
  b.emitJump(Op::jgei_i32, recurse, 0, 2);
  b.emit(Op::ret, 0);
  b.bind(recurse);
  b.emit(Op::addi_i32, a, 0, static_cast<uint16_t>(-1));
  uint16_t arguments[] = {a};
  b.emitCall(Op::call, self, arguments, a, 1);
  b.emit(Op::addi_i32, c, 0, static_cast<uint16_t>(-2));
  uint16_t more[] = {c};
  b.emitCall(Op::call, self, more, c, 1);
  b.emit(Op::add_i32, a, a, c);
  b.emit(Op::ret, a);
}

TEST(Interpreter, RecursionReturnsThroughFrames) {
  Program program;
  addWellKnownClasses(program);
  uint32_t fib = addFunction(program, "test.fib", 1, 1, [](FunctionBuilder& b) { emitFib(b, 0); });
  program.entry = addFunction(program, "test.main", 0, 1, [&](FunctionBuilder& b) {
    uint16_t n = b.newRegister(false);
    b.emitWide(Op::const_u32, n, 11);
    uint16_t arguments[] = {n};
    b.emitCall(Op::call, fib, arguments, n, 1);
    b.emit(Op::ret, n);
  });
  program.classes[wellKnown(program, WellKnown::kEntryClosure)].closureFunction = program.entry;
  EXPECT_EQ(runProgram(program), 89);
}

TEST(Interpreter, FaultIsCaughtInACallerAndTheStackGrows) {
  Program program;
  addWellKnownClasses(program);
  // depth(n): n == 0 ? 1 / 0 : depth(n - 1)
  uint32_t depth = addFunction(program, "test.depth", 1, 1, [](FunctionBuilder& b) {
    uint16_t r = b.newRegister(false), zero = b.newRegister(false);
    bytecode::Label deeper = b.newLabel();
    b.emitJump(Op::jnei_i32, deeper, 0, 0);
    b.emitWide(Op::const_u32, zero, 0);
    b.emit(Op::div_i32, r, 0, zero);
    b.emit(Op::ret, r);
    b.bind(deeper);
    b.emit(Op::addi_i32, r, 0, static_cast<uint16_t>(-1));
    uint16_t arguments[] = {r};
    b.emitCall(Op::call, 0, arguments, r, 1);
    b.emit(Op::ret, r);
  });
  uint32_t caught = wellKnown(program, WellKnown::kDivByZeroException);
  program.entry = addFunction(program, "test.main", 0, 1, [&](FunctionBuilder& b) {
    uint16_t n = b.newRegister(false), e = b.newRegister(true);
    bytecode::Label start = b.newBoundLabel(), end = b.newLabel(), handler = b.newLabel();
    b.emitWide(Op::const_u32, n, 10000);
    uint16_t arguments[] = {n};
    b.emitCall(Op::call, depth, arguments, n, 1);
    b.bind(end);
    b.emit(Op::ret, n);
    b.addException(start, end, caught, handler, e);
    b.bind(handler);
    b.emitWide(Op::const_u32, n, 42);
    b.emit(Op::ret, n);
  });
  program.classes[wellKnown(program, WellKnown::kEntryClosure)].closureFunction = program.entry;
  EXPECT_EQ(runProgram(program), 42);
}

TEST(Interpreter, UncaughtExceptionGivesStatusOne) {
  Program program;
  addWellKnownClasses(program);
  program.entry = addFunction(program, "test.main", 0, 1, [&](FunctionBuilder& b) {
    uint16_t n = b.newRegister(true);
    b.emit(Op::null, n);
    b.emit(Op::throw_, n);
  });
  program.classes[wellKnown(program, WellKnown::kEntryClosure)].closureFunction = program.entry;
  EXPECT_EQ(runProgram(program), kExitUncaught);
}

TEST(Interpreter, DeepRecursionOverflowsTheStackAndGoesOn) {
  Program program;
  addWellKnownClasses(program);
  uint32_t forever = addFunction(program, "test.forever", 1, 1, [](FunctionBuilder& b) {
    uint16_t arguments[] = {0};
    b.emitCall(Op::call, 0, arguments, 0, 1);
    b.emit(Op::ret, 0);
  });
  uint32_t caught = wellKnown(program, WellKnown::kStackOverflowException);
  program.entry = addFunction(program, "test.main", 0, 1, [&](FunctionBuilder& b) {
    uint16_t n = b.newRegister(false), e = b.newRegister(true);
    bytecode::Label start = b.newBoundLabel(), end = b.newLabel(), handler = b.newLabel();
    b.emitWide(Op::const_u32, n, 1);
    uint16_t arguments[] = {n};
    b.emitCall(Op::call, forever, arguments, n, 1);
    b.bind(end);
    b.emit(Op::ret, n);
    b.addException(start, end, caught, handler, e);
    b.bind(handler);
    b.emitWide(Op::const_u32, n, 7);
    b.emit(Op::ret, n);
  });
  program.classes[wellKnown(program, WellKnown::kEntryClosure)].closureFunction = program.entry;
  VmOptions options;
  options.scheduler.stackLimitBytes = 1 << 20;
  EXPECT_EQ(runProgram(program, options), 7);
}

} // namespace
} // namespace nlang::vm::test
