// Definite assignment, reachability, jumps out of `finally`.
#include "sema/flow.h"

#include <gtest/gtest.h>

#include "tree_builder.h"

namespace nlang::sema {
namespace {

using syntax::DiagId;
using Ids = std::vector<DiagId>;

class FlowTest : public testing::Test, protected TreeBuilder {
 protected:
  FunctionSymbol* f = function(Void);
  VariableSymbol* x = variable("x");
  VariableSymbol* y = variable("y");

  // What is said about `f` with this body, unused variables aside, in source order.
  Ids analyze(Statements body, FunctionSymbol* target = nullptr) {
    if (target == nullptr) target = f;
    target->body = block(std::move(body));
    syntax::DiagnosticSink sink;
    analyzeFlow(target, sink);
    Ids ids;
    for (const syntax::Diagnostic* diagnostic : sink.sorted()) {
      if (diagnostic->id != DiagId::UnusedVariable) ids.push_back(diagnostic->id);
    }
    return ids;
  }
  const Ids kFine{};
  const Ids kUnassigned{DiagId::UnassignedVariable};
  const Ids kUnreachable{DiagId::UnreachableCode};
  const Ids kMissingReturn{DiagId::MissingReturn};
};

// ---------------------------------------------------------------- definite assignment

// rule: L6.4
TEST_F(FlowTest, ReadingAnUnassignedLocal) {
  EXPECT_EQ(analyze({declare(x), use(x)}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), assign(x), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x, number(1)), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), increase(x)}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), use(x), use(x)}), kUnassigned) << "said once";
}

TEST_F(FlowTest, BothBranchesMustAssign) {
  EXPECT_EQ(analyze({declare(x), branch(unknown(), {assign(x)}), use(x)}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), branch(unknown(), {assign(x)}, {assign(x)}), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), branch(unknown(), {assign(x)}, {giveBack()}), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), branch(unknown(), {assign(x)}, {raise()}), use(x)}), kFine);
  const IfBranch assigns{unknown(), block({assign(x)}), {}};
  const IfBranch forgets{unknown(), block({}), {}};
  EXPECT_EQ(analyze({declare(x), chain({assigns, assigns}, block({assign(x)})), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), chain({assigns, forgets}, block({assign(x)})), use(x)}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), chain({assigns, assigns}, nullptr), use(x)}), kUnassigned);
}

TEST_F(FlowTest, LongElseIfChainsNeedNoStack) {
  std::vector<IfBranch> branches;
  for (int i = 0; i < 100'000; ++i) branches.push_back({unknown(), block({assign(x)}), {}});
  EXPECT_EQ(analyze({declare(x), chain(branches, block({assign(x)})), use(x)}), kFine);
}

TEST_F(FlowTest, LongOperatorChainsNeedNoStack) {
  Expression* sum = read(x);
  Expression* test = unknown();
  for (int i = 0; i < 100'000; ++i) {
    sum = add(sum, number(1));
    test = i % 2 == 0 ? both(test, unknown()) : either(test, unknown());
  }
  EXPECT_EQ(analyze({declare(x), evaluate(call({sum})), branch(test, {})}), kUnassigned);
}

// An `out` argument inside a condition is the way to assign in one.
TEST_F(FlowTest, ConditionsHaveAStateForEachResult) {
  auto gets = [&](VariableSymbol* variable) { return call({}, Bool, {read(variable)}); };
  EXPECT_EQ(analyze({declare(x), branch(both(unknown(), gets(x)), {use(x)})}), kFine);
  EXPECT_EQ(analyze({declare(x), branch(both(unknown(), gets(x)), {}, {use(x)})}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), branch(either(unknown(), gets(x)), {use(x)})}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), branch(either(unknown(), gets(x)), {}, {use(x)})}), kFine);
  EXPECT_EQ(analyze({declare(x), branch(negation(both(unknown(), gets(x))), {giveBack()}), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), branch(both(gets(x), less(read(x), number(3))), {use(x)}, {use(x)})}), kFine);
  EXPECT_EQ(analyze({declare(x), branch(conditional(unknown(), gets(x), truth(false)), {use(x)})}), kFine);
  EXPECT_EQ(analyze({declare(x), branch(conditional(unknown(), gets(x), truth(true)), {use(x)})}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), evaluate(conditional(gets(x), read(x), number(0)))}), kFine);
  EXPECT_EQ(analyze({declare(x), evaluate(conditional(unknown(), call({}, Int, {read(x)}), number(0))), use(x)}),
            kUnassigned);
}

TEST_F(FlowTest, OutArgumentsAssign) {
  EXPECT_EQ(analyze({declare(x), evaluate(call({}, Int, {read(x)})), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), evaluate(call({read(x)}, Int, {read(x)}))}), kUnassigned)
      << "the other argument comes first";
}

