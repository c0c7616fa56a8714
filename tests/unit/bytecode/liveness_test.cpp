#include "bytecode/liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>

#include "bytecode/operands.h"
#include "bytecode/verifier.h"
#include "unit/bytecode/sample.h"

namespace nlang::bytecode {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Registers = std::set<unsigned>;

Registers liveIn(const Function& function, const uint64_t* map) {
  Registers live;
  for (unsigned reg = 0; reg < function.registerCount; ++reg)
    if (map[reg / 64] >> (reg % 64) & 1) live.insert(reg);
  return live;
}

std::optional<Registers> liveAt(const Function& function, uint32_t pc) {
  const uint64_t* map = findMap(function, pc);
  if (map == nullptr) return std::nullopt;
  return liveIn(function, map);
}

std::optional<Registers> liveBefore(const Function& function, uint32_t pc) {
  const uint64_t* map = findMapBefore(function.safepoints.data(), static_cast<uint32_t>(function.safepoints.size()),
                                      function.mapWords.data(), pc);
  if (map == nullptr) return std::nullopt;
  return liveIn(function, map);
}

/// Builds, computes maps, and expects every read register to have been written.
class LivenessTest : public testing::Test {
 protected:
  LivenessTest() {
    for (uint16_t& reg : ref) reg = builder.newRegister(true);
    for (uint16_t& reg : num) reg = builder.newRegister(false);
  }
  Function finish(unsigned parameters = 0) {
    Function function;
    EXPECT_TRUE(builder.finish(function));
    function.parameterCount = static_cast<uint16_t>(parameters);
    EXPECT_TRUE(liveness.compute(function));
    return function;
  }
  void call(std::initializer_list<uint16_t> arguments, uint16_t result, unsigned results = 1) {
    builder.emitCall(Op::call, 100000, std::vector<uint16_t>(arguments), result, results);
  }
  /// pc of the key of a call that starts at `pc`.
  static uint32_t keyOf(const Function& function, uint32_t pc) { return pc + wordCount(function.code[pc]) - 1; }

