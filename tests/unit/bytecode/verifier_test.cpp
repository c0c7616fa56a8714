#include "bytecode/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bytecode/liveness.h"
#include "bytecode/printer.h"
#include "unit/bytecode/sample.h"

namespace nlang::bytecode {
namespace {

using testing::HasSubstr;

constexpr auto I = makeInstruction;
constexpr auto W = makeWide;

std::string errorOf(Program program) {
  std::string error;
  bool isSound = verify(program, error);
  EXPECT_EQ(isSound, error.empty());
  return error;
}

/// A sample program with one of everything that instructions can name.
class VerifierTest : public testing::Test {
 protected:
  VerifierTest() : program(sampleProgram()) {
    native = addNative("sample.native", "rsr", 2, 1); // (object, scalar) -> object
    method = addNative("sample.method", "rs", 1, 1);  // (object) -> scalar
    plain = addClass(program, "Node", ClassKind::kPlain);
    at(plain).instanceSize = 32;
    at(plain).referenceOffsets = {8};
    at(plain).virtualTable = {method};
    shape = addClass(program, "Shape", ClassKind::kInterface);
    at(plain).interfaces = {shape};
    at(plain).methods = {{40, method}};
    ints = addClass(program, "int[]", ClassKind::kArray);
    at(ints).element = {4, {{0, StorageKind::k32, false}}};
    color = addClass(program, "Color", ClassKind::kEnum);
    box = addClass(program, "int", ClassKind::kBox);
    at(box).instanceSize = 16;
    at(box).element = at(ints).element;
    lambda = addClass(program, "lambda", ClassKind::kClosure);
    at(lambda).instanceSize = 16;
    at(lambda).closureFunction = method;
    program.constants = {
        {Constant::Kind::kBits, 1, ""}, {Constant::Kind::kString, 0, "text"}, {Constant::Kind::kClosure, lambda, ""}};
    program.globalCount = 3;
    program.referenceGlobals = {0b100};
  }

  uint32_t addNative(const std::string& name, const std::string& kinds, unsigned parameters, unsigned results) {
    program.functions.push_back(nativeOf(name, kinds, parameters, results));
    return static_cast<uint32_t>(program.functions.size() - 1);
  }
  Class& at(uint32_t cls) { return program.classes[cls]; }

  /// What the verifier says about a function of four registers: r0 and r1 are object parameters, r2 and r3 scalars.
  std::string errorIn(std::vector<Instruction> code, unsigned results = 0) {
    Program copy = program;
    copy.functions.push_back(functionOf("rrss", 2, results, std::move(code)));
    return errorOf(std::move(copy));
  }
  /// The same for one instruction before a return.
  std::string errorInOne(Instruction word) { return errorIn({word, I(Op::ret_void, 0, 0, 0)}); }
  /// The same with an exception table.
  std::string errorInTable(std::vector<ExceptionEntry> entries) {
    Program copy = program;
    copy.functions.push_back(functionOf("rrss", 2, 0,
                                        {I(Op::check_null, 0, 0, 0), I(Op::list_get_leaf, 2, 0, 3),
                                         I(Op::move, 0, 0, 0), I(Op::check_null, 1, 0, 0), I(Op::ret_void, 0, 0, 0)}));
    copy.functions.back().exceptions = std::move(entries);
    return errorOf(std::move(copy));
  }

