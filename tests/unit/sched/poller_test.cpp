// The poller: who sleeps is woken whoever else looks for events.
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "sched/poller.h"

namespace nlang::sched {
namespace {

class PollerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    ASSERT_TRUE(poller.watch(ends[0], Direction::kRead, readable));
  }
  void TearDown() override {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  void feed() { ASSERT_EQ(::write(ends[1], "x", 1), 1); }
  size_t countReady() {
    poller.look(events);
    return events.ready().size();
  }
  int ends[2];
  Poller poller;
  DescriptorWait readable{0, Direction::kRead};
  Poller::Events events;
};

TEST_F(PollerTest, ALookDoesNotTakeTheWakeUpOfWhoSleeps) {
  poller.wake();
  EXPECT_EQ(countReady(), 0u);
  poller.wait(INT64_MAX, events); // returns
  EXPECT_EQ(events.ready().size(), 0u);
}

TEST_F(PollerTest, AnEventEndsASleepAndIsToldOnce) {
  feed();
  poller.wait(INT64_MAX, events);
  ASSERT_EQ(events.ready().size(), 1u);
  EXPECT_EQ(events.ready()[0], &readable);
  EXPECT_EQ(countReady(), 0u) << "nothing new has come";
  feed();
  EXPECT_EQ(countReady(), 1u);
}

TEST_F(PollerTest, ASleepEndsAtItsTime) {
  poller.wait(0, events);
  EXPECT_EQ(events.ready().size(), 0u);
}

TEST_F(PollerTest, WhatIsReadyAlreadyIsToldWhenItIsWatched) {
  DescriptorWait writable{ends[1], Direction::kWrite};
  ASSERT_TRUE(poller.watch(ends[1], Direction::kWrite, writable));
  poller.look(events);
  ASSERT_EQ(events.ready().size(), 1u);
  EXPECT_EQ(events.ready()[0], &writable);
}

TEST_F(PollerTest, TheOtherEndsCloseIsAnEvent) {
  ::close(ends[1]);
  EXPECT_EQ(countReady(), 1u);
  ends[1] = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
}

TEST_F(PollerTest, WhatCannotBeWaitedForIsRefused) {
  int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  DescriptorWait wait{file, Direction::kRead};
  EXPECT_FALSE(poller.watch(file, Direction::kRead, wait));
  EXPECT_EQ(errno, EPERM);
  ::close(file);
}

} // namespace
} // namespace nlang::sched
