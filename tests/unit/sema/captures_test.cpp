// Which variables lambdas capture, and which of those need a cell.
#include <gtest/gtest.h>

#include "sema/flow.h"
#include "tree_builder.h"

namespace nlang::sema {
namespace {

using syntax::DiagId;
using Variables = std::vector<VariableSymbol*>;

class CapturesTest : public testing::Test, protected TreeBuilder {
 protected:
  FunctionSymbol* f = function(Void);
  VariableSymbol* x = variable("x");
  VariableSymbol* y = variable("y");
  syntax::DiagnosticSink sink;

  void analyze(Statements body) {
    f->body = block(std::move(body));
    analyzeFlow(f, sink);
  }
  // Does x live in a cell with this body? Each question gets a fresh x.
  bool needsCell(Statements body) {
    analyze(std::move(body));
    EXPECT_TRUE(x->isCaptured);
    bool result = x->assignedAfterCapture;
    x = variable("x");
    return result;
  }
  Statement* capture(VariableSymbol* variable) {
    beginLambda(Void);
    return evaluate(call({endLambda({use(variable)})}));
  }
  Statement* captureAndAssign(VariableSymbol* variable) {
    beginLambda(Void);
    return evaluate(call({endLambda({assign(variable)})}));
  }
  Statement* loop(Statements body) { return fill(whileLoop(unknown()), std::move(body)); }
  Statement* set(VariableSymbol* variable) { return assign(variable); }
  Statement* make(VariableSymbol* variable) { return declare(variable, number(0)); }
};

// rule: L4.8
TEST_F(CapturesTest, OnlyLambdasCapture) {
  analyze({make(x), make(y), use(x), capture(y)});
  EXPECT_FALSE(x->isCaptured);
  EXPECT_TRUE(y->isCaptured);
  EXPECT_FALSE(y->assignedAfterCapture);
}

TEST_F(CapturesTest, CapturesAreListedInOrderOfUse) {
  FunctionSymbol* lambda = beginLambda(Void);
  VariableSymbol* own = parameter("own");
  Expression* value = endLambda({use(y), use(own), use(x), use(y)});
  analyze({make(x), make(y), evaluate(value)});
  EXPECT_EQ(lambda->captures, (Variables{y, x}));
  EXPECT_FALSE(own->isCaptured);
}

TEST_F(CapturesTest, NestedLambdasCaptureThroughTheOuterOnes) {
  FunctionSymbol* outer = beginLambda(Void);
  VariableSymbol* middle = variable("middle");
  FunctionSymbol* inner = beginLambda(Void);
  Expression* innerValue = endLambda({use(middle), use(x)});
  Expression* outerValue = endLambda({make(middle), evaluate(innerValue)});
  analyze({make(x), evaluate(outerValue)});
  EXPECT_EQ(inner->captures, (Variables{middle, x}));
  EXPECT_EQ(outer->captures, (Variables{x}));
  EXPECT_FALSE(x->assignedAfterCapture);
}

TEST_F(CapturesTest, ThisIsCapturedThroughTheOuterOnes) {
  FunctionSymbol* outer = beginLambda(Void);
  FunctionSymbol* inner = beginLambda(Void);
  Expression* innerValue = endLambda({evaluate(self())});
  Expression* outerValue = endLambda({evaluate(innerValue)});
  FunctionSymbol* without = beginLambda(Void);
  Expression* withoutValue = endLambda({});
  analyze({evaluate(outerValue), evaluate(withoutValue), evaluate(self())});
  EXPECT_TRUE(inner->capturesThis);
  EXPECT_TRUE(outer->capturesThis);
  EXPECT_FALSE(without->capturesThis);
  EXPECT_FALSE(f->capturesThis);
}

TEST_F(CapturesTest, ATwiceAnalysedBodyKeepsOneListOfCaptures) {
  FunctionSymbol* lambda = beginLambda(Void);
  Expression* value = endLambda({use(x)});
  analyze({make(x), evaluate(value)});
  analyzeFlow(f, sink);
  EXPECT_EQ(lambda->captures, (Variables{x}));
}

// rule: L4.8
TEST_F(CapturesTest, AssignmentsBehindACaptureNeedACell) {
  EXPECT_FALSE(needsCell({make(x), set(x), capture(x)}));
  EXPECT_TRUE(needsCell({make(x), capture(x), set(x)}));
  EXPECT_TRUE(needsCell({make(x), capture(x), increase(x)}));
  EXPECT_TRUE(needsCell({make(x), capture(x), evaluate(call({}, Int, {read(x)}))}));
  EXPECT_TRUE(needsCell({make(x), captureAndAssign(x)}));
  EXPECT_TRUE(needsCell({make(x), branch(unknown(), {capture(x)}), loop({set(x)})}));
  EXPECT_FALSE(needsCell({declare(x), branch(unknown(), {set(x)}, {set(x)}), capture(x), capture(x)}));
}

TEST_F(CapturesTest, AnAssignmentComesAfterItsValue) {
  beginLambda(Int);
  Expression* value = endLambda({giveBack(read(x))});
  EXPECT_TRUE(needsCell({make(x), assign(read(x), call({value}))}));
}

// rule: L4.8
TEST_F(CapturesTest, LoopsBringAssignmentsBehindCaptures) {
  EXPECT_TRUE(needsCell({make(x), loop({set(x), capture(x)})})) << "the next iteration assigns";
  EXPECT_TRUE(needsCell({make(x), loop({loop({set(x)}), loop({capture(x)})})}));
  EXPECT_FALSE(needsCell({make(x), loop({set(x)}), loop({capture(x)})}));
  EXPECT_FALSE(needsCell({loop({make(x), set(x), capture(x)})})) << "each iteration has its own";
  EXPECT_TRUE(needsCell({loop({make(x), capture(x), set(x)})}));
  EXPECT_TRUE(needsCell({loop({make(x), loop({set(x), capture(x)})})}));
  EXPECT_FALSE(needsCell({loop({make(x), loop({set(x)}), loop({capture(x)})})}));
  DoWhileStatement* repeat = fill(doLoop(), {set(x)});
  beginLambda(Bool);
  repeat->condition = call({endLambda({giveBack(less(read(x), number(1)))})}, Bool);
  EXPECT_TRUE(needsCell({make(x), repeat}));
}

// rule: L4.8
TEST_F(CapturesTest, ForVariablesAreFreshInEachIteration) {
  auto counting = [&](Statements body) {
    return fill(forLoop(x, less(read(x), number(3)), {increase(x)}), std::move(body));
  };
  EXPECT_FALSE(needsCell({counting({capture(x)})})) << "the update changes the next iteration's copy";
  EXPECT_FALSE(needsCell({counting({set(x), capture(x)})}));
  EXPECT_TRUE(needsCell({counting({capture(x), set(x)})}));
  EXPECT_TRUE(needsCell({counting({loop({set(x), capture(x)})})}));
  ForStatement* loop = forLoop(x, unknown(), {capture(x)});
  EXPECT_TRUE(needsCell({fill(loop, {set(x)})})) << "the update captures the copy that the body assigns";
  loop = forLoop(x, unknown(), {increase(x), capture(x)});
  EXPECT_FALSE(needsCell({fill(loop, {})}));
}

TEST_F(CapturesTest, ForEachVariablesAreFreshInEachIteration) {
  EXPECT_FALSE(needsCell({forEach(x, number(0), {capture(x)})}));
  EXPECT_FALSE(needsCell({forEach(x, number(0), {set(x), capture(x)})}));
  EXPECT_TRUE(needsCell({forEach(x, number(0), {capture(x), set(x)})}));
}

TEST_F(CapturesTest, VariablesOfLambdasFollowTheSameRules) {
  beginLambda(Void);
  x->owner = current;
  Statements body{make(x), capture(x)};
  EXPECT_FALSE(needsCell({loop({evaluate(endLambda(body))})}));
  beginLambda(Void);
  x->owner = current;
  body = {make(x), loop({capture(x), set(x)})};
  EXPECT_TRUE(needsCell({evaluate(endLambda(body))}));
}

TEST_F(CapturesTest, StructsChangeWithTheirFields) {
  ClassSymbol point;
  point.kind = ClassKind::kStruct;
  VariableSymbol* p = variable("p", types.named(&point, {}));
  analyze({make(p), capture(p), assign(field(read(p)), number(1))});
  EXPECT_TRUE(p->assignedAfterCapture);
  ClassSymbol box;
  VariableSymbol* b = variable("b", types.named(&box, {}));
  analyze({make(b), capture(b), assign(field(read(b)), number(1))});
  EXPECT_FALSE(b->assignedAfterCapture) << "the object changes, not the variable";
}

// A default value that the call fills in reads the callee's parameters: they are no captures of the caller's lambdas.
TEST_F(CapturesTest, FilledInDefaultsBelongToTheCallee) {
  FunctionSymbol* callee = function(Int, "callee");
  VariableSymbol* first = parameter("first");
  parameter("second");
  callee->defaults[1].value = read(first);
  current = f;
  FunctionSymbol* lambda = beginLambda(Void);
  Expression* value =
      endLambda({evaluate(callFunction(callee, {{read(x), 0, false}, {callee->defaults[1].value, 1, false}}))});
  analyze({make(x), evaluate(value)});
  EXPECT_EQ(lambda->captures, (Variables{x}));
  EXPECT_FALSE(first->isCaptured);
}

// rule: L6.3
TEST_F(CapturesTest, OutParametersCannotBeCaptured) {
  VariableSymbol* out = parameter("o", true);
  analyze({set(out), capture(out), capture(out)});
  ASSERT_EQ(sink.errorCount(), 1u);
  EXPECT_EQ(sink.sorted()[0]->id, DiagId::CapturedOut);
}

// rule: L12.3
TEST_F(CapturesTest, UnusedVariables) {
  VariableSymbol* ignored = variable("_ignored");
  VariableSymbol* passed = variable("passed");
  VariableSymbol* broken = variable("broken", Error);
  VariableSymbol* assigned = variable("assigned");
  VariableSymbol* captured = variable("captured");
  Statements body{make(x),         make(y),
                  use(y),          make(ignored),
                  declare(passed), evaluate(call({}, Int, {read(passed)})),
                  make(broken),    make(assigned),
                  set(assigned),   increase(assigned),
                  make(captured),  capture(captured)};
  analyze(body);
  std::vector<std::string> messages;
  for (const syntax::Diagnostic* diagnostic : sink.sorted()) messages.push_back(diagnostic->message);
  EXPECT_EQ(messages,
            (std::vector<std::string>{"the variable `x` is never read", "the variable `assigned` is never read"}));
}

TEST_F(CapturesTest, InitialisersHoldLambdas) {
  current = nullptr;
  FunctionSymbol* lambda = beginLambda(Int);
  VariableSymbol* own = parameter("own");
  FunctionSymbol* inner = beginLambda(Int);
  Expression* innerValue = endLambda({giveBack(read(own))});
  Expression* value = endLambda({giveBack(call({innerValue}))});
  analyzeFlow(value, sink);
  EXPECT_TRUE(lambda->captures.empty());
  EXPECT_EQ(inner->captures, (Variables{own}));
  EXPECT_FALSE(sink.hasErrors());
}

} // namespace
} // namespace nlang::sema
