// Dictionaries and sets against std::unordered_map and a vector that remembers the order.
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <unordered_map>

#include "unit/object/dict_fixture.h"

namespace nlang::object::test {
namespace {

class DictTest : public DictFixture {
 protected:
  static Slot number(uint64_t n) { return {n}; }
  static Slot real(double d) {
    Slot s;
    s.setF64(d);
    return s;
  }

  // Whether the key is new. The quick way first, as instructions do.
  bool set(Dict* dict, Slot key, Slot value) {
    QuickResult quick = dictQuickSet(*heap, dict, key, &value);
    if (quick != QuickResult::kNotQuick) return quick == QuickResult::kAbsent;
    DictResult result = dictSet(*heap, *allocator, dict, &key, &value);
    EXPECT_NE(result, DictResult::kOutOfMemory);
    return result == DictResult::kAbsent;
  }
  // The value of an int, or -1. Both ways must agree.
  int64_t get(Dict* dict, Slot key) {
    Slot value{99}, same{99};
    DictResult result = dictGet(*heap, dict, &key, &value);
    QuickResult quick = dictQuickGet(*heap, dict, key, &same);
    if (result == DictResult::kFound) {
      EXPECT_NE(quick, QuickResult::kAbsent);
      if (quick == QuickResult::kFound) EXPECT_EQ(same.bits, value.bits);
      return value.u32();
    }
    EXPECT_NE(quick, QuickResult::kFound);
    EXPECT_EQ(value.bits, 0u) << "what is not there reads as zero";
    return -1;
  }
  // All keys of one leaf, in order.
  std::vector<uint64_t> keys(Dict* dict) {
    std::vector<uint64_t> all;
    uint32_t position = 0, version = dict->version.load();
    Slot key[2];
    while (dictHasMore(*heap, dict, position)) {
      EXPECT_EQ(dictNext(*heap, dict, position, version, key, nullptr), DictResult::kFound);
      all.push_back(key->bits);
    }
    EXPECT_EQ(dictNext(*heap, dict, position, version, key, nullptr), DictResult::kAbsent);
    EXPECT_EQ(all.size(), dict->count.load());
    return all;
  }
};

TEST_F(DictTest, AnEmptyOneHasNothing) {
  Dict* dict = newDict(kIntInt);
  frame[0] = slot(dict);
  Slot key = number(1);
  EXPECT_EQ(get(dict, key), -1);
  EXPECT_EQ(dictRemove(*heap, dict, &key), DictResult::kAbsent);
  EXPECT_TRUE(keys(dict).empty());
  dictClear(*heap, dict);
  EXPECT_EQ(dict->count.load(), 0u);
}

TEST_F(DictTest, SettingAgainKeepsThePlaceAndTheVersion) {
  Dict* dict = newDict(kIntInt);
  frame[0] = slot(dict);
  EXPECT_TRUE(set(dict, number(5), number(50)));
  EXPECT_TRUE(set(dict, number(3), number(30)));
  uint32_t version = dict->version.load();
  EXPECT_FALSE(set(dict, number(5), number(51)));
  EXPECT_EQ(dict->version.load(), version);
  EXPECT_EQ(keys(dict), (std::vector<uint64_t>{5, 3}));
  EXPECT_EQ(get(dict, number(5)), 51);
}

TEST_F(DictTest, ARemovedKeyComesBackAtTheEnd) {
  Dict* dict = newDict(kIntInt);
  frame[0] = slot(dict);
  for (uint64_t n : {1, 2, 3}) set(dict, number(n), number(n));
  Slot one = number(1);
  EXPECT_EQ(dictRemove(*heap, dict, &one), DictResult::kFound);
  EXPECT_EQ(dictRemove(*heap, dict, &one), DictResult::kAbsent);
  EXPECT_TRUE(set(dict, one, number(7)));
  EXPECT_EQ(keys(dict), (std::vector<uint64_t>{2, 3, 1}));
}

TEST_F(DictTest, EveryStructuralChangeIsSeenByAWalk) {
  Dict* dict = newDict(kIntInt);
  frame[0] = slot(dict);
  set(dict, number(1), number(1));
  set(dict, number(2), number(2));
  Slot two = number(2), key;
  auto walkFails = [&](auto change) {
    uint32_t position = 0, version = dict->version.load();
    change();
    return dictNext(*heap, dict, position, version, &key, nullptr) == DictResult::kChanged;
  };
  EXPECT_TRUE(walkFails([&] { set(dict, number(3), number(3)); }));
  EXPECT_TRUE(walkFails([&] { dictRemove(*heap, dict, &two); }));
  EXPECT_TRUE(walkFails([&] { dictClear(*heap, dict); }));
  EXPECT_FALSE(walkFails([&] { EXPECT_EQ(get(dict, two), -1); }));
}

TEST_F(DictTest, ZerosAreOneKeyAndNaNsAreOneKey) {
  Dict* dict = newDict(kDoubleInt);
  frame[0] = slot(dict);
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(set(dict, real(0.0), number(1)));
  EXPECT_FALSE(set(dict, real(-0.0), number(2)));
  EXPECT_TRUE(set(dict, real(nan), number(3)));
  EXPECT_FALSE(set(dict, real(-nan), number(4)));
  EXPECT_FALSE(set(dict, real(std::bit_cast<double>(0x7ff8000000001234)), number(5)));
  EXPECT_TRUE(set(dict, real(1.5), number(6)));
  EXPECT_EQ(get(dict, real(0.0)), 2);
  EXPECT_EQ(get(dict, real(nan)), 5);
  EXPECT_EQ(dict->count.load(), 3u);
}

TEST_F(DictTest, StringsAreKeysByTheirText) {
  Dict* dict = newDict(kStringPair);
  frame[0] = slot(dict);
  for (int i = 0; i < 100; ++i) {
    frame[1] = slot(make("key" + std::to_string(i)));
    frame[2] = slot(make("value" + std::to_string(i)));
    Slot value[2] = {number(static_cast<uint64_t>(i)), frame[2]};
    ASSERT_EQ(dictSet(*heap, *allocator, dict, &frame[1], value), DictResult::kAbsent);
  }
  // The null pointer is the empty text, as the empty object is.
  Slot nothing = slot(nullptr), empty = slot(newEmptyStringObject(*heap, *allocator));
  Slot value[2] = {number(1), nothing};
  EXPECT_EQ(dictSet(*heap, *allocator, dict, &nothing, value), DictResult::kAbsent);
  EXPECT_EQ(dictGet(*heap, dict, &empty, value), DictResult::kFound);
  for (int i = 0; i < 100; ++i) {
    frame[1] = slot(make("key" + std::to_string(i)));
    ASSERT_EQ(dictGet(*heap, dict, &frame[1], value), DictResult::kFound);
    EXPECT_EQ(value[0].i32(), i);
    EXPECT_EQ(bytes(value[1].as<String>()), "value" + std::to_string(i));
  }
}

TEST_F(DictTest, StructsAreKeysFieldByField) {
  Dict* dict = newDict(kPairInt);
  frame[0] = slot(dict);
  for (uint64_t i = 0; i < 200; ++i) {
    frame[1] = slot(make(std::to_string(i / 20)));
    Slot key[2] = {number(i % 20), frame[1]}, value = number(i);
    ASSERT_EQ(dictSet(*heap, *allocator, dict, key, &value), DictResult::kAbsent);
  }
  Slot key[2] = {number(7), slot(make("3"))}, value;
  EXPECT_EQ(dictGet(*heap, dict, key, &value), DictResult::kFound);
  EXPECT_EQ(value.u32(), 67u);
  key[1] = slot(make("33"));
  EXPECT_EQ(dictGet(*heap, dict, key, &value), DictResult::kAbsent);
}

// Operations on a Dict<int, int> and a model. `spread` numbers are in use; small ones make removals and re-insertions
// meet.
struct Model {
  std::unordered_map<uint32_t, uint32_t> values;
  std::vector<uint32_t> order;
};
class DictProperty : public DictTest {
 protected:
  void drive(uint32_t spread, uint32_t factor, unsigned steps, unsigned seed) {
    std::mt19937 random(seed);
    Dict* dict = newDict(kIntInt);
    frame[0] = slot(dict);
    Model model;
    for (unsigned step = 0; step < steps; ++step) {
      uint32_t key = static_cast<uint32_t>(random() % spread) * factor, value = static_cast<uint32_t>(random());
      Slot k = number(key);
      bool isThere = model.values.contains(key);
      // Phases of growing and of shrinking.
      unsigned removals = step / 500 % 2 == 0 ? 2 : 6;
      unsigned choice = random() % 10;
      if (choice < removals) {
        ASSERT_EQ(dictRemove(*heap, dict, &k), isThere ? DictResult::kFound : DictResult::kAbsent);
        model.values.erase(key);
        if (isThere) std::erase(model.order, key);
      } else if (choice < 9) {
        ASSERT_EQ(set(dict, k, number(value)), !isThere);
        if (!isThere) model.order.push_back(key);
        model.values[key] = value;
      } else if (random() % 400 == 0) {
        dictClear(*heap, dict);
        model = {};
      }
      ASSERT_EQ(get(dict, k), model.values.contains(key) ? int64_t{model.values[key]} : -1);
      if (step % 100 == 0) expectSame(dict, model);
    }
    expectSame(dict, model);
    frame[1] = slot(dictCopy(*heap, *allocator, dict));
    expectSame(frame[1].as<Dict>(), model);
    frame[2] = slot(dictToList(*heap, *allocator, dict, DictPart::kKeys, classes->byIndex(kInts)));
    frame[3] = slot(dictToList(*heap, *allocator, dict, DictPart::kValues, classes->byIndex(kInts)));
    ASSERT_EQ(frame[2].as<List>()->length.load(), model.order.size());
    Slot element;
    for (uint32_t i = 0; i < model.order.size(); ++i) {
      listGet(*heap, frame[2].as<List>(), i, &element);
      ASSERT_EQ(element.u32(), model.order[i]);
      listGet(*heap, frame[3].as<List>(), i, &element);
      ASSERT_EQ(element.u32(), model.values[model.order[i]]);
    }
  }
  void expectSame(Dict* dict, Model& model) {
    ASSERT_EQ(dict->count.load(), model.order.size());
    uint32_t position = 0, version = dict->version.load();
    for (uint32_t expected : model.order) {
      Slot key, value;
      ASSERT_EQ(dictNext(*heap, dict, position, version, &key, &value), DictResult::kFound);
      ASSERT_EQ(key.u32(), expected);
      ASSERT_EQ(value.u32(), model.values[expected]);
    }
    ASSERT_FALSE(dictHasMore(*heap, dict, position));
  }
};

TEST_F(DictProperty, FewKeys) {
  for (unsigned seed = 0; seed < 10; ++seed) drive(20, 1, 3000, seed);
}
TEST_F(DictProperty, ManyKeys) {
  for (unsigned seed = 0; seed < 4; ++seed) drive(100000, 7, 20000, seed);
}
TEST_F(DictProperty, KeysThatDifferInTheirUpperBitsOnly) {
  for (unsigned seed = 0; seed < 4; ++seed) drive(4096, 1u << 20, 10000, seed);
}
TEST_F(DictProperty, EverySeed) {
  for (uint64_t seed : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{1} << 63}) {
    heap->setHashSeed(seed);
    drive(3000, 16, 5000, 1);
  }
}
TEST_F(DictProperty, Stress) {
  startStress();
  drive(60, 3, 1500, 1);
}

TEST_F(DictTest, GarbageCollectionKeepsKeysAndValues) {
  startStress();
  Dict* dict = newDict(kStringPair);
  frame[0] = slot(dict);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 40; ++i) {
      frame[1] = slot(make("k" + std::to_string(i)));
      if (i % 3 == round) {
        dictRemove(*heap, dict, &frame[1]);
        continue;
      }
      frame[2] = slot(make("v" + std::to_string(i)));
      Slot value[2] = {number(static_cast<uint64_t>(i)), frame[2]};
      ASSERT_NE(dictSet(*heap, *allocator, dict, &frame[1], value), DictResult::kOutOfMemory);
    }
  }
  for (int i = 0; i < 40; ++i) {
    frame[1] = slot(make("k" + std::to_string(i)));
    Slot value[2];
    DictResult result = dictGet(*heap, dict, &frame[1], value);
    if (i % 3 == 2) {
      EXPECT_EQ(result, DictResult::kAbsent);
    } else {
      ASSERT_EQ(result, DictResult::kFound);
      EXPECT_EQ(bytes(value[1].as<String>()), "v" + std::to_string(i));
    }
  }
}

