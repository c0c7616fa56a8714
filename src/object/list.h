// List<T>: a length, a version and a storage array that only grows.
//
// Readers take no lock: storage never shrinks, so an index below a length that was read lies inside whatever storage is
// read after it. The version is a sequence lock: it is odd while elements are moved or cleared, and what was read
// counts if it is even and the same before and after. Writers hold the list's lock bit, also for replacing one element
// (the storage may be copied to a larger one meanwhile); memory is allocated before (and the list checked again after)
// it is taken. Every structural change adds two to the version. Elements are moved as whole slots, one a leaf; `Slot*
// element` points at as many consecutive slots as the layout has leaves.
#pragma once

#include "heap/heap.h"
#include "object/layout.h"

namespace nlang::object {

// A new empty list with room for `capacity` elements. May collect. Null: out of memory.
List* newList(heap::Heap& heap, heap::Allocator& allocator, const heap::Class& cls, uint32_t capacity);
// A new zeroed array. May collect. Null: out of memory.
Array* newArray(heap::Heap& heap, heap::Allocator& allocator, const heap::Class& cls, uint64_t length);

// Appends if there is room; never allocates.
bool tryListAdd(heap::Heap& heap, List* list, const Slot* element);
// Appends. May collect. False: out of memory.
bool listAdd(heap::Heap& heap, heap::Allocator& allocator, List* list, const Slot* element);
// Inserts in front of `index` (at most the length). May collect.
enum class ListResult : uint8_t { kDone, kOutOfRange, kOutOfMemory };
ListResult listInsert(heap::Heap& heap, heap::Allocator& allocator, List* list, uint32_t index, const Slot* element);
// Takes the element at `index` out into `element`.
ListResult listRemoveAt(heap::Heap& heap, List* list, uint32_t index, Slot* element);
ListResult listGet(heap::Heap& heap, List* list, uint32_t index, Slot* element);
ListResult listSet(heap::Heap& heap, List* list, uint32_t index, const Slot* element);
// Replaces one leaf of an element. False: out of range.
bool listSetLeaf(heap::Heap& heap, List* list, uint32_t index, uint32_t leaf, Slot value);
void listClear(heap::Heap& heap, List* list);
// Stores the elements of an array of the list's length over its own. False: the version is not `version`, so the
// structure has changed.
bool listOverwrite(heap::Heap& heap, List* list, const Array* elements, uint32_t version);
// The whole list of one moment as a new array. May collect. Null: out of memory.
Array* listCopy(heap::Heap& heap, heap::Allocator& allocator, List* list);
// Elements [from, to) as a new array or list. Bounds are checked against the length of one moment: null `out` with
// kOutOfRange. May collect.
ListResult listToArray(heap::Heap& heap, heap::Allocator& allocator, List* list, uint32_t from, uint32_t to,
                       Array*& out);
ListResult listSlice(heap::Heap& heap, heap::Allocator& allocator, List* list, uint32_t from, uint32_t to, List*& out);

void traceList(heap::Marker& marker, Object* object, const heap::Class& cls);
void traceArray(heap::Marker& marker, Object* object, const heap::Class& cls);

} // namespace nlang::object
