// What collection keeps and frees, at every size and depth.
#include <cstring>
#include <random>
#include <set>

#include "unit/heap/fixture.h"

namespace nlang::heap::test {
namespace {

TEST_F(HeapTest, ReachableObjectsSurviveUnreachableMemoryIsReused) {
  start();
  Node* kept = newNode(1, newNode(2));
  roots = {asObject(kept)};
  for (int i = 0; i < 100000; ++i) newNode(7);
  heap->collect(*allocator);
  EXPECT_EQ(kept->value, 1u);
  EXPECT_EQ(kept->left->value, 2u);
  EXPECT_EQ(heap->statistics().liveBytes, 2 * sizeof(Node));
  uint64_t mapped = heap->statistics().reservedBytes;
  for (int i = 0; i < 1000000; ++i) newNode(7);
  EXPECT_LE(heap->statistics().reservedBytes, mapped + (4u << 20));
  EXPECT_EQ(kept->left->value, 2u);
}

TEST_F(HeapTest, DeepListsAreMarkedWithoutRecursion) {
  start();
  Node* list = nullptr;
  for (uint64_t i = 0; i < 1000000; ++i) {
    list = newNode(i, list);
    roots = {asObject(list)};
  }
  heap->collect(*allocator);
  uint64_t expected = 1000000;
  for (Node* at = list; at != nullptr; at = at->left) ASSERT_EQ(at->value, --expected);
  EXPECT_EQ(expected, 0u);
}

TEST_F(HeapTest, EverySizeIsAllocatedZeroedAndKept) {
  start();
  std::mt19937 random(1);
  auto* table = newReferences(2000);
  roots = {asObject(table)};
  std::vector<uint64_t> sizes(2000);
  for (int round = 0; round < 8; ++round) {
    for (uint32_t i = 0; i < table->length; ++i) {
      if (round > 0 && random() % 2) continue;
      uint64_t size = 16 + random() % 200;
      if (random() % 8 == 0) size = 16 + random() % 9000;
      if (random() % 64 == 0) size = 16 + random() % 300000;
      Object* bytes = newBytes(size);
      auto* text = reinterpret_cast<unsigned char*>(bytes + 1);
      for (uint64_t k = 0; k < size - 8; ++k) ASSERT_EQ(text[k], 0u) << "size " << size << " byte " << k;
      std::memset(text, static_cast<int>(i & 0xff), size - 8);
      sizes[i] = size;
      storeReference(*heap, &table->header, table->elements() + i, bytes);
    }
    heap->collect(*allocator);
    for (uint32_t i = 0; i < table->length; ++i) {
      auto* text = reinterpret_cast<unsigned char*>(table->elements()[i] + 1);
      for (uint64_t k = 0; k < sizes[i] - 8; ++k) ASSERT_EQ(text[k], i & 0xff);
    }
  }
}

TEST_F(HeapTest, LongArraysOfReferencesAreTraced) {
  start();
  auto* table = newReferences(100000);
  roots = {asObject(table)};
  for (uint32_t i = 0; i < table->length; ++i)
    storeReference(*heap, &table->header, table->elements() + i, asObject(newNode(i)));
  heap->collect(*allocator);
  heap->collect(*allocator);
  for (uint32_t i = 0; i < table->length; ++i) ASSERT_EQ(reinterpret_cast<Node*>(table->elements()[i])->value, i);
}

// 300 collections: the epochs start again in between. What dies must be found although its block is seldom swept.
TEST_F(HeapTest, EpochsWrapAround) {
  start();
  auto* table = newReferences(5000);
  roots = {asObject(table)};
  for (uint32_t i = 0; i < table->length; ++i)
    storeReference(*heap, &table->header, table->elements() + i, asObject(newNode(i)));
  std::mt19937 random(2);
  for (int round = 0; round < 600; ++round) {
    uint32_t at = random() % table->length;
    table->elements()[at] = nullptr;
    heap->collect(*allocator);
    if (round % 7 == 0) storeReference(*heap, &table->header, table->elements() + at, asObject(newNode(at)));
    heap->verifyRemembered();
  }
  uint64_t live = 0;
  for (uint32_t i = 0; i < table->length; ++i) {
    if (table->elements()[i] == nullptr) continue;
    ASSERT_EQ(reinterpret_cast<Node*>(table->elements()[i])->value, i);
    ++live;
  }
  heap->collect(*allocator);
  EXPECT_EQ(heap->statistics().liveBytes, live * sizeof(Node) + quarterStepBytes(quarterStep(16 + 8 * 5000)));
}

TEST_F(HeapTest, RandomGraphsAgreeWithAModel) {
  HeapOptions options;
  options.poison = true;
  start(options);
  std::mt19937 random(3);
  std::vector<Node*> nodes;
  uint64_t number = 0;
  for (int round = 0; round < 60; ++round) {
    // The model: nodes reachable from the first 20 of `nodes` by left and right.
    for (int i = 0; i < 500; ++i) {
      Node* node = newNode(++number);
      roots.push_back(asObject(node));
      nodes.push_back(node);
    }
    for (int i = 0; i < 700; ++i) {
      Node* from = nodes[random() % nodes.size()];
      Node* to = nodes[random() % nodes.size()];
      storeReference(*heap, &from->header, reinterpret_cast<Object**>(random() % 2 ? &from->left : &from->right),
                     asObject(to));
    }
    std::shuffle(nodes.begin(), nodes.end(), random);
    if (nodes.size() > 20) nodes.resize(20);
    roots.assign(reinterpret_cast<Object**>(nodes.data()), reinterpret_cast<Object**>(nodes.data() + nodes.size()));
    std::set<Node*> reachable;
    std::vector<Node*> todo = nodes;
    while (!todo.empty()) {
      Node* node = todo.back();
      todo.pop_back();
      if (node == nullptr || !reachable.insert(node).second) continue;
      todo.push_back(node->left);
      todo.push_back(node->right);
    }
    heap->collect(*allocator);
    ASSERT_EQ(heap->statistics().liveBytes, reachable.size() * sizeof(Node));
    nodes.assign(reachable.begin(), reachable.end());
    roots.clear();
    for (Node* node : nodes) roots.push_back(asObject(node));
  }
}

TEST_F(HeapTest, StressCollectsAtEveryAllocation) {
  HeapOptions options;
  options.stress = true;
  start(options);
  Node* list = nullptr;
  for (uint64_t i = 0; i < 300; ++i) {
    list = newNode(i, list);
    roots = {asObject(list)};
    EXPECT_EQ(allocator->tryAllocate(classes->byIndex(kNodeClass), sizeof(Node)), nullptr);
  }
  EXPECT_EQ(heap->statistics().collections, 300u);
  uint64_t expected = 300;
  for (Node* at = list; at != nullptr; at = at->left) ASSERT_EQ(at->value, --expected);
}

TEST_F(HeapTest, CollectionsFollowTheBudget) {
  start();
  for (int i = 0; i < 100000; ++i) newLeaf(); // 2.4 MB
  EXPECT_EQ(heap->statistics().collections, 0u);
  for (int i = 0; i < 100000; ++i) newLeaf();
  EXPECT_EQ(heap->statistics().collections, 1u);
}

TEST_F(HeapTest, MemoryOfAVanishedHeapIsGivenBack) {
  start();
  for (int i = 0; i < 3; ++i) {
    auto* table = newReferences(400000);
    roots = {asObject(table)};
    for (uint32_t k = 0; k < table->length; ++k) {
      Object* bytes = newBytes(200);
      storeReference(*heap, &table->header, table->elements() + k, bytes);
    }
    EXPECT_GT(heap->statistics().reservedBytes, 80u << 20);
    roots.clear();
    heap->collect(*allocator);
    EXPECT_LT(heap->statistics().reservedBytes, 40u << 20);
  }
}

TEST_F(HeapTest, ATableOfSurvivorsDoesNotKeepDeadBlocks) {
  start();
  auto* table = newReferences(1000);
  roots = {asObject(table)};
  for (uint32_t i = 0; i < 1000000; ++i) {
    Node* node = newNode(i);
    if (i % 1000 == 0) storeReference(*heap, &table->header, table->elements() + i / 1000, asObject(node));
  }
  heap->collect(*allocator);
  for (int i = 0; i < 1000000; ++i) newNode(1); // reuses the holes
  EXPECT_LT(heap->statistics().reservedBytes, 48u << 20);
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(reinterpret_cast<Node*>(table->elements()[i])->value, i * 1000);
}

#ifndef NDEBUG
TEST_F(HeapTest, AWriteToAFreedObjectIsNoticed) {
#if !NLANG_ASAN // which notices it at once
  start();
  Node* dead = newNode(5);
  Node* neighbour = newNode(6);
  roots = {asObject(neighbour)};
  heap->collect(*allocator);
  dead->value = 3;
  EXPECT_DEATH(for (int i = 0; i < 5000; ++i) newNode(1), "a freed object was written to");
#endif
}
#endif

} // namespace
} // namespace nlang::heap::test
