// Joins, results, waits for several, promises.
#include "world.h"

namespace nlang::sync::test {
namespace {

class FutureTest : public SyncTest {
 protected:
  JoinStatus wait(Context& self, Context& target, int64_t limit = kForever) {
    return join(*scheduler, *carrier, self, target, ParkReason::kGet, limit);
  }
  void succeed(Context& context, int64_t value) {
    Slot result;
    result.setI64(value);
    end(context, result, false, false);
  }
  Object* failWith(Context& context) {
    Object* exception = newNode();
    roots.push_back(exception);
    Slot result;
    result.setObject(exception);
    end(context, result, true, true);
    return exception;
  }
  int64_t valueOf(Context& future) {
    Slot value{0};
    loadResult(future, classes->of(&future.header).element, &value);
    return value.i64();
  }
};

TEST_F(FutureTest, AllThatWaitWakeTogetherInOrder) {
  Context& future = running(kLongFuture);
  Context& a = running();
  Context& b = running();
  for (Context* waiter : {&a, &b}) {
    ASSERT_EQ(wait(*waiter, future), JoinStatus::kParked);
    park(*waiter);
  }
  succeed(future, 42);
  EXPECT_EQ(runReady(), (Ran{&a, &b}));
  EXPECT_EQ(a.wake, Wake::kValue);
  EXPECT_TRUE(succeeded(future));
  EXPECT_EQ(valueOf(future), 42);
  EXPECT_EQ(wait(a, future), JoinStatus::kFinished);
}

TEST_F(FutureTest, AFailureKeepsItsException) {
  Context& future = running(kLongFuture);
  Object* exception = failWith(future);
  Context& a = running();
  ASSERT_EQ(wait(a, future), JoinStatus::kFinished);
  EXPECT_FALSE(succeeded(future));
  EXPECT_EQ(future.result.object(), exception);
}

TEST_F(FutureTest, WaitsEndWithTheirLimit) {
  Context& future = running(kLongFuture);
  Context& a = running();
  EXPECT_EQ(wait(a, future, 0), JoinStatus::kWouldBlock);
  ASSERT_EQ(wait(a, future, 10), JoinStatus::kParked);
  park(a);
  ASSERT_TRUE(waitForEvent());
  EXPECT_EQ(runReady(), Ran{&a});
  EXPECT_EQ(a.wake, Wake::kTimeout);
  EXPECT_TRUE(future.waiters.empty());
  succeed(future, 1);
  EXPECT_TRUE(runReady().empty());
}

TEST_F(FutureTest, WaitingForAllEndsWithTheLastSuccess) {
  Context& a = running(kLongFuture);
  Context& b = running(kLongFuture);
  Context& c = running(kLongFuture);
  Context& self = running();
  succeed(b, 2);
  object::Array& futures = arrayOf({&a, &b, &c, &a});
  ASSERT_EQ(waitForAll(*scheduler, *carrier, self, futures, kScalar), JoinStatus::kParked);
  park(self);
  succeed(a, 1);
  EXPECT_EQ(self.state.load(), ContextState::kParked);
  heap->collect(carrier->allocator);
  succeed(c, 3);
  EXPECT_EQ(runReady(), Ran{&self});
  EXPECT_EQ(self.wake, Wake::kValue);
  EXPECT_EQ(waitForAll(*scheduler, *carrier, self, futures, kScalar), JoinStatus::kFinished);
}

TEST_F(FutureTest, WaitingForAllEndsWithTheFirstFailureAndObservesAll) {
  Context& a = running(kLongFuture);
  Context& b = running(kLongFuture);
  Context& c = running(kLongFuture);
  Context& self = running();
  object::Array& futures = arrayOf({&a, &b, &c});
  ASSERT_EQ(waitForAll(*scheduler, *carrier, self, futures, kScalar), JoinStatus::kParked);
  park(self);
  Object* first = failWith(c);
  failWith(a);
  EXPECT_EQ(runReady(), Ran{&self});
  EXPECT_EQ(self.wake, Wake::kFailed);
  EXPECT_EQ(self.result.object(), first) << "the first failure in time, not in the list";
  for (Context* future : {&a, &b, &c}) EXPECT_TRUE(future->hasFlag(sched::kObserved));
  EXPECT_EQ(firstFailed(futures), 0);
  failWith(b);
  EXPECT_TRUE(scheduler->failedUnobserved().empty());
}

TEST_F(FutureTest, ACancelledWaitForAllLeavesNothingBehind) {
  Context& a = running(kLongFuture);
  Context& b = running(kLongFuture);
  Context& self = running();
  ASSERT_EQ(waitForAll(*scheduler, *carrier, self, arrayOf({&a, &b}), kScalar), JoinStatus::kParked);
  park(self);
  scheduler->cancel(*carrier, self);
  EXPECT_EQ(runReady(), Ran{&self});
  EXPECT_EQ(self.wake, Wake::kCancelled);
  EXPECT_TRUE(a.waiters.empty());
  EXPECT_TRUE(b.waiters.empty());
}

TEST_F(FutureTest, WaitingForAnyGivesTheLowestFinishedIndex) {
  Context& a = running(kLongFuture);
  Context& b = running(kLongFuture);
  Context& c = running(kLongFuture);
  Context& self = running();
  object::Array& futures = arrayOf({&a, &b, &c});
  ASSERT_EQ(waitForAny(*scheduler, *carrier, self, futures), JoinStatus::kParked);
  park(self);
  succeed(c, 3);
  failWith(b);
  EXPECT_EQ(runReady(), Ran{&self});
  EXPECT_EQ(self.wake, Wake::kValue);
  EXPECT_EQ(firstFinished(futures), 1);
  EXPECT_TRUE(a.waiters.empty()) << "the nodes of the losers are unlinked";
  EXPECT_EQ(waitForAny(*scheduler, *carrier, self, futures), JoinStatus::kFinished);
}

TEST_F(FutureTest, AStructIsKeptInAnArrayOfOneElement) {
  Context& future = running(kPairFuture);
  object::Array* packed = object::newArray(*heap, carrier->allocator, classes->byIndex(kPairArray), 1);
  Slot result;
  result.setObject(packed);
  Slot pair[2];
  pair[0].setI32(-3);
  pair[1].setObject(&future);
  heap::storeElement(*heap, &packed->header, packed->elements(), classes->byIndex(kPairArray).element, pair);
  end(future, result, false, true);
  heap->collect(carrier->allocator);
  Slot read[2] = {};
  loadResult(future, classes->of(&future.header).element, read);
  EXPECT_EQ(read[0].i32(), -3);
  EXPECT_EQ(read[1].object(), &future.header);
}

TEST_F(FutureTest, APromiseIsCompletedOnce) {
  Context* future = scheduler->newPending(*carrier, classes->byIndex(kLongFuture));
  roots.push_back(&future->header);
  Context& waiter = running();
  ASSERT_EQ(wait(waiter, *future), JoinStatus::kParked);
  park(waiter);
  Slot value;
  value.setI64(11);
  EXPECT_TRUE(complete(*scheduler, *carrier, *future, value, false));
  EXPECT_FALSE(complete(*scheduler, *carrier, *future, value, false));
  EXPECT_FALSE(fail(*scheduler, *carrier, *future, newNode()));
  EXPECT_EQ(runReady(), Ran{&waiter});
  EXPECT_EQ(valueOf(*future), 11);
}

TEST_F(FutureTest, AFailedPromiseIsNotReportedAsAThread) {
  Context* future = scheduler->newPending(*carrier, classes->byIndex(kLongFuture));
  roots.push_back(&future->header);
  Object* exception = newNode();
  EXPECT_TRUE(fail(*scheduler, *carrier, *future, exception));
  EXPECT_FALSE(succeeded(*future));
  heap->collect(carrier->allocator);
  EXPECT_EQ(&classes->of(future->result.object()), &classes->byIndex(kNode));
  EXPECT_TRUE(scheduler->failedUnobserved().empty());
}

} // namespace
} // namespace nlang::sync::test
