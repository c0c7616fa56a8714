// List and arrays against std::vector.
#include <random>

#include "unit/object/fixture.h"

namespace nlang::object::test {
namespace {

// Drives a list of `kind` and a model with the same operations. Elements are made from numbers.
class ListProperty : public ObjectTest {
 protected:
  struct Kind {
    uint32_t cls;
    unsigned leaves;
  };
  // Makes the element of number n: its scalar in `number`, its string in frame[50].
  void element(const Kind& kind, uint64_t n) {
    number.setU32(kind.cls == kNarrows ? n % 100 : static_cast<uint32_t>(n));
    if (kind.cls == kStrings || kind.cls == kPairs) frame[50] = slot(make(std::to_string(n)));
  }
  // Its slots as the list wants them.
  std::vector<Slot> slots(const Kind& kind) {
    if (kind.cls == kPairs) return {number, frame[50]};
    return {kind.cls == kStrings ? frame[50] : number};
  }
  void expectElement(const Kind& kind, const Slot* got, uint64_t n) {
    if (kind.cls == kInts) ASSERT_EQ(got[0].u32(), n);
    if (kind.cls == kNarrows) ASSERT_EQ(got[0].u32(), n % 100);
    if (kind.cls == kStrings) ASSERT_EQ(bytes(got[0].as<String>()), std::to_string(n));
    if (kind.cls == kPairs) {
      ASSERT_EQ(got[0].u32(), n);
      ASSERT_EQ(bytes(got[1].as<String>()), std::to_string(n));
    }
  }
  void expectSame(const Kind& kind, List* list, const std::vector<uint64_t>& model) {
    ASSERT_EQ(list->length.load(), model.size());
    Slot got[2];
    for (uint32_t i = 0; i < model.size(); ++i) {
      ASSERT_EQ(listGet(*heap, list, i, got), ListResult::kDone);
      expectElement(kind, got, model[i]);
    }
    ASSERT_EQ(listGet(*heap, list, static_cast<uint32_t>(model.size()), got), ListResult::kOutOfRange);
    if (list->storage == nullptr) return;
    uint32_t size = classes->byIndex(kind.cls).element.size;
    for (uint64_t i = model.size() * size; i < uint64_t{list->storage->length} * size; ++i)
      ASSERT_EQ(list->storage->elements()[i], 0) << "behind the length";
  }
  void drive(const Kind& kind, unsigned steps, unsigned seed);

