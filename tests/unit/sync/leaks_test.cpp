// Which contexts are found to be leaked, and that the search leaves the heap as it was. rule: C4.3
#include "sync/leaks.h"

#include "sync/select.h"
#include "unit/sync/world.h"

namespace nlang::sync::test {
namespace {

class LeaksTest : public SyncTest {
 protected:
  // Contexts and objects stay in `roots`, which keep them alive in collections; the search sees `globals` alone.
  std::vector<Context*> leaked(bool cancels = false) {
    std::vector<Context*> found = findLeaked(
        *heap,
        [this](heap::Marker& marker) {
          for (Object* global : globals) marker.mark(global);
        },
        cancels);
    heap->forEachContext([](Object* object) {
      EXPECT_FALSE(reinterpret_cast<Context*>(object)->hasFlag(sched::kGoesOn)) << "a flag is left";
    });
    return found;
  }
  // A context that refers to `held` and waits for a value of `channel`.
  Context& receiver(Channel& channel, Object* held = nullptr) {
    Context& context = running();
    context.stack[kReference].setObject(held);
    EXPECT_EQ(receiveLong(context, channel), ChannelStatus::kParked);
    EXPECT_FALSE(park(context));
    return context;
  }
  Channel& channel() { return newChannel(kLongChannel, 0); }

