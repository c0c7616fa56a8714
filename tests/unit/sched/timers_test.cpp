// Timers against a sorted set: order of deadlines, ties in order of creation, cancelling anywhere.
#include <memory>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "sched/timers.h"

namespace nlang::sched::test {
namespace {

TEST(TimersTest, AgreeWithASortedSet) {
  constexpr unsigned kContexts = 6000; // more than a chunk
  auto contexts = std::make_unique<Context[]>(kContexts);
  Timers timers;
  std::set<std::tuple<int64_t, uint64_t, unsigned>> model;
  std::vector<std::set<std::tuple<int64_t, uint64_t, unsigned>>::iterator> places(kContexts, model.end());
  std::mt19937 random(1);
  uint64_t sequence = 0;
  auto pop = [&] {
    unsigned first = std::get<2>(*model.begin());
    ASSERT_EQ(&timers.first(), &contexts[first]);
    timers.pop();
    ASSERT_EQ(contexts[first].timer.load(), 0u);
    model.erase(model.begin());
    places[first] = model.end();
  };
  for (unsigned step = 0; step < 200'000; ++step) {
    unsigned i = random() % kContexts;
    unsigned phase = step / 20'000 % 2; // grows, then shrinks
    if (places[i] == model.end() && random() % 3 >= phase) {
      int64_t deadline = random() % 1000;
      timers.set(contexts[i], deadline);
      places[i] = model.emplace(deadline, sequence++, i).first;
    } else if (random() % 2 == 0) {
      timers.cancel(contexts[i]); // nothing if it has none
      if (places[i] != model.end()) model.erase(std::exchange(places[i], model.end()));
    } else if (!model.empty()) {
      pop();
    }
    ASSERT_EQ(timers.size(), model.size());
    ASSERT_EQ(timers.nextDeadline(), model.empty() ? INT64_MAX : std::get<0>(*model.begin()));
    ASSERT_EQ(contexts[i].timer.load() != 0, places[i] != model.end());
  }
  while (!model.empty()) pop();
  EXPECT_EQ(timers.size(), 0u);
}

} // namespace
} // namespace nlang::sched::test