  FunctionBuilder builder;
  Liveness liveness;
  uint16_t ref[6], num[4];
};

TEST_F(LivenessTest, ArgumentsOfACallAreDeadUnlessReadLater) {
  call({ref[0], ref[1]}, ref[2]);
  builder.emit(Op::eq_ref, num[0], ref[1], ref[2]);
  builder.emit(Op::ret, num[0]);
  Function function = finish(2);
  EXPECT_EQ(liveAt(function, keyOf(function, 0)), Registers{ref[1]});
  EXPECT_FALSE(liveAt(function, 0)) << "a call that runs is keyed by its last word";
  EXPECT_EQ(liveBefore(function, 0), (Registers{ref[0], ref[1]}))
      << "a context preempted in front of it has its arguments to pass";
  EXPECT_THAT(liveness.neverWritten(), IsEmpty());
}

TEST_F(LivenessTest, ResultsAreNotLiveDuringTheCall) {
  builder.emit(Op::null, ref[0]);
  builder.emit(Op::null, ref[1]);
  call({}, ref[0], 2);
  builder.emit(Op::eq_ref, num[0], ref[0], ref[1]);
  builder.emit(Op::ret, num[0]);
  Function function = finish();
  EXPECT_EQ(liveAt(function, keyOf(function, 2)), Registers{});
}

TEST_F(LivenessTest, AnAllocationSeesItsOperands) {
  builder.emit(Op::concat, ref[2], ref[0], ref[1]);
  builder.emit(Op::concat, ref[2], ref[2], ref[2]);
  builder.emit(Op::ret, ref[2]);
  Function function = finish(2);
  EXPECT_EQ(liveAt(function, 0), (Registers{ref[0], ref[1]}));
  EXPECT_EQ(liveAt(function, 1), Registers{ref[2]});
  EXPECT_EQ(liveBefore(function, 1), Registers{ref[2]}) << "one map serves both";
}

TEST_F(LivenessTest, RangesOfRegistersAreRead) {
  builder.emit(Op::concat_n, ref[5], ref[1], 3);
  builder.emit(Op::list_add, ref[0], ref[2], 2);
  builder.emit(Op::ret_n, ref[4], 2);
  Function function = finish(5);
  EXPECT_EQ(liveAt(function, 0), (Registers{ref[0], ref[1], ref[2], ref[3], ref[4]}));
  EXPECT_EQ(liveAt(function, 1), (Registers{ref[0], ref[2], ref[3], ref[4], ref[5]}));
}

TEST_F(LivenessTest, ScalarsAreNeverInAMap) {
  builder.emitWide(Op::const_u32, num[0], 1);
  call({}, ref[0]);
  builder.emit(Op::add_i32, num[0], num[0], num[0]);
  builder.emit(Op::ret, num[0]);
  Function function = finish();
  EXPECT_EQ(liveAt(function, keyOf(function, 1)), Registers{});
}

TEST_F(LivenessTest, ABackEdgeKeepsWhatTheNextRoundReads) {
  // while (n) { t = call(); use(list, t); }
  Label head = builder.newBoundLabel();
  call({}, ref[1]);
  builder.emit(Op::eq_ref, num[0], ref[0], ref[1]);
  builder.emitJump(Op::loop_true, head, num[0]);
  builder.emit(Op::ret_void);
  Function function = finish(1);
  EXPECT_EQ(liveAt(function, keyOf(function, 0)), Registers{ref[0]});
  EXPECT_EQ(liveAt(function, 3), Registers{ref[0]}) << "a temporary of one round is dead at its end";
}

TEST_F(LivenessTest, ARegisterIsLiveOnlyOnTheBranchThatReadsIt) {
  Label other = builder.newLabel();
  call({}, num[0]);                               // 0: both may follow
  builder.emitJump(Op::jump_true, other, num[0]); // 2
  call({}, num[1]);                               // 3: reads ref 0 later
  builder.emit(Op::ret, ref[0]);
  builder.bind(other);
  call({}, num[1]); // 6: reads ref 1 later
  builder.emit(Op::ret, ref[1]);
  Function function = finish(2);
  EXPECT_EQ(liveAt(function, keyOf(function, 0)), (Registers{ref[0], ref[1]}));
  EXPECT_EQ(liveAt(function, keyOf(function, 3)), Registers{ref[0]});
  EXPECT_EQ(liveAt(function, keyOf(function, 6)), Registers{ref[1]});
}

TEST_F(LivenessTest, JumpTablesLeadToAllTheirTargets) {
  std::vector<Label> labels = {builder.newLabel(), builder.newLabel()};
  call({}, num[0]); // 0
  builder.emitJumpTable(num[0], labels);
  builder.emit(Op::ret, ref[0]);
  builder.bind(labels[0]);
  builder.emit(Op::ret, ref[1]);
  builder.bind(labels[1]);
  builder.emit(Op::ret, ref[2]);
  Function function = finish(3);
  EXPECT_EQ(liveAt(function, keyOf(function, 0)), (Registers{ref[0], ref[1], ref[2]}));
}

TEST_F(LivenessTest, HandlersKeepWhatTheyRead) {
  Label handler = builder.newLabel();
  Label start = builder.newBoundLabel();
  call({}, ref[1]); // 0
  Label end = builder.newBoundLabel();
  call({}, num[0]); // 2, outside
  builder.emit(Op::ret, ref[1]);
  builder.addException(start, end, kNone, handler, ref[2]);
  builder.bind(handler);
  builder.emit(Op::eq_ref, num[0], ref[0], ref[2]);
  builder.emit(Op::ret, num[0]);
  Function function = finish(1);
  EXPECT_EQ(liveAt(function, keyOf(function, 0)), Registers{ref[0]})
      << "the exception's register is written by the unwinder";
  EXPECT_EQ(liveAt(function, keyOf(function, 2)), Registers{ref[1]});
}

TEST_F(LivenessTest, AResultThatTheHandlerReadsKeepsItsOldValueDuringTheCall) {
  builder.emit(Op::null, ref[0]);
  Label handler = builder.newLabel();
  Label start = builder.newBoundLabel();
  call({}, ref[0]); // 1
  builder.emit(Op::concat, ref[0], ref[1], ref[1]);
  Label end = builder.newBoundLabel();
  builder.emit(Op::ret, ref[0]);
  builder.addException(start, end, kNone, handler, ref[2]);
  builder.bind(handler);
  builder.emit(Op::ret, ref[0]);
  Function function = finish(0);
  EXPECT_EQ(liveAt(function, keyOf(function, 1)), (Registers{ref[0], ref[1]}));
  EXPECT_EQ(liveAt(function, 3), (Registers{ref[0], ref[1]}));
}

TEST_F(LivenessTest, WhatIsWrittenBeforeTheFirstThrowIsNotNeededEarlier) {
  // The handler reads a register that the range writes before anything in it can throw.
  Label handler = builder.newLabel();
  call({}, num[0]); // 0
  Label start = builder.newBoundLabel();
  builder.emit(Op::null, ref[0]);
  call({}, num[0]); // 3
  Label end = builder.newBoundLabel();
  builder.emit(Op::ret_void);
  builder.addException(start, end, kNone, handler, ref[1]);
  builder.bind(handler);
  builder.emit(Op::ret, ref[0]);
  Function function = finish();
  EXPECT_EQ(liveAt(function, keyOf(function, 0)), Registers{});
  EXPECT_EQ(liveAt(function, keyOf(function, 3)), Registers{ref[0]});
  EXPECT_THAT(liveness.neverWritten(), IsEmpty());
}

TEST_F(LivenessTest, NestedHandlersAllCount) {
  Label inner = builder.newLabel(), outer = builder.newLabel();
  Label start = builder.newBoundLabel();
  call({}, num[0]); // 0
  Label middle = builder.newBoundLabel();
  call({}, num[0]); // 2
  Label end = builder.newBoundLabel();
  builder.emit(Op::ret_void);
  builder.addException(start, middle, 1, inner, ref[5]);
  builder.addException(start, end, kNone, outer, ref[5]);
  builder.bind(inner);
  builder.emit(Op::ret, ref[0]);
  builder.bind(outer);
  builder.emit(Op::ret, ref[1]);
  Function function = finish(2);
  EXPECT_EQ(liveAt(function, keyOf(function, 0)), (Registers{ref[0], ref[1]}));
  EXPECT_EQ(liveAt(function, keyOf(function, 2)), Registers{ref[1]});
}

TEST_F(LivenessTest, SaysWhatMayBeReadBeforeItIsWritten) {
  Label skip = builder.newLabel();
  builder.emitWide(Op::const_u32, num[0], 1);
  builder.emitJump(Op::jump_true, skip, num[0]);
  builder.emit(Op::null, ref[3]);
  builder.emit(Op::null, ref[4]);
  builder.bind(skip);
  builder.emit(Op::ret, ref[4]);
  finish();
  EXPECT_THAT(liveness.neverWritten(), ElementsAre(ref[4]));
}

TEST_F(LivenessTest, SafepointsAreSortedAndEqualMapsShareWords) {
  for (int i = 0; i < 100; ++i) {
    call({}, num[0]);
    call({}, ref[i % 3]);
  }
  builder.emit(Op::concat_n, ref[5], ref[0], 3);
  builder.emit(Op::ret, ref[5]);
  Function function = finish();
  EXPECT_EQ(function.safepoints.size(), 401u) << "two for each call";
  EXPECT_TRUE(std::is_sorted(function.safepoints.begin(), function.safepoints.end(),
                             [](const SafepointMap& a, const SafepointMap& b) { return a.key < b.key; }));
  EXPECT_LE(function.mapWords.size(), 8u);
}

TEST(Liveness, AFunctionWithoutRegistersHasMapsToo) {
  Function function = functionOf("", 0, 0, {makeWide(Op::call, 0, 0), 0, makeInstruction(Op::ret_void)});
  EXPECT_TRUE(Liveness().compute(function));
  EXPECT_NE(findMap(function, 1), nullptr);
  EXPECT_EQ(findMap(function, 0), nullptr);
  EXPECT_EQ(findMap(function, 2), nullptr);
}

TEST(Liveness, AMillionElementsInOneBlock) {
  FunctionBuilder builder;
  uint16_t list = builder.newRegister(true), item = builder.newRegister(true);
  builder.emit(Op::null, list);
  for (int i = 0; i < 1000000; ++i) {
    builder.emitWide(Op::const_pool, item, 0);
    builder.emit(Op::list_add, list, item, 1);
  }
  builder.emit(Op::ret, list);
  Function function;
  ASSERT_TRUE(builder.finish(function));
  ASSERT_TRUE(Liveness().compute(function));
  EXPECT_EQ(function.safepoints.size(), 1000000u);
  EXPECT_EQ(function.mapWords.size(), 1u);
}

TEST(Liveness, TenThousandRegistersThroughTenThousandBlocks) {
  FunctionBuilder builder;
  constexpr unsigned kCount = 10000;
  for (unsigned i = 0; i < kCount; ++i) builder.newRegister(true);
  for (uint16_t i = 0; i < kCount; ++i) {
    builder.emit(Op::null, i);
    Label next = builder.newLabel();
    builder.emitJump(Op::jump_null, next, i);
    builder.emitCall(Op::call, 0, {}, i, 1);
    builder.bind(next);
  }
  for (uint16_t i = 0; i < kCount; ++i) builder.emit(Op::check_null, i);
  builder.emit(Op::ret_void);
  Function function;
  ASSERT_TRUE(builder.finish(function));
  ASSERT_TRUE(Liveness().compute(function));
  // Half of the calls lie before the middle one, and so does what they keep.
  const uint64_t* map = &function.mapWords[function.safepoints[kCount].firstWord];
  unsigned live = 0;
  for (unsigned i = 0; i < kCount; ++i) live += map[i / 64] >> (i % 64) & 1;
  EXPECT_EQ(live, kCount / 2);
}

// ---- against a slow analysis that follows the definition word for word

// Live sets of single instructions, found by repetition until nothing changes.
class SlowLiveness {
 public:
  explicit SlowLiveness(const Function& function)
      : function_(function), in_(function.code.size()), out_(function.code.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t pc = 0; pc < function.code.size(); pc += wordCount(function.code[pc]))
        changed = update(pc) || changed;
    }
  }
  const Registers& in(uint32_t pc) const { return in_[pc]; }

  std::map<uint32_t, Registers> maps() const {
    std::map<uint32_t, Registers> maps;
    for (uint32_t pc = 0; pc < function_.code.size(); pc += wordCount(function_.code[pc])) {
      uint16_t flags = info(opOf(function_.code[pc])).flags;
      if (flags & kCalls) {
        maps[beforeKey(pc)] = in_[pc];
        maps[insideKey(pc + wordCount(function_.code[pc]) - 1)] = during(pc);
      } else if (flags & kSafepoint) {
        maps[insideKey(pc)] = in_[pc];
      }
    }
    return maps;
  }

 private:
  // What is live behind the instruction without what it writes, and what its handlers need.
  Registers during(uint32_t pc) const {
    Registers live = out_[pc];
    visitRegisters(&function_.code[pc], [](uint16_t) {}, [&](uint16_t reg) { live.erase(reg); });
    if (!mayThrow(opOf(function_.code[pc]))) return live;
    for (const ExceptionEntry& e : function_.exceptions) {
      if (pc < e.start || pc >= e.end) continue;
      Registers needed = in_[e.handler];
      needed.erase(e.reg);
      live.insert(needed.begin(), needed.end());
    }
    return live;
  }
  bool update(uint32_t pc) {
    const Instruction* at = &function_.code[pc];
    Registers out;
    visitJumps(at, [&](int32_t distance) {
      out.insert(in_[pc + static_cast<uint32_t>(distance)].begin(), in_[pc + static_cast<uint32_t>(distance)].end());
    });
    if (!(info(opOf(*at)).flags & kEnds)) out.insert(in_[pc + wordCount(*at)].begin(), in_[pc + wordCount(*at)].end());
    out_[pc] = out;
    Registers in = during(pc);
    visitRegisters(
        at,
        [&](uint16_t reg) {
          if (function_.isReference(reg)) in.insert(reg);
        },
        [](uint16_t) {});
    return std::exchange(in_[pc], in) != in;
  }

  const Function& function_;
  std::vector<Registers> in_, out_;
};