  std::vector<Object*> globals;
};

using Found = std::vector<Context*>;

TEST_F(LeaksTest, ReachableChannelsWakeTheirWaiters) {
  Channel& reached = channel();
  Channel& lost = channel();
  globals = {&reached.header};
  receiver(reached);
  Context& stuck = receiver(lost);
  EXPECT_EQ(leaked(), Found{&stuck});
  globals.push_back(&lost.header);
  EXPECT_EQ(leaked(), Found{});
}

TEST_F(LeaksTest, WhoRunsReachesWhatItsStackRefersTo) {
  Channel& a = channel();
  Channel& b = channel();
  Context& first = receiver(a, &b.header);
  Context& second = receiver(b);
  EXPECT_EQ(leaked(), (Found{&first, &second}));
  Context& runs = running();
  runs.stack[kReference].setObject(&a.header);
  EXPECT_EQ(leaked(), Found{});
}

TEST_F(LeaksTest, CyclesOfStuckContextsAreLeaked) {
  Channel& a = channel();
  Channel& b = channel();
  Context& first = receiver(a, &b.header);
  Context& second = receiver(b, &a.header);
  EXPECT_EQ(leaked(), (Found{&first, &second}));
}

// Whatever the order in which contexts depend on each other, each is looked at once.
TEST_F(LeaksTest, LongChainsInBothOrders) {
  constexpr int kLength = 100'000;
  for (bool forward : {true, false}) {
    start({});
    roots.clear();
    std::vector<Channel*> channels;
    for (int i = 0; i <= kLength; ++i) channels.push_back(&channel());
    for (int i = 0; i < kLength; ++i) {
      if (forward)
        receiver(*channels[i], &channels[i + 1]->header);
      else
        receiver(*channels[i + 1], &channels[i]->header);
    }
    globals = {};
    EXPECT_EQ(leaked().size(), kLength);
    globals = {&channels[forward ? 0 : kLength]->header};
    EXPECT_EQ(leaked(), Found{});
  }
}

TEST_F(LeaksTest, TimersWakeAndAreNotNeededToReachAnything) {
  Channel& lost = channel();
  Context& timed = running();
  ASSERT_EQ(receiveLong(timed, lost, 1000), ChannelStatus::kParked);
  ASSERT_FALSE(park(timed));
  EXPECT_EQ(leaked(), Found{});
  Context& other = receiver(channel());
  EXPECT_EQ(leaked(), Found{&other});
}

TEST_F(LeaksTest, SelectNeedsOneReachableChannel) {
  Channel& a = channel();
  Channel& b = channel();
  Context& chooser = running();
  SelectBranch branches[] = {{bytecode::SelectOperation::kReceive, &a.header, kScalar, 0},
                             {bytecode::SelectOperation::kReceive, &b.header, kScalar, 0}};
  ASSERT_EQ(select(*scheduler, *carrier, chooser, branches, false).status, SelectStatus::kParked);
  ASSERT_FALSE(park(chooser));
  EXPECT_EQ(leaked(), Found{&chooser});
  globals = {&b.header};
  EXPECT_EQ(leaked(), Found{});
}

TEST_F(LeaksTest, AMutexIsWorthItsHolder) {
  Mutex& mutex = newMutex();
  globals = {&mutex.header};
  Context& holder = running();
  Context& waiter = running();
  std::vector<Context*> cycle;
  ASSERT_EQ(lock(*scheduler, *carrier, holder, mutex, false, kForever, cycle), LockStatus::kDone);
  ASSERT_EQ(lock(*scheduler, *carrier, waiter, mutex, false, kForever, cycle), LockStatus::kParked);
  ASSERT_FALSE(park(waiter));
  EXPECT_EQ(leaked(), Found{}) << "the holder runs";
  globals = {};
  EXPECT_EQ(leaked(), Found{}) << "even if the mutex is lost, the holder's end wakes the waiter";
  globals = {&mutex.header};
  ASSERT_EQ(receiveLong(holder, channel()), ChannelStatus::kParked);
  ASSERT_FALSE(park(holder));
  EXPECT_EQ(leaked(), (Found{&holder, &waiter}));
}

TEST_F(LeaksTest, JoinersNeedAThreadThatGoesOn) {
  Channel& lost = channel();
  Context& target = receiver(lost);
  Context& joiner = running();
  ASSERT_EQ(join(*scheduler, *carrier, joiner, target, ParkReason::kJoin, kForever), JoinStatus::kParked);
  ASSERT_FALSE(park(joiner));
  globals = {&target.header};
  EXPECT_EQ(leaked(), (Found{&target, &joiner}));
  globals = {&lost.header};
  EXPECT_EQ(leaked(), Found{});
}

TEST_F(LeaksTest, AFutureIsWorthItsPromise) {
  auto* promise = reinterpret_cast<Promise*>(allocate(kLongPromise, sizeof(Promise)));
  Context* future = scheduler->newPending(*carrier, classes->byIndex(kLongFuture));
  roots.push_back(&future->header);
  promise->future = future;
  Context& waiter = running();
  ASSERT_EQ(join(*scheduler, *carrier, waiter, *future, ParkReason::kGet, kForever), JoinStatus::kParked);
  ASSERT_FALSE(park(waiter));
  globals = {&future->header};
  EXPECT_EQ(leaked(), Found{&waiter});
  globals = {&promise->header};
  EXPECT_EQ(leaked(), Found{});
}

TEST_F(LeaksTest, SemaphoresAreReleasedByWhoeverReachesThem) {
  Semaphore& none = newSemaphore(0);
  Context& waiter = running();
  ASSERT_EQ(acquire(*scheduler, *carrier, waiter, none, kForever), AcquireStatus::kParked);
  ASSERT_FALSE(park(waiter));
  EXPECT_EQ(leaked(), Found{&waiter});
  globals = {&none.header};
  EXPECT_EQ(leaked(), Found{});
}

TEST_F(LeaksTest, HandlesWakeWhereThreadsAreCancelled) {
  Context& stuck = receiver(channel());
  globals = {&stuck.header};
  EXPECT_EQ(leaked(false), Found{&stuck});
  EXPECT_EQ(leaked(true), Found{});
  stuck.changeShield(1);
  EXPECT_EQ(leaked(true), Found{&stuck});
}

TEST_F(LeaksTest, ResultsOfEndedThreadsAreReachedThroughTheirHandles) {
  Channel& result = channel();
  Context& ended = running(kNodeFuture);
  end(ended, {reinterpret_cast<uint64_t>(&result)}, false, true);
  Context& waiter = receiver(result);
  EXPECT_EQ(leaked(), Found{&waiter});
  globals = {&ended.header};
  EXPECT_EQ(leaked(), Found{});
}

// Marks of the search are gone afterwards, also when the epochs start again, and nothing reachable was freed.
TEST_F(LeaksTest, TheHeapIsAsBefore) {
  start({.stress = true, .poison = true});
  roots.clear();
  Channel& kept = newChannel(kNodeChannel, 4);
  globals = {&kept.header};
  Object* list = nullptr;
  roots.push_back(list);
  for (int i = 0; i < 600; ++i) {
    Object* node = newNode();
    heap::storeReference(*heap, node, reinterpret_cast<Object**>(reinterpret_cast<char*>(node) + 8), roots.back());
    roots.back() = node;
    if (i % 3 == 0) globals.push_back(node);
    EXPECT_EQ(leaked(), Found{});
  }
  int length = 0;
  for (Object* node = roots.back(); node != nullptr; ++length)
    node = heap::loadReference(reinterpret_cast<Object**>(reinterpret_cast<char*>(node) + 8));
  EXPECT_EQ(length, 600);
}

} // namespace
} // namespace nlang::sync::test
