#include "bytecode/printer.h"

#include <gtest/gtest.h>

#include "bytecode/liveness.h"
#include "unit/bytecode/sample.h"

namespace nlang::bytecode {
namespace {

Program printed() {
  Program program;
  program.files = {"app.n"};
  program.globalCount = 2;
  program.referenceGlobals = {2};
  program.constants = {{Constant::Kind::kString, 0, "Grüße,\n\"you\""},
                       {Constant::Kind::kBits, 0x4004000000000000, ""},
                       {Constant::Kind::kClosure, 1, ""}};
  addClass(program, "Object", ClassKind::kPlain);
  program.classes[0].instanceSize = 8;
  program.classes[0].virtualTable = {1};
  addClass(program, "lambda", ClassKind::kClosure);
  program.classes[1].instanceSize = 16;
  program.classes[1].closureFunction = 1;
  Class& pair = program.classes[addClass(program, "Pair", ClassKind::kPlain)];
  pair.superIndex = 0;
  pair.isAbstract = true;
  pair.instanceSize = 24;
  pair.referenceOffsets = {8, 16};
  pair.virtualTable = {1, kNone};
  pair.methods = {{7, 1}};
  Class& list = program.classes[addClass(program, "List<Point>", ClassKind::kList)];
  list.element = {16, {{0, StorageKind::k64, true}, {8, StorageKind::kU8, false}}};
  Class& color = program.classes[addClass(program, "Color", ClassKind::kEnum)];
  color.members = {{"Red", 0}, {"Blue", 5}};
  program.functions.push_back(nativeOf("io.writeText", "r", 1, 0));
  program.functions.back().ownerClass = 0;
  program.functions.push_back(nativeOf("app.f", "rs", 1, 1));

  FunctionBuilder builder;
  uint16_t text = builder.newRegister(true), n = builder.newRegister(false), other = builder.newRegister(true);
  Label handler = builder.newLabel(), first = builder.newLabel(), second = builder.newLabel();
  builder.setLine(3);
  builder.emitWide(Op::const_pool, other, 0);
  Label start = builder.newBoundLabel();
  builder.emitCall(Op::call, 1, std::vector<uint16_t>{other}, n, 1);
  Label end = builder.newBoundLabel();
  builder.setLine(4);
  builder.emit(Op::addi_i32, n, n, static_cast<uint16_t>(-1));
  builder.emitJumpTable(n, std::vector<Label>{first, second});
  builder.emitWide(Op::set_global, n, 0);
  builder.bind(first);
  builder.emitCall(Op::call_interface, 7, std::vector<uint16_t>{text, other}, other, 1);
  builder.emit(Op::concat_n, other, text, 1);
  builder.emitLeaf(Op::list_get_leaf, n, text, n, 1);
  builder.emit(Op::is_class, n, text, 2);
  builder.emitJump(Op::jlti_i32, second, n, 10);
  builder.emit(Op::ret, n);
  builder.bind(second);
  builder.emit(Op::ret, n);
  builder.addException(start, end, kNone, handler, other, true);
  builder.bind(handler);
  builder.emit(Op::throw_, other);
  program.entry = addFunction(program, builder, "app.main", 1, 1);
  program.functions.back().line = 2;
  computeLiveness(program);
  return program;
}

TEST(Printer, ShowsAProgram) {
  EXPECT_EQ(printProgram(printed()), R"(entry app.main, globals 2
constant 0 "Grüße,\n\"you\""
constant 1 4612811918334230528 (double 2.5)
constant 2 closure lambda

class Object Plain
  instance of 8 bytes, references at nothing
  virtual 0 app.f

class lambda Closure
  instance of 16 bytes, references at nothing
  calls app.f

class Pair Plain abstract : Object
  instance of 24 bytes, references at 8 16
  virtual 0 app.f
  virtual 1 none
  selector 7 app.f

class List<Point> List
  element 16 bytes: 64@0 floating u8@8

class Color Enum
  member Red = 0
  member Blue = 5

function io.writeText (app.n:0) parameters 1 results 0 native io.writeText of Object
  registers 1, references r0

function app.f (app.n:0) parameters 1 results 1 native app.f
  registers 2, references r0

function app.main (app.n:2) parameters 1 results 1
  registers 3, references r0 r2
  line 3
      0 const_pool      r2, "Grüße,\n\"you\""
      1 call_1          app.f(r2) = r1
  line 4
      2 addi_i32        r1, r1, -1
      3 jump_table      r1 -> 7 15
      6 set_global      r1, global 0
      7 call_interface  selector 7(r0, r2) = r2
      9 concat_n        r2, r0
     10 list_get_leaf   r1, r0, r1 leaf 1
     12 is_class        r1, r0, Pair
     13 jlti_i32        r1, 10, -> 15
     14 ret             r1
     15 ret             r1
     16 throw_          r2
  catch everything from 1 to 2 in r2 -> 16 (not cancellation)
)");
}

TEST(Printer, ShowsMapsOnRequest) {
  Program program = printed();
  Function& function = program.functions.back();
  function.lines.clear();
  std::string text = printFunction(program, function, {.showMaps = true});
  EXPECT_NE(text.find("call_1          app.f(r2) = r1\n        live r0 r2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("concat_n        r2, r0\n        live r0\n"), std::string::npos) << text;
}

TEST(Printer, CutsLongTextBetweenCharacters) {
  Program program;
  program.constants = {{Constant::Kind::kString, 0, std::string(59, 'x') + "ü and more"},
                       {Constant::Kind::kString, 0, std::string("\x01\t\\", 3)}};
  std::string text = printProgram(program);
  EXPECT_NE(text.find("constant 0 \"" + std::string(59, 'x') + "\"…\n"), std::string::npos) << text;
  EXPECT_NE(text.find("constant 1 \"\\x01\\x09\\\\\"\n"), std::string::npos) << text;
}

TEST(Printer, SurvivesIndicesThatNameNothing) {
  Program program;
  program.functions.push_back(functionOf("rs", 0, 1,
                                         {makeWide(Op::const_pool, 0, 9), makeWide(Op::new_object, 0, 9),
                                          makeInstruction(Op::call_1, 1, 9, 1), makeInstruction(Op::ret, 1)}));
  program.functions[0].exceptions = {{0, 1, 9, 3, 0, false}};
  program.classes.resize(1);
  program.classes[0].superIndex = 9;
  program.classes[0].virtualTable = {9};
  EXPECT_NE(printProgram(program).find('?'), std::string::npos);
}

} // namespace
} // namespace nlang::bytecode