// A random function: straight pieces, jumps to anywhere, tables, ranges with handlers behind them.
Function randomFunction(std::mt19937& random) {
  auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  FunctionBuilder builder;
  unsigned count = 2 + below(below(4) == 0 ? 150 : 12);
  std::vector<uint16_t> refs, nums;
  for (unsigned i = 0; i < count; ++i) {
    bool isReference = below(3) != 0;
    (isReference ? refs : nums).push_back(builder.newRegister(isReference));
  }
  refs.push_back(builder.newRegister(true));
  nums.push_back(builder.newRegister(false));
  auto ref = [&] { return refs[below(static_cast<unsigned>(refs.size()))]; };
  auto num = [&] { return nums[below(static_cast<unsigned>(nums.size()))]; };
  auto any = [&] { return static_cast<uint16_t>(below(count)); };

  unsigned pieces = 1 + below(12);
  std::vector<Label> labels;
  for (unsigned i = 0; i <= pieces; ++i) labels.push_back(builder.newLabel());
  auto forward = [&](unsigned from) { return labels[from + 1 + below(pieces - from)]; };
  struct Open {
    Label start, handler;
    uint16_t reg;
  };
  std::vector<Open> open;
  std::vector<std::vector<Label>> handlers(pieces + 1);
  for (unsigned p = 0; p < pieces; ++p) {
    builder.bind(labels[p]);
    for (unsigned i = below(6); i > 0; --i) {
      switch (below(9)) {
      case 0: builder.emit(Op::null, ref()); break;
      case 1: builder.emit(Op::move, refs[0], ref()); break;
      case 2: builder.emit(Op::eq_ref, num(), ref(), ref()); break;
      case 3: builder.emit(Op::concat, ref(), ref(), ref()); break;
      case 4: builder.emit(Op::check_null, ref()); break;
      case 5: builder.emit(Op::list_add, ref(), any(), 1 + below(2)); break;
      case 6: builder.emitWide(Op::const_u32, num(), 7); break;
      default: {
        std::vector<uint16_t> arguments(below(6));
        for (uint16_t& argument : arguments) argument = any();
        builder.emitCall(below(2) == 0 ? Op::call : Op::call_closure, below(100), arguments, any(), below(3));
      }
      }
    }
    if (below(3) == 0) open.push_back({builder.newBoundLabel(), builder.newLabel(), ref()});
    if (!open.empty() && below(3) == 0) {
      Open range = open.back();
      open.pop_back();
      builder.addException(range.start, builder.newBoundLabel(), kNone, range.handler, range.reg);
      handlers[p + 1].push_back(range.handler);
    }
    switch (below(5)) {
    case 0: builder.emitJump(Op::jump_true, forward(p), num()); break;
    case 1: builder.emitJump(Op::jump_null, labels[below(p + 1)], ref()); break;
    case 2: builder.emitJumpTable(num(), std::vector<Label>{forward(p), forward(p)}); break;
    case 3: builder.emitJump(forward(p)); break;
    default: break;
    }
    for (Label handler : handlers[p + 1]) builder.bind(handler);
  }
  Label end = builder.newBoundLabel();
  for (; !open.empty(); open.pop_back()) {
    builder.addException(open.back().start, end, kNone, open.back().handler, open.back().reg);
    builder.bind(open.back().handler);
  }
  builder.bind(labels[pieces]);
  builder.emit(Op::ret, ref());
  Function function;
  if (builder.isReachable()) builder.emit(Op::ret, ref());
  builder.finish(function);
  function.parameterCount = static_cast<uint16_t>(below(3));
  return function;
}

TEST(Liveness, AgreesWithTheDefinitionOnRandomFunctions) {
  std::mt19937 random(20);
  Liveness liveness;
  for (int i = 0; i < 3000; ++i) {
    Function function = randomFunction(random);
    ASSERT_TRUE(liveness.compute(function));
    SlowLiveness slow(function);
    std::map<uint32_t, Registers> maps;
    for (const SafepointMap& point : function.safepoints)
      maps[point.key] = liveIn(function, &function.mapWords[point.firstWord]);
    ASSERT_EQ(maps, slow.maps()) << "function " << i;
    Registers unwritten = slow.in(0);
    for (unsigned p = 0; p < function.parameterCount; ++p) unwritten.erase(p);
    ASSERT_EQ(Registers(liveness.neverWritten().begin(), liveness.neverWritten().end()), unwritten) << "function " << i;
  }
}

} // namespace
} // namespace nlang::bytecode
