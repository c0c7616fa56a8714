// What several carriers do with the heap at the same time: stopping the world, remembering, allocating.
#include <atomic>
#include <random>

#include "heap/remembered_set.h"
#include "heap/world.h"
#include "unit/heap/fixture.h"
#include "unit/threads.h"

namespace nlang::heap::test {
namespace {

using nlang::test::kThreads;
using nlang::test::onThreads;
using nlang::test::stressRounds;

// Carriers work on numbers of their own, without any care; who has stopped the world may read and change all of them.
TEST(WorldTest, WhoHasStoppedTheWorldIsAlone) {
  World world;
  uint64_t work[kThreads] = {}; // plain: the thread sanitizer sees who is not alone
  uint64_t stops = 0, moved = 0;
  std::atomic<uint64_t> succeeded{0}, done{0};
  const unsigned rounds = stressRounds(3000);
  onThreads(kThreads, [&](unsigned self) {
    std::mt19937 random(self);
    world.enter();
    for (unsigned round = 0; round < rounds; ++round) {
      switch (random() % 16) {
      case 0:
        world.leave();
        if (random() % 4 == 0) std::this_thread::yield();
        world.enter();
        break;
      case 1:
        if (!world.stop()) break;
        ++stops;
        ++succeeded;
        for (uint64_t& one : work) moved += std::exchange(one, 0);
        EXPECT_TRUE(world.stopRequested());
        world.resume();
        break;
      case 2: {
        StoppedWorld stopped(world);
        for (uint64_t& one : work) moved += std::exchange(one, 0);
        break;
      }
      default: world.safepoint();
      }
      ++work[self];
      ++done;
    }
    world.leave();
  });
  for (uint64_t one : work) moved += one;
  EXPECT_EQ(moved, done.load());
  EXPECT_EQ(stops, succeeded.load());
  EXPECT_GT(stops, 0u);
}

TEST(RememberedSetTest, KeepsEachObjectThatAnyThreadAdds) {
  RememberedSet set;
  const unsigned rounds = stressRounds(5);
  for (unsigned round = 1; round <= rounds; ++round) {
    const unsigned each = 700 * round % 6000 + 1; // chunks have 1022 places
    // Numbers for objects: the set never looks at one.
    onThreads(kThreads, [&](unsigned self) {
      for (uintptr_t i = 0; i < each; ++i) set.add(reinterpret_cast<Object*>((i * kThreads + self + 1) * 8));
    });
    std::vector<int> found(each * kThreads);
    set.forEach([&](Object* object) { ++found.at(reinterpret_cast<uintptr_t>(object) / 8 - 1); });
    for (int count : found) ASSERT_EQ(count, 1);
    set.clear();
    set.forEach([](Object*) { ADD_FAILURE() << "cleared"; });
  }
}

// Threads build lists of their own, hand nodes to each other, forget them, and collect.
class HeapThreadsTest : public HeapTest {};

TEST_F(HeapThreadsTest, AllocateHandOverAndCollect) {
  HeapOptions options;
  options.poison = true;
  start(options);
  heap->setSeveralCarriers();
  const unsigned rounds = stressRounds(3000);
  // A table for all, and a root for each thread.
  References* table = newReferences(64);
  roots.assign(1 + kThreads, nullptr);
  roots[0] = asObject(table);
  onThreads(kThreads, [&](unsigned self) {
    Allocator own(*heap);
    std::mt19937 random(self);
    auto allocate = [&](Classes cls, uint64_t bytes) { return heap->allocate(own, classes->byIndex(cls), bytes); };
    heap->world().enter();
    for (unsigned round = 0; round < rounds; ++round) {
      auto* node = reinterpret_cast<Node*>(allocate(kNodeClass, sizeof(Node)));
      roots[1 + self] = asObject(node);
      node->value = round;
      // Short chains: each node holds the one that it replaces, which gives up its own.
      Object** place = table->elements() + random() % 64;
      auto* old = reinterpret_cast<Node*>(loadReference(place));
      if (old != nullptr) {
        EXPECT_LT(old->value, rounds);
        setLeft(old, nullptr);
      }
      setLeft(node, old);
      storeReference(*heap, asObject(table), place, asObject(node));
      if (random() % 4 == 0) allocate(kBytesClass, 16 + random() % 20000);
      if (random() % 64 == 0) {
        uint32_t slots = 8 + random() % 100;
        if (Slot* stack = heap->allocateStack(own, slots)) heap->freeStack(own, stack, slots);
      }
      if (random() % 512 == 0) heap->collect(own);
      heap->world().safepoint();
    }
    roots[1 + self] = nullptr;
    heap->world().leave();
  });
  EXPECT_GT(heap->statistics().collections, 0u);
  heap->verifyRemembered();
}

} // namespace
} // namespace nlang::heap::test
