// A small hand-made program's classes and a heap with them, for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bytecode/program.h"
#include "heap/heap.h"

namespace nlang::heap::test {

// An object of class Node: two references and a number.
struct Node {
  Object header;
  Node* left;
  Node* right;
  uint64_t value;
};

// A context stand-in, as large as a real one.
struct FakeContext {
  Object header;
  Object* held;
  uint64_t number;
  uint64_t rest[11];
};

enum Classes : uint32_t { kNodeClass, kLeafClass, kBytesClass, kNodesClass, kThreadClass, kDerivedClass, kClassCount };

inline bytecode::Program makeProgram() {
  bytecode::Program program;
  program.classes.resize(kClassCount);
  auto& node = program.classes[kNodeClass];
  node.name = "Node";
  node.instanceSize = sizeof(Node);
  node.referenceOffsets = {offsetof(Node, left), offsetof(Node, right)};
  auto& leaf = program.classes[kLeafClass];
  leaf.name = "Leaf";
  leaf.instanceSize = 24;
  auto& bytes = program.classes[kBytesClass];
  bytes.name = "ubyte[]";
  bytes.kind = bytecode::ClassKind::kArray;
  bytes.element = {1, {{0, bytecode::StorageKind::kU8, false}}};
  auto& nodes = program.classes[kNodesClass];
  nodes.name = "Node[]";
  nodes.kind = bytecode::ClassKind::kArray;
  nodes.element = {8, {{0, bytecode::StorageKind::kReference, false}}};
  auto& thread = program.classes[kThreadClass];
  thread.name = "Thread";
  thread.kind = bytecode::ClassKind::kThread;
  auto& derived = program.classes[kDerivedClass];
  derived.name = "Derived";
  derived.superIndex = kNodeClass;
  derived.instanceSize = sizeof(Node);
  derived.referenceOffsets = node.referenceOffsets;
  return program;
}

// An array as the object room has it: length, then the elements.
struct References {
  Object header;
  uint32_t length;
  uint32_t unused;
  Object** elements() { return reinterpret_cast<Object**>(this + 1); }
};

class HeapTest : public ::testing::Test, public RootProvider {
 protected:
  void start(const HeapOptions& options = {}) {
    allocator.reset();
    heap.reset();
    classes = std::make_unique<ClassTable>();
    classes->registerKind(bytecode::ClassKind::kPlain, traceFields, 0);
    classes->registerKind(
        bytecode::ClassKind::kArray,
        [](Marker& marker, Object* object, const Class&) {
          auto* array = reinterpret_cast<References*>(object);
          marker.markRange(array->elements(), array->length);
        },
        16);
    classes->registerKind(
        bytecode::ClassKind::kThread,
        [](Marker& marker, Object* object, const Class&) {
          marker.deferTrace(object, object,
                            [](Marker& m, Object* o) { m.mark(reinterpret_cast<FakeContext*>(o)->held); });
        },
        sizeof(FakeContext));
    classes->load(program, nullptr);
    heap = std::make_unique<Heap>(*classes, options);
    heap->addRoots(this);
    allocator = std::make_unique<Allocator>(*heap);
  }

  void markRoots(Marker& marker) override {
    for (Object* root : roots) marker.mark(root);
    if (contextsAreRoots) heap->forEachContext([&](Object* context) { marker.mark(context); });
  }

  Node* newNode(uint64_t value, Node* left = nullptr, Node* right = nullptr) {
    auto* node = reinterpret_cast<Node*>(heap->allocate(*allocator, classes->byIndex(kNodeClass), sizeof(Node)));
    if (node == nullptr) return nullptr;
    EXPECT_EQ(node->left, nullptr);
    EXPECT_EQ(node->right, nullptr);
    EXPECT_EQ(node->value, 0u);
    node->value = value;
    setLeft(node, left);
    setRight(node, right);
    return node;
  }
  void setLeft(Node* holder, Node* value) {
    storeReference(*heap, &holder->header, reinterpret_cast<Object**>(&holder->left), reinterpret_cast<Object*>(value));
  }
  void setRight(Node* holder, Node* value) {
    storeReference(*heap, &holder->header, reinterpret_cast<Object**>(&holder->right),
                   reinterpret_cast<Object*>(value));
  }
  Object* newLeaf() { return heap->allocate(*allocator, classes->byIndex(kLeafClass), 24); }
  Object* newBytes(uint64_t size) { return heap->allocate(*allocator, classes->byIndex(kBytesClass), size); }
  References* newReferences(uint32_t length) {
    auto* array = reinterpret_cast<References*>(
        heap->allocate(*allocator, classes->byIndex(kNodesClass), sizeof(References) + uint64_t{8} * length));
    if (array != nullptr) array->length = length;
    return array;
  }

  bytecode::Program program = makeProgram();
  std::unique_ptr<ClassTable> classes;
  std::unique_ptr<Heap> heap;
  std::unique_ptr<Allocator> allocator;
  std::vector<Object*> roots;
  bool contextsAreRoots = true;
};

inline Object* asObject(void* p) { return static_cast<Object*>(p); }

} // namespace nlang::heap::test
