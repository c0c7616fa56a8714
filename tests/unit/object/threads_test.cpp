// Containers and strings used from several threads at once: nothing is lost, nothing invented, nothing torn (C2.4).
// Every thread keeps books of what it did, which are balanced in the end. Collections come in between.
#include <random>
#include <string>

#include "object/string_builder.h"
#include "unit/object/dict_fixture.h"
#include "unit/threads.h"

namespace nlang::object::test {
namespace {

using nlang::test::kThreads;
using nlang::test::onThreads;
using nlang::test::stressRounds;

class ThreadsTest : public DictFixture {
 protected:
  // One carrier's part.
  struct Worker {
    Worker(heap::Heap& heap, unsigned i) : index(i), allocator(heap), random(i + 1) {}
    unsigned index;
    heap::Allocator allocator;
    std::mt19937 random;
    Slot frame[16] = {};  // roots
    Slot element[2] = {}; // a number and a reference, which is a root
    uint64_t wrong = 0;

    unsigned below(unsigned limit) { return static_cast<unsigned>(random() % limit); }
  };

  void SetUp() override {
    DictFixture::SetUp();
    heap->setSeveralCarriers();
  }
  void TearDown() override { workers.clear(); }
  void markRoots(heap::Marker& marker) override {
    ObjectTest::markRoots(marker);
    for (auto& worker : workers) {
      for (Slot slot : worker->frame) marker.markSlot(slot);
      marker.markSlot(worker->element[1]);
    }
  }

  // Runs step(worker, round) on every thread, with a safepoint between the rounds; nothing may be found wrong.
  template <class F> void stress(unsigned rounds, F&& step) {
    workers.clear();
    for (unsigned i = 0; i < kThreads; ++i) workers.push_back(std::make_unique<Worker>(*heap, i));
    onThreads(kThreads, [&](unsigned i) {
      heap->world().enter();
      for (unsigned round = 0; round < rounds; ++round) {
        step(*workers[i], round);
        heap->world().safepoint();
        if (round % 2048 == i * 512) heap->collect(workers[i]->allocator);
      }
      heap->world().leave();
    });
    for (auto& worker : workers) EXPECT_EQ(worker->wrong, 0u) << "thread " << worker->index;
  }

  String* text(Worker& worker, uint64_t n) { return newString(*heap, worker.allocator, std::to_string(n)); }

  std::vector<std::unique_ptr<Worker>> workers;
};

// ---------------------------------------------------------------- lists

// A list of {int, string} whose elements are numbered: what is in it, by number.
class ListThreadsTest : public ThreadsTest {
 protected:
  void SetUp() override {
    ThreadsTest::SetUp();
    list = newList(*heap, *allocator, classes->byIndex(kPairs), 0);
    frame[0] = slot(list);
  }
  // In worker.element.
  void makeElement(Worker& worker, uint32_t number) {
    worker.element[1] = slot(text(worker, number));
    worker.element[0].setU32(number);
  }
  static bool isElement(const Slot* slots) {
    return slots[1].object() != nullptr && bytes(slots[1].as<String>()) == std::to_string(slots[0].u32());
  }
  // How often each number is in the list, once all threads are done.
  std::vector<int> counts(uint32_t numbers) {
    std::vector<int> found(numbers);
    for (uint32_t i = 0; i < list->length.load(); ++i) {
      Slot element[2];
      EXPECT_EQ(listGet(*heap, list, i, element), ListResult::kDone);
      EXPECT_TRUE(isElement(element));
      ++found.at(element[0].u32());
    }
    return found;
  }

