// A small hand-made program with the classes that the room's functions make instances of.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "bytecode/loaded_function.h"
#include "bytecode/program.h"
#include "heap/heap.h"
#include "object/kinds.h"
#include "object/layout.h"
#include "object/list.h"
#include "object/string.h"

namespace nlang::object::test {

using bytecode::ClassKind;
using bytecode::StorageKind;
using bytecode::WellKnown;

enum Classes : uint32_t {
  kObject,
  kStringClass,
  kBuffer,
  kStrings,
  kStringArray,
  kLongs,
  kBytes,
  kException,
  kBuilder,
  kInts,
  kIntArray,
  kPairs,
  kPairArray,
  kIntBox,
  kPairBox,
  kDoubleBox,
  kBound,
  kLambda,
  kOther,
  kNarrows,
  kNarrowArray,
  kClassCount
};

inline void container(bytecode::Program& program, uint32_t list, uint32_t array, const char* element,
                      bytecode::ElementLayout layout) {
  program.classes[array].name = std::string(element) + "[]";
  program.classes[array].kind = ClassKind::kArray;
  program.classes[array].element = layout;
  program.classes[list].name = "List<" + std::string(element) + ">";
  program.classes[list].kind = ClassKind::kList;
  program.classes[list].element = layout;
  program.classes[list].arrayClass = array;
}

inline void fields(bytecode::Class& cls, const char* name, ClassKind kind, uint32_t size,
                   std::vector<uint32_t> references) {
  cls.name = name;
  cls.kind = kind;
  cls.instanceSize = size;
  cls.referenceOffsets = std::move(references);
}

// A Pair is {int, string}; a box of it has them after its header.
inline bytecode::Program makeProgram() {
  bytecode::Program program;
  program.classes.resize(kClassCount);
  auto& classes = program.classes;
  fields(classes[kObject], "Object", ClassKind::kPlain, 8, {});
  classes[kStringClass].name = "String";
  classes[kStringClass].kind = ClassKind::kString;
  classes[kBuffer].kind = ClassKind::kTextBuffer;
  classes[kBuilder].kind = ClassKind::kStringBuilder;
  bytecode::ElementLayout pair{16, {{0, StorageKind::k32, false}, {8, StorageKind::kReference, false}}};
  container(program, kStrings, kStringArray, "string", {8, {{0, StorageKind::kReference, false}}});
  container(program, kInts, kIntArray, "int", {4, {{0, StorageKind::k32, false}}});
  container(program, kPairs, kPairArray, "Pair", pair);
  container(program, kNarrows, kNarrowArray, "byte", {1, {{0, StorageKind::kI8, false}}});
  for (auto [index, size, kind] : {std::tuple{kLongs, 8u, StorageKind::k64}, {kBytes, 1u, StorageKind::kU8}}) {
    classes[index].kind = ClassKind::kArray;
    classes[index].element = {size, {{0, kind, false}}};
  }
  fields(classes[kException], "Exception", ClassKind::kException, sizeof(ExceptionObject), {8, 16, 24, 32, 40});
  fields(classes[kIntBox], "int", ClassKind::kBox, 16, {});
  classes[kIntBox].element = {4, {{0, StorageKind::k32, false}}};
  fields(classes[kDoubleBox], "double", ClassKind::kBox, 16, {});
  classes[kDoubleBox].element = {8, {{0, StorageKind::k64, true}}};
  fields(classes[kPairBox], "Pair", ClassKind::kBox, 24, {16});
  classes[kPairBox].element = pair;
  fields(classes[kBound], "func<void>", ClassKind::kClosure, 24, {16});
  classes[kBound].isBoundMethod = true;
  fields(classes[kLambda], "func<void>", ClassKind::kClosure, 24, {16});
  fields(classes[kOther], "Other", ClassKind::kPlain, 16, {8});
  program.wellKnown.assign(static_cast<unsigned>(WellKnown::kCount), bytecode::kNone);
  auto known = [&](WellKnown which, uint32_t index) { program.wellKnown[static_cast<unsigned>(which)] = index; };
  known(WellKnown::kObject, kObject);
  known(WellKnown::kString, kStringClass);
  known(WellKnown::kTextBuffer, kBuffer);
  known(WellKnown::kListOfString, kStrings);
  known(WellKnown::kArrayOfString, kStringArray);
  known(WellKnown::kArrayOfLong, kLongs);
  known(WellKnown::kArrayOfUByte, kBytes);
  known(WellKnown::kException, kException);
  return program;
}

// Everything in `frame` is a root, like the slots of a native's frame.
class ObjectTest : public ::testing::Test, public heap::RootProvider {
 protected:
  void SetUp() override { start({}); }
  void start(const heap::HeapOptions& options) {
    allocator.reset();
    heap.reset();
    frame.assign(64, Slot{0});
    classes = std::make_unique<heap::ClassTable>();
    registerObjectKinds(*classes);
    classes->load(program, nullptr);
    heap = std::make_unique<heap::Heap>(*classes, options);
    heap->addRoots(this);
    allocator = std::make_unique<heap::Allocator>(*heap);
  }
  void startStress() {
    heap::HeapOptions options;
    options.stress = true;
    start(options);
  }
  void markRoots(heap::Marker& marker) override {
    for (Slot slot : frame) marker.markSlot(slot);
  }

  String* make(std::string_view text) { return newString(*heap, *allocator, text); }
  String* join(Slot a, Slot b) {
    frame[62] = a;
    frame[63] = b;
    return concat(*heap, *allocator, &frame[62], 2);
  }
  Object* newObject(uint32_t cls) {
    return heap->allocate(*allocator, classes->byIndex(cls), classes->byIndex(cls).instanceSize);
  }
  static Slot slot(const void* p) {
    Slot s;
    s.setObject(p);
    return s;
  }

  bytecode::Program program = makeProgram();
  std::unique_ptr<heap::ClassTable> classes;
  std::unique_ptr<heap::Heap> heap;
  std::unique_ptr<heap::Allocator> allocator;
  std::vector<Slot> frame;
};

} // namespace nlang::object::test
