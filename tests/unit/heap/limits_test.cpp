// The heap limit, the reserve for faults, stacks.
#include <cstring>
#include <random>

#include "unit/heap/fixture.h"

namespace nlang::heap::test {
namespace {

TEST_F(HeapTest, AtTheLimitAllocationFailsAfterACollection) {
  HeapOptions options;
  options.limit = 3 << 20;
  start(options);
  Node* list = nullptr;
  uint64_t count = 0;
  while (Node* next = newNode(count, list)) {
    list = next;
    roots = {asObject(list)};
    ++count;
  }
  EXPECT_GT(count * sizeof(Node), 2u << 20);
  EXPECT_LE(count * sizeof(Node), 3u << 20);
  EXPECT_GE(heap->statistics().collections, 1u);
  roots.clear();
  EXPECT_NE(newNode(1), nullptr) << "dead memory is found when the limit is reached";
}

TEST_F(HeapTest, GarbageBeyondTheLimitIsNoProblem) {
  HeapOptions options;
  options.limit = 1 << 20;
  start(options);
  for (int i = 0; i < 1000; ++i) ASSERT_NE(newBytes(100000), nullptr);
  for (int i = 0; i < 1000; ++i) ASSERT_NE(newBytes(400000), nullptr);
  for (int i = 0; i < 100000; ++i) ASSERT_NE(newLeaf(), nullptr);
  EXPECT_EQ(newBytes(2 << 20), nullptr);
}

TEST_F(HeapTest, FaultsHaveABoundedReserve) {
  HeapOptions options;
  options.limit = 1 << 20;
  start(options);
  Node* list = nullptr;
  while (Node* next = newNode(0, list)) {
    list = next;
    roots = {asObject(list)};
  }
  uint64_t collections = heap->statistics().collections;
  uint64_t extra = 0;
  while (heap->allocateNoCollect(*allocator, classes->byIndex(kLeafClass), 24) != nullptr) extra += 24;
  EXPECT_EQ(heap->statistics().collections, collections);
  EXPECT_GT(extra, 900u << 10);
  EXPECT_LE(extra, 1100u << 10);
}

TEST_F(HeapTest, HugeRequestsAreRefused) {
  start();
  EXPECT_EQ(newBytes(uint64_t{1} << 60), nullptr);
  EXPECT_EQ(newBytes(UINT64_MAX - 100), nullptr);
}

TEST_F(HeapTest, StacksAreRoundedUpAndReused) {
  start();
  uint32_t slots = 1;
  Slot* stack = heap->allocateStack(*allocator, slots);
  EXPECT_EQ(slots, 8u);
  EXPECT_EQ(heap->statistics().liveBytes, 64u);
  uint32_t nine = 9;
  Slot* other = heap->allocateStack(*allocator, nine);
  EXPECT_EQ(nine, 10u);
  heap->freeStack(*allocator, stack, slots);
  EXPECT_EQ(heap->allocateStack(*allocator, slots), stack);
  heap->freeStack(*allocator, stack, slots);
  heap->freeStack(*allocator, other, nine);
  EXPECT_EQ(heap->statistics().liveBytes, 0u);
}

TEST_F(HeapTest, StacksOfAllSizesKeepTheirContents) {
  start();
  std::mt19937 random(4);
  struct Kept {
    Slot* stack;
    uint32_t slots;
    uint64_t tag;
  };
  std::vector<Kept> kept;
  for (int i = 0; i < 20000; ++i) {
    if (kept.size() > 500) {
      std::swap(kept[random() % kept.size()], kept.back());
      for (uint32_t k = 0; k < kept.back().slots; ++k) ASSERT_EQ(kept.back().stack[k].bits, kept.back().tag);
      heap->freeStack(*allocator, kept.back().stack, kept.back().slots);
      kept.pop_back();
    }
    uint32_t wanted = 1 + random() % (random() % 50 == 0 ? 40000 : 100);
    uint32_t slots = wanted;
    Slot* stack = heap->allocateStack(*allocator, slots);
    ASSERT_GE(slots, wanted);
    ASSERT_LE(slots, std::max(8.0, wanted * 1.26 + 1) + 512 * (slots > 16384));
    for (uint32_t k = 0; k < slots; ++k) stack[k].bits = static_cast<uint64_t>(i);
    kept.push_back({stack, slots, static_cast<uint64_t>(i)});
  }
  for (Kept& each : kept) heap->freeStack(*allocator, each.stack, each.slots);
  EXPECT_EQ(heap->statistics().liveBytes, 0u);
  heap->collect(*allocator);
  EXPECT_LT(heap->statistics().reservedBytes, 48u << 20);
}

TEST_F(HeapTest, StacksCountForTheLimit) {
  HeapOptions options;
  options.limit = 1 << 20;
  start(options);
  uint32_t slots = 100000;
  Slot* stack = heap->allocateStack(*allocator, slots);
  ASSERT_NE(stack, nullptr);
  uint32_t again = 100000;
  EXPECT_EQ(heap->allocateStack(*allocator, again), nullptr);
  EXPECT_EQ(newBytes(300000), nullptr);
  heap->freeStack(*allocator, stack, slots);
  EXPECT_NE(newBytes(300000), nullptr);
}

// What a million parked threads cost must be their own size: no headers, no rounding.
TEST_F(HeapTest, ContextsAndSmallStacksHaveNoOverhead) {
  start();
  contextsAreRoots = true;
  constexpr uint64_t kCount = 200000;
  for (uint64_t i = 0; i < kCount; ++i) {
    auto* context = heap->allocateContext(*allocator, classes->byIndex(kThreadClass), sizeof(FakeContext));
    ASSERT_NE(context, nullptr);
    reinterpret_cast<FakeContext*>(context)->number = i;
    uint32_t slots = 8;
    ASSERT_NE(heap->allocateStack(*allocator, slots), nullptr);
  }
  EXPECT_LE(heap->statistics().reservedBytes, kCount * (112 + 64) * 101 / 100 + 2 * (2u << 20));
  uint64_t seen = 0;
  heap->forEachContext([&](Object*) { ++seen; });
  EXPECT_EQ(seen, kCount);
}

} // namespace
} // namespace nlang::heap::test
