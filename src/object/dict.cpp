#include "object/dict.h"

#include <algorithm>

#include <sched.h>

#include "heap/lock_bit.h"
#include "object/list.h"
#include "object/string.h"

namespace nlang::object {

namespace {

using bytecode::Leaf;
using bytecode::StorageKind;
using heap::Layout;

constexpr uint32_t kNone = 0xffffffff;
constexpr unsigned kLineBits = 3; // slots in a line, as a power of two
constexpr uint32_t kLineMask = (1u << kLineBits) - 1;
constexpr unsigned kSmallestBits = 3;
constexpr unsigned kLargestBits = 31;
constexpr uint32_t kHashOfZero = 16; // stands in for the hash code 0, which marks removed entries

uint64_t capacityOf(unsigned slotBits) { return (uint64_t{1} << slotBits) / 4 * 3; }

Table* tableOf(Dict* dict) {
  return reinterpret_cast<Table*>(heap::loadReference(reinterpret_cast<Object**>(&dict->table)));
}

// What the entries of a dictionary's table are like.
struct Shape {
  const Layout& entry;
  uint32_t size; // bytes of an entry
  uint32_t hashOffset;
  uint32_t keyLeaves, valueLeaves;

  explicit Shape(const Layout& layout, uint32_t keys)
      : entry(layout), size(layout.size), hashOffset(layout.leaves[0].offset), keyLeaves(keys),
        valueLeaves(layout.leafCount - 1 - keys) {}
  Shape(heap::Heap& heap, const Dict* dict) : Shape(heap.classes().of(&dict->header)) {}
  explicit Shape(const heap::Class& cls) : Shape(cls.arrayClass->element, cls.key.leafCount) {}