  Program program;
  uint32_t native, method, plain, shape, ints, color, box, lambda;
};

TEST_F(VerifierTest, AcceptsASoundProgramAndMakesItsMaps) {
  program.functions.push_back(functionOf(
      "rrss", 2, 1, {W(Op::call, 2 | 1 << 8, native), 0 | 1 << 16 | uint64_t{2} << 32, I(Op::ret, 0, 0, 0)}));
  std::string error;
  EXPECT_TRUE(verify(program, error)) << error;
  EXPECT_EQ(error, "");
  EXPECT_EQ(program.functions.back().safepoints.size(), 2u);
}

TEST_F(VerifierTest, ChecksTheProgramsTables) {
  auto with = [&](auto change) {
    Program copy = program;
    change(copy);
    return errorOf(std::move(copy));
  };
  EXPECT_THAT(with([](Program& p) { p.referenceGlobals.clear(); }), HasSubstr("kinds of globals"));
  EXPECT_THAT(with([](Program& p) { p.referenceGlobals = {0b1000}; }), HasSubstr("kinds of globals"));
  EXPECT_THAT(with([](Program& p) { p.constants[2].bits = 0; }), HasSubstr("not a closure class"));
  EXPECT_THAT(with([](Program& p) { p.constants[2].bits = 12345; }), HasSubstr("not a closure class"));
  EXPECT_THAT(with([](Program& p) { p.constants[2].bits = wellKnownIndex(p, WellKnown::kEntryClosure); }),
              HasSubstr("has no function"));
  EXPECT_THAT(with([](Program& p) { p.constants[0].kind = static_cast<Constant::Kind>(9); }),
              HasSubstr("unknown kind"));
  EXPECT_THAT(with([](Program& p) { p.wellKnown.pop_back(); }), HasSubstr("number of well-known"));
  EXPECT_THAT(with([](Program& p) { p.wellKnown[0] = 12345; }), HasSubstr("is missing"));
  EXPECT_THAT(with([](Program& p) { std::swap(p.wellKnown[0], p.wellKnown[1]); }), HasSubstr("wrong kind"));
  EXPECT_THAT(with([](Program& p) { p.entry = kNone; }), HasSubstr("no entry function"));
  EXPECT_THAT(with([&](Program& p) { p.entry = method; }), HasSubstr("is native"));
  EXPECT_THAT(with([&](Program& p) { p.tests = {{"testA", p.entry}, {"testB", method}}; }), HasSubstr("is native"));
  EXPECT_THAT(with([](Program& p) { p.tests = {{"testA", kNone}}; }), HasSubstr("no entry function"));
  EXPECT_THAT(with([](Program& p) { p.functions[0].parameterCount = 1; }), HasSubstr("wrong parameters or results"));
  EXPECT_THAT(
      with([](Program& p) { p.functions[0] = functionOf("r", 0, 1, {I(Op::null, 0, 0, 0), I(Op::ret, 0, 0, 0)}); }),
      HasSubstr("returns a reference"));
}

TEST_F(VerifierTest, ChecksTheHeadsOfFunctions) {
  auto with = [&](auto change, bool isNative = false) {
    Program copy = program;
    change(copy.functions[isNative ? native : 0]);
    return errorOf(std::move(copy));
  };
  EXPECT_THAT(with([](Function& f) { f.file = 1; }), HasSubstr("function 0 (sample.main): no file 1"));
  EXPECT_THAT(with([](Function& f) { f.parameterCount = 2; }), HasSubstr("more parameters than registers"));
  EXPECT_THAT(with([](Function& f) { f.registerCount = 65535; }), HasSubstr("too many registers"));
  EXPECT_THAT(with([](Function& f) { f.referenceRegisters = {2}; }), HasSubstr("kinds of registers"));
  EXPECT_THAT(with([](Function& f) { f.referenceRegisters = {0, 0}; }), HasSubstr("kinds of registers"));
  EXPECT_THAT(with([](Function& f) { f.flags = kFunctionBlocking; }), HasSubstr("blocking, but not native"));
  EXPECT_THAT(with([](Function& f) { f.code.clear(); }), HasSubstr("no code"));
  EXPECT_THAT(with([](Function& f) { f.code = {I(Op::ret_void, 0, 0, 0)}; }, true), HasSubstr("native, but has code"));
  EXPECT_THAT(with([](Function& f) { f.nativeName.clear(); }, true), HasSubstr("without the name"));
  EXPECT_THAT(with([](Function& f) { f.parameterCount = 1; }, true), HasSubstr("its parameters and results"));
  EXPECT_THAT(with([](Function& f) { f.ownerClass = 9999; }, true), HasSubstr("no class 9999"));
  EXPECT_THAT(with([](Function& f) { f.resultClass = 9998; }, true), HasSubstr("no class 9998"));
  EXPECT_THAT(with([](Function& f) { f.typeClasses = {0}; }, true), HasSubstr("not an array class"));
}

TEST_F(VerifierTest, ChecksTheShapeOfCode) {
  EXPECT_THAT(errorIn({Instruction{0xffff}}), HasSubstr("0: unknown instruction 65535"));
  EXPECT_THAT(errorIn({I(Op::ret_void, 0, 0, 0), W(Op::call, 3, 0)}), HasSubstr("1: call is cut off"));
  EXPECT_THAT(errorIn({I(Op::list_get_leaf, 2, 0, 3)}), HasSubstr("cut off"));
  EXPECT_THAT(errorIn({I(Op::jump_table, 2, 3, 0), makeTableWord(1)}), HasSubstr("cut off"));
  EXPECT_THAT(errorIn({I(Op::move, 2, 3, 0)}), HasSubstr("run off the end"));
  EXPECT_THAT(errorIn({I(Op::ret_void, 0, 0, 0), W(Op::jump_true, 2, 1)}), HasSubstr("run off the end"));
  EXPECT_THAT(errorInOne(I(Op::native, 0, 0, 0)), HasSubstr("native: belongs to the run-time system"));
  EXPECT_THAT(errorIn({I(Op::exit_context, 0, 0, 0)}), HasSubstr("belongs to the run-time system"));
}

TEST_F(VerifierTest, ChecksRegisters) {
  EXPECT_EQ(errorInOne(I(Op::add_i32, 2, 3, 3)), "");
  EXPECT_THAT(errorInOne(I(Op::add_i32, 0, 3, 3)), HasSubstr("0: add_i32: r0 holds references"));
  EXPECT_THAT(errorInOne(I(Op::add_i32, 2, 1, 3)), HasSubstr("r1 holds references"));
  EXPECT_THAT(errorInOne(I(Op::add_i32, 2, 3, 4)), HasSubstr("no register r4"));
  EXPECT_THAT(errorInOne(I(Op::null, 2, 0, 0)), HasSubstr("r2 holds no references"));
  EXPECT_THAT(errorInOne(I(Op::null, 4, 0, 0)), HasSubstr("no register r4"));
  EXPECT_THAT(errorInOne(I(Op::string_next, 2, 0, 1)), HasSubstr("r1 holds references"));
  EXPECT_THAT(errorInOne(I(Op::move, 0, 2, 0)), HasSubstr("differ in kind"));
  EXPECT_THAT(errorInOne(I(Op::move, 0, 4, 0)), HasSubstr("no register r4"));
  EXPECT_EQ(errorInOne(I(Op::concat_n, 0, 0, 2)), "");
  EXPECT_THAT(errorInOne(I(Op::concat_n, 0, 0, 3)), HasSubstr("r2 holds no references"));
  EXPECT_THAT(errorInOne(I(Op::concat_n, 0, 3, 2)), HasSubstr("no registers r3 to r4"));
  EXPECT_EQ(errorInOne(I(Op::list_add, 0, 1, 3)), "");
  EXPECT_THAT(errorInOne(I(Op::list_add, 0, 1, 4)), HasSubstr("no registers r1 to r4"));
  EXPECT_THAT(errorInOne(I(Op::list_add, 2, 1, 1)), HasSubstr("r2 holds no references"));
}

TEST_F(VerifierTest, ChecksIndices) {
  EXPECT_EQ(errorInOne(W(Op::const_pool, 2, 0)), "");
  EXPECT_EQ(errorInOne(W(Op::const_pool, 0, 2)), "");
  EXPECT_THAT(errorInOne(W(Op::const_pool, 0, 3)), HasSubstr("no constant 3"));
  EXPECT_THAT(errorInOne(W(Op::const_pool, 0, 0)), HasSubstr("r0 and constant 0 differ in kind"));
  EXPECT_THAT(errorInOne(W(Op::const_pool, 2, 1)), HasSubstr("differ in kind"));
  EXPECT_EQ(errorInOne(W(Op::get_global, 0, 2)), "");
  EXPECT_THAT(errorInOne(W(Op::get_global, 2, 3)), HasSubstr("no global 3"));
  EXPECT_THAT(errorInOne(W(Op::get_global, 2, 2)), HasSubstr("r2 and global 2 differ in kind"));
  EXPECT_THAT(errorInOne(W(Op::set_global, 0, 1)), HasSubstr("differ in kind"));
  EXPECT_THAT(errorInOne(W(Op::new_object, 0, 70000)), HasSubstr("no class 70000"));
  EXPECT_THAT(errorInOne(I(Op::cast_class, 0, 1, 60000)), HasSubstr("no class 60000"));
  EXPECT_THAT(errorInOne(I(Op::call_1, 2, 60000, 0)), HasSubstr("no function 60000"));
}

TEST_F(VerifierTest, ChecksClassOperands) {
  auto c = [](uint32_t index) { return static_cast<uint16_t>(index); };
  EXPECT_EQ(errorInOne(W(Op::new_object, 0, plain)), "");
  EXPECT_EQ(errorInOne(W(Op::new_closure, 0, lambda)), "");
  EXPECT_EQ(errorInOne(I(Op::new_array, 0, 2, c(ints))), "");
  EXPECT_EQ(errorInOne(I(Op::box, 0, 2, c(box))), "");
  EXPECT_EQ(errorInOne(I(Op::check_enum, 2, 3, c(color))), "");
  EXPECT_THAT(errorInOne(W(Op::new_object, 0, ints)), HasSubstr("cannot be made so"));
  EXPECT_THAT(errorInOne(W(Op::new_object, 0, shape)), HasSubstr("cannot be made so"));
  EXPECT_THAT(errorInOne(W(Op::new_closure, 0, plain)), HasSubstr("is no closure"));
  EXPECT_THAT(errorInOne(W(Op::new_closure, 0, wellKnownIndex(program, WellKnown::kEntryClosure))),
              HasSubstr("cannot be made so"));
  EXPECT_THAT(errorInOne(I(Op::new_array, 0, 2, c(plain))), HasSubstr("is no array"));
  EXPECT_THAT(errorInOne(I(Op::box, 0, 2, c(plain))), HasSubstr("is no box"));
  EXPECT_THAT(errorInOne(I(Op::unbox, 2, 0, c(ints))), HasSubstr("is no box"));
  EXPECT_THAT(errorInOne(I(Op::enum_to_text, 0, 2, c(box))), HasSubstr("is no enum"));
  at(plain).isAbstract = true;
  EXPECT_THAT(errorInOne(W(Op::new_object, 0, plain)), HasSubstr("cannot be made so"));
  at(box).element = {8, {{0, StorageKind::kReference, false}}};
  EXPECT_THAT(errorInOne(I(Op::box, 0, 2, c(box))), HasSubstr("boxes no scalar"));
}

TEST_F(VerifierTest, ChecksFieldOffsetsAndLeaves) {
  EXPECT_EQ(errorInOne(I(Op::get_32, 2, 0, 12)), "");
  EXPECT_EQ(errorInOne(I(Op::set_ref, 1, 0, 8)), "");
  EXPECT_THAT(errorInOne(I(Op::get_32, 2, 0, 4)), HasSubstr("offset 4"));
  EXPECT_THAT(errorInOne(I(Op::get_32, 2, 0, 10)), HasSubstr("offset 10"));
  EXPECT_THAT(errorInOne(I(Op::set_ref, 1, 0, 12)), HasSubstr("offset 12"));
  EXPECT_THAT(errorInOne(I(Op::get_64, 2, 0, 48)), HasSubstr("no class is so large"));
  EXPECT_EQ(errorIn({I(Op::list_get_leaf, 2, 0, 3), I(Op::move, 0, 0, 0), I(Op::ret_void, 0, 0, 0)}), "");
  EXPECT_THAT(errorIn({I(Op::array_set_leaf, 2, 0, 3), I(Op::move, 0, 1, 0), I(Op::ret_void, 0, 0, 0)}),
              HasSubstr("so many leaves"));
}

TEST_F(VerifierTest, ChecksImmediates) {
  EXPECT_THAT(errorInOne(I(Op::divi_i32, 2, 3, 0)), HasSubstr("by 0"));
  EXPECT_THAT(errorInOne(I(Op::remi_i32, 2, 3, 0xffff)), HasSubstr("by -1"));
  EXPECT_EQ(errorInOne(I(Op::divi_i32, 2, 3, 0xfffe)), "");
  EXPECT_THAT(errorInOne(I(Op::saturate_i32, 2, 3, 4)), HasSubstr("no small type 4"));
}

TEST_F(VerifierTest, ChecksJumps) {
  auto jump = [&](Op op, int32_t distance) { return W(op, 2, static_cast<uint32_t>(distance)); };
  auto compare = [&](Op op, int distance) { return I(op, 2, 3, static_cast<uint16_t>(distance)); };
  Instruction ret = I(Op::ret_void, 0, 0, 0), pad = I(Op::neg_i32, 2, 3, 0);
  EXPECT_EQ(errorIn({jump(Op::jump_true, 2), pad, ret}), "");
  EXPECT_EQ(errorIn({pad, jump(Op::loop_true, -1), ret}), "");
  EXPECT_EQ(errorIn({pad, jump(Op::loop_true, 0), ret}), "");
  EXPECT_THAT(errorIn({jump(Op::jump_true, 3), pad, ret}), HasSubstr("target 3 is no instruction"));
  EXPECT_THAT(errorIn({jump(Op::loop_true, -1), pad, ret}), HasSubstr("target -1 is no instruction"));
  EXPECT_THAT(errorIn({pad, jump(Op::jump_true, -1), ret}), HasSubstr("wrong direction"));
  EXPECT_THAT(errorIn({pad, jump(Op::jump_true, 0), ret}), HasSubstr("wrong direction"));
  EXPECT_THAT(errorIn({jump(Op::loop_true, 1), ret}), HasSubstr("wrong direction"));
  EXPECT_EQ(errorIn({compare(Op::jlt_i32, 2), pad, ret}), "");
  EXPECT_THAT(errorIn({compare(Op::jlt_i32, 32767), pad, ret}), HasSubstr("is no instruction"));
  EXPECT_THAT(errorIn({pad, compare(Op::jlt_i32, -1), ret}), HasSubstr("wrong direction"));
  EXPECT_THAT(errorIn({compare(Op::for_lt_i32, 1), ret}), HasSubstr("wrong direction"));
  // Into the words of a call.
  EXPECT_THAT(errorIn({jump(Op::jump_true, 2), W(Op::call, 1 | 1 << 8, method), 2 << 16, ret}),
              HasSubstr("target 2 is no instruction"));
  EXPECT_EQ(errorIn({I(Op::jump_table, 2, 2, 0), makeTableWord(3), makeTableWord(4), pad, ret}), "");
  EXPECT_THAT(errorIn({I(Op::jump_table, 2, 1, 0), makeTableWord(1), ret}), HasSubstr("target 1 is no instruction"));
  EXPECT_THAT(errorIn({pad, I(Op::jump_table, 2, 1, 0), makeTableWord(-1), ret}), HasSubstr("wrong direction"));
  EXPECT_THAT(errorIn({I(Op::jump_table, 2, 1, 0), makeTableWord(2) | uint64_t{1} << 40, ret}),
              HasSubstr("malformed table"));
}

TEST_F(VerifierTest, ChecksCallsAgainstTheCallee) {
  // native takes (object, scalar) and gives an object.
  auto call = [&](unsigned arguments, unsigned results, Instruction words) {
    return errorIn(
        {W(Op::call, static_cast<uint16_t>(arguments | results << 8), native), words, I(Op::ret_void, 0, 0, 0)});
  };
  auto words = [](uint16_t first, uint16_t second, uint16_t result) {
    return first | uint64_t{second} << 32 | uint64_t{result} << 16;
  };
  EXPECT_EQ(call(2, 1, words(0, 2, 1)), "");
  EXPECT_THAT(call(1, 1, words(0, 0, 1)), HasSubstr("sample.native has 2 parameters and 1 results, not 1 and 1"));
  EXPECT_THAT(call(2, 0, words(0, 2, 0)), HasSubstr("not 2 and 0"));
  EXPECT_THAT(call(2, 1, words(2, 2, 1)), HasSubstr("argument 0 is of the wrong kind"));
  EXPECT_THAT(call(2, 1, words(0, 1, 1)), HasSubstr("argument 1 is of the wrong kind"));
  EXPECT_THAT(call(2, 1, words(0, 2, 3)), HasSubstr("result 0 is of the wrong kind"));
  EXPECT_THAT(call(2, 1, words(0, 4, 1)), HasSubstr("no register r4"));
  EXPECT_THAT(call(2, 2, words(0, 2, 3)), HasSubstr("no registers r3 to r4"));
  EXPECT_EQ(errorInOne(I(Op::call_1, 2, static_cast<uint16_t>(method), 0)), "");
  EXPECT_THAT(errorInOne(I(Op::call_1, 0, static_cast<uint16_t>(method), 0)), HasSubstr("result 0"));
  EXPECT_THAT(errorInOne(I(Op::call_1, 2, static_cast<uint16_t>(method), 3)), HasSubstr("argument 0"));
  EXPECT_THAT(errorInOne(I(Op::call_1, 2, static_cast<uint16_t>(native), 0)), HasSubstr("not 1 and 1"));
}

TEST_F(VerifierTest, ChecksCallsThroughObjects) {
  auto call = [&](Op op, unsigned arguments, unsigned results, uint32_t target, Instruction words) {
    return errorIn({W(op, static_cast<uint16_t>(arguments | results << 8), target), words, I(Op::ret_void, 0, 0, 0)});
  };
  Instruction toScalar = uint64_t{2} << 16, toObject = uint64_t{1} << 16;
  EXPECT_EQ(call(Op::call_virtual, 1, 1, 0, toScalar), "");
  EXPECT_THAT(call(Op::call_virtual, 1, 1, 1, toScalar), HasSubstr("no class has a virtual method 1"));
  EXPECT_THAT(call(Op::call_virtual, 0, 1, 0, toScalar), HasSubstr("the first argument is no object"));
  EXPECT_THAT(call(Op::call_closure, 1, 0, 0, 2), HasSubstr("the first argument is no object"));
  EXPECT_EQ(call(Op::call_interface, 1, 1, 40, toScalar), "");
  EXPECT_THAT(call(Op::call_interface, 1, 1, 40, toObject), HasSubstr("result 0 is of the wrong kind"));
  EXPECT_EQ(call(Op::call_interface, 1, 1, 41, toObject), "") << "no class implements it";
}

TEST_F(VerifierTest, ChecksReturns) {
  EXPECT_EQ(errorIn({I(Op::ret_n, 0, 3, 0)}, 3), "");
  EXPECT_THAT(errorIn({I(Op::ret_void, 0, 0, 0)}, 1), HasSubstr("returns 0 values instead of 1"));
  EXPECT_THAT(errorIn({I(Op::ret, 0, 0, 0)}, 2), HasSubstr("returns 1 values instead of 2"));
  EXPECT_THAT(errorIn({I(Op::ret_n, 2, 3, 0)}, 3), HasSubstr("no registers r2 to r4"));
  EXPECT_THAT(errorIn({W(Op::jump_true, 2, 2), I(Op::ret, 0, 0, 0), I(Op::ret, 3, 0, 0)}, 1),
              HasSubstr("differ in the kind of result 0"));
}

TEST_F(VerifierTest, ChecksExceptionTables) {
  uint32_t caught = wellKnownIndex(program, WellKnown::kException);
  EXPECT_EQ(errorInTable({{0, 3, caught, 3, 0, true}, {0, 1, kNone, 4, 0, false}}), "");
  EXPECT_EQ(errorInTable({{0, 4, kNone, 4, 0, false}}), "");
  EXPECT_THAT(errorInTable({{0, 2, kNone, 4, 0, false}}), HasSubstr("exception entry 0: no instructions from 0 to 2"));
  EXPECT_THAT(errorInTable({{1, 1, kNone, 4, 0, false}}), HasSubstr("no instructions from 1 to 1"));
  EXPECT_THAT(errorInTable({{0, 6, kNone, 4, 0, false}}), HasSubstr("no instructions from 0 to 6"));
  EXPECT_THAT(errorInTable({{0, 1, kNone, 2, 0, false}}), HasSubstr("2 is no instruction"));
  EXPECT_THAT(errorInTable({{3, 4, kNone, 1, 0, false}}), HasSubstr("does not stand behind"));
  EXPECT_THAT(errorInTable({{0, 1, kNone, 4, 2, false}}), HasSubstr("r2 is no reference register"));
  EXPECT_THAT(errorInTable({{0, 1, plain, 4, 0, false}}), HasSubstr("is no exception"));
}

TEST_F(VerifierTest, ChecksLines) {
  program.functions[0].lines = {{1, 5}, {0, 6}};
  EXPECT_THAT(errorOf(program), HasSubstr("order of the code"));
  program.functions[0].lines = {{0, 5}, {9, 6}};
  EXPECT_THAT(errorOf(program), HasSubstr("order of the code"));
}

TEST_F(VerifierTest, ChecksThatReferencesAreWrittenBeforeTheyAreRead) {
  Instruction ret = I(Op::ret_void, 0, 0, 0);
  auto error = [&](std::vector<Instruction> code, std::vector<ExceptionEntry> entries = {}) {
    Program copy = program;
    copy.functions.push_back(functionOf("srr", 1, 0, std::move(code)));
    copy.functions.back().exceptions = std::move(entries);
    return errorOf(std::move(copy));
  };
  EXPECT_EQ(error({I(Op::null, 1, 0, 0), I(Op::check_null, 1, 0, 0), ret}), "");
  EXPECT_THAT(error({I(Op::check_null, 1, 0, 0), ret}),
              HasSubstr("reference register r1 may be read before it is written"));
  EXPECT_THAT(error({W(Op::jump_true, 0, 2), I(Op::null, 1, 0, 0), I(Op::check_null, 1, 0, 0), ret}),
              HasSubstr("register r1"));
  // Written inside the range, behind something that may throw.
  EXPECT_THAT(
      error({I(Op::null, 2, 0, 0), I(Op::check_null, 2, 0, 0), I(Op::null, 1, 0, 0), ret, I(Op::throw_, 1, 0, 0)},
            {{1, 3, kNone, 4, 2, false}}),
      HasSubstr("register r1"));
  EXPECT_EQ(error({I(Op::null, 2, 0, 0), I(Op::null, 1, 0, 0), I(Op::check_null, 2, 0, 0), ret, I(Op::throw_, 1, 0, 0)},
                  {{1, 3, kNone, 4, 2, false}}),
            "");
}

TEST_F(VerifierTest, ChecksInheritance) {
  auto with = [&](auto change) {
    Program copy = program;
    change(copy, copy.classes[plain]);
    return errorOf(std::move(copy));
  };
  EXPECT_THAT(with([](Program&, Class& c) { c.kind = static_cast<ClassKind>(99); }), HasSubstr("unknown kind"));
  EXPECT_THAT(with([](Program&, Class& c) { c.superIndex = 9999; }), HasSubstr("no class 9999"));
  EXPECT_THAT(with([&](Program&, Class& c) { c.superIndex = plain; }), HasSubstr("is its own superclass"));
  EXPECT_THAT(with([&](Program& p, Class& c) {
                uint32_t other = addClass(p, "Other", ClassKind::kPlain);
                p.classes[other].superIndex = plain;
                p.classes[plain].superIndex = other;
                (void)c;
              }),
              HasSubstr("is its own superclass"));
  EXPECT_THAT(with([&](Program&, Class& c) { c.superIndex = shape; }), HasSubstr("has an unfit kind"));
  EXPECT_THAT(with([&](Program&, Class& c) { c.interfaces = {ints}; }), HasSubstr("is no interface"));
  auto withSub = [&](auto change) {
    return with([&](Program& p, Class& c) {
      Class sub = c;
      sub.name = "Sub";
      sub.superIndex = plain;
      change(sub);
      p.classes.push_back(sub);
    });
  };
  EXPECT_EQ(withSub([](Class&) {}), "");
  EXPECT_THAT(withSub([](Class& s) { s.interfaces.clear(); }), HasSubstr("lacks interface"));
  EXPECT_THAT(withSub([](Class& s) { s.instanceSize = 24; }), HasSubstr("smaller than those of the superclass"));
  EXPECT_THAT(withSub([](Class& s) { s.referenceOffsets = {16}; }), HasSubstr("lacks the superclass's reference at 8"));
  EXPECT_THAT(withSub([](Class& s) { s.virtualTable.clear(); }), HasSubstr("shorter than the superclass's"));
  EXPECT_THAT(withSub([&](Class& s) { s.virtualTable = {native}; }),
              HasSubstr("does not agree with the one it overrides"));
}

TEST_F(VerifierTest, ChecksClasses) {
  auto with = [&](uint32_t cls, auto change) {
    Program copy = program;
    change(copy.classes[cls]);
    return errorOf(std::move(copy));
  };
  EXPECT_THAT(with(plain, [](Class& c) { c.instanceSize = 4; }), HasSubstr("too small"));
  EXPECT_THAT(with(plain, [](Class& c) { c.referenceOffsets = {8, 8}; }), HasSubstr("named twice"));
  EXPECT_THAT(with(plain, [](Class& c) { c.referenceOffsets = {12}; }), HasSubstr("offset 12"));
  EXPECT_THAT(with(plain, [](Class& c) { c.referenceOffsets = {0}; }), HasSubstr("offset 0"));
  EXPECT_THAT(with(plain, [](Class& c) { c.referenceOffsets = {32}; }), HasSubstr("offset 32"));
  EXPECT_THAT(with(ints, [](Class& c) { c.referenceOffsets = {8}; }), HasSubstr("of a kind that has none"));
  EXPECT_EQ(with(plain, [](Class& c) { c.virtualTable = {kNone}; }), "");
  EXPECT_THAT(with(plain, [](Class& c) { c.virtualTable = {9999}; }), HasSubstr("virtual table: no function 9999"));
  EXPECT_THAT(with(plain, [](Class& c) { c.virtualTable = {0}; }), HasSubstr("takes no object"));
  EXPECT_THAT(with(plain, [](Class& c) { c.methods[0].function = 9999; }), HasSubstr("interface method: no function"));
  EXPECT_THAT(with(plain, [](Class& c) { c.methods.push_back(c.methods[0]); }),
              HasSubstr("two methods for one selector"));
  EXPECT_THAT(with(lambda, [&](Class& c) { c.methods = {{40, native}}; }),
              HasSubstr("does not agree with that of other classes"));
  EXPECT_THAT(with(lambda, [](Class& c) { c.closureFunction = 0; }), HasSubstr("closure: function 0 takes no object"));
  EXPECT_THAT(with(lambda, [](Class& c) { c.instanceSize = 8; }), HasSubstr("too small"));
  EXPECT_THAT(with(lambda, [](Class& c) { c.isAbstract = true; }), HasSubstr("a closure class that has no function"));
  EXPECT_THAT(with(lambda, [](Class& c) { c.isBoundMethod = true; }), HasSubstr("captures one object"));
  EXPECT_THAT(with(box, [&](Class& c) { c.enumClass = plain; }), HasSubstr("is no enum"));
  EXPECT_THAT(with(box, [](Class& c) { c.element.size = 16; }), HasSubstr("does not fit"));
  EXPECT_THAT(with(wellKnownIndex(program, WellKnown::kListOfString), [](Class& c) { c.arrayClass = kNone; }),
              HasSubstr("lacks the array class"));
  EXPECT_THAT(with(wellKnownIndex(program, WellKnown::kListOfString), [&](Class& c) { c.arrayClass = ints; }),
              HasSubstr("other elements"));
  EXPECT_THAT(with(color, [](Class& c) { c.kind = ClassKind::kPromise; }), HasSubstr("lacks its future's class"));
}

TEST_F(VerifierTest, ChecksTablesOfDictionaries) {
  Leaf hash{0, StorageKind::k32, false}, key{8, StorageKind::kReference, false}, value{16, StorageKind::k64, true};
  uint32_t table = addClass(program, "table", ClassKind::kTable), dict = addClass(program, "Dict", ClassKind::kDict);
  at(table).element = {24, {hash, key, value}};
  at(dict).key = {8, {{0, StorageKind::kReference, false}}};
  at(dict).element = {8, {{0, StorageKind::k64, true}}};
  EXPECT_THAT(errorOf(program), HasSubstr("lacks the class of its table"));
  at(dict).arrayClass = table;
  EXPECT_EQ(errorOf(program), "");
  EXPECT_THAT(errorInOne(W(Op::new_object, 0, table)), HasSubstr("cannot be made so"));
  at(dict).kind = ClassKind::kSet;
  EXPECT_THAT(errorOf(program), HasSubstr("its table has other entries"));
  at(table).element.leaves = {hash, key};
  EXPECT_EQ(errorOf(program), "");
  at(table).element.leaves = {key, hash};
  EXPECT_THAT(errorOf(program), HasSubstr("its table has other entries"));
}

TEST_F(VerifierTest, ChecksLayouts) {
  auto with = [&](ElementLayout layout) {
    Program copy = program;
    copy.classes[ints].element = std::move(layout);
    return errorOf(std::move(copy));
  };
  auto leaf = [](uint32_t offset, StorageKind kind) { return Leaf{offset, kind, false}; };
  EXPECT_EQ(with({16, {leaf(0, StorageKind::kU8), leaf(2, StorageKind::kI16), leaf(8, StorageKind::kReference)}}), "");
  EXPECT_THAT(with({8, {leaf(2, StorageKind::k32)}}), HasSubstr("element: a leaf cannot be at offset 2"));
  EXPECT_THAT(with({8, {leaf(8, StorageKind::kU8)}}), HasSubstr("offset 8"));
  EXPECT_THAT(with({8, {leaf(0xfffffff8, StorageKind::k64)}}), HasSubstr("cannot be at offset"));
  EXPECT_THAT(with({8, {leaf(0, StorageKind::k32), leaf(2, StorageKind::kU8)}}), HasSubstr("offset 2"));
  EXPECT_THAT(with({12, {leaf(0, StorageKind::k64)}}), HasSubstr("multiple of its alignment"));
  EXPECT_THAT(with({8, {leaf(0, static_cast<StorageKind>(7))}}), HasSubstr("unknown kind"));
}

// Damage to a sound program is found or harmless: whatever passes can be shown and analysed again.
TEST_F(VerifierTest, SurvivesRandomDamage) {
  FunctionBuilder builder;
  uint16_t object = builder.newRegister(true), other = builder.newRegister(true), n = builder.newRegister(false);
  Label handler = builder.newLabel(), table = builder.newLabel();
  Label start = builder.newBoundLabel();
  builder.emitCall(Op::call, native, std::vector<uint16_t>{object, n}, other, 1);
  builder.emitCall(Op::call_interface, 40, std::vector<uint16_t>{object}, n, 1);
  builder.emitJumpTable(n, std::vector<Label>{table, table});
  builder.emitJump(Op::jlti_i32, start, n, 5);
  builder.bind(table);
  builder.emitLeaf(Op::array_get_leaf, n, other, n, 0);
  builder.emit(Op::concat_n, object, object, 2);
  Label end = builder.newBoundLabel();
  builder.emit(Op::ret, object);
  builder.addException(start, end, kNone, handler, other);
  builder.bind(handler);
  builder.emit(Op::throw_, other);
  Function function;
  ASSERT_TRUE(builder.finish(function));
  function.parameterCount = 3;
  function.resultCount = 1;
  program.functions.push_back(function);
  ASSERT_EQ(errorOf(program), "");
  uint64_t state = 1;
  auto below = [&](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  unsigned passed = 0;
  for (int i = 0; i < 20000; ++i) {
    Program damaged = program;
    Function& f = damaged.functions.back();
    for (uint64_t hits = 1 + below(2); hits > 0; --hits) {
      switch (below(8)) {
      case 0: f.exceptions[0].handler = static_cast<uint32_t>(below(20)); break;
      case 1: f.exceptions[0].end = static_cast<uint32_t>(below(20)); break;
      case 2: f.registerCount = static_cast<uint16_t>(below(5)); break;
      case 3: f.referenceRegisters[0] ^= uint64_t{1} << below(3); break;
      default: {
        Instruction& word = f.code[below(f.code.size())];
        unsigned lane = 16 * static_cast<unsigned>(below(4));
        word = (word & ~(uint64_t{0xffff} << lane)) | (lane == 0 ? below(200) : below(12)) << lane;
      }
      }
    }
    std::string error;
    if (!verify(damaged, error)) {
      ASSERT_NE(error, "");
      continue;
    }
    ++passed;
    ASSERT_NE(printProgram(damaged, {.showMaps = true}), "");
  }
  EXPECT_GT(passed, 100u);
}

} // namespace
} // namespace nlang::bytecode
