// Dictionaries and sets of several kinds of keys, beside the classes of the room's fixture.
#pragma once

#include <algorithm>

#include "object/dict.h"
#include "unit/object/fixture.h"

namespace nlang::object::test {

// Classes beside those of the fixture: each dictionary is followed by its table.
enum DictClasses : uint32_t {
  kIntInt = kClassCount,      // Dict<int, int>
  kStringPair = kIntInt + 2,  // Dict<string, {int, string}>
  kPairInt = kStringPair + 2, // Dict<{int, string}, int>
  kDoubleInt = kPairInt + 2,  // Dict<double, int>
  kIntSet = kDoubleInt + 2,   // Set<int>
  kStringInt = kIntSet + 2,   // Dict<string, int>
  kLongSet = kStringInt + 2,  // Set<long>
  kLast = kLongSet + 2
};

inline const bytecode::Leaf kInt{0, StorageKind::k32, false}, kLong{0, StorageKind::k64, false},
    kDouble{0, StorageKind::k64, true}, kText{0, StorageKind::kReference, false};

// Leaves behind each other, the large ones first.
inline bytecode::ElementLayout packed(std::vector<bytecode::Leaf> leaves) {
  uint32_t offset = 0, alignment = 1;
  for (uint32_t size : {8u, 4u}) {
    for (bytecode::Leaf& leaf : leaves) {
      if (storageSize(leaf.kind) != size) continue;
      leaf.offset = offset;
      offset += size;
      alignment = std::max(alignment, size);
    }
  }
  return {(offset + alignment - 1) / alignment * alignment, std::move(leaves)};
}

class DictFixture : public ObjectTest {
 protected:
  void SetUp() override {
    program.classes.resize(kLast);
    add(kIntInt, ClassKind::kDict, {kInt}, {kInt});
    add(kStringPair, ClassKind::kDict, {kText}, {kInt, kText});
    add(kPairInt, ClassKind::kDict, {kInt, kText}, {kInt});
    add(kDoubleInt, ClassKind::kDict, {kDouble}, {kInt});
    add(kStringInt, ClassKind::kDict, {kText}, {kInt});
    add(kIntSet, ClassKind::kSet, {kInt}, {});
    add(kLongSet, ClassKind::kSet, {kLong}, {});
    ObjectTest::SetUp();
  }
  void add(uint32_t index, ClassKind kind, std::vector<bytecode::Leaf> key, std::vector<bytecode::Leaf> value) {
    bytecode::Class& cls = program.classes[index];
    cls.kind = kind;
    cls.key = packed(key);
    if (!value.empty()) cls.element = packed(value);
    cls.arrayClass = index + 1;
    std::vector<bytecode::Leaf> rest = key;
    rest.insert(rest.end(), value.begin(), value.end());
    bytecode::ElementLayout entry = packed(rest);
    for (bytecode::Leaf& leaf : entry.leaves) leaf.offset += 8; // behind the hash code
    entry.leaves.insert(entry.leaves.begin(), kInt);
    entry.size = (entry.size + 8 + 7) / 8 * 8;
    program.classes[index + 1].kind = ClassKind::kTable;
    program.classes[index + 1].element = entry;
  }
  Dict* newDict(uint32_t cls) { return reinterpret_cast<Dict*>(newObject(cls)); }
};

} // namespace nlang::object::test
