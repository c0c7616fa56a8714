// The order that a seed gives: fair, repeatable, and another one for another seed.
#include "sched/exploration.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sched/event_hash.h"

namespace nlang::sched {
namespace {

constexpr uint32_t kContexts = 8;

class Contexts {
 public:
  Contexts() {
    for (uint32_t i = 0; i < kContexts; ++i) all_[i].id = i + 1;
  }
  void queue(FifoQueue& queue) {
    for (uint32_t i = 0; i < kContexts; ++i) queue.push(all_[i]);
  }
  std::vector<uint64_t> orderOf(uint64_t seed) {
    Exploration exploration(seed);
    FifoQueue queued;
    queue(queued);
    std::vector<uint64_t> order;
    while (Context* context = exploration.next(queued)) order.push_back(context->id);
    return order;
  }

 private:
  std::unique_ptr<Context[]> all_ = std::make_unique<Context[]>(kContexts);
};

TEST(Exploration, EachContextComesOutOnce) {
  Contexts contexts;
  std::vector<uint64_t> order = contexts.orderOf(1);
  EXPECT_EQ(std::set<uint64_t>(order.begin(), order.end()).size(), kContexts);
  EXPECT_EQ(order.size(), kContexts);
}

TEST(Exploration, TheSeedDecidesTheOrder) {
  Contexts contexts;
  std::set<std::vector<uint64_t>> orders;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(contexts.orderOf(seed), contexts.orderOf(seed));
    orders.insert(contexts.orderOf(seed));
  }
  EXPECT_GT(orders.size(), 95u);
}

TEST(Exploration, EveryContextIsAsLikelyToBeNext) {
  Contexts contexts;
  Exploration exploration(7);
  FifoQueue queued;
  contexts.queue(queued);
  std::vector<uint32_t> picked(kContexts + 1);
  for (int i = 0; i < 8000; ++i) {
    Context* context = exploration.next(queued);
    ++picked[context->id];
    queued.push(*context);
  }
  for (uint32_t id = 1; id <= kContexts; ++id) {
    EXPECT_GT(picked[id], 850u);
    EXPECT_LT(picked[id], 1150u);
  }
}

TEST(Exploration, WhatIsQueuedLaterIsPickedToo) {
  Contexts contexts;
  Exploration exploration(3);
  FifoQueue queued;
  EXPECT_EQ(exploration.next(queued), nullptr);
  EXPECT_TRUE(exploration.empty());
  contexts.queue(queued);
  EXPECT_NE(exploration.next(queued), nullptr);
  EXPECT_TRUE(queued.empty());
  EXPECT_FALSE(exploration.empty());
}

TEST(Exploration, SlicesAreWithinTheQuotaAndOftenShort) {
  Exploration exploration(5);
  uint32_t shorter = 0, longest = 0;
  for (int i = 0; i < 10000; ++i) {
    uint32_t length = exploration.sliceLength(1000);
    ASSERT_GE(length, 1u);
    ASSERT_LE(length, 1000u);
    shorter += length <= 31;
    longest = std::max(longest, length);
  }
  EXPECT_GT(shorter, 5000u);
  EXPECT_GT(longest, 900u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(exploration.sliceLength(1), 1u);
}

TEST(EventHash, TellsOrderContextAndDetailApart) {
  auto hashOf = [](std::initializer_list<std::pair<ScheduleEvent, uint64_t>> events, unsigned detail = 0) {
    EventHash hash;
    for (auto [event, id] : events) hash.note(event, id, detail);
    return hash.hash();
  };
  std::set<uint64_t> hashes = {
      hashOf({}),
      hashOf({{ScheduleEvent::kSpawn, 1}}),
      hashOf({{ScheduleEvent::kRun, 1}}),
      hashOf({{ScheduleEvent::kRun, 2}}),
      hashOf({{ScheduleEvent::kRun, 1}}, 1),
      hashOf({{ScheduleEvent::kRun, 1}, {ScheduleEvent::kRun, 2}}),
      hashOf({{ScheduleEvent::kRun, 2}, {ScheduleEvent::kRun, 1}}),
  };
  EXPECT_EQ(hashes.size(), 7u);
}

} // namespace
} // namespace nlang::sched
