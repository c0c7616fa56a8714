// Raw traces, bounded, and their text.
#include "object/exception.h"

#include "unit/object/fixture.h"

namespace nlang::object::test {
namespace {

class TraceTest : public ObjectTest {
 protected:
  void SetUp() override {
    ObjectTest::SetUp();
    definitions[0].name = "m.f";
    definitions[0].line = 3;
    definitions[0].lines = {{0, 4}, {5, 6}, {9, 5}};
    definitions[1].name = "m.Class.g";
    definitions[1].file = 1;
    definitions[1].line = 20;
    definitions[2].name = "m.thunk";
    for (int i = 0; i < 3; ++i) functions[i].definition = &definitions[i];
    functions[2].flags = bytecode::kFunctionHidden;
    exception = reinterpret_cast<ExceptionObject*>(newObject(kException));
    frame[0] = slot(exception);
  }
  bytecode::Function definitions[3];
  bytecode::LoadedFunction functions[3] = {};
  std::vector<std::string> files = {"m.n", "other.n"};
  ExceptionObject* exception = nullptr;
};

TEST_F(TraceTest, FramesHaveFunctionFileAndLine) {
  EXPECT_EQ(frameText(&functions[0], 0, files), "m.f (m.n:4)");
  EXPECT_EQ(frameText(&functions[0], 4, files), "m.f (m.n:4)");
  EXPECT_EQ(frameText(&functions[0], 5, files), "m.f (m.n:6)");
  EXPECT_EQ(frameText(&functions[0], 100, files), "m.f (m.n:5)");
  EXPECT_EQ(frameText(&functions[1], 0, files), "m.Class.g (other.n:20)");
  EXPECT_EQ(frameText(&functions[2], 0, files), "");
}

TEST_F(TraceTest, NoTraceHasNoText) { EXPECT_TRUE(traceText(exception, files).empty()); }

TEST_F(TraceTest, HiddenFunctionsAreSkipped) {
  TraceBuilder trace;
  trace.add(&functions[0], 5);
  trace.add(&functions[2], 0);
  trace.add(&functions[1], 0);
  ASSERT_TRUE(trace.store(*heap, *allocator, exception));
  heap->verifyRemembered();
  heap->collect(*allocator);
  EXPECT_EQ(traceText(exception, files), (std::vector<std::string>{"m.f (m.n:6)", "m.Class.g (other.n:20)"}));
}

// rule: L8.4
TEST_F(TraceTest, AnExceptionKeepsItsFirstTrace) {
  for (uint32_t pc : {5u, 7u}) {
    TraceBuilder trace;
    trace.add(&functions[0], pc);
    ASSERT_TRUE(trace.store(*heap, *allocator, exception));
    EXPECT_EQ(traceText(exception, files), std::vector<std::string>{"m.f (m.n:6)"});
  }
}

// rule: L8.4
TEST_F(TraceTest, DeepTracesKeepBothEnds) {
  for (uint32_t depth : {1u, 127u, 128u, 129u, 255u, 256u, 257u, 300u, 100000u}) {
    definitions[0].lines.clear();
    for (uint32_t i = 0; i < depth; ++i) definitions[0].lines.push_back({i, i});
    TraceBuilder trace;
    for (uint32_t i = 0; i < depth; ++i) trace.add(&functions[0], i);
    exception->trace = nullptr;
    ASSERT_TRUE(trace.store(*heap, *allocator, exception));
    std::vector<std::string> expected;
    for (uint32_t i = 0; i < depth; ++i) {
      if (i == 128 && depth > 256) {
        expected.push_back("… " + std::to_string(depth - 256) + " more");
        i = depth - 128;
      }
      expected.push_back("m.f (m.n:" + std::to_string(i) + ")");
    }
    EXPECT_EQ(traceText(exception, files), expected) << depth;
  }
}

TEST_F(TraceTest, ATraceIsStoredWithoutCollecting) {
  heap::HeapOptions options;
  options.stress = true;
  start(options);
  exception = reinterpret_cast<ExceptionObject*>(newObject(kException));
  frame[0] = slot(exception);
  uint64_t collections = heap->statistics().collections;
  TraceBuilder trace;
  trace.add(&functions[1], 0);
  ASSERT_TRUE(trace.store(*heap, *allocator, exception));
  EXPECT_EQ(heap->statistics().collections, collections);
  EXPECT_EQ(traceText(exception, files).size(), 1u);
}

} // namespace
} // namespace nlang::object::test