TEST_F(FlowTest, AssertedConditionsHold) {
  auto gets = [&] { return call({}, Bool, {read(x)}); };
  EXPECT_EQ(analyze({declare(x), check(both(unknown(), gets())), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), check(both(unknown(), gets()), read(x))}), kUnassigned);
  EXPECT_EQ(analyze({check(truth(false)), evaluate(number(1))}), kFine)
      << "code behind assert(false) is not unreachable";
}

TEST_F(FlowTest, LoopsMayNotRun) {
  EXPECT_EQ(analyze({declare(x), fill(whileLoop(unknown()), {assign(x)}), use(x)}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), forEach(variable("e"), number(0), {assign(x)}), use(x)}), kUnassigned);
  DoWhileStatement* loop = fill(doLoop(), {assign(x)});
  loop->condition = less(read(x), number(3));
  EXPECT_EQ(analyze({declare(x), loop, use(x)}), kFine);
}

TEST_F(FlowTest, BreaksCarryTheirState) {
  WhileStatement* loop = whileLoop(truth(true));
  fill(loop, {branch(unknown(), {assign(x), breakFrom(loop)})});
  EXPECT_EQ(analyze({declare(x), loop, use(x)}), kFine);

  loop = whileLoop(truth(true));
  fill(loop, {branch(unknown(), {breakFrom(loop)}), assign(x)});
  EXPECT_EQ(analyze({declare(x), loop, use(x)}), kUnassigned);

  DoWhileStatement* again = doLoop();
  fill(again, {branch(unknown(), {continueTo(again)}), assign(x)});
  again->condition = less(read(x), number(3));
  EXPECT_EQ(analyze({declare(x), again}), kUnassigned) << "`continue` reaches the condition";
}

TEST_F(FlowTest, OuterLoopsCanBeNamed) {
  WhileStatement* outer = whileLoop(truth(true));
  WhileStatement* inner = whileLoop(truth(true));
  fill(inner, {assign(x), breakFrom(outer)});
  fill(outer, {inner});
  EXPECT_EQ(analyze({declare(x), outer, use(x)}), kFine);
}

TEST_F(FlowTest, AVariableOfALoopBodyIsNewEachTime) {
  WhileStatement* loop = whileLoop(unknown());
  fill(loop, {declare(x), branch(unknown(), {use(x)}), assign(x)});
  EXPECT_EQ(analyze({loop}), kUnassigned);
}

TEST_F(FlowTest, SwitchAndSelect) {
  EXPECT_EQ(analyze({declare(x), choose({{assign(x)}, {assign(x)}}, false), use(x)}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), choose({{assign(x)}, {assign(x)}}, true), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), choose({{assign(x)}, {giveBack()}}, true), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), select({{assign(x)}, {assign(x)}}), use(x)}), kFine) << "one branch always runs";
  EXPECT_EQ(analyze({declare(x), select({{assign(x)}, {}}), use(x)}), kUnassigned);
}

TEST_F(FlowTest, CatchMayComeBeforeTheAssignment) {
  EXPECT_EQ(analyze({declare(x), attempt({assign(x)}, {{}}), use(x)}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), attempt({assign(x)}, {{assign(x)}}), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), attempt({assign(x)}, {{giveBack()}}), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), attempt({assign(x)}, {{use(x), giveBack()}}), use(x)}), kUnassigned);
}

TEST_F(FlowTest, FinallyRunsOnEveryWay) {
  EXPECT_EQ(analyze({declare(x), attempt({}, {}, block({assign(x)})), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), attempt({assign(x)}, {}, block({})), use(x)}), kFine);
  EXPECT_EQ(analyze({declare(x), attempt({assign(x)}, {}, block({use(x)}))}), kUnassigned);
  WhileStatement* loop = whileLoop(truth(true));
  fill(loop, {attempt({breakFrom(loop)}, {}, block({assign(x)}))});
  EXPECT_EQ(analyze({declare(x), loop, use(x)}), kFine) << "the break passes through the finally";
}

TEST_F(FlowTest, LambdasNeedWhatTheyRead) {
  auto reader = [&] {
    beginLambda(Void);
    return endLambda({use(x)});
  };
  EXPECT_EQ(analyze({declare(x), evaluate(reader()), assign(x)}), kUnassigned);
  EXPECT_EQ(analyze({declare(x), assign(x), evaluate(reader())}), kFine);
  beginLambda(Void);
  Expression* writer = endLambda({assign(x)});
  EXPECT_EQ(analyze({declare(x), evaluate(writer), use(x)}), kUnassigned) << "nobody knows whether it has run";
}