TEST_F(DictTest, RemovedEntriesHoldNothingAlive) {
  Dict* dict = newDict(kStringPair);
  frame[0] = slot(dict);
  Slot key = slot(make("key")), value[2] = {number(0), slot(make("value"))};
  dictSet(*heap, *allocator, dict, &key, value);
  dictRemove(*heap, dict, &key);
  const char* entries = dict->table->entries();
  for (uint32_t i = 0; i < program.classes[kStringPair + 1].element.size; ++i) EXPECT_EQ(entries[i], 0);
}

TEST_F(DictTest, ALongQueueStaysSmall) {
  Dict* dict = newDict(kIntInt);
  frame[0] = slot(dict);
  for (uint64_t i = 0; i < 100000; ++i) {
    set(dict, number(i), number(i));
    Slot old = number(i - 10);
    if (i >= 10) ASSERT_EQ(dictRemove(*heap, dict, &old), DictResult::kFound);
  }
  EXPECT_EQ(dict->count.load(), 10u);
  EXPECT_LE(dict->table->capacity, 50u);
  EXPECT_EQ(keys(dict).front(), 99990u);
}

TEST_F(DictTest, KeysInSequenceNeedFewSteps) {
  // With twice as many slots as keys, hardly a key is far from where it is looked for first.
  Dict* set = newDict(kLongSet);
  frame[0] = slot(set);
  constexpr uint64_t kCount = 100000;
  for (uint64_t stride : {1ull, 2ull, 16ull, 1ull << 32, 1ull << 40, 0x100000001ull}) {
    dictClear(*heap, set);
    for (uint64_t i = 0; i < kCount; ++i) {
      Slot key = number(i * stride);
      ASSERT_EQ(dictAdd(*heap, *allocator, set, &key), DictResult::kAbsent);
    }
    Table* table = set->table;
    uint64_t full = 0, lines = (uint64_t{table->numberMask} + 1) / 8;
    for (uint64_t line = 0; line < lines; ++line) {
      bool isFull = true;
      for (uint64_t i = 0; i < 8; ++i) isFull &= table->slots()[line * 8 + i] != 0;
      full += isFull;
    }
    EXPECT_LT(full, lines * 2 / 3) << "stride " << stride;
  }
}