  Slot number{0};
};

void ListProperty::drive(const Kind& kind, unsigned steps, unsigned seed) {
  std::mt19937 random(seed);
  List* list = newList(*heap, *allocator, classes->byIndex(kind.cls), seed % 3 * 7);
  frame[0] = slot(list);
  std::vector<uint64_t> model;
  Slot got[2];
  for (unsigned step = 0; step < steps; ++step) {
    uint64_t n = random() % 100000;
    uint32_t at = model.empty() ? 0 : static_cast<uint32_t>(random() % (model.size() + 1));
    uint32_t version = list->version.load();
    switch (random() % 12) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      element(kind, n);
      ASSERT_TRUE(listAdd(*heap, *allocator, list, slots(kind).data()));
      model.push_back(n);
      ASSERT_NE(list->version.load(), version);
      break;
    case 5:
    case 6:
      element(kind, n);
      ASSERT_EQ(listInsert(*heap, *allocator, list, at, slots(kind).data()), ListResult::kDone);
      model.insert(model.begin() + at, n);
      ASSERT_EQ(listInsert(*heap, *allocator, list, static_cast<uint32_t>(model.size()) + 1, slots(kind).data()),
                ListResult::kOutOfRange);
      break;
    case 7:
    case 8:
      ASSERT_EQ(listRemoveAt(*heap, list, at, got), at < model.size() ? ListResult::kDone : ListResult::kOutOfRange);
      if (at < model.size()) {
        expectElement(kind, got, model[at]);
        model.erase(model.begin() + at);
        ASSERT_NE(list->version.load(), version);
      }
      break;
    case 9:
      element(kind, n);
      ASSERT_EQ(listSet(*heap, list, at, slots(kind).data()),
                at < model.size() ? ListResult::kDone : ListResult::kOutOfRange);
      if (at < model.size()) model[at] = n;
      ASSERT_EQ(list->version.load(), version) << "no structural change";
      break;
    case 10: {
      uint32_t to = at + static_cast<uint32_t>(random() % (model.size() - at + 1));
      List* slice = nullptr;
      ASSERT_EQ(listSlice(*heap, *allocator, list, at, to, slice), ListResult::kDone);
      frame[1] = slot(slice);
      expectSame(kind, slice, {model.begin() + at, model.begin() + to});
      Array* array = nullptr;
      ASSERT_EQ(listToArray(*heap, *allocator, list, at, to, array), ListResult::kDone);
      ASSERT_EQ(array->length, to - at);
      ASSERT_EQ(listToArray(*heap, *allocator, list, 0, static_cast<uint32_t>(model.size()) + 1, array),
                ListResult::kOutOfRange);
      break;
    }
    default:
      if (random() % 20) break;
      listClear(*heap, list);
      model.clear();
      ASSERT_NE(list->version.load(), version);
    }
    if (step % 50 == 0) {
      heap->verifyRemembered();
      expectSame(kind, list, model);
    }
    if (step % 300 == 0) heap->collect(*allocator);
  }
  expectSame(kind, list, model);
}

TEST_F(ListProperty, AgreesWithVector) {
  for (unsigned seed = 0; seed < 3; ++seed)
    for (Kind kind : {Kind{kInts, 1}, {kStrings, 1}, {kPairs, 2}, {kNarrows, 1}}) drive(kind, 4000, seed);
}

TEST_F(ListProperty, AgreesWithVectorUnderStress) {
  startStress();
  for (Kind kind : {Kind{kInts, 1}, {kStrings, 1}, {kPairs, 2}}) drive(kind, 300, 9);
}

TEST_F(ListProperty, AgreesWithVectorWhenLocked) {
  heap->setSeveralCarriers();
  for (Kind kind : {Kind{kInts, 1}, {kStrings, 1}, {kPairs, 2}, {kNarrows, 1}}) drive(kind, 2000, 5);
}

TEST_F(ObjectTest, GrowthIsGeometric) {
  frame[0] = slot(newList(*heap, *allocator, classes->byIndex(kInts), 0));
  auto* list = frame[0].as<List>();
  Slot element{7};
  for (int i = 0; i < 1000000; ++i) ASSERT_TRUE(listAdd(*heap, *allocator, list, &element));
  EXPECT_LT(heap->statistics().allocatedBytes, 13u << 20);
  EXPECT_LE(list->storage->length, 2000000u);
}

TEST_F(ObjectTest, AListThatGrowsLeavesNoOldStorageBehind) {
  frame[0] = slot(newList(*heap, *allocator, classes->byIndex(kInts), 0));
  auto* list = frame[0].as<List>();
  Slot element{7};
  for (int i = 0; i < 5000000; ++i) ASSERT_TRUE(listAdd(*heap, *allocator, list, &element));
  EXPECT_LT(heap->statistics().reservedBytes, 40u << 20) << "one storage of 32 MB";
  heap->collect(*allocator);
  EXPECT_LT(heap->statistics().liveBytes, 4 * uint64_t{list->storage->length} + 4096);
}

TEST_F(ObjectTest, AddFailsAtTheHeapLimitAndTheListStaysAsItWas) {
  heap::HeapOptions options;
  options.limit = 1 << 20;
  start(options);
  frame[0] = slot(newList(*heap, *allocator, classes->byIndex(kInts), 0));
  auto* list = frame[0].as<List>();
  Slot element{7};
  uint32_t count = 0;
  while (listAdd(*heap, *allocator, list, &element)) ++count;
  EXPECT_GT(count, 60000u);
  EXPECT_EQ(list->length.load(), count);
  Slot got;
  EXPECT_EQ(listGet(*heap, list, count - 1, &got), ListResult::kDone);
  EXPECT_EQ(got.u32(), 7u);
  EXPECT_EQ(newArray(*heap, *allocator, classes->byIndex(kLongs), 0x7fffffff), nullptr);
  EXPECT_EQ(newArray(*heap, *allocator, classes->byIndex(kLongs), uint64_t{1} << 40), nullptr);
}

TEST_F(ObjectTest, ArraysAreZeroedAndTraced) {
  Array* array = newArray(*heap, *allocator, classes->byIndex(kPairArray), 1000);
  frame[0] = slot(array);
  const heap::Layout& layout = classes->byIndex(kPairArray).element;
  for (uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(*reinterpret_cast<uint64_t*>(array->elements() + i * 16), 0u);
    Slot element[2] = {{i}, slot(make(std::to_string(i)))};
    heap::storeElement(*heap, &array->header, array->elements() + i * 16, layout, element);
    if (i == 500) heap->collect(*allocator);
  }
  heap->verifyRemembered();
  heap->collect(*allocator);
  for (uint32_t i = 0; i < 1000; ++i) {
    Slot element[2];
    heap::loadElement(array->elements() + i * 16, layout, element);
    ASSERT_EQ(element[0].u32(), i);
    ASSERT_EQ(bytes(element[1].as<String>()), std::to_string(i));
  }
}

} // namespace
} // namespace nlang::object::test