TEST_F(FlowTest, StructsAreAssignedAsAWhole) {
  ClassSymbol point;
  point.name = "Point";
  point.kind = ClassKind::kStruct;
  VariableSymbol* p = variable("p", types.named(&point, {}));
  EXPECT_EQ(analyze({declare(p), assign(field(read(p)), number(1))}), kUnassigned);
  EXPECT_EQ(analyze({declare(p, number(0)), assign(field(read(p)), number(1))}), kFine);
  p->isConst = true;
  EXPECT_EQ(analyze({declare(p, number(0)), assign(field(read(p)), number(1))}), Ids{DiagId::AssignedConstant});
}

// rule: L2.2
TEST_F(FlowTest, ConstantsCannotBeAssigned) {
  x->isConst = true;
  EXPECT_EQ(analyze({declare(x, number(1)), assign(x)}), Ids{DiagId::AssignedConstant});
  EXPECT_EQ(analyze({declare(x, number(1)), increase(x)}), Ids{DiagId::AssignedConstant});
  EXPECT_EQ(analyze({declare(x, number(1)), evaluate(call({}, Int, {read(x)}))}), Ids{DiagId::AssignedConstant});
}

TEST_F(FlowTest, ManyVariables) {
  Statements body;
  std::vector<VariableSymbol*> all;
  for (int i = 0; i < 300; ++i) body.push_back(declare(all.emplace_back(variable("v"))));
  Statements thenBranch;
  Statements elseBranch;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i != 77) thenBranch.push_back(assign(all[i]));
    if (i != 222) elseBranch.push_back(assign(all[i]));
  }
  body.push_back(branch(unknown(), thenBranch, elseBranch));
  for (VariableSymbol* one : all) body.push_back(use(one));
  EXPECT_EQ(analyze(body), (Ids{DiagId::UnassignedVariable, DiagId::UnassignedVariable}));
}

// ---------------------------------------------------------------- out parameters

// rule: L6.3
TEST_F(FlowTest, OutParametersAreAssignedBeforeEveryNormalReturn) {
  FunctionSymbol* g = function(Void, "g");
  VariableSymbol* out = parameter("o", true);
  EXPECT_EQ(analyze({}, g), Ids{DiagId::UnassignedOut});
  EXPECT_EQ(analyze({assign(out)}, g), kFine);
  EXPECT_EQ(analyze({branch(unknown(), {giveBack()}), assign(out)}, g), Ids{DiagId::UnassignedOut});
  EXPECT_EQ(analyze({branch(unknown(), {raise()}), assign(out)}, g), kFine) << "an exception is no normal return";
  EXPECT_EQ(analyze({use(out), assign(out)}, g), kUnassigned) << "it comes in without a value";
  EXPECT_EQ(analyze({attempt({giveBack()}, {}, block({assign(out)}))}, g), kFine);
  EXPECT_EQ(analyze({attempt({assign(out), giveBack()}, {{}}, block({})), assign(out)}, g), kFine);
  EXPECT_EQ(analyze({evaluate(call({}, Int, {read(out)}))}, g), kFine);
}

// ---------------------------------------------------------------- reachability

// rule: L6.4
TEST_F(FlowTest, EveryPathReturns) {
  FunctionSymbol* g = function(Int, "g");
  EXPECT_EQ(analyze({}, g), kMissingReturn);
  EXPECT_EQ(analyze({giveBack(number(1))}, g), kFine);
  EXPECT_EQ(analyze({raise()}, g), kFine);
  EXPECT_EQ(analyze({branch(unknown(), {giveBack(number(1))})}, g), kMissingReturn);
  EXPECT_EQ(analyze({branch(unknown(), {giveBack(number(1))}, {giveBack(number(2))})}, g), kFine);
  EXPECT_EQ(analyze({fill(whileLoop(truth(true)), {})}, g), kFine);
  WhileStatement* loop = whileLoop(truth(true));
  fill(loop, {branch(unknown(), {breakFrom(loop)})});
  EXPECT_EQ(analyze({loop}, g), kMissingReturn);
  EXPECT_EQ(analyze({fill(whileLoop(unknown()), {giveBack(number(1))})}, g), kMissingReturn);
  EXPECT_EQ(analyze({fill(forLoop(variable("i"), nullptr, {}), {})}, g), kFine);
  EXPECT_EQ(analyze({choose({{giveBack(number(1))}, {raise()}}, true)}, g), kFine);
  EXPECT_EQ(analyze({choose({{giveBack(number(1))}, {raise()}}, false)}, g), kMissingReturn);
  EXPECT_EQ(analyze({attempt({giveBack(number(1))}, {{giveBack(number(2))}})}, g), kFine);
  EXPECT_EQ(analyze({attempt({giveBack(number(1))}, {{}})}, g), kMissingReturn);
  EXPECT_EQ(analyze({attempt({}, {}, block({raise()}))}, g), kFine);
  EXPECT_EQ(analyze({check(truth(false))}, g), kMissingReturn);
}

