// Dict<K,V> and Set<T>: entries in the order of their insertion, and an index over them.
//
// A table is one object: index slots, then entries {hash code, key, value}, packed. Its size is fixed; entries are only
// ever appended, a removed one stays as a gap (hash code 0, all else zero), and when there is no room a new table takes
// the live ones over. A slot holds the number of an entry (plus one; 0 is empty) in its lower bits and as many of the
// upper bits of the hash code as fit above them, its tag, and is written once. Slots are looked at in lines of eight:
// the lower bits of the hash code choose the first line; after a full line comes the one 1, then 2, then 3 … lines
// further. A quarter of the slots stays empty.
//
// Hash codes come from the keys' values or their hashCode() and are mixed with the heap's seed; their top bit is set.
// Integers that differ only in their three lowest bits have the same first line, so that keys in sequence share cache
// lines; nobody outside knows which line that is.
//
// Who may do what when
// - Writers hold the dictionary's lock bit while they look and change; memory is allocated before (and everything
// checked again after) it
//   is taken. `version` is odd while a structural change is made. Replacing a value is none.
// - Readers take no lock: they read the version, look, and look again if it has changed. What they read in between may
// be any mixture,
//   but lies inside one table, whose slots name none but its own entries.
// - Keys with code of their own (equals, hashCode) are looked up by NLang code in std/, in steps: dictProbe finds an
// entry of the same hash
//   code, the code compares holding nothing, and the operation that follows names the version it relies on.
//
// Rejected: an index of 64-bit slots with whole hash codes (twice the memory for the one cache miss of a look-up);
// removed entries that are filled again (the order would be lost); entries without hash codes (growing would call the
// program's code).
#pragma once

#include "heap/heap.h"
#include "object/layout.h"

namespace nlang::object {

// What an operation found: the key, no such key, a table that has changed since the given version, no memory for a
// larger one.
enum class DictResult : uint8_t { kFound, kAbsent, kChanged, kOutOfMemory };

// ---- keys without code of their own: scalars, strings, structs of these. `key` and `value` are one slot a leaf.
// Floating leaves are equal if == says so or both are NaN. Copies the value out, zero if there is none; `value` may be
// null.
DictResult dictGet(heap::Heap& heap, Dict* dict, const Slot* key, Slot* value);
// kFound: the value is replaced in its place; kAbsent: appended. May collect.
DictResult dictSet(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, const Slot* key, const Slot* value);
// Sets: kFound: nothing is done; kAbsent: appended. May collect.
DictResult dictAdd(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, const Slot* key);
DictResult dictRemove(heap::Heap& heap, Dict* dict, const Slot* key);

// ---- the same where key and value take one slot: what instructions try first. `value` may be null.
// kNotQuick: nothing was done, the operations above must decide (no table, no room, another kind of key, a change under
// way). The value of what is absent is not written.
enum class QuickResult : uint8_t { kAbsent, kFound, kNotQuick };
QuickResult dictQuickGet(heap::Heap& heap, Dict* dict, Slot key, Slot* value);
QuickResult dictQuickSet(heap::Heap& heap, Dict* dict, Slot key, const Slot* value);

// ---- keys with code of their own. `version` as read from the dictionary; one that was odd means the change that was
// under way then.
struct Probe {
  DictResult result;
  uint32_t entry; // kFound: its number
  uint32_t next;  // where to go on if its key is another
};
// The next entry whose key has this hashCode(), from step `from` on (0 at the start); its key goes to `candidate`.
Probe dictProbe(heap::Heap& heap, Dict* dict, int32_t hashCode, uint32_t version, uint32_t from, Slot* candidate);
// The value of an entry; kFound or kChanged, as of the two that follow.
DictResult dictRead(heap::Heap& heap, Dict* dict, uint32_t entry, uint32_t version, Slot* value);
DictResult dictReplace(heap::Heap& heap, Dict* dict, uint32_t entry, uint32_t version, const Slot* value);
DictResult dictErase(heap::Heap& heap, Dict* dict, uint32_t entry, uint32_t version);
// Appends an entry for a key that a probe did not find (`value` null for sets): kAbsent, kChanged or kOutOfMemory. May
// collect.
DictResult dictAppend(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, int32_t hashCode, uint32_t version,
                      const Slot* key, const Slot* value);

// ---- all keys
void dictClear(heap::Heap& heap, Dict* dict);
// The first live entry from number `position` on: its key and value (either may be null) are copied out, `position`
// moves behind it. kAbsent at the end, kChanged if the structure is not that of `version`.
DictResult dictNext(heap::Heap& heap, Dict* dict, uint32_t& position, uint32_t version, Slot* key, Slot* value);
// Whether there is a live entry from `position` on.
bool dictHasMore(heap::Heap& heap, Dict* dict, uint32_t position);
// All keys or all values as they are at one moment, in a new list of class `cls`. May collect. Null: out of memory.
enum class DictPart : uint8_t { kKeys, kValues };
List* dictToList(heap::Heap& heap, heap::Allocator& allocator, Dict* dict, DictPart part, const heap::Class& cls);
// A copy of one moment. May collect. Null: out of memory.
Dict* dictCopy(heap::Heap& heap, heap::Allocator& allocator, Dict* dict);

void traceDict(heap::Marker& marker, Object* object, const heap::Class& cls);
void traceTable(heap::Marker& marker, Object* object, const heap::Class& cls);

} // namespace nlang::object