TEST_F(DictTest, KeysWithCodeGoStepByStep) {
  Dict* dict = newDict(kIntInt);
  frame[0] = slot(dict);
  auto append = [&](int32_t hash, uint64_t key) {
    Slot k = number(key), v = number(key * 10);
    return dictAppend(*heap, *allocator, dict, hash, dict->version.load(), &k, &v);
  };
  // Thirty keys of one hash code, and others around them.
  for (uint64_t i = 0; i < 30; ++i) {
    ASSERT_EQ(append(7, i), DictResult::kAbsent);
    ASSERT_EQ(append(static_cast<int32_t>(i * 1000), 1000 + i), DictResult::kAbsent);
  }
  uint32_t version = dict->version.load();
  std::vector<uint64_t> candidates;
  std::vector<uint32_t> entries;
  for (uint32_t from = 0;;) {
    Slot candidate;
    Probe probe = dictProbe(*heap, dict, 7, version, from, &candidate);
    if (probe.result == DictResult::kAbsent) break;
    ASSERT_EQ(probe.result, DictResult::kFound);
    candidates.push_back(candidate.bits);
    entries.push_back(probe.entry);
    from = probe.next;
  }
  std::vector<uint64_t> expected;
  for (uint64_t i = 0; i < 30; ++i) expected.push_back(i);
  std::sort(candidates.begin(), candidates.end());
  EXPECT_EQ(candidates, expected);

  Slot value;
  EXPECT_EQ(dictRead(*heap, dict, entries[0], version, &value), DictResult::kFound);
  Slot hundred = number(100);
  EXPECT_EQ(dictReplace(*heap, dict, entries[0], version, &hundred), DictResult::kFound);
  EXPECT_EQ(dictRead(*heap, dict, entries[0], version, &value), DictResult::kFound);
  EXPECT_EQ(value.u32(), 100u);
  EXPECT_EQ(dictErase(*heap, dict, entries[0], version), DictResult::kFound);
  // From here on nothing of the old version counts.
  EXPECT_EQ(dictErase(*heap, dict, entries[1], version), DictResult::kChanged);
  EXPECT_EQ(dictRead(*heap, dict, entries[1], version, &value), DictResult::kChanged);
  EXPECT_EQ(dictReplace(*heap, dict, entries[1], version, &hundred), DictResult::kChanged);
  EXPECT_EQ(dictProbe(*heap, dict, 7, version, 0, &value).result, DictResult::kChanged);
  Slot k = number(1);
  EXPECT_EQ(dictAppend(*heap, *allocator, dict, 1, version, &k, &k), DictResult::kChanged);
  EXPECT_EQ(dict->count.load(), 59u);
}