  const Leaf* key() const { return entry.leaves + 1; }
  const Leaf* value() const { return entry.leaves + 1 + keyLeaves; }
  char* at(Table* table, uint32_t index) const { return table->entries() + size_t{index} * size; }
  uint32_t hashAt(const char* at) const {
    return __atomic_load_n(reinterpret_cast<const uint32_t*>(at + hashOffset), __ATOMIC_RELAXED);
  }
};

uint32_t loadSlot(const uint32_t* slot) { return __atomic_load_n(slot, __ATOMIC_RELAXED); }

void loadLeaves(const char* at, const Leaf* leaves, uint32_t count, Slot* to) {
  for (uint32_t i = 0; i < count; ++i) to[i] = heap::loadLeaf(at + leaves[i].offset, leaves[i].kind);
}
void storeLeaves(heap::Heap& heap, Table* table, char* at, const Leaf* leaves, uint32_t count, const Slot* from) {
  for (uint32_t i = 0; i < count; ++i)
    heap::storeLeaf(heap, &table->header, at + leaves[i].offset, leaves[i].kind, from[i]);
}

// ---------------------------------------------------------------- hash codes and equality of plain keys

// A multiplication whose upper half depends on everything: xor of both halves of the 128-bit product.
uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint32_t notZero(uint32_t hash) { return hash != 0 ? hash : kHashOfZero; }

// Sixteen consecutive integers differ only in the lowest bits of their hash codes.
uint32_t hashOfInteger(const heap::HashSeed& seed, uint64_t value) {
  uint64_t group = mix((value >> 4) ^ seed.addend, seed.factor);
  return notZero(static_cast<uint32_t>(group >> 32 & ~uint64_t{15}) | static_cast<uint32_t>((group ^ value) & 15));
}

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
  for (uint32_t i = 0; i < shape.keyLeaves; ++i)
    hash = mix((hash + bitsOf(leaves[i], key[i])) ^ seed.addend, seed.factor);
  return notZero(static_cast<uint32_t>(hash >> 32));
}

uint32_t hashOfCode(heap::Heap& heap, int32_t hashCode) {
  return hashOfInteger(heap.hashSeed(), static_cast<uint32_t>(hashCode));
}

bool sameLeaf(const Leaf& leaf, Slot a, Slot b) {
  if (a.bits == b.bits) return true;
  if (leaf.kind == StorageKind::kReference) return equal(a.as<String>(), b.as<String>());
  return leaf.isFloating && bitsOf(leaf, a) == bitsOf(leaf, b);
}

bool sameKey(const Shape& shape, const char* at, const Slot* key) {
  const Leaf* leaves = shape.key();
  for (uint32_t i = 0; i < shape.keyLeaves; ++i)
    if (!sameLeaf(leaves[i], heap::loadLeaf(at + leaves[i].offset, leaves[i].kind), key[i])) return false;
  return true;
}

// ---------------------------------------------------------------- the index

struct Place {
  uint32_t entry; // kNone: there is none, and `slot` is the empty one where its number would stand
  uint32_t slot;
  uint32_t step; // slots looked at before this one
};

// The first entry from step `from` on with this hash code for which `accept` holds.
template <class Accept> Place find(Table* table, const Shape& shape, uint32_t hash, uint32_t from, Accept accept) {
  unsigned bits = table->slotBits;
  const uint32_t* slots = table->slots();
  uint32_t numberMask = (1u << bits) - 1;
  uint32_t tag = hash << bits;
  uint32_t lines = (1u << (bits - kLineBits)) - 1;
  uint32_t step = from >> kLineBits, i = from & kLineMask;
  uint64_t home = uint64_t{hash} << (bits - kLineBits) >> 32;
  auto line = static_cast<uint32_t>(home + uint64_t{step} * (step + 1) / 2) & lines;
  for (;;) {
    for (; i <= kLineMask; ++i) {
      uint32_t at = (line << kLineBits) | ((hash + i) & kLineMask);
      uint32_t slot = loadSlot(slots + at);
      if (slot == 0) return {kNone, at, step << kLineBits | i};
      if ((slot & ~numberMask) != tag) continue;
      uint32_t entry = (slot & numberMask) - 1;
      const char* place = shape.at(table, entry);
      if (shape.hashAt(place) == hash && accept(place)) return {entry, at, step << kLineBits | i};
    }
    i = 0;
    line = (line + ++step) & lines;
  }
}

Place findKey(Table* table, const Shape& shape, uint32_t hash, const Slot* key) {
  return find(table, shape, hash, 0, [&](const char* at) { return sameKey(shape, at, key); });
}

uint32_t emptySlot(Table* table, const Shape& shape, uint32_t hash) {
  return find(table, shape, hash, 0, [](const char*) { return false; }).slot;
}

void setSlot(Table* table, uint32_t slot, uint32_t hash, uint32_t entry) {
  __atomic_store_n(table->slots() + slot, hash << table->slotBits | (entry + 1), __ATOMIC_RELAXED);
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

// Appends an entry; the table has room, `slot` is empty, and the lock bit is held.
void append(heap::Heap& heap, Dict* dict, Table* table, const Shape& shape, uint32_t slot, uint32_t hash,
            const Slot* key, const Slot* value) {
  Change change(dict);
  uint32_t entry = table->used.load(std::memory_order_relaxed);
  char* at = shape.at(table, entry);
  heap::storeScalar(at + shape.hashOffset, StorageKind::k32, Slot{hash});
  storeLeaves(heap, table, at, shape.key(), shape.keyLeaves, key);
  if (value != nullptr) storeLeaves(heap, table, at, shape.value(), shape.valueLeaves, value);
  setSlot(table, slot, hash, entry);
  table->used.store(entry + 1, std::memory_order_relaxed);
  dict->count.store(dict->count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool hasRoom(const Table* table) {
  return table != nullptr && table->used.load(std::memory_order_relaxed) < table->capacity;
}

void erase(Dict* dict, Table* table, const Shape& shape, uint32_t entry) {
  Change change(dict);
  char* at = shape.at(table, entry);
  for (uint32_t i = 0; i < shape.entry.leafCount; ++i)
    heap::storeScalar(at + shape.entry.leaves[i].offset, shape.entry.leaves[i].kind, Slot{0});
  dict->count.store(dict->count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  uint32_t first = table->first.load(std::memory_order_relaxed), used = table->used.load(std::memory_order_relaxed);
  if (entry != first) return;
  while (first < used && shape.hashAt(shape.at(table, first)) == 0) ++first;
  table->first.store(first, std::memory_order_relaxed);
}

// ---------------------------------------------------------------- tables

// An empty table for `count` entries and as many again. May collect. Null: out of memory.
Table* newTable(heap::Heap& heap, heap::Allocator& allocator, const heap::Class& cls, uint64_t count) {
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
  table->slotBits = bits;
  return table;
}

// Puts the live entries of `from` into the empty table `to`, which has room for them. The lock bit is held.
void takeOver(heap::Heap& heap, Table* to, Table* from, const Shape& shape) {
  uint32_t used = from->used.load(std::memory_order_relaxed), count = 0;
  for (uint32_t i = from->first.load(std::memory_order_relaxed); i < used;) {
    // A stretch without gaps at a time.
    uint32_t end = i;
    while (end < used && shape.hashAt(shape.at(from, end)) != 0) ++end;
    heap::copyElements(heap, &to->header, shape.at(to, count), shape.at(from, i), shape.entry, end - i);
    count += end - i;
    i = end + 1;
  }
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t hash = shape.hashAt(shape.at(to, i));
    setSlot(to, emptySlot(to, shape, hash), hash, i);
  }
  to->used.store(count, std::memory_order_relaxed);
}

// Makes room for another entry. May collect. The dictionary is not locked: another writer may use the room up before
// the caller does. With `version`, nothing is done unless it is the dictionary's, and it follows the change that
// growing is.
bool grow(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, const Shape& shape, uint32_t* version = nullptr) {
  Table* old = tableOf(dict);
  const heap::Class& cls = *heap.classes().of(&dict->header).arrayClass;
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
uint32_t nextLive(Table* table, const Shape& shape, uint32_t position, uint32_t used) {
  uint32_t i = std::max(position, table->first.load(std::memory_order_relaxed));
  while (i < used && shape.hashAt(shape.at(table, i)) == 0) ++i;
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
    if (entry == kNone) return DictResult::kAbsent;
    if (value != nullptr) loadLeaves(shape.at(table, entry), shape.value(), shape.valueLeaves, value);
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
    if (place.entry != kNone) {
      if (value != nullptr)
        storeLeaves(heap, table, shape.at(table, place.entry), shape.value(), shape.valueLeaves, value);
      return DictResult::kFound;
    }
    if (!hasRoom(table)) continue;
    append(heap, dict, table, shape, place.slot, hash, key, value);
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
  if (entry == kNone) return DictResult::kAbsent;
  erase(dict, table, shape, entry);
  return DictResult::kFound;
}

// ---------------------------------------------------------------- keys with code of their own

Probe dictProbe(heap::Heap& heap, Dict* dict, int32_t hashCode, uint32_t version, uint32_t from, Slot* candidate) {
  const Shape shape(heap, dict);
  uint32_t hash = hashOfCode(heap, hashCode);
  Probe probe{DictResult::kAbsent, kNone, 0};
  probe.result = readAt(dict, settled(version), [&](Table* table) {
    if (table == nullptr) return DictResult::kAbsent;
    Place place = find(table, shape, hash, from, [](const char*) { return true; });
    if (place.entry == kNone) return DictResult::kAbsent;
    loadLeaves(shape.at(table, place.entry), shape.key(), shape.keyLeaves, candidate);
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
    loadLeaves(shape.at(table, entry), shape.value(), shape.valueLeaves, value);
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
  storeLeaves(heap, table, shape.at(table, entry), shape.value(), shape.valueLeaves, value);
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
    append(heap, dict, table, shape, emptySlot(table, shape, hash), hash, key, value);
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
    next = nextLive(table, shape, position, used);
    if (next >= used) return DictResult::kAbsent;
    const char* at = shape.at(table, next);
    if (key != nullptr) loadLeaves(at, shape.key(), shape.keyLeaves, key);
    if (value != nullptr) loadLeaves(at, shape.value(), shape.valueLeaves, value);
    return DictResult::kFound;
  });
  if (result == DictResult::kFound) position = next + 1;
  return result;
}

bool dictHasMore(heap::Heap& heap, Dict* dict, uint32_t position) {
  const Shape shape(heap, dict);
  return readConsistently(heap, dict, [&](Table* table) {
    if (table == nullptr) return false;
    uint32_t used = std::min(table->used.load(std::memory_order_relaxed), table->capacity);
    return nextLive(table, shape, position, used) < used;
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
      uint32_t entry = nextLive(table, shape, position, table->capacity);
      const char* from = shape.at(table, entry);
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
  const Shape shape(heap, dict);
  const heap::Class& cls = heap.classes().of(&dict->header);
  for (;;) {
    Table* table = newTable(heap, allocator, *cls.arrayClass, dict->count.load(std::memory_order_relaxed));
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