  List* list = nullptr;
};

TEST_F(ListThreadsTest, EveryElementIsThereOrWasTakenOut) {
  constexpr uint32_t kLong = 200; // so much has to be moved at most
  const unsigned rounds = stressRounds(6000);
  std::vector<uint8_t> taken(rounds * kThreads); // written by who took it
  std::vector<uint8_t> added(rounds * kThreads);
  stress(rounds, [&](Worker& worker, unsigned round) {
    uint32_t number = round * kThreads + worker.index;
    uint32_t length = list->length.load();
    Slot element[2];
    switch (length < kLong ? worker.below(8) : 3 + worker.below(5)) {
    case 0:
    case 1:
      makeElement(worker, number);
      worker.wrong += !listAdd(*heap, worker.allocator, list, worker.element);
      added[number] = 1;
      break;
    case 2: {
      makeElement(worker, number);
      ListResult result = listInsert(*heap, worker.allocator, list, worker.below(length + 1), worker.element);
      worker.wrong += result == ListResult::kOutOfMemory;
      added[number] = result == ListResult::kDone;
      break;
    }
    case 3:
    case 4:
      if (listRemoveAt(*heap, list, worker.below(length + 1), element) != ListResult::kDone) break;
      worker.wrong += !isElement(element) || taken[element[0].u32()]++ != 0;
      break;
    case 5: {
      Array* copy = nullptr;
      if (listToArray(*heap, worker.allocator, list, 0, length, copy) != ListResult::kDone) break;
      for (uint32_t i = 0; i < length; ++i) {
        heap::loadElement(copy->elements() + i * 16, classes->byIndex(kPairs).element, element);
        worker.wrong += !isElement(element);
      }
      break;
    }
    default:
      if (listGet(*heap, list, worker.below(length + 1), element) == ListResult::kDone)
        worker.wrong += !isElement(element);
    }
  });
  std::vector<int> left = counts(rounds * kThreads);
  for (uint32_t number = 0; number < rounds * kThreads; ++number)
    ASSERT_EQ(left[number], added[number] - taken[number]) << number;
}

TEST_F(ListThreadsTest, WhatIsReplacedWhileTheListGrowsIsNotLost) {
  frame[0] = slot(list = newList(*heap, *allocator, classes->byIndex(kInts), 0));
  const unsigned rounds = stressRounds(20000);
  for (unsigned i = 0; i < kThreads; ++i) listAdd(*heap, *allocator, list, &frame[63]);
  // Element i belongs to thread i, which counts in it; everybody appends.
  stress(rounds, [&](Worker& worker, unsigned round) {
    Slot count{};
    worker.wrong += listGet(*heap, list, worker.index, &count) != ListResult::kDone || count.u32() != round;
    count.setU32(round + 1);
    worker.wrong += listSet(*heap, list, worker.index, &count) != ListResult::kDone;
    worker.wrong += !listAdd(*heap, worker.allocator, list, &count);
  });
  EXPECT_EQ(list->length.load(), kThreads * (rounds + 1));
}

TEST_F(ListThreadsTest, ACopyIsTheListOfOneMoment) {
  frame[0] = slot(list = newList(*heap, *allocator, classes->byIndex(kInts), 0));
  // Thread 0 keeps 1, 2, … n in the list by adding behind and taking off in front; the others copy.
  uint32_t last = 0;
  stress(stressRounds(5000), [&](Worker& worker, unsigned) {
    if (worker.index == 0) {
      for (int i = 0; i < 4; ++i) {
        Slot number{};
        number.setU32(++last);
        worker.wrong += !listAdd(*heap, worker.allocator, list, &number);
        if (list->length.load() > 50) listRemoveAt(*heap, list, 0, &number);
      }
      return;
    }
    Array* copy = listCopy(*heap, worker.allocator, list);
    auto* numbers = reinterpret_cast<const uint32_t*>(copy->elements());
    for (uint32_t i = 1; i < copy->length; ++i) worker.wrong += numbers[i] != numbers[0] + i;
    worker.wrong += copy->length > 51;
  });
}

// ---------------------------------------------------------------- dictionaries and sets

TEST_F(ThreadsTest, ADictionaryHasWhatEachThreadPutThere) {
  Dict* dict = newDict(kStringPair);
  frame[0] = slot(dict);
  constexpr unsigned kOwn = 200, kShared = 100;
  // The keys, kept alive: each thread's own, and those of all.
  List* keys = newList(*heap, *allocator, classes->byIndex(kStrings), 0);
  frame[1] = slot(keys);
  for (unsigned i = 0; i < kThreads * kOwn + kShared; ++i) {
    frame[2] = slot(make("key " + std::to_string(i)));
    listAdd(*heap, *allocator, keys, &frame[2]);
  }
  auto key = [&](unsigned i) {
    Slot k;
    EXPECT_EQ(listGet(*heap, keys, i, &k), ListResult::kDone);
    return k;
  };
  int64_t values[kThreads][kOwn];               // of its own keys; -1: absent
  std::atomic<int> sharedPresent[kShared] = {}; // additions minus removals
  for (auto& of : values) std::fill_n(of, kOwn, -1);
  stress(stressRounds(20000), [&](Worker& worker, unsigned round) {
    unsigned own = worker.below(kOwn), shared = worker.below(kShared);
    int64_t& expected = values[worker.index][own];
    Slot k = key(worker.index * kOwn + own), value[2] = {{round}, k};
    switch (worker.below(6)) {
    case 0:
    case 1:
      worker.wrong += dictSet(*heap, worker.allocator, dict, &k, value) !=
                      (expected < 0 ? DictResult::kAbsent : DictResult::kFound);
      expected = round;
      break;
    case 2:
      worker.wrong += dictRemove(*heap, dict, &k) != (expected < 0 ? DictResult::kAbsent : DictResult::kFound);
      expected = -1;
      break;
    case 3:
      k = value[1] = key(kThreads * kOwn + shared);
      if (dictSet(*heap, worker.allocator, dict, &k, value) == DictResult::kAbsent) ++sharedPresent[shared];
      break;
    case 4:
      k = key(kThreads * kOwn + shared);
      if (dictRemove(*heap, dict, &k) == DictResult::kFound) --sharedPresent[shared];
      break;
    default: {
      DictResult result = dictGet(*heap, dict, &k, value);
      worker.wrong += result != (expected < 0 ? DictResult::kAbsent : DictResult::kFound);
      if (result == DictResult::kFound) worker.wrong += value[0].u32() != expected || value[1].bits != k.bits;
      // A walk sees whole entries.
      uint32_t position = 0, version = dict->version.load();
      for (int i = 0; i < 20 && dictNext(*heap, dict, position, version, &k, value) == DictResult::kFound; ++i)
        worker.wrong += value[1].bits != k.bits;
    }
    }
  });
  uint32_t present = 0;
  Slot value[2];
  for (unsigned i = 0; i < kThreads * kOwn; ++i) {
    Slot k = key(i);
    int64_t expected = values[i / kOwn][i % kOwn];
    ASSERT_EQ(dictGet(*heap, dict, &k, value), expected < 0 ? DictResult::kAbsent : DictResult::kFound);
    if (expected < 0) continue;
    ASSERT_EQ(value[0].u32(), expected);
    ++present;
  }
  for (unsigned i = 0; i < kShared; ++i) {
    Slot k = key(kThreads * kOwn + i);
    int expected = dictGet(*heap, dict, &k, value) == DictResult::kFound;
    ASSERT_EQ(sharedPresent[i].load(), expected);
    present += static_cast<uint32_t>(expected);
  }
  EXPECT_EQ(dict->count.load(), present);
}

TEST_F(ThreadsTest, OneThreadAddsAMemberToASet) {
  Dict* set = newDict(kLongSet);
  frame[0] = slot(set);
  constexpr unsigned kMembers = 300;
  std::atomic<int> present[kMembers] = {};
  stress(stressRounds(50000), [&](Worker& worker, unsigned) {
    Slot member{worker.below(kMembers)};
    std::atomic<int>& count = present[member.u64()];
    switch (worker.below(3)) {
    case 0:
      if (dictAdd(*heap, worker.allocator, set, &member) == DictResult::kAbsent) ++count;
      break;
    case 1:
      if (dictRemove(*heap, set, &member) == DictResult::kFound) --count;
      break;
    default:
      if (dictQuickGet(*heap, set, member, nullptr) == QuickResult::kNotQuick) dictGet(*heap, set, &member, nullptr);
    }
  });
  uint32_t size = 0;
  for (unsigned i = 0; i < kMembers; ++i) {
    Slot member{i};
    int found = dictGet(*heap, set, &member, nullptr) == DictResult::kFound;
    ASSERT_EQ(present[i].load(), found);
    size += static_cast<uint32_t>(found);
  }
  EXPECT_EQ(set->count.load(), size);
}

// ---------------------------------------------------------------- texts

// Whether the text is made of whole records `T:NNNNNN;`, each thread's numbers in order. `counts`: how many of each.
bool isWhole(std::string_view text, unsigned (&counts)[kThreads]) {
  constexpr size_t kRecord = 9;
  for (unsigned& count : counts) count = 0;
  if (text.size() % kRecord != 0) return false;
  for (; !text.empty(); text.remove_prefix(kRecord)) {
    unsigned thread = static_cast<unsigned>(text[0] - '0');
    if (thread >= kThreads || text[1] != ':' || text[8] != ';') return false;
    if (std::stoul(std::string(text.substr(2, 6))) != counts[thread]++) return false;
  }
  return true;
}

TEST_F(ThreadsTest, ABuilderTakesWholeTexts) {
  auto* builder =
      reinterpret_cast<StringBuilder*>(heap->allocate(*allocator, classes->byIndex(kBuilder), sizeof(StringBuilder)));
  frame[0] = slot(builder);
  const unsigned rounds = stressRounds(4000);
  stress(rounds, [&](Worker& worker, unsigned round) {
    char record[16];
    std::snprintf(record, sizeof record, "%u:%06u;", worker.index, round);
    worker.wrong += !builderAppend(*heap, worker.allocator, builder, record);
    if (round % (rounds / 64) != 0) return;
    String* all = nullptr;
    unsigned counts[kThreads];
    worker.wrong += !builderText(*heap, worker.allocator, builder, all);
    worker.frame[0] = slot(all);
    worker.wrong += !isWhole(bytes(all), counts) || counts[worker.index] != round + 1;
  });
  String* all = nullptr;
  unsigned counts[kThreads];
  ASSERT_TRUE(builderText(*heap, *allocator, builder, all));
  ASSERT_TRUE(isWhole(bytes(all), counts));
  for (unsigned count : counts) EXPECT_EQ(count, rounds);
}

// All append to the same long text, which has room for one of them behind it.
TEST_F(ThreadsTest, AppendingInPlaceLeavesOtherTextsAlone) {
  frame[0] = slot(make(std::string(300, 'x')));
  frame[1] = slot(make("y"));
  Slot shared = slot(join(slot(join(frame[0], frame[1])), frame[1]));
  frame[2] = shared;
  std::string start(bytes(shared.as<String>()));
  stress(stressRounds(10000), [&](Worker& worker, unsigned round) {
    Slot parts[2] = {shared, {}};
    // From now and then on a text of its own, as long as it has become.
    if (round % 16 != 0) parts[0] = worker.frame[2];
    std::string before(bytes(parts[0].as<String>()));
    worker.frame[0] = parts[0];
    worker.frame[1] = slot(text(worker, worker.below(1000000)));
    String* sum = concat(*heap, worker.allocator, worker.frame, 2);
    worker.frame[2] = slot(sum);
    worker.wrong += std::string(bytes(sum)) != before + std::string(bytes(worker.frame[1].as<String>()));
    worker.wrong += std::string(bytes(parts[0].as<String>())) != before;
    worker.wrong += hashOf(shared.as<String>()) == 0;
  });
  EXPECT_EQ(bytes(shared.as<String>()), start);
}

// ---------------------------------------------------------------- identity

TEST_F(ThreadsTest, AnObjectHasOneIdentityHashOfItsOwn) {
  constexpr unsigned kObjects = 2000;
  frame.assign(64 + kObjects, Slot{0});
  for (unsigned i = 0; i < kObjects; ++i) frame[64 + i] = slot(newObject(kObject));
  std::vector<uint32_t> seen[kThreads];
  for (auto& hashes : seen) hashes.resize(kObjects);
  stress(kObjects, [&](Worker& worker, unsigned round) {
    unsigned i = (round + worker.index % 2) % kObjects;
    seen[worker.index][i] = heap->identityHash(frame[64 + i].object());
  });
  std::vector<uint32_t> all = seen[0];
  for (auto& hashes : seen) EXPECT_EQ(hashes, all);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

} // namespace
} // namespace nlang::object::test
