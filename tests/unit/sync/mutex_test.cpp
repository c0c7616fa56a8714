// Mutexes and semaphores.
#include "world.h"

namespace nlang::sync::test {
namespace {

class MutexTest : public SyncTest {
 protected:
  LockStatus take(Context& self, Mutex& mutex, int64_t limit = kForever, bool reentrant = false) {
    return lock(*scheduler, *carrier, self, mutex, reentrant, limit, cycle);
  }
  std::vector<Context*> cycle; // that take() refused to close
  void takeAndPark(Context& self, Mutex& mutex, int64_t limit = kForever) {
    ASSERT_EQ(take(self, mutex, limit), LockStatus::kParked);
    ASSERT_FALSE(park(self));
  }
  LockStatus drop(Context& self, Mutex& mutex) { return unlock(*scheduler, *carrier, self, mutex); }
  LockStatus resume(Context& self, Mutex& mutex) {
    Context* next = scheduler->next(*carrier);
    EXPECT_EQ(next, &self);
    self.state.store(ContextState::kRunning);
    return resumeLock(*scheduler, *carrier, self, mutex);
  }
  sched::HeldObject* watchedBy(const Context& context) {
    return context.extraOrNull() == nullptr ? nullptr : context.extraOrNull()->held;
  }
};

TEST_F(MutexTest, GoesToTheLongestWaiterBeforeThatRuns) {
  Mutex& mutex = newMutex();
  Context& holder = running();
  Context& first = running();
  Context& second = running();
  ASSERT_EQ(take(holder, mutex), LockStatus::kDone);
  takeAndPark(first, mutex);
  takeAndPark(second, mutex);
  ASSERT_EQ(drop(holder, mutex), LockStatus::kDone);
  EXPECT_EQ(mutex.holder, &first);
  // The one that unlocked does not get in again in front of those that wait.
  EXPECT_EQ(take(holder, mutex, 0), LockStatus::kWouldBlock);
  EXPECT_EQ(resume(first, mutex), LockStatus::kDone);
  EXPECT_EQ(first.wake, Wake::kValue);
  ASSERT_EQ(drop(first, mutex), LockStatus::kDone);
  EXPECT_EQ(mutex.holder, &second);
  EXPECT_EQ(resume(second, mutex), LockStatus::kDone);
  ASSERT_EQ(drop(second, mutex), LockStatus::kDone);
  EXPECT_EQ(mutex.holder, nullptr);
}

TEST_F(MutexTest, IsUnlockedByItsHolderOnly) {
  Mutex& mutex = newMutex();
  Context& holder = running();
  Context& other = running();
  EXPECT_EQ(drop(holder, mutex), LockStatus::kNotHolder);
  ASSERT_EQ(take(holder, mutex), LockStatus::kDone);
  EXPECT_EQ(drop(other, mutex), LockStatus::kNotHolder);
  EXPECT_EQ(mutex.holder, &holder);
}

TEST_F(MutexTest, IsNotTakenTwiceUnlessReentrant) {
  Mutex& plain = newMutex();
  Mutex& reentrant = newMutex();
  Context& self = running();
  ASSERT_EQ(take(self, plain), LockStatus::kDone);
  EXPECT_EQ(take(self, plain), LockStatus::kHeldBySelf);
  EXPECT_EQ(take(self, plain, 0), LockStatus::kHeldBySelf);
  ASSERT_EQ(take(self, reentrant, kForever, true), LockStatus::kDone);
  ASSERT_EQ(take(self, reentrant, kForever, true), LockStatus::kDone);
  ASSERT_EQ(drop(self, reentrant), LockStatus::kDone);
  EXPECT_EQ(reentrant.holder, &self);
  ASSERT_EQ(drop(self, reentrant), LockStatus::kDone);
  EXPECT_EQ(reentrant.holder, nullptr);
}

TEST_F(MutexTest, ATimedOutWaiterIsPassedOver) {
  Mutex& mutex = newMutex();
  Context& holder = running();
  Context& late = running();
  Context& next = running();
  ASSERT_EQ(take(holder, mutex), LockStatus::kDone);
  takeAndPark(late, mutex, 10);
  takeAndPark(next, mutex);
  ASSERT_TRUE(waitForEvent());
  ASSERT_EQ(drop(holder, mutex), LockStatus::kDone);
  EXPECT_EQ(mutex.holder, &next);
  EXPECT_EQ(resume(late, mutex), LockStatus::kDone);
  EXPECT_EQ(late.wake, Wake::kTimeout);
}

TEST_F(MutexTest, AHolderThatHasEndedIsNamedAndItsWaitersAreWoken) {
  Mutex& mutex = newMutex();
  Context& holder = running();
  Context& waiter = running();
  Context& later = running();
  ASSERT_EQ(take(holder, mutex), LockStatus::kDone);
  takeAndPark(waiter, mutex);
  end(holder, Slot{0}, false, false);
  EXPECT_EQ(resume(waiter, mutex), LockStatus::kHolderEnded);
  EXPECT_EQ(mutex.holder, &holder);
  EXPECT_EQ(take(later, mutex), LockStatus::kHolderEnded);
  EXPECT_EQ(take(later, mutex, 0), LockStatus::kHolderEnded);
  EXPECT_EQ(watchedBy(holder), nullptr);
}

TEST_F(MutexTest, AnHeirThatEndsIsWatchedToo) {
  Mutex& mutex = newMutex();
  Context& holder = running();
  Context& heir = running();
  Context& last = running();
  ASSERT_EQ(take(holder, mutex), LockStatus::kDone);
  takeAndPark(heir, mutex);
  takeAndPark(last, mutex);
  ASSERT_EQ(drop(holder, mutex), LockStatus::kDone);
  EXPECT_EQ(watchedBy(holder), nullptr);
  ASSERT_EQ(resume(heir, mutex), LockStatus::kDone);
  EXPECT_EQ(watchedBy(heir), &mutex);
  end(heir, Slot{0}, false, false);
  EXPECT_EQ(resume(last, mutex), LockStatus::kHolderEnded);
}

TEST_F(MutexTest, NobodyIsWatchedWhenNobodyWaitsAnyMore) {
  Mutex& first = newMutex();
  Mutex& second = newMutex();
  Context& holder = running();
  Context& a = running();
  Context& b = running();
  ASSERT_EQ(take(holder, first), LockStatus::kDone);
  ASSERT_EQ(take(holder, second), LockStatus::kDone);
  EXPECT_EQ(watchedBy(holder), nullptr);
  takeAndPark(a, first, 10);
  takeAndPark(b, second, 20);
  ASSERT_TRUE(waitForEvent());
  EXPECT_EQ(resume(a, first), LockStatus::kDone);
  EXPECT_EQ(watchedBy(holder), &second);
  ASSERT_TRUE(waitForEvent());
  EXPECT_EQ(resume(b, second), LockStatus::kDone);
  EXPECT_EQ(watchedBy(holder), nullptr);
}

TEST_F(MutexTest, TheWaitThatWouldCloseACycleIsRefused) {
  Mutex& a = newMutex();
  Mutex& b = newMutex();
  Mutex& c = newMutex();
  Context& x = running();
  Context& y = running();
  Context& z = running();
  ASSERT_EQ(take(x, a), LockStatus::kDone);
  ASSERT_EQ(take(y, b), LockStatus::kDone);
  ASSERT_EQ(take(z, c), LockStatus::kDone);
  takeAndPark(x, b);
  takeAndPark(y, c);
  ASSERT_EQ(take(z, a), LockStatus::kCycle);
  EXPECT_EQ(cycle, (Ran{&z, &x, &y}));
  // The others are still there; when the cycle is not closed, they get what they wait for.
  ASSERT_EQ(drop(z, c), LockStatus::kDone);
  EXPECT_EQ(c.holder, &y);
}

TEST_F(MutexTest, WaitsWithATimeoutFormNoCycle) {
  Mutex& a = newMutex();
  Mutex& b = newMutex();
  Context& x = running();
  Context& y = running();
  ASSERT_EQ(take(x, a), LockStatus::kDone);
  ASSERT_EQ(take(y, b), LockStatus::kDone);
  takeAndPark(x, b, 10);
  takeAndPark(y, a);
  ASSERT_TRUE(waitForEvent());
  EXPECT_EQ(resume(x, b), LockStatus::kDone);
  EXPECT_EQ(x.wake, Wake::kTimeout);
}

TEST_F(MutexTest, ACancelledWaiterDoesNotGetIt) {
  Mutex& mutex = newMutex();
  Context& holder = running();
  Context& waiter = running();
  ASSERT_EQ(take(holder, mutex), LockStatus::kDone);
  takeAndPark(waiter, mutex);
  scheduler->cancel(*carrier, waiter);
  ASSERT_EQ(drop(holder, mutex), LockStatus::kDone);
  EXPECT_EQ(mutex.holder, nullptr);
  EXPECT_EQ(resume(waiter, mutex), LockStatus::kDone);
  EXPECT_EQ(waiter.wake, Wake::kCancelled);
}

class SemaphoreTest : public SyncTest {
 protected:
  AcquireStatus take(Context& self, Semaphore& semaphore, int64_t limit = kForever) {
    return acquire(*scheduler, *carrier, self, semaphore, limit);
  }
};

TEST_F(SemaphoreTest, HandsPermitsToThoseThatWaitInOrder) {
  Semaphore& semaphore = newSemaphore(1);
  Context& a = running();
  Context& b = running();
  Context& c = running();
  ASSERT_EQ(take(a, semaphore), AcquireStatus::kDone);
  for (Context* waiter : {&b, &c}) {
    ASSERT_EQ(take(*waiter, semaphore), AcquireStatus::kParked);
    park(*waiter);
  }
  ASSERT_TRUE(release(*scheduler, *carrier, semaphore));
  EXPECT_EQ(take(a, semaphore, 0), AcquireStatus::kWouldBlock);
  EXPECT_EQ(runReady(), Ran{&b});
  ASSERT_TRUE(release(*scheduler, *carrier, semaphore));
  EXPECT_EQ(runReady(), Ran{&c});
  ASSERT_TRUE(release(*scheduler, *carrier, semaphore));
  EXPECT_EQ(semaphore.permits, 1u);
}

TEST_F(SemaphoreTest, ATimedOutWaiterLosesNoPermit) {
  Semaphore& semaphore = newSemaphore(0);
  Context& late = running();
  ASSERT_EQ(take(late, semaphore, 5), AcquireStatus::kParked);
  park(late);
  ASSERT_TRUE(waitForEvent());
  ASSERT_TRUE(release(*scheduler, *carrier, semaphore));
  EXPECT_EQ(semaphore.permits, 1u);
  EXPECT_EQ(runReady(), Ran{&late});
  EXPECT_EQ(late.wake, Wake::kTimeout);
}

TEST_F(SemaphoreTest, HasALargestNumberOfPermits) {
  Semaphore& semaphore = newSemaphore(INT32_MAX);
  EXPECT_FALSE(release(*scheduler, *carrier, semaphore));
  EXPECT_EQ(semaphore.permits, static_cast<uint32_t>(INT32_MAX));
}

} // namespace
} // namespace nlang::sync::test
