// Strings: content, order, hash, joining in place, parts.
#include <random>

#include "object/string_builder.h"
#include "unit/object/fixture.h"

namespace nlang::object::test {
namespace {

TEST_F(ObjectTest, NullIsTheEmptyString) {
  EXPECT_EQ(make(""), nullptr);
  EXPECT_EQ(bytes(nullptr), "");
  String* object = newEmptyStringObject(*heap, *allocator);
  EXPECT_TRUE(equal(object, nullptr));
  EXPECT_EQ(compare(object, nullptr), 0);
  EXPECT_EQ(hashOf(object), hashOf(nullptr));
}

TEST_F(ObjectTest, StringsCompareByBytes) {
  String* a = make("Äpfel");
  String* b = make("Zebra");
  String* c = make("Zebra");
  String* d = make("Zebras");
  EXPECT_EQ(bytes(a), "Äpfel");
  EXPECT_EQ(compare(a, b), 1);
  EXPECT_EQ(compare(b, a), -1);
  EXPECT_EQ(compare(b, d), -1);
  EXPECT_EQ(compare(b, c), 0);
  EXPECT_TRUE(equal(b, c));
  EXPECT_FALSE(equal(b, d));
  EXPECT_EQ(hashOf(b), hashOf(c));
  EXPECT_NE(hashOf(b), hashOf(d));
  EXPECT_EQ(hashOf(b), hashOf(b));
}

TEST_F(ObjectTest, JoiningWithNothingIsTheSameString) {
  String* a = make("abc");
  EXPECT_EQ(join(slot(a), slot(nullptr)), a);
  EXPECT_EQ(join(slot(nullptr), slot(a)), a);
  EXPECT_EQ(join(slot(nullptr), slot(nullptr)), nullptr);
}

TEST_F(ObjectTest, ManyTextsAreJoined) {
  for (uint32_t i = 0; i < 10; ++i) frame[i] = slot(make(std::to_string(i * i)));
  frame[4] = slot(nullptr);
  EXPECT_EQ(bytes(concat(*heap, *allocator, frame.data(), 10)), "014925364964" + std::string("81"));
}

// Repeated s = s + x, with a look at every earlier value: what was made before never changes.
TEST_F(ObjectTest, AppendingInPlaceLeavesOlderStringsAlone) {
  std::string model;
  std::vector<std::string> models;
  for (uint32_t i = 0; i < 40; ++i) {
    std::string piece(1 + i * 3, static_cast<char>('a' + i % 26));
    frame[40] = slot(make(piece));
    frame[i] = slot(join(i == 0 ? slot(nullptr) : frame[i - 1], frame[40]));
    model += piece;
    models.push_back(model);
    for (uint32_t k = 0; k <= i; ++k) ASSERT_EQ(bytes(frame[k].as<String>()), models[k]);
  }
  EXPECT_TRUE(isView(frame[39].as<String>()));
  heap->collect(*allocator);
  for (uint32_t k = 0; k < 40; ++k) ASSERT_EQ(bytes(frame[k].as<String>()), models[k]);
}

TEST_F(ObjectTest, TwoStringsThatContinueOneGetDifferentRoom) {
  std::string base(400, 'x');
  frame[0] = slot(make(base));
  frame[1] = slot(make("1"));
  frame[2] = slot(make("2"));
  for (int i = 0; i < 3; ++i) {
    frame[0] = slot(join(frame[0], frame[1]));
    base += "1";
  }
  ASSERT_TRUE(isView(frame[0].as<String>()));
  frame[3] = slot(join(frame[0], frame[1]));
  frame[4] = slot(join(frame[0], frame[2]));
  frame[5] = slot(join(frame[3], frame[2]));
  EXPECT_EQ(bytes(frame[0].as<String>()), base);
  EXPECT_EQ(bytes(frame[3].as<String>()), base + "1");
  EXPECT_EQ(bytes(frame[4].as<String>()), base + "2");
  EXPECT_EQ(bytes(frame[5].as<String>()), base + "12");
}

// L9.3. A copy for each append would allocate 200 GB here.
TEST_F(ObjectTest, RepeatedAppendIsLinear) {
  frame[1] = slot(make("xyzw"));
  for (uint32_t i = 0; i < 320000; ++i) frame[0] = slot(join(frame[0], frame[1]));
  EXPECT_EQ(lengthOf(frame[0].as<String>()), 4u * 320000);
  EXPECT_LT(heap->statistics().allocatedBytes, 32u * 320000 + 10 * 4u * 320000);
}

TEST_F(ObjectTest, RepeatedAppendCollectsItsViews) {
  frame[1] = slot(make("x"));
  frame[0] = slot(make(std::string(2 << 20, 'y')));
  for (uint32_t i = 0; i < 1000000; ++i) frame[0] = slot(join(frame[0], frame[1]));
  EXPECT_GE(heap->statistics().collections, 2u);
  EXPECT_LT(heap->statistics().reservedBytes, 64u << 20);
}

TEST_F(ObjectTest, ATextJoinedOnceTakesNoMoreThanItsBytes) {
  frame[0] = slot(make(std::string(100000, 'a')));
  frame[1] = slot(make(std::string(100000, 'b')));
  frame[2] = slot(join(frame[0], frame[1]));
  EXPECT_FALSE(isView(frame[2].as<String>()));
}

TEST_F(ObjectTest, PartsOfLongViewsShareTheirText) {
  frame[1] = slot(make(std::string(500, 'x') + "middle"));
  for (int i = 0; i < 4; ++i) frame[0] = slot(join(frame[0], frame[1]));
  std::string model(bytes(frame[0].as<String>()));
  frame[2] = slot(substring(*heap, *allocator, frame[0].as<String>(), 300, 1300));
  frame[3] = slot(substring(*heap, *allocator, frame[2].as<String>(), 100, 900));
  frame[4] = slot(substring(*heap, *allocator, frame[2].as<String>(), 0, 10));
  EXPECT_TRUE(isView(frame[3].as<String>()));
  EXPECT_FALSE(isView(frame[4].as<String>()));
  frame[0] = slot(nullptr);
  heap->collect(*allocator);
  EXPECT_EQ(bytes(frame[2].as<String>()), model.substr(300, 1000));
  EXPECT_EQ(bytes(frame[3].as<String>()), model.substr(400, 800));
  EXPECT_EQ(bytes(frame[4].as<String>()), model.substr(300, 10));
  EXPECT_EQ(hashOf(frame[3].as<String>()), hashOf(make(model.substr(400, 800))));
  EXPECT_EQ(substring(*heap, *allocator, frame[3].as<String>(), 5, 5), nullptr);
  // Appending to a part that does not end at the used mark copies.
  frame[5] = slot(join(frame[3], frame[4]));
  EXPECT_EQ(bytes(frame[5].as<String>()), model.substr(400, 800) + model.substr(300, 10));
  EXPECT_EQ(bytes(frame[2].as<String>()), model.substr(300, 1000));
}

TEST_F(ObjectTest, JoiningUnderStress) {
  startStress();
  std::mt19937 random(1);
  std::vector<std::string> models(8);
  for (int i = 0; i < 600; ++i) {
    size_t a = random() % 8, b = random() % 8, to = random() % 8;
    std::string piece(random() % 90, static_cast<char>('a' + i % 26));
    frame[20] = slot(make(piece));
    frame[21] = slot(join(frame[a], random() % 4 ? frame[20] : frame[b]));
    std::string joined(bytes(frame[21].as<String>()));
    EXPECT_TRUE(joined == models[a] + piece || joined == models[a] + models[b]);
    if (joined.size() > 4000) continue;
    frame[to] = frame[21];
    models[to] = joined;
    for (size_t k = 0; k < 8; ++k) ASSERT_EQ(bytes(frame[k].as<String>()), models[k]);
  }
}

TEST_F(ObjectTest, TooLongTextsAreRefused) {
  EXPECT_EQ(newUninitializedString(*heap, *allocator, uint64_t{kMaxStringLength} + 1), nullptr);
}

TEST_F(ObjectTest, AtTheHeapLimitJoiningFails) {
  heap::HeapOptions options;
  options.limit = 1 << 20;
  start(options);
  frame[0] = slot(make(std::string(300000, 'x')));
  frame[1] = slot(make(std::string(600000, 'x')));
  EXPECT_EQ(join(frame[0], frame[1]), nullptr);
  EXPECT_EQ(join(frame[1], frame[0]), nullptr);
  frame[1] = slot(nullptr);
  EXPECT_NE(join(frame[0], frame[0]), nullptr);
}

TEST_F(ObjectTest, StringBuilderAgreesWithAModel) {
  for (bool stress : {false, true}) {
    if (stress) startStress();
    auto* builder = reinterpret_cast<StringBuilder*>(newObject(kBuilder));
    frame[0] = slot(builder);
    std::string model;
    for (int i = 0; i < 500; ++i) {
      std::string piece(static_cast<size_t>(i % 17), static_cast<char>('a' + i % 26));
      ASSERT_TRUE(builderAppend(*heap, *allocator, builder, piece));
      model += piece;
      if (i % 100 == 99) {
        String* text = nullptr;
        ASSERT_TRUE(builderText(*heap, *allocator, builder, text));
        EXPECT_EQ(bytes(text), model);
        EXPECT_EQ(builderLength(builder), model.size());
      }
      if (i == 250) {
        builderClear(*heap, builder);
        model.clear();
        String* text = nullptr;
        ASSERT_TRUE(builderText(*heap, *allocator, builder, text));
        EXPECT_EQ(text, nullptr);
      }
    }
  }
}

} // namespace
} // namespace nlang::object::test
