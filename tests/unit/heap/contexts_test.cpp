// Contexts in their own blocks, the write barrier and what it remembers, identity hashes.
#include <set>

#include "unit/heap/fixture.h"

namespace nlang::heap::test {
namespace {

class ContextTest : public HeapTest {
 protected:
  FakeContext* newContext(uint64_t number) {
    auto* context = reinterpret_cast<FakeContext*>(
        heap->allocateContext(*allocator, classes->byIndex(kThreadClass), sizeof(FakeContext)));
    context->number = number;
    return context;
  }
  std::multiset<uint64_t> numbers() {
    std::multiset<uint64_t> result;
    heap->forEachContext([&](Object* object) { result.insert(reinterpret_cast<FakeContext*>(object)->number); });
    return result;
  }
};

TEST_F(ContextTest, DeadOnesAreNotVisited) {
  start();
  contextsAreRoots = false;
  std::multiset<uint64_t> expected;
  for (uint64_t i = 0; i < 3000; ++i) {
    FakeContext* context = newContext(i);
    if (i % 3 == 0) {
      roots.push_back(&context->header);
      expected.insert(i);
    }
  }
  EXPECT_EQ(numbers().size(), 3000u);
  heap->collect(*allocator);
  EXPECT_EQ(numbers(), expected);
  for (uint64_t i = 0; i < 100; ++i) {
    newContext(10000 + i);
    expected.insert(10000 + i);
  }
  EXPECT_EQ(numbers(), expected);
  roots.clear();
  heap->collect(*allocator);
  EXPECT_TRUE(numbers().empty());
}

TEST_F(ContextTest, WhatTheyHoldIsKept) {
  start();
  FakeContext* context = newContext(1);
  context->held = asObject(newNode(17));
  for (int i = 0; i < 1000; ++i) newNode(1);
  heap->collect(*allocator);
  EXPECT_EQ(reinterpret_cast<Node*>(context->held)->value, 17u);
  EXPECT_EQ(heap->statistics().liveBytes, sizeof(FakeContext) + sizeof(Node));
}

TEST_F(ContextTest, AfterMarkMayKeepMore) {
  start();
  struct Keeper : RootProvider {
    Object* object = nullptr;
    bool wasMarked = true;
    void markRoots(Marker&) override {}
    void afterMark(Marker& marker) override {
      wasMarked = marker.isMarked(object);
      marker.mark(object);
    }
  } keeper;
  heap->addRoots(&keeper);
  Node* node = newNode(3, newNode(4));
  keeper.object = asObject(node);
  heap->collect(*allocator);
  EXPECT_FALSE(keeper.wasMarked);
  EXPECT_EQ(node->left->value, 4u);
  EXPECT_EQ(heap->statistics().liveBytes, 2 * sizeof(Node));
  heap->removeRoots(&keeper);
}

TEST_F(HeapTest, BarrierRemembersOldObjects) {
  start();
  Node* old = newNode(1);
  roots = {asObject(old)};
  heap->collect(*allocator);
  EXPECT_EQ(old->header.flags.load() & kDirty, 0);
  setLeft(old, newNode(2));
  EXPECT_EQ(old->header.flags.load() & kDirty, kDirty);
  heap->verifyRemembered();
  heap->collect(*allocator);
  EXPECT_EQ(old->header.flags.load() & kDirty, 0);
  heap->verifyRemembered();
}

TEST_F(HeapTest, VerificationNoticesASkippedBarrier) {
  start();
  Node* old = newNode(1);
  roots = {asObject(old)};
  heap->collect(*allocator);
  old->left = newNode(2);
  EXPECT_DEATH(heap->verifyRemembered(), "class Node that is not remembered refers to a young one of class Node");
}

// The fault skip-barrier makes this one fail.
TEST_F(HeapTest, StressVerifiesTheBarrier) {
  HeapOptions options;
  options.stress = true;
  start(options);
  Node* old = newNode(1);
  roots = {asObject(old)};
  heap->collect(*allocator);
  for (uint64_t i = 0; i < 10; ++i) setLeft(old, newNode(i));
  heap->collect(*allocator);
  EXPECT_EQ(old->left->value, 9u);
}

TEST_F(HeapTest, VerificationLooksIntoLongArrays) {
  start();
  auto* table = newReferences(50000);
  roots = {asObject(table)};
  heap->collect(*allocator);
  table->elements()[49999] = asObject(newNode(2));
  EXPECT_DEATH(heap->verifyRemembered(), "class Node\\[\\] that is not remembered");
}

TEST_F(ContextTest, DirtyContextsAreCheckedLikeRememberedObjects) {
  start();
  FakeContext* context = newContext(1);
  heap->collect(*allocator);
  context->held = asObject(newNode(17));
  EXPECT_DEATH(heap->verifyRemembered(), "class Thread that is not remembered");
  heap->addDirtyContext(&context->header);
  heap->addDirtyContext(&context->header);
  heap->verifyRemembered();
}

TEST_F(HeapTest, CopyElementsRemembersItsHolder) {
  start();
  auto* table = newReferences(10);
  roots = {asObject(table)};
  heap->collect(*allocator);
  Object* young = asObject(newNode(2));
  Object* source[10] = {young, nullptr, young};
  const Layout& layout = classes->byIndex(kNodesClass).element;
  copyElements(*heap, &table->header, reinterpret_cast<char*>(table->elements()), reinterpret_cast<char*>(source),
               layout, 10);
  heap->verifyRemembered();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(table->elements()[i], source[i]);
}

TEST_F(HeapTest, CopyElementsHandlesOverlapsWithSeveralCarriers) {
  for (bool several : {false, true}) {
    start();
    if (several) heap->setSeveralCarriers();
    for (uint32_t size : {1u, 2u, 4u, 8u, 12u, 24u}) {
      Object* bytes = newBytes(16 + 100 * 24);
      char* elements = reinterpret_cast<char*>(bytes) + 16;
      Layout layout;
      layout.size = size;
      std::vector<char> model(100 * size);
      for (size_t i = 0; i < model.size(); ++i) elements[i] = model[i] = static_cast<char>(i * 7);
      copyElements(*heap, bytes, elements + 3 * size, elements, layout, 90);
      std::copy_backward(model.begin(), model.begin() + 90 * size, model.begin() + 93 * size);
      copyElements(*heap, bytes, elements, elements + 5 * size, layout, 95);
      std::copy(model.begin() + 5 * size, model.end(), model.begin());
      EXPECT_TRUE(std::equal(model.begin(), model.end(), elements)) << size;
    }
  }
}

TEST_F(HeapTest, IdentityHashesAreStableAndDistinct) {
  start();
  auto* table = newReferences(150000);
  roots = {asObject(table)};
  std::set<uint32_t> hashes;
  std::vector<uint32_t> given;
  for (uint32_t i = 0; i < table->length; ++i) {
    storeReference(*heap, &table->header, table->elements() + i, asObject(newNode(i)));
    given.push_back(heap->identityHash(table->elements()[i]));
    hashes.insert(given.back());
  }
  EXPECT_EQ(hashes.size(), given.size());
  heap->collect(*allocator);
  for (uint32_t i = 0; i < table->length; ++i) ASSERT_EQ(heap->identityHash(table->elements()[i]), given[i]);
  uint32_t low[16] = {};
  for (uint32_t hash : given) ++low[hash & 15];
  for (uint32_t count : low) EXPECT_NEAR(count, given.size() / 16, given.size() / 160);
  EXPECT_NE(heap->identityHash(&table->header), given[0]);
}

TEST_F(HeapTest, IdentityHashesDoNotDependOnAddresses) {
  std::vector<uint32_t> first, second;
  for (auto* hashes : {&first, &second}) {
    roots.clear();
    void* shift = hashes == &second ? ::operator new(1 << 20) : nullptr;
    start();
    for (uint64_t i = 0; i < 1000; ++i) {
      Node* node = newNode(i);
      roots.push_back(asObject(node));
      if (i % 3 == 0) hashes->push_back(heap->identityHash(asObject(node)));
    }
    ::operator delete(shift);
  }
  EXPECT_EQ(first, second);
}

} // namespace
} // namespace nlang::heap::test
