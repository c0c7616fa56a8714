// Natives of threads, lists, arrays, objects, exceptions, time and math.
#include <set>

#include "object/exception.h"

#include "native_test.h"

namespace nlang::lib::test {
namespace {

class NativesTest : public NativeTest {
 protected:
  object::List* newList(std::initializer_list<const char*> texts) {
    const heap::Class& cls = machine->heap().classes().wellKnown(WellKnown::kListOfString);
    object::List* list = object::newList(machine->heap(), carrier->allocator, cls, 0);
    for (const char* element : texts) {
      Slot slot = text(element).slot;
      EXPECT_TRUE(object::listAdd(machine->heap(), carrier->allocator, list, &slot));
    }
    return list;
  }
  std::vector<std::string> textsOf(object::List* list) {
    call("prelude.List.slice", {reference(list), number32(0), number32(static_cast<int32_t>(list->length.load()))}, 1,
         true);
    return resultTexts();
  }
  using Texts = std::vector<std::string>;
};

TEST_F(NativesTest, HaveDifferentNames) {
  std::set<std::string_view> names;
  for (const vm::NativeDefinition& native : allNatives()) EXPECT_TRUE(names.insert(native.name).second) << native.name;
}

TEST_F(NativesTest, ListsInsertRemoveSliceAndClear) {
  object::List* list = newList({"a", "b"});
  ASSERT_EQ(call("prelude.List.insert", {reference(list), number32(1), text("x")}, 0), Outcome::kReturned);
  ASSERT_EQ(call("prelude.List.insert", {reference(list), number32(3), text("y")}, 0), Outcome::kReturned);
  EXPECT_EQ(textsOf(list), (Texts{"a", "x", "b", "y"}));
  for (int32_t wrong : {-1, 5}) {
    EXPECT_EQ(thrown(call("prelude.List.insert", {reference(list), number32(wrong), text("z")}, 0)),
              "IndexOutOfBoundsException: index " + std::to_string(wrong) + ", length 4");
  }
  ASSERT_EQ(call("prelude.List.removeAt", {reference(list), number32(0)}, 1, true), Outcome::kReturned);
  EXPECT_EQ(resultText(), "a");
  EXPECT_EQ(typeThrown(call("prelude.List.removeAt", {reference(list), number32(3)}, 1, true)),
            "IndexOutOfBoundsException");
  EXPECT_EQ(typeThrown(call("prelude.List.slice", {reference(list), number32(2), number32(1)}, 1, true)),
            "IndexOutOfBoundsException");
  ASSERT_EQ(call("prelude.List.toArray", {reference(list)}, 1, true), Outcome::kReturned);
  EXPECT_EQ(result().as<object::Array>()->length, 3u);
  call("prelude.List.clear", {reference(list)}, 0);
  EXPECT_EQ(textsOf(list), Texts{});
}

TEST_F(NativesTest, ArraysAreCopiedInPart) {
  const heap::Class& cls = machine->heap().classes().wellKnown(WellKnown::kArrayOfLong);
  object::Array* array = object::newArray(machine->heap(), carrier->allocator, cls, 3);
  auto* elements = reinterpret_cast<int64_t*>(array->elements());
  for (int64_t i = 0; i < 3; ++i) elements[i] = i;
  ASSERT_EQ(call("prelude.Array.slice", {reference(array), number32(1), number32(3)}, 1, true), Outcome::kReturned);
  auto* part = result().as<object::Array>();
  ASSERT_EQ(part->length, 2u);
  EXPECT_EQ(reinterpret_cast<int64_t*>(part->elements())[1], 2);
  ASSERT_EQ(call("prelude.Array.copyOf", {reference(array)}, 1, true), Outcome::kReturned);
  EXPECT_NE(result().object(), &array->header);
  EXPECT_EQ(thrown(call("prelude.Array.slice", {reference(array), number32(-1), number32(4)}, 1, true)),
            "IndexOutOfBoundsException: part from -1 to 4, length 3");
}

TEST_F(NativesTest, ObjectsGoByIdentity) {
  const heap::Class& cls = machine->heap().classes().wellKnown(WellKnown::kObject);
  Object* a = machine->heap().allocate(carrier->allocator, cls, 8);
  Object* b = machine->heap().allocate(carrier->allocator, cls, 8);
  auto equal = [&](Object* x, Object* y) {
    call("prelude.Object.equals", {reference(x), reference(y)});
    return result().boolean();
  };
  EXPECT_TRUE(equal(a, a));
  EXPECT_FALSE(equal(a, b));
  EXPECT_FALSE(equal(a, nullptr));
  call("prelude.Object.hashCode", {reference(a)});
  int32_t hash = result().i32();
  call("prelude.Object.hashCode", {reference(a)});
  EXPECT_EQ(result().i32(), hash);
  call("prelude.Object.toString", {reference(a)}, 1, true);
  EXPECT_EQ(resultText(), "Object");
}

TEST_F(NativesTest, EqualDoublesHaveEqualHashCodes) {
  auto hash = [&](double v) {
    call("prelude.Hash.ofDouble", {floating(v)});
    return result().i32();
  };
  EXPECT_EQ(hash(0.0), hash(-0.0));
  EXPECT_EQ(hash(__builtin_nan("1")), hash(-__builtin_nan("")));
  EXPECT_NE(hash(1.0), hash(2.0));
}

TEST_F(NativesTest, ExceptionsKeepWhatTheyReplace) {
  object::ExceptionObject* first = machine->makeException(*carrier, WellKnown::kFormatException, "bad");
  object::ExceptionObject* second = machine->makeException(*carrier, WellKnown::kIOException, "");
  call("prelude.Exception.toString", {reference(first)}, 1, true);
  EXPECT_EQ(resultText(), "FormatException: bad");
  call("prelude.Exception.toString", {reference(second)}, 1, true);
  EXPECT_EQ(resultText(), "IOException");
  call("prelude.Exception.backtrace", {reference(first)}, 1, true);
  EXPECT_EQ(resultTexts(), Texts{});
  EXPECT_EQ(first->frames, nullptr) << "it may still be thrown";
  call("prelude.Exception.addSuppressed", {reference(second), reference(first)}, 0);
  call("prelude.Exception.addSuppressed", {reference(second), reference(second)}, 0);
  call("prelude.Exception.suppressed", {reference(second)}, 1, true);
  ASSERT_EQ(result().as<object::List>()->length.load(), 1u);
}

TEST_F(NativesTest, ProgramArgumentsAreAnArray) {
  ASSERT_EQ(call("prelude.Program.arguments", {}, 1, true), Outcome::kReturned);
  auto* array = result().as<object::Array>();
  ASSERT_EQ(array->length, 2u);
  EXPECT_EQ(object::bytes(reinterpret_cast<object::String**>(array->elements())[0]), "first");
  EXPECT_EQ(reinterpret_cast<Object**>(array->elements())[1], nullptr);
}

TEST_F(NativesTest, SleepIsAWaitOnTheSchedulersClock) {
  ASSERT_EQ(call("thread.sleep", {number(25)}, 0), Outcome::kParked);
  ASSERT_FALSE(machine->scheduler().finishPark(*carrier, *context));
  bool allIdle = false;
  ASSERT_EQ(machine->scheduler().prepareSleep(*carrier, allIdle), sched::Scheduler::Idle::kWork);
  EXPECT_EQ(machine->scheduler().next(*carrier), context);
  context->state.store(sched::ContextState::kRunning);
  EXPECT_EQ(run(true), Outcome::kReturned);
  call("time.millis", {});
  EXPECT_EQ(result().i64(), 25);
  call("time.nanos", {});
  EXPECT_EQ(result().i64(), 25'000'000);
}

TEST_F(NativesTest, SleepOfNothingIsYield) {
  for (int64_t milliseconds : {int64_t{0}, INT64_MIN}) {
    EXPECT_EQ(call("thread.sleep", {number(milliseconds)}, 0), Outcome::kYielded);
    EXPECT_EQ(run(true), Outcome::kReturned);
  }
  EXPECT_EQ(call("thread.yield", {}, 0), Outcome::kYielded);
}

TEST_F(NativesTest, ACancelledThreadThrowsWhereItYieldsUnlessShielded) {
  call("thread.current", {}, 1, true);
  ASSERT_EQ(result().object(), &context->header);
  EXPECT_EQ(call("thread.checkCancelled", {}, 0), Outcome::kReturned);
  ASSERT_EQ(call("prelude.Thread.cancel", {reference(context)}, 0), Outcome::kReturned);
  call("prelude.Thread.isCancelled", {reference(context)});
  EXPECT_TRUE(result().boolean());
  EXPECT_EQ(typeThrown(call("thread.yield", {}, 0)), "CancelledException");
  EXPECT_EQ(typeThrown(call("thread.checkCancelled", {}, 0)), "CancelledException");
  call("thread.enterShield", {}, 0);
  EXPECT_EQ(call("thread.yield", {}, 0), Outcome::kYielded);
  EXPECT_EQ(call("thread.checkCancelled", {}, 0), Outcome::kReturned);
  call("thread.leaveShield", {}, 0);
  EXPECT_EQ(typeThrown(call("thread.yield", {}, 0)), "CancelledException");
}

TEST_F(NativesTest, JoinRethrowsTheSameExceptionAndObserves) {
  sched::Context* other = newContext();
  EXPECT_EQ(typeThrown(call("prelude.Thread.join(long)", {reference(other), number(0)}, 0)), "TimeoutException");
  ASSERT_EQ(call("prelude.Thread.join()", {reference(other)}, 0), Outcome::kParked);
  ASSERT_FALSE(machine->scheduler().finishPark(*carrier, *context));
  object::ExceptionObject* failure = machine->makeException(*carrier, WellKnown::kIOException, "gone");
  other->result.setObject(failure);
  machine->scheduler().finish(*carrier, *other, true, true);
  EXPECT_EQ(machine->scheduler().failedUnobserved().size(), 1u);
  ASSERT_EQ(machine->scheduler().next(*carrier), context);
  ASSERT_EQ(run(true), Outcome::kThrew);
  EXPECT_EQ(context->result.object(), &failure->header);
  EXPECT_TRUE(machine->scheduler().failedUnobserved().empty());
  call("prelude.Thread.isDone", {reference(other)});
  EXPECT_TRUE(result().boolean());
}

TEST_F(NativesTest, ThreadsAreNamedAfterTheirNumber) {
  sched::Context* other = newContext();
  call("prelude.Thread.name", {reference(other)}, 1, true);
  EXPECT_EQ(resultText(), "thread-" + std::to_string(other->id));
  call("prelude.Thread.id", {reference(other)});
  EXPECT_EQ(result().i64(), static_cast<int64_t>(other->id));
}

TEST_F(NativesTest, ThePromisesFutureCannotBeCancelled) {
  const heap::Class& cls = machine->heap().classes().wellKnown(WellKnown::kThread);
  sched::Context* future = machine->scheduler().newPending(*carrier, cls);
  EXPECT_EQ(typeThrown(call("prelude.Thread.cancel", {reference(future)}, 0)), "IllegalStateException");
  call("prelude.Thread.name", {reference(future)}, 1, true);
  EXPECT_EQ(resultText(), "");
}

TEST_F(NativesTest, MathIsThatOfTheMachine) {
  auto of = [&](std::string_view name, double x) {
    call(name, {floating(x)});
    return result().f64();
  };
  EXPECT_EQ(of("math.sqrt", 9), 3);
  EXPECT_EQ(of("math.floor", -1.5), -2);
  EXPECT_EQ(of("math.round", 2.5), 3);
  EXPECT_EQ(of("math.trunc", -1.5), -1);
  EXPECT_EQ(of("math.cbrt", 27), 3);
  call("math.pow", {floating(2), floating(10)});
  EXPECT_EQ(result().f64(), 1024);
}

} // namespace
} // namespace nlang::lib::test