TEST_F(DictTest, OutOfMemoryChangesNothing) {
  heap::HeapOptions options;
  options.limit = 1 << 20;
  start(options);
  Dict* dict = newDict(kIntInt);
  frame[0] = slot(dict);
  uint64_t n = 0;
  Slot key = number(0);
  while (dictSet(*heap, *allocator, dict, &key, &key) == DictResult::kAbsent) key = number(++n);
  EXPECT_EQ(dict->count.load(), n);
  EXPECT_EQ(get(dict, number(n - 1)), static_cast<int64_t>(n - 1));
  EXPECT_EQ(get(dict, number(n)), -1);
}

// One writer, several readers that take no lock: they find what is there all the time with a value that belongs to it,
// and nothing that was never there.
TEST_F(DictTest, ReadersRaceWithAWriter) {
  heap->setSeveralCarriers();
  Dict* dict = newDict(kStringPair);
  frame[0] = slot(dict);
  std::vector<Slot> texts;
  List* list = newList(*heap, *allocator, classes->byIndex(kStrings), 0);
  frame[4] = slot(list);
  for (int i = 0; i < 200; ++i) {
    frame[1] = slot(make("text" + std::to_string(i)));
    listAdd(*heap, *allocator, list, &frame[1]);
    hashOf(frame[1].as<String>());
    texts.push_back(frame[1]);
  }
  Dict* index = newDict(kStringInt);
  frame[5] = slot(index);
  auto put = [&](uint32_t i) {
    set(index, texts[i], number(i));
    Slot value[2] = {number(i), texts[i]};
    ASSERT_NE(dictSet(*heap, *allocator, dict, &texts[i], value), DictResult::kOutOfMemory);
  };
  for (uint32_t i = 0; i < 50; ++i) put(i);
  std::atomic<bool> done{false};
  std::atomic<uint64_t> wrong{0};
  auto read = [&](uint32_t seed) {
    std::mt19937 random(seed);
    while (!done.load()) {
      uint32_t i = random() % 200;
      Slot value[2];
      DictResult result = dictGet(*heap, dict, &texts[i], value);
      if (result == DictResult::kFound ? value[0].u32() != i || value[1].bits != texts[i].bits : i < 50) ++wrong;
      if (dictQuickGet(*heap, index, texts[i], value) == QuickResult::kFound && value->u32() != i) ++wrong;
      uint32_t position = 0, version = dict->version.load();
      Slot key;
      while (dictNext(*heap, dict, position, version, &key, value) == DictResult::kFound)
        if (value[1].bits != key.bits) ++wrong;
    }
  };
  std::thread first(read, 1), second(read, 2);
  std::mt19937 random(3);
  for (int step = 0; step < 20000; ++step) {
    uint32_t i = 50 + random() % 150;
    if (random() % 2 == 0)
      put(i);
    else
      for (Dict* each : {dict, index}) dictRemove(*heap, each, &texts[i]);
  }
  done.store(true);
  first.join();
  second.join();
  EXPECT_EQ(wrong.load(), 0u);
}

} // namespace
} // namespace nlang::object::test