TEST_F(FlowTest, LambdasReturnTheirOwnValue) {
  beginLambda(Int);
  Expression* lambda = endLambda({branch(unknown(), {giveBack(number(1))})});
  EXPECT_EQ(analyze({evaluate(lambda)}), kMissingReturn);
  beginLambda(Void);
  lambda = endLambda({giveBack()});
  EXPECT_EQ(analyze({evaluate(lambda), evaluate(number(1))}), kFine) << "its return is not the function's";
}

// rule: L12.3
TEST_F(FlowTest, UnreachableCodeIsToldOnce) {
  EXPECT_EQ(analyze({giveBack(), evaluate(number(1)), evaluate(number(2))}), kUnreachable);
  EXPECT_EQ(analyze({raise(), block({evaluate(number(1))}), evaluate(number(2))}), kUnreachable);
  EXPECT_EQ(analyze({fill(whileLoop(truth(true)), {}), evaluate(number(1))}), kUnreachable);
  EXPECT_EQ(analyze({branch(truth(false), {evaluate(number(1))}), evaluate(number(2))}), kUnreachable);
  EXPECT_EQ(analyze({branch(unknown(), {giveBack()}, {giveBack()}), evaluate(number(1))}), kUnreachable);
  EXPECT_EQ(analyze({branch(unknown(), {giveBack(), evaluate(number(1))}), giveBack(), evaluate(number(2))}),
            (Ids{DiagId::UnreachableCode, DiagId::UnreachableCode}));
  WhileStatement* loop = whileLoop(unknown());
  fill(loop, {continueTo(loop), evaluate(number(1))});
  EXPECT_EQ(analyze({loop, evaluate(number(2))}), kUnreachable);
  EXPECT_EQ(analyze({giveBack(), block({})}), kFine) << "nothing is there";
  EXPECT_EQ(analyze({fill(forLoop(variable("i"), unknown(), {evaluate(number(1))}), {giveBack()})}), kFine)
      << "an update that never runs is no mistake";
}

TEST_F(FlowTest, NothingIsReportedInUnreachableCode) {
  EXPECT_EQ(analyze({declare(x), giveBack(), use(x)}), kUnreachable);
  EXPECT_EQ(analyze({declare(x), branch(unknown(), {giveBack(), use(x)}), assign(x), use(x)}), kUnreachable);
}

// ---------------------------------------------------------------- jumps out of finally

// rule: L5.5
TEST_F(FlowTest, NoJumpLeavesAFinally) {
  const Ids kJump{DiagId::JumpOutOfFinally};
  EXPECT_EQ(analyze({attempt({}, {}, block({giveBack()}))}), kJump);
  WhileStatement* loop = whileLoop(unknown());
  fill(loop, {attempt({}, {}, block({breakFrom(loop)}))});
  EXPECT_EQ(analyze({loop}), kJump);
  loop = whileLoop(unknown());
  fill(loop, {attempt({}, {}, block({continueTo(loop)}))});
  EXPECT_EQ(analyze({loop}), kJump);
  loop = whileLoop(unknown());
  fill(loop, {breakFrom(loop)});
  EXPECT_EQ(analyze({attempt({}, {}, block({loop}))}), kFine) << "a loop inside may be left";
  EXPECT_EQ(analyze({attempt({}, {}, block({raise()}))}), kFine) << "an exception may";
  beginLambda(Void);
  Expression* lambda = endLambda({giveBack()});
  EXPECT_EQ(analyze({attempt({}, {}, block({evaluate(lambda)}))}), kFine) << "a lambda returns from itself";
  EXPECT_EQ(analyze({attempt({}, {}, block({attempt({giveBack()}, {}, block({}))}))}), kJump);
  EXPECT_EQ(analyze({attempt({giveBack()}, {}, block({attempt({}, {}, block({}))}))}), kFine);
}

// ---------------------------------------------------------------- broken trees

TEST_F(FlowTest, ErrorsStayOne) {
  VariableSymbol* broken = variable("broken", Error);
  EXPECT_EQ(analyze({declare(broken), use(broken)}), kFine);
  EXPECT_EQ(analyze({breakFrom(nullptr)}), kFine);
  FunctionSymbol* g = function(Error, "g");
  EXPECT_EQ(analyze({}, g), kFine);
}

} // namespace
} // namespace nlang::sema
