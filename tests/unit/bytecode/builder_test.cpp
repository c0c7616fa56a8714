#include "bytecode/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bytecode/verifier.h"
#include "unit/bytecode/sample.h"

namespace nlang::bytecode {
namespace {

using testing::ElementsAre;

std::vector<std::pair<uint32_t, uint32_t>> linesOf(const Function& function) {
  std::vector<std::pair<uint32_t, uint32_t>> lines;
  for (const LineEntry& line : function.lines) lines.emplace_back(line.pc, line.line);
  return lines;
}

/// pc of the target of the jump at `pc`.
uint32_t targetOf(const Function& function, uint32_t pc) {
  Instruction word = function.code[pc];
  int32_t distance = info(opOf(word)).operands[2] == 'j' ? simmC(word) : simmBC(word);
  return pc + static_cast<uint32_t>(distance);
}

Function finished(FunctionBuilder& builder) {
  Function function;
  EXPECT_TRUE(builder.finish(function));
  return function;
}

TEST(Instruction, ArgumentsFillTheLanesAroundTheResult) {
  // As the interpreter reads them: lane a of the last word is the result.
  EXPECT_EQ(argumentWords(0), 1u);
  EXPECT_EQ(argumentWords(3), 1u);
  EXPECT_EQ(argumentWords(4), 2u);
  EXPECT_EQ(argumentWords(7), 2u);
  EXPECT_EQ(argumentWords(8), 3u);
  auto place = [](unsigned count, unsigned i) {
    ArgumentPlace p = argumentPlace(count, i);
    return std::pair(p.word, p.shift);
  };
  EXPECT_EQ(place(3, 0), std::pair(0u, 0u));
  EXPECT_EQ(place(3, 1), std::pair(0u, 32u));
  EXPECT_EQ(place(3, 2), std::pair(0u, 48u));
  EXPECT_EQ(place(4, 1), std::pair(0u, 16u));
  EXPECT_EQ(place(4, 3), std::pair(0u, 48u));
  EXPECT_EQ(place(5, 4), std::pair(1u, 0u));
  EXPECT_EQ(place(7, 6), std::pair(1u, 48u));
}

TEST(Builder, CallsOfEveryArgumentCountReadBackAsWritten) {
  for (unsigned count = 0; count <= 255; ++count) {
    FunctionBuilder builder;
    for (unsigned i = 0; i < 300; ++i) builder.newRegister(false);
    std::vector<uint16_t> arguments;
    for (unsigned i = 0; i < count; ++i) arguments.push_back(static_cast<uint16_t>((i * 7 + 3) % 256));
    builder.emitCall(Op::call_closure, 0, arguments, 290, 2);
    builder.emit(Op::ret_void);
    Function function = finished(builder);
    const Instruction* call = function.code.data();
    ASSERT_EQ(wordCount(*call), 1 + argumentWords(count));
    ASSERT_EQ(argumentCountOf(*call), count);
    EXPECT_EQ(resultCountOf(*call), 2u);
    for (unsigned i = 0; i < count; ++i) ASSERT_EQ(argumentOf(call, i), arguments[i]) << count << ' ' << i;
    EXPECT_EQ(firstResultOf(call), 290);
    EXPECT_EQ(aOf(call[wordCount(*call) - 1]), 290) << "the word before the return address names the result";
  }
}

TEST(Builder, ACallWithOneArgumentAndOneResultIsShort) {
  FunctionBuilder builder;
  uint16_t argument[] = {1};
  builder.newRegister(false), builder.newRegister(false);
  builder.emitCall(Op::call, 65535, argument, 0, 1);
  builder.emitCall(Op::call, 65536, argument, 0, 1);
  builder.emitCall(Op::call, 5, argument, 0, 0);
  builder.emit(Op::ret_void);
  Function function = finished(builder);
  EXPECT_EQ(function.code[0], makeInstruction(Op::call_1, 0, 65535, 1));
  EXPECT_EQ(opOf(function.code[1]), Op::call);
  EXPECT_EQ(uimmBC(function.code[1]), 65536u);
  EXPECT_EQ(opOf(function.code[3]), Op::call);
}

TEST(Builder, NothingIsEmittedWhereControlCannotArrive) {
  FunctionBuilder builder;
  uint16_t r = builder.newRegister(false);
  Label loop = builder.newLabel(), used = builder.newLabel(), unused = builder.newLabel();
  builder.emitJump(Op::jump_true, used, r);
  builder.emit(Op::ret_void);
  EXPECT_FALSE(builder.isReachable());
  builder.emitWide(Op::const_u32, r, 1);
  builder.bind(loop);
  builder.emitJump(loop);
  builder.bind(unused);
  EXPECT_FALSE(builder.isReachable());
  builder.emitJumpTable(r, std::array{used});
  builder.bind(used);
  EXPECT_TRUE(builder.isReachable());
  builder.emit(Op::ret_void);
  EXPECT_EQ(finished(builder).code.size(), 3u);
}

TEST(Builder, JumpsToWhatLiesBehindBecomeLoops) {
  struct Case {
    Op jump, loop;
  };
  for (Case c : {Case{Op::jump_true, Op::loop_true},
                 {Op::jump_false, Op::loop_false},
                 {Op::jlt_i32, Op::loop_lt_i32},
                 {Op::jle_i32, Op::loop_le_i32},
                 {Op::jlti_i32, Op::loop_lti_i32},
                 {Op::jlt_i64, Op::loop_lt_i64}}) {
    FunctionBuilder builder;
    uint16_t a = builder.newRegister(false), b = builder.newRegister(false);
    Label head = builder.newBoundLabel();
    builder.emit(Op::neg_i32, a, b);
    builder.emitJump(c.jump, head, a, b);
    builder.emit(Op::ret_void);
    Function function = finished(builder);
    EXPECT_EQ(opOf(function.code[1]), c.loop);
    EXPECT_EQ(targetOf(function, 1), 0u);
  }
}

TEST(Builder, AJumpWithoutLoopFormGoesAroundALoop) {
  FunctionBuilder builder;
  uint16_t a = builder.newRegister(true);
  Label head = builder.newBoundLabel();
  builder.emit(Op::null, a);
  builder.emitJump(Op::jump_null, head, a);
  builder.emit(Op::ret_void);
  Function function = finished(builder);
  EXPECT_EQ(opOf(function.code[1]), Op::jump_not_null);
  EXPECT_EQ(targetOf(function, 1), 3u);
  EXPECT_EQ(opOf(function.code[2]), Op::loop);
  EXPECT_EQ(targetOf(function, 2), 0u);
}

TEST(Builder, JumpTablesHoldDistancesFromTheirInstruction) {
  FunctionBuilder builder;
  uint16_t r = builder.newRegister(false);
  Label one = builder.newLabel(), two = builder.newLabel();
  builder.emit(Op::neg_i32, r, r);
  builder.emitJumpTable(r, std::array{one, two, one});
  builder.bind(two);
  builder.emit(Op::ret_void);
  builder.bind(one);
  builder.emit(Op::ret_void);
  Function function = finished(builder);
  EXPECT_EQ(wordCount(function.code[1]), 4u);
  EXPECT_EQ(tableDistance(function.code[2]), 5);
  EXPECT_EQ(tableDistance(function.code[3]), 4);
  EXPECT_EQ(tableDistance(function.code[4]), 5);
}

TEST(Builder, LinesAreNotedWhereTheyChange) {
  FunctionBuilder builder;
  uint16_t r = builder.newRegister(false);
  builder.setLine(3);
  builder.emitWide(Op::const_u32, r, 1);
  builder.setLine(4);
  builder.setLine(5);
  builder.emitWide(Op::const_u32, r, 1);
  builder.emitWide(Op::const_u32, r, 1);
  builder.setLine(3);
  builder.emit(Op::ret_void);
  EXPECT_THAT(linesOf(finished(builder)), ElementsAre(std::pair(0u, 3u), std::pair(1u, 5u), std::pair(3u, 3u)));
}

TEST(Builder, ExceptionEntriesKeepTheirOrderAndEmptyOnesVanish) {
  FunctionBuilder builder;
  uint16_t r = builder.newRegister(true);
  Label inner = builder.newLabel(), outer = builder.newLabel(), never = builder.newLabel();
  Label start = builder.newBoundLabel();
  builder.emit(Op::check_null, r);
  Label middle = builder.newBoundLabel();
  builder.emit(Op::check_null, r);
  Label end = builder.newBoundLabel();
  builder.emit(Op::ret_void);
  Label dead = builder.newBoundLabel();
  builder.emit(Op::check_null, r);
  Label deadEnd = builder.newBoundLabel();
  builder.addException(middle, end, 7, inner, r, true);
  builder.addException(start, end, kNone, outer, r);
  builder.addException(dead, deadEnd, kNone, never, r);
  builder.bind(never);
  EXPECT_FALSE(builder.isReachable());
  builder.bind(inner);
  EXPECT_TRUE(builder.isReachable());
  builder.bind(outer);
  builder.emit(Op::throw_, r);
  Function function = finished(builder);
  ASSERT_EQ(function.exceptions.size(), 2u);
  const ExceptionEntry& first = function.exceptions[0];
  EXPECT_EQ(first.start, 1u);
  EXPECT_EQ(first.end, 2u);
  EXPECT_EQ(first.classIndex, 7u);
  EXPECT_EQ(first.handler, 3u);
  EXPECT_TRUE(first.skipsCancelled);
  EXPECT_EQ(function.exceptions[1].start, 0u);
  EXPECT_EQ(function.exceptions[1].classIndex, kNone);
}

TEST(Builder, TooManyRegistersAreRefused) {
  FunctionBuilder builder;
  for (unsigned i = 0; i <= kMaxRegisters; ++i) builder.newRegister(false);
  builder.emit(Op::ret_void);
  Function function;
  EXPECT_FALSE(builder.finish(function));
}

void emitFiller(FunctionBuilder& builder, uint16_t r, unsigned words) {
  for (unsigned i = 0; i < words; ++i) builder.emitWide(Op::const_u32, r, i);
}

TEST(Builder, AShortJumpReachesExactly32767Words) {
  for (unsigned filler : {32766u, 32767u}) {
    FunctionBuilder builder;
    uint16_t r = builder.newRegister(false);
    Label end = builder.newLabel();
    builder.emitJump(Op::jeq_i32, end, r, r);
    emitFiller(builder, r, filler);
    builder.bind(end);
    builder.emit(Op::ret_void);
    Function function = finished(builder);
    EXPECT_EQ(opOf(function.code[0]), filler == 32766 ? Op::jeq_i32 : Op::jne_i32);
    EXPECT_EQ(function.code.size(), filler + (filler == 32766 ? 2 : 3));
  }
}

TEST(Builder, EveryShortForwardJumpHasALongForm) {
  struct Case {
    Op op, inverse;
    bool swaps;
  };
  for (Case c : {Case{Op::jeq_i32, Op::jne_i32, false},
                 {Op::jne_i32, Op::jeq_i32, false},
                 {Op::jlt_i32, Op::jle_i32, true},
                 {Op::jle_i32, Op::jlt_i32, true},
                 {Op::jeqi_i32, Op::jnei_i32, false},
                 {Op::jnei_i32, Op::jeqi_i32, false},
                 {Op::jlti_i32, Op::jgei_i32, false},
                 {Op::jlei_i32, Op::jgti_i32, false},
                 {Op::jgti_i32, Op::jlei_i32, false},
                 {Op::jgei_i32, Op::jlti_i32, false},
                 {Op::jeq_i64, Op::jne_i64, false},
                 {Op::jne_i64, Op::jeq_i64, false},
                 {Op::jlt_i64, Op::jle_i64, true},
                 {Op::jle_i64, Op::jlt_i64, true},
                 {Op::jlt_f64, Op::jnlt_f64, false},
                 {Op::jle_f64, Op::jnle_f64, false},
                 {Op::jnlt_f64, Op::jlt_f64, false},
                 {Op::jnle_f64, Op::jle_f64, false}}) {
    FunctionBuilder builder;
    uint16_t a = builder.newRegister(false), b = builder.newRegister(false);
    Label end = builder.newLabel();
    builder.setLine(1);
    builder.emit(Op::neg_i32, a, b);
    builder.setLine(2);
    builder.emitJump(c.op, end, a, b);
    builder.setLine(3);
    emitFiller(builder, a, 40000);
    builder.bind(end);
    builder.setLine(4);
    builder.emit(Op::ret_void);
    Function function = finished(builder);
    EXPECT_EQ(opOf(function.code[1]), c.inverse) << info(c.op).name;
    EXPECT_EQ(aOf(function.code[1]), c.swaps ? b : a) << info(c.op).name;
    EXPECT_EQ(bOf(function.code[1]), c.swaps ? a : b) << info(c.op).name;
    EXPECT_EQ(targetOf(function, 1), 3u);
    EXPECT_EQ(opOf(function.code[2]), Op::jump);
    EXPECT_EQ(targetOf(function, 2), 40003u);
    EXPECT_THAT(linesOf(function),
                ElementsAre(std::pair(0u, 1u), std::pair(1u, 2u), std::pair(3u, 3u), std::pair(40003u, 4u)));
  }
}

TEST(Builder, LongLoopsCountTestAndGoBack) {
  struct Case {
    Op op, inverse;
    bool counts, swaps;
  };
  for (Case c : {Case{Op::loop_lt_i32, Op::jle_i32, false, true},
                 {Op::loop_le_i32, Op::jlt_i32, false, true},
                 {Op::loop_lti_i32, Op::jgei_i32, false, false},
                 {Op::loop_lt_i64, Op::jle_i64, false, true},
                 {Op::for_lt_i32, Op::jle_i32, true, true},
                 {Op::for_lti_i32, Op::jgei_i32, true, false}}) {
    FunctionBuilder builder;
    uint16_t a = builder.newRegister(false), b = builder.newRegister(false);
    Label head = builder.newBoundLabel();
    emitFiller(builder, a, 40000);
    builder.emitJump(c.op, head, a, b);
    builder.emit(Op::ret_void);
    Function function = finished(builder);
    uint32_t at = 40000;
    if (c.counts) EXPECT_EQ(function.code[at++], makeInstruction(Op::addi_i32, a, a, 1)) << info(c.op).name;
    EXPECT_EQ(opOf(function.code[at]), c.inverse) << info(c.op).name;
    EXPECT_EQ(aOf(function.code[at]), c.swaps ? b : a);
    EXPECT_EQ(targetOf(function, at), at + 2);
    EXPECT_EQ(opOf(function.code[at + 1]), Op::loop);
    EXPECT_EQ(targetOf(function, at + 1), 0u);
  }
}

TEST(Builder, GrowingJumpsMoveEverythingBehindThem) {
  // The jumps to `targets` all go exactly 32,767 words; one among what they jump over grows, so all have to.
  FunctionBuilder builder;
  uint16_t r = builder.newRegister(false), o = builder.newRegister(true);
  constexpr unsigned kJumps = 50;
  std::vector<Label> targets, table;
  for (unsigned i = 0; i < kJumps; ++i) targets.push_back(builder.newLabel());
  table = {targets[3], targets[40]};
  Label tooFar = builder.newLabel(), handler = builder.newLabel();
  builder.emitJumpTable(r, table);
  for (Label target : targets) builder.emitJump(Op::jlti_i32, target, r, 9);
  builder.emitJump(Op::jeq_i32, tooFar, r, r);
  Label start = builder.newBoundLabel();
  emitFiller(builder, r, 32767 - kJumps - 1);
  Label end = builder.newBoundLabel();
  for (Label target : targets) {
    builder.bind(target);
    builder.setLine(target.id);
    builder.emitWide(Op::const_u32, r, target.id);
  }
  emitFiller(builder, r, 1);
  builder.bind(tooFar);
  builder.emit(Op::ret_void);
  builder.addException(start, end, kNone, handler, o);
  builder.bind(handler);
  builder.emit(Op::throw_, o);
  Function function = finished(builder);

  auto idAt = [&](uint32_t pc) { return opOf(function.code[pc]) == Op::const_u32 ? uimmBC(function.code[pc]) : kNone; };
  EXPECT_EQ(idAt(static_cast<uint32_t>(tableDistance(function.code[1]))), table[0].id);
  EXPECT_EQ(idAt(static_cast<uint32_t>(tableDistance(function.code[2]))), table[1].id);
  uint32_t pc = 3;
  for (Label target : targets) {
    EXPECT_EQ(opOf(function.code[pc]), Op::jgei_i32);
    EXPECT_EQ(targetOf(function, pc), pc + 2);
    EXPECT_EQ(idAt(targetOf(function, pc + 1)), target.id);
    pc += 2;
  }
  EXPECT_EQ(opOf(function.code[targetOf(function, pc + 1)]), Op::ret_void);
  pc += 2;
  EXPECT_EQ(function.exceptions[0].start, pc);
  EXPECT_EQ(function.exceptions[0].end, pc + 32767 - kJumps - 1);
  EXPECT_EQ(opOf(function.code[function.exceptions[0].handler]), Op::throw_);
  for (const LineEntry& line : function.lines)
    if (line.line != 0) EXPECT_EQ(idAt(line.pc), line.line);
}

TEST(OpInfo, EveryInstructionHasThreeOperandsOrTwoOfWhichOneIsWide) {
  for (const OpInfo& op : kOpInfo) {
    std::string_view letters = op.operands;
    bool isWide = letters.size() == 2 && std::string_view("IUJKGLFM").find(letters[1]) != std::string_view::npos;
    EXPECT_TRUE(letters.size() == 3 || isWide) << op.name;
    EXPECT_EQ(letters.find_first_not_of("dsxDSetiujl-IUJKGLFMRn"), std::string_view::npos) << op.name;
    bool hasJump = letters.find_first_of("jJ") != std::string_view::npos || std::string_view(op.name) == "jump_table";
    EXPECT_EQ((op.flags & kJumps) != 0, hasJump) << op.name;
  }
}

} // namespace
} // namespace nlang::bytecode
