// Queues of contexts: order, and stealing while the owner works.
#include <atomic>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "sched/run_queue.h"
#include "unit/threads.h"

namespace nlang::sched::test {
namespace {

using nlang::test::kThreads;
using nlang::test::onThreads;
using nlang::test::stressRounds;

// Contexts that are nothing but their ids.
std::unique_ptr<Context[]> makeContexts(unsigned count) {
  auto contexts = std::make_unique<Context[]>(count);
  for (unsigned i = 0; i < count; ++i) contexts[i].id = i;
  return contexts;
}

TEST(FifoQueueTest, FirstInFirstOut) {
  auto contexts = makeContexts(5);
  FifoQueue queue;
  EXPECT_EQ(queue.pop(), nullptr);
  for (unsigned i = 0; i < 5; ++i) queue.push(contexts[i]);
  EXPECT_EQ(queue.length(), 5u);
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(queue.pop()->id, i);
  EXPECT_TRUE(queue.empty());
}

TEST(StealableQueueTest, IsFullAtItsCapacityAndGivesTheOlderHalf) {
  auto contexts = makeContexts(StealableQueue::kCapacity + 1);
  StealableQueue queue;
  Context* taken[StealableQueue::kCapacity];
  EXPECT_EQ(queue.takeHalf(taken), 0u);
  // Starts somewhere in the ring.
  for (unsigned i = 0; i < 100; ++i) {
    ASSERT_TRUE(queue.push(contexts[i]));
    ASSERT_EQ(queue.pop(), &contexts[i]);
  }
  for (unsigned i = 0; i < StealableQueue::kCapacity; ++i) ASSERT_TRUE(queue.push(contexts[i]));
  EXPECT_FALSE(queue.push(contexts[StealableQueue::kCapacity]));
  ASSERT_EQ(queue.takeHalf(taken), StealableQueue::kCapacity / 2);
  for (unsigned i = 0; i < StealableQueue::kCapacity / 2; ++i) EXPECT_EQ(taken[i]->id, i);
  EXPECT_EQ(queue.length(), StealableQueue::kCapacity / 2);
  EXPECT_EQ(queue.pop()->id, StealableQueue::kCapacity / 2);
  while (queue.length() > 1) queue.pop();
  EXPECT_EQ(queue.takeHalf(taken), 1u);
  EXPECT_EQ(queue.pop(), nullptr);
}

// The owner pushes all contexts and pops now and then, thieves take: each context comes out once, and what one of them
// takes comes in the order in which it was pushed.
TEST(StealableQueueTest, NothingIsLostOrDoubledAmongThieves) {
  const unsigned count = stressRounds(200'000);
  auto contexts = makeContexts(count);
  StealableQueue queue;
  std::vector<std::atomic<uint8_t>> taken(count);
  std::atomic<bool> done{false};
  std::atomic<uint64_t> wrong{0};
  onThreads(kThreads, [&](unsigned self) {
    std::mt19937 random(self);
    Context* some[StealableQueue::kCapacity];
    int64_t last = -1;
    auto note = [&](const Context* context) {
      wrong += taken[context->id].fetch_add(1) != 0 || static_cast<int64_t>(context->id) <= last;
      last = static_cast<int64_t>(context->id);
    };
    auto takeSome = [&] {
      uint32_t got = queue.takeHalf(some);
      for (uint32_t i = 0; i < got; ++i) note(some[i]);
      return got;
    };
    if (self != 0) {
      while (!done.load() || queue.length() > 0) {
        if (takeSome() == 0) std::this_thread::yield();
      }
      return;
    }
    for (unsigned i = 0; i < count; ++i) {
      while (!queue.push(contexts[i])) takeSome();
      if (random() % 4 != 0) continue;
      if (const Context* context = queue.pop()) note(context);
    }
    done.store(true);
  });
  while (const Context* context = queue.pop()) wrong += taken[context->id].fetch_add(1) != 0;
  for (unsigned i = 0; i < count; ++i) ASSERT_EQ(taken[i].load(), 1) << i;
  EXPECT_EQ(wrong.load(), 0u);
}

} // namespace
} // namespace nlang::sched::test
