#include "object/dict.h"

#include <algorithm>

#include <sched.h>

#include "heap/lock_bit.h"
#include "object/list.h"
#include "object/table_index.h"

namespace nlang::object {

namespace {

using bytecode::Leaf;
using bytecode::StorageKind;
using heap::Layout;

constexpr unsigned kSmallestBits = 3;
constexpr unsigned kLargestBits = 31;

uint64_t capacityOf(unsigned slotBits) { return (uint64_t{1} << slotBits) / 4 * 3; }

Table* tableOf(Dict* dict) {
  return reinterpret_cast<Table*>(heap::loadReference(reinterpret_cast<Object**>(&dict->table)));
}

// The leaves of a dictionary's entries.
struct Shape {
  const Layout& entry;
  uint32_t keyLeaves, valueLeaves;

  explicit Shape(const heap::Class& cls)
      : entry(cls.arrayClass->element), keyLeaves(cls.key.leafCount), valueLeaves(entry.leafCount - 1 - keyLeaves) {}
  Shape(heap::Heap& heap, const Dict* dict) : Shape(heap.classes().of(&dict->header)) {}

  const Leaf* key() const { return entry.leaves + 1; }
  const Leaf* value() const { return entry.leaves + 1 + keyLeaves; }
};

void loadLeaves(const char* at, const Leaf* leaves, uint32_t count, Slot* to) {
  for (uint32_t i = 0; i < count; ++i) to[i] = heap::loadLeaf(at + leaves[i].offset, leaves[i].kind);
}
void storeLeaves(heap::Heap& heap, Table* table, char* at, const Leaf* leaves, uint32_t count, const Slot* from) {
  for (uint32_t i = 0; i < count; ++i)
    heap::storeLeaf(heap, &table->header, at + leaves[i].offset, leaves[i].kind, from[i]);
}

// ---------------------------------------------------------------- hash codes and equality of plain keys

// The bits that equal values have in common.
uint64_t bitsOf(const Leaf& leaf, Slot slot) {
  if (leaf.kind == StorageKind::kReference) return hashOf(slot.as<String>());
  if (!leaf.isFloating) return slot.bits;
  double value = leaf.kind == StorageKind::k64 ? slot.f64() : static_cast<double>(slot.f32());
  if (value == 0) return 0;
  return value == value ? std::bit_cast<uint64_t>(value) : 0x7ff8000000000000;
}

uint32_t hashOfKey(heap::Heap& heap, const Shape& shape, const Slot* key) {
  const heap::HashSeed& seed = heap.hashSeed();
  const Leaf* leaves = shape.key();
  if (shape.keyLeaves == 1 && leaves->kind != StorageKind::kReference)
    return hashOfInteger(seed, bitsOf(*leaves, *key));
  uint64_t hash = 0;
  for (uint32_t i = 0; i < shape.keyLeaves; ++i) hash = hashOfLeaf(seed, hash, bitsOf(leaves[i], key[i]));
  return finishHash(hash);
}

uint32_t hashOfCode(heap::Heap& heap, int32_t hashCode) {
  return hashOfInteger(heap.hashSeed(), static_cast<uint32_t>(hashCode));
}

bool sameLeaf(const Leaf& leaf, Slot a, Slot b) {
  if (a.bits == b.bits) return true;
  if (leaf.kind == StorageKind::kReference) return equal(a.as<String>(), b.as<String>());
  return leaf.isFloating && bitsOf(leaf, a) == bitsOf(leaf, b);
}

Place findKey(Table* table, const Shape& shape, uint32_t hash, const Slot* key) {
  return find(table, hash, 0, [&](const char* at) {
    const Leaf* leaves = shape.key();
    for (uint32_t i = 0; i < shape.keyLeaves; ++i)
      if (!sameLeaf(leaves[i], heap::loadLeaf(at + leaves[i].offset, leaves[i].kind), key[i])) return false;
    return true;
  });
}

uint32_t emptySlot(Table* table, uint32_t hash) {
  return find(table, hash, 0, [](const char*) { return false; }).slot;
}

// ---------------------------------------------------------------- changes

// A structural change: the version is odd while it is under way. The lock bit is held.
class Change {
 public:
  explicit Change(Dict* dict) : dict_(dict), before_(dict->version.load(std::memory_order_relaxed)) {
    dict_->version.store(before_ + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  ~Change() { dict_->version.store(before_ + 2, std::memory_order_release); }
  Change(const Change&) = delete;

 private:
  Dict* dict_;
  uint32_t before_;
};

// An odd version is that of the change that was under way.
uint32_t settled(uint32_t version) { return version + (version & 1); }

void addToCount(Dict* dict, uint32_t difference) {
  dict->count.store(dict->count.load(std::memory_order_relaxed) + difference, std::memory_order_relaxed);
}

bool hasRoom(const Table* table) {
  return table != nullptr && table->used.load(std::memory_order_relaxed) < table->capacity;
}

// Appends an entry, whose key and value `fill(at)` stores; the table has room, `slot` is empty, and the lock bit is
// held.
template <class Fill>
[[gnu::always_inline]] inline void append(Dict* dict, Table* table, uint32_t slot, uint32_t hash, const Fill& fill) {
  Change change(dict);
  uint32_t number = table->used.load(std::memory_order_relaxed);
  char* at = entryAt(table, number);
  heap::storeScalar(at, StorageKind::k32, Slot{hash});
  fill(at);
  setSlot(table, slot, hash, number);
  table->used.store(number + 1, std::memory_order_relaxed);
  addToCount(dict, 1);
}

void appendEntry(heap::Heap& heap, Dict* dict, Table* table, const Shape& shape, uint32_t slot, uint32_t hash,
                 const Slot* key, const Slot* value) {
  append(dict, table, slot, hash, [&](char* at) {
    storeLeaves(heap, table, at, shape.key(), shape.keyLeaves, key);
    if (value != nullptr) storeLeaves(heap, table, at, shape.value(), shape.valueLeaves, value);
  });
}

void erase(Dict* dict, Table* table, const Shape& shape, uint32_t entry) {
  Change change(dict);
  char* at = entryAt(table, entry);
  for (uint32_t i = 0; i < shape.entry.leafCount; ++i)
    heap::storeScalar(at + shape.entry.leaves[i].offset, shape.entry.leaves[i].kind, Slot{0});
  addToCount(dict, -1u);
  uint32_t first = table->first.load(std::memory_order_relaxed), used = table->used.load(std::memory_order_relaxed);
  if (entry != first) return;
  while (first < used && hashAt(entryAt(table, first)) == 0) ++first;
  table->first.store(first, std::memory_order_relaxed);
}

// ---------------------------------------------------------------- tables

void describeEntries(Table* table, const heap::Class& dictClass) {
  const Shape shape(dictClass);
  const Leaf* key = shape.key();
  table->entrySize = static_cast<uint16_t>(shape.entry.size);
  table->keyOffset = static_cast<uint16_t>(key->offset);
  table->keyForm = KeyForm::kOther;
  if (shape.keyLeaves == 1 && !key->isFloating) {
    if (key->kind == StorageKind::k32) table->keyForm = KeyForm::kWord32;
    if (key->kind == StorageKind::k64) table->keyForm = KeyForm::kWord64;
    if (key->kind == StorageKind::kReference) table->keyForm = KeyForm::kText;
  }
  if (shape.valueLeaves == 0) return;
  table->valueOffset = static_cast<uint16_t>(shape.value()->offset);
  table->valueKind = shape.value()->kind;
}

// An empty table for `count` entries and as many again. May collect. Null: out of memory.
Table* newTable(heap::Heap& heap, heap::Allocator& allocator, const heap::Class& dictClass, uint64_t count) {
  const heap::Class& cls = *dictClass.arrayClass;
  unsigned bits = kSmallestBits;
  while (bits < kLargestBits && capacityOf(bits) < 2 * count) ++bits;
  uint64_t capacity = capacityOf(bits);
  if (capacity <= count) return nullptr;
  uint64_t size = sizeof(Table) + (uint64_t{4} << bits) + capacity * cls.element.size;
  Object* object = size <= heap::kLargestSmall ? allocator.tryAllocate(cls, static_cast<uint32_t>(size)) : nullptr;
  if (object == nullptr) object = heap.allocate(allocator, cls, size);
  if (object == nullptr) return nullptr;
  auto* table = reinterpret_cast<Table*>(object);
  table->capacity = static_cast<uint32_t>(capacity);
  table->numberMask = (1u << bits) - 1;
  describeEntries(table, dictClass);
  return table;
}

// Puts the live entries of `from` into the empty table `to`, which has room for them. The lock bit is held.
void takeOver(heap::Heap& heap, Table* to, Table* from, const Shape& shape) {
  uint32_t used = from->used.load(std::memory_order_relaxed), count = 0;
  for (uint32_t i = from->first.load(std::memory_order_relaxed); i < used;) {
    // A stretch without gaps at a time.
    uint32_t end = i;
    while (end < used && hashAt(entryAt(from, end)) != 0) ++end;
    heap::copyElements(heap, &to->header, entryAt(to, count), entryAt(from, i), shape.entry, end - i);
    count += end - i;
    i = end + 1;
  }
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t hash = hashAt(entryAt(to, i));
    setSlot(to, emptySlot(to, hash), hash, i);
  }
  to->used.store(count, std::memory_order_relaxed);
}

// Makes room for another entry. May collect. The dictionary is not locked: another writer may use the room up before
// the caller does. With `version`, nothing is done unless it is the dictionary's, and it follows the change that
// growing is.
bool grow(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, const Shape& shape, uint32_t* version = nullptr) {
  Table* old = tableOf(dict);
  const heap::Class& cls = heap.classes().of(&dict->header);
  Table* bigger = newTable(heap, allocator, cls, dict->count.load(std::memory_order_relaxed));
  if (bigger == nullptr) return false;
  heap::LockBit lock(heap, dict->header);
  if (tableOf(dict) != old || hasRoom(old) || dict->count.load(std::memory_order_relaxed) >= bigger->capacity)
    return true;
  if (version != nullptr && *version != dict->version.load(std::memory_order_relaxed)) return true;
  if (old != nullptr) takeOver(heap, bigger, old, shape);
  {
    Change change(dict);
    heap::storeReference(heap, &dict->header, reinterpret_cast<Object**>(&dict->table), &bigger->header);
  }
  if (version != nullptr) *version = dict->version.load(std::memory_order_relaxed);
  if (old != nullptr) heap.discard(&old->header);
  return true;
}

// ---------------------------------------------------------------- reading without a lock

// Waits a moment: a writer is in the middle of its few instructions, or has lost its processor.
void giveWay(unsigned& rounds) {
  if (++rounds <= 64) return;
  sched_yield();
  rounds = 0;
}

// What `read(table)` answers for a table (perhaps null) that did not change meanwhile.
template <class Read> auto readConsistently(heap::Heap& heap, Dict* dict, Read read) {
  if (!heap.severalCarriers()) [[likely]]
    return read(tableOf(dict));
  for (unsigned rounds = 0;;) {
    uint32_t version = dict->version.load(std::memory_order_acquire);
    if (version % 2 == 0) {
      auto result = read(tableOf(dict));
      std::atomic_thread_fence(std::memory_order_acquire);
      if (dict->version.load(std::memory_order_relaxed) == version) return result;
    }
    giveWay(rounds);
  }
}

// Calls `read(table)` if the structure is that of `version` (settled), before and after.
template <class Read> DictResult readAt(Dict* dict, uint32_t version, Read read) {
  for (unsigned rounds = 0;;) {
    uint32_t now = dict->version.load(std::memory_order_acquire);
    if (now == version) break;
    if (now + 1 != version) return DictResult::kChanged;
    giveWay(rounds);
  }
  DictResult result = read(tableOf(dict));
  std::atomic_thread_fence(std::memory_order_acquire);
  return dict->version.load(std::memory_order_relaxed) == version ? result : DictResult::kChanged;
}

// The number of the first live entry from `position` on, or `used`.
uint32_t nextLive(Table* table, uint32_t position, uint32_t used) {
  uint32_t i = std::max(position, table->first.load(std::memory_order_relaxed));
  while (i < used && hashAt(entryAt(table, i)) == 0) ++i;
  return i;
}

} // namespace

// ---------------------------------------------------------------- plain keys

DictResult dictGet(heap::Heap& heap, Dict* dict, const Slot* key, Slot* value) {
  const Shape shape(heap, dict);
  uint32_t hash = hashOfKey(heap, shape, key);
  DictResult result = readConsistently(heap, dict, [&](Table* table) {
    if (table == nullptr) return DictResult::kAbsent;
    uint32_t entry = findKey(table, shape, hash, key).entry;
    if (entry == kNoEntry) return DictResult::kAbsent;
    if (value != nullptr) loadLeaves(entryAt(table, entry), shape.value(), shape.valueLeaves, value);
    return DictResult::kFound;
  });
  // An attempt that was in vain may have written to it.
  if (result == DictResult::kAbsent && value != nullptr) std::fill_n(value, shape.valueLeaves, Slot{0});
  return result;
}

DictResult dictSet(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, const Slot* key, const Slot* value) {
  const Shape shape(heap, dict);
  uint32_t hash = hashOfKey(heap, shape, key);
  do {
    heap::LockBit lock(heap, dict->header);
    Table* table = tableOf(dict);
    if (table == nullptr) continue;
    Place place = findKey(table, shape, hash, key);
    if (place.entry != kNoEntry) {
      if (value != nullptr)
        storeLeaves(heap, table, entryAt(table, place.entry), shape.value(), shape.valueLeaves, value);
      return DictResult::kFound;
    }
    if (!hasRoom(table)) continue;
    appendEntry(heap, dict, table, shape, place.slot, hash, key, value);
    return DictResult::kAbsent;
  } while (grow(heap, allocator, dict, shape));
  return DictResult::kOutOfMemory;
}

DictResult dictAdd(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, const Slot* key) {
  return dictSet(heap, allocator, dict, key, nullptr);
}

DictResult dictRemove(heap::Heap& heap, Dict* dict, const Slot* key) {
  const Shape shape(heap, dict);
  uint32_t hash = hashOfKey(heap, shape, key);
  heap::LockBit lock(heap, dict->header);
  Table* table = tableOf(dict);
  if (table == nullptr) return DictResult::kAbsent;
  uint32_t entry = findKey(table, shape, hash, key).entry;
  if (entry == kNoEntry) return DictResult::kAbsent;
  erase(dict, table, shape, entry);
  return DictResult::kFound;
}

// ---------------------------------------------------------------- the same for keys and values of one slot

namespace {

// How a form of keys is hashed and compared.
template <class Word> struct WordKey {
  static uint32_t hash(const heap::HashSeed& seed, Slot key) { return hashOfInteger(seed, key.bits); }
  static bool isAt(const char* at, Slot key) {
    return __atomic_load_n(reinterpret_cast<const Word*>(at), __ATOMIC_RELAXED) == static_cast<Word>(key.bits);
  }
  static void store(heap::Heap&, Table*, char* at, Slot key) {
    __atomic_store_n(reinterpret_cast<Word*>(at), static_cast<Word>(key.bits), __ATOMIC_RELAXED);
  }
};
struct TextKey {
  static uint32_t hash(const heap::HashSeed& seed, Slot key) { return hashOfText(seed, key.as<String>()); }
  static bool isAt(const char* at, Slot key) {
    Slot found = heap::loadLeaf(at, StorageKind::kReference);
    return found.bits == key.bits || equal(found.as<String>(), key.as<String>());
  }
  static void store(heap::Heap& heap, Table* table, char* at, Slot key) {
    heap::storeLeaf(heap, &table->header, at, StorageKind::kReference, key);
  }
};

template <class Key> [[gnu::always_inline]] inline Place findSlot(Table* table, uint32_t hash, Slot key) {
  uint32_t offset = table->keyOffset;
  return find(table, hash, 0, [offset, key](const char* at) { return Key::isAt(at + offset, key); });
}

template <class Key>
[[gnu::always_inline]] inline QuickResult quickGet(Table* table, uint32_t hash, Slot key, Slot* value) {
  const char* at = findSlot<Key>(table, hash, key).at;
  if (at == nullptr) return QuickResult::kAbsent;
  if (value != nullptr) *value = heap::loadLeaf(at + table->valueOffset, table->valueKind);
  return QuickResult::kFound;
}

// Beside others. Whoever is in the middle of a change is not waited for: the other way does that.
template <class Key> [[gnu::noinline]] QuickResult quickGetShared(Dict* dict, uint32_t hash, Slot key, Slot* value) {
  uint32_t version = dict->version.load(std::memory_order_acquire);
  Table* table = tableOf(dict);
  if (version % 2 != 0 || table == nullptr) return QuickResult::kNotQuick;
  QuickResult result = quickGet<Key>(table, hash, key, value);
  std::atomic_thread_fence(std::memory_order_acquire);
  return dict->version.load(std::memory_order_relaxed) == version ? result : QuickResult::kNotQuick;
}

template <class Key> [[gnu::noinline]] QuickResult quickGetAs(heap::Heap& heap, Dict* dict, Slot key, Slot* value) {
  uint32_t hash = Key::hash(heap.hashSeed(), key);
  if (heap.severalCarriers()) [[unlikely]]
    return quickGetShared<Key>(dict, hash, key, value);
  return quickGet<Key>(tableOf(dict), hash, key, value);
}

template <class Key>
[[gnu::noinline]] QuickResult quickSetAs(heap::Heap& heap, Dict* dict, Slot key, const Slot* value) {
  uint32_t hash = Key::hash(heap.hashSeed(), key);
  heap::LockBit lock(heap, dict->header);
  Table* table = tableOf(dict);
  if (table == nullptr) return QuickResult::kNotQuick;
  Place place = findSlot<Key>(table, hash, key);
  auto storeValue = [&](char* at) {
    if (value != nullptr) heap::storeLeaf(heap, &table->header, at + table->valueOffset, table->valueKind, *value);
  };
  if (place.entry != kNoEntry) {
    storeValue(entryAt(table, place.entry));
    return QuickResult::kFound;
  }
  if (!hasRoom(table)) return QuickResult::kNotQuick;
  append(dict, table, place.slot, hash, [&](char* at) {
    Key::store(heap, table, at + table->keyOffset, key);
    storeValue(at);
  });
  return QuickResult::kAbsent;
}

} // namespace

QuickResult dictQuickGet(heap::Heap& heap, Dict* dict, Slot key, Slot* value) {
  const Table* table = tableOf(dict);
  if (table == nullptr) return QuickResult::kNotQuick;
  switch (table->keyForm) {
  case KeyForm::kWord32: return quickGetAs<WordKey<uint32_t>>(heap, dict, key, value);
  case KeyForm::kWord64: return quickGetAs<WordKey<uint64_t>>(heap, dict, key, value);
  case KeyForm::kText: return quickGetAs<TextKey>(heap, dict, key, value);
  case KeyForm::kOther: break;
  }
  return QuickResult::kNotQuick;
}

QuickResult dictQuickSet(heap::Heap& heap, Dict* dict, Slot key, const Slot* value) {
  const Table* table = tableOf(dict);
  if (table == nullptr) return QuickResult::kNotQuick;
  switch (table->keyForm) {
  case KeyForm::kWord32: return quickSetAs<WordKey<uint32_t>>(heap, dict, key, value);
  case KeyForm::kWord64: return quickSetAs<WordKey<uint64_t>>(heap, dict, key, value);
  case KeyForm::kText: return quickSetAs<TextKey>(heap, dict, key, value);
  case KeyForm::kOther: break;
  }
  return QuickResult::kNotQuick;
}

// ---------------------------------------------------------------- keys with code of their own

Probe dictProbe(heap::Heap& heap, Dict* dict, int32_t hashCode, uint32_t version, uint32_t from, Slot* candidate) {
  const Shape shape(heap, dict);
  uint32_t hash = hashOfCode(heap, hashCode);
  Probe probe{DictResult::kAbsent, kNoEntry, 0};
  probe.result = readAt(dict, settled(version), [&](Table* table) {
    if (table == nullptr) return DictResult::kAbsent;
    Place place = find(table, hash, from, [](const char*) { return true; });
    if (place.entry == kNoEntry) return DictResult::kAbsent;
    loadLeaves(entryAt(table, place.entry), shape.key(), shape.keyLeaves, candidate);
    probe.entry = place.entry;
    probe.next = place.step + 1;
    return DictResult::kFound;
  });
  return probe;
}

DictResult dictRead(heap::Heap& heap, Dict* dict, uint32_t entry, uint32_t version, Slot* value) {
  const Shape shape(heap, dict);
  return readAt(dict, settled(version), [&](Table* table) {
    if (table == nullptr || entry >= table->capacity) return DictResult::kChanged;
    loadLeaves(entryAt(table, entry), shape.value(), shape.valueLeaves, value);
    return DictResult::kFound;
  });
}

namespace {

// The table for a change of `entry` that relies on `version`; null if it has changed. The lock bit is held.
Table* tableAt(Dict* dict, uint32_t entry, uint32_t version) {
  if (dict->version.load(std::memory_order_relaxed) != settled(version)) return nullptr;
  Table* table = tableOf(dict);
  return table != nullptr && entry < table->used.load(std::memory_order_relaxed) ? table : nullptr;
}

} // namespace

DictResult dictReplace(heap::Heap& heap, Dict* dict, uint32_t entry, uint32_t version, const Slot* value) {
  const Shape shape(heap, dict);
  heap::LockBit lock(heap, dict->header);
  Table* table = tableAt(dict, entry, version);
  if (table == nullptr) return DictResult::kChanged;
  storeLeaves(heap, table, entryAt(table, entry), shape.value(), shape.valueLeaves, value);
  return DictResult::kFound;
}

DictResult dictErase(heap::Heap& heap, Dict* dict, uint32_t entry, uint32_t version) {
  const Shape shape(heap, dict);
  heap::LockBit lock(heap, dict->header);
  Table* table = tableAt(dict, entry, version);
  if (table == nullptr) return DictResult::kChanged;
  erase(dict, table, shape, entry);
  return DictResult::kFound;
}

DictResult dictAppend(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, int32_t hashCode, uint32_t version,
                      const Slot* key, const Slot* value) {
  const Shape shape(heap, dict);
  uint32_t hash = hashOfCode(heap, hashCode);
  version = settled(version);
  do {
    heap::LockBit lock(heap, dict->header);
    if (dict->version.load(std::memory_order_relaxed) != version) return DictResult::kChanged;
    Table* table = tableOf(dict);
    if (!hasRoom(table)) continue;
    appendEntry(heap, dict, table, shape, emptySlot(table, hash), hash, key, value);
    return DictResult::kAbsent;
  } while (grow(heap, allocator, dict, shape, &version));
  return DictResult::kOutOfMemory;
}

// ---------------------------------------------------------------- all keys

void dictClear(heap::Heap& heap, Dict* dict) {
  heap::LockBit lock(heap, dict->header);
  Table* old = tableOf(dict);
  Change change(dict);
  heap::storeReference(heap, &dict->header, reinterpret_cast<Object**>(&dict->table), nullptr);
  dict->count.store(0, std::memory_order_relaxed);
  if (old != nullptr) heap.discard(&old->header);
}

DictResult dictNext(heap::Heap& heap, Dict* dict, uint32_t& position, uint32_t version, Slot* key, Slot* value) {
  const Shape shape(heap, dict);
  uint32_t next = position;
  DictResult result = readAt(dict, settled(version), [&](Table* table) {
    if (table == nullptr) return DictResult::kAbsent;
    uint32_t used = std::min(table->used.load(std::memory_order_relaxed), table->capacity);
    next = nextLive(table, position, used);
    if (next >= used) return DictResult::kAbsent;
    const char* at = entryAt(table, next);
    if (key != nullptr) loadLeaves(at, shape.key(), shape.keyLeaves, key);
    if (value != nullptr) loadLeaves(at, shape.value(), shape.valueLeaves, value);
    return DictResult::kFound;
  });
  if (result == DictResult::kFound) position = next + 1;
  return result;
}

bool dictHasMore(heap::Heap& heap, Dict* dict, uint32_t position) {
  return readConsistently(heap, dict, [&](Table* table) {
    if (table == nullptr) return false;
    uint32_t used = std::min(table->used.load(std::memory_order_relaxed), table->capacity);
    return nextLive(table, position, used) < used;
  });
}

List* dictToList(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, DictPart part, const heap::Class& cls) {
  const Shape shape(heap, dict);
  const Leaf* leaves = part == DictPart::kKeys ? shape.key() : shape.value();
  const Layout& element = cls.element;
  for (;;) {
    uint32_t count = dict->count.load(std::memory_order_relaxed);
    Array* storage = count == 0 ? nullptr : newArray(heap, allocator, *cls.arrayClass, count);
    if (storage == nullptr && count != 0) return nullptr;
    // The copy is in no slot yet, so the list around it is made without collecting.
    auto* list = reinterpret_cast<List*>(heap.allocateNoCollect(allocator, cls, sizeof(List)));
    if (list == nullptr) return nullptr;
    heap::LockBit lock(heap, dict->header);
    if (dict->count.load(std::memory_order_relaxed) != count) continue;
    Table* table = tableOf(dict);
    char* to = count == 0 ? nullptr : storage->elements();
    uint32_t position = 0;
    for (uint32_t i = 0; i < count; ++i, to += element.size) {
      uint32_t entry = nextLive(table, position, table->capacity);
      const char* from = entryAt(table, entry);
      for (uint32_t leaf = 0; leaf < element.leafCount; ++leaf) {
        StorageKind kind = element.leaves[leaf].kind;
        heap::storeLeaf(heap, &storage->header, to + element.leaves[leaf].offset, kind,
                        heap::loadLeaf(from + leaves[leaf].offset, kind));
      }
      position = entry + 1;
    }
    heap::storeReference(heap, &list->header, reinterpret_cast<Object**>(&list->storage),
                         reinterpret_cast<Object*>(storage));
    list->length.store(count, std::memory_order_relaxed);
    return list;
  }
}

Dict* dictCopy(heap::Heap& heap, heap::Allocator& allocator, Dict* dict) {
  const heap::Class& cls = heap.classes().of(&dict->header);
  const Shape shape(cls);
  for (;;) {
    Table* table = newTable(heap, allocator, cls, dict->count.load(std::memory_order_relaxed));
    if (table == nullptr) return nullptr;
    auto* copy = reinterpret_cast<Dict*>(heap.allocateNoCollect(allocator, cls, sizeof(Dict)));
    if (copy == nullptr) return nullptr;
    heap::LockBit lock(heap, dict->header);
    uint32_t count = dict->count.load(std::memory_order_relaxed);
    if (count > table->capacity) continue;
    if (Table* from = tableOf(dict)) takeOver(heap, table, from, shape);
    copy->count.store(count, std::memory_order_relaxed);
    heap::storeReference(heap, &copy->header, reinterpret_cast<Object**>(&copy->table), &table->header);
    return copy;
  }
}

// ---------------------------------------------------------------- tracing

void traceDict(heap::Marker& marker, Object* object, const heap::Class&) {
  marker.mark(reinterpret_cast<Object*>(reinterpret_cast<Dict*>(object)->table));
}

void traceTable(heap::Marker& marker, Object* object, const heap::Class& cls) {
  auto* table = reinterpret_cast<Table*>(object);
  char* at = table->entries();
  const Layout& entry = cls.element;
  for (uint32_t i = 0; i < table->used.load(std::memory_order_relaxed); ++i, at += entry.size) {
    for (uint32_t leaf = 0; leaf < entry.leafCount; ++leaf) {
      if (entry.leaves[leaf].kind == StorageKind::kReference)
        marker.mark(heap::loadReference(reinterpret_cast<Object**>(at + entry.leaves[leaf].offset)));
    }
  }
}

} // namespace nlang::object
