#include "object/list.h"

#include <algorithm>
#include <cstring>

#include <sched.h>

#include "heap/lock_bit.h"

namespace nlang::object {

namespace {

constexpr uint32_t kFirstCapacity = 4;
constexpr uint64_t kMaxLength = 0x7fffffff;

const heap::Class& arrayClassOf(heap::Heap& heap, const List* list) {
  return *heap.classes().of(&list->header).arrayClass;
}
const heap::Layout& layoutOf(heap::Heap& heap, const List* list) { return heap.classes().of(&list->header).element; }

Array* storageOf(List* list) {
  return reinterpret_cast<Array*>(heap::loadReference(reinterpret_cast<Object**>(&list->storage)));
}
uint32_t capacityOf(const Array* storage) { return storage == nullptr ? 0 : storage->length; }
char* elementAt(Array* storage, const heap::Layout& layout, uint64_t index) {
  return storage->elements() + index * layout.size;
}

// A change after which what stood at an index may stand elsewhere: the version is odd while it is under way. The lock
// bit is held.
class Rearrangement {
 public:
  explicit Rearrangement(List* list) : list_(list), before_(list->version.load(std::memory_order_relaxed)) {
    list_->version.store(before_ + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  ~Rearrangement() { list_->version.store(before_ + 2, std::memory_order_release); }
  Rearrangement(const Rearrangement&) = delete;

 private:
  List* list_;
  uint32_t before_;
};

void setLength(List* list, uint32_t length) { list->length.store(length, std::memory_order_release); }

// Calls `read` until nothing was rearranged meanwhile, and gives its result.
template <class Read> auto readConsistently(List* list, Read read) {
  for (unsigned rounds = 0;; ++rounds) {
    uint32_t version = list->version.load(std::memory_order_acquire);
    auto result = read();
    std::atomic_thread_fence(std::memory_order_acquire);
    if (version % 2 == 0 && list->version.load(std::memory_order_relaxed) == version) return result;
    if (rounds > 64) sched_yield(); // the writer has lost its processor
  }
}

// Makes room for one more element. May collect. The list is not locked; another writer may use the room up before the
// caller does.
bool grow(heap::Heap& heap, heap::Allocator& allocator, List* list) {
  uint64_t wanted =
      std::min<uint64_t>(std::max<uint64_t>(kFirstCapacity, uint64_t{capacityOf(storageOf(list))} * 2), kMaxLength);
  const heap::Layout& layout = layoutOf(heap, list);
  Array* bigger = newArray(heap, allocator, arrayClassOf(heap, list), wanted);
  if (bigger == nullptr) return false;
  heap::LockBit lock(heap, list->header);
  Array* old = storageOf(list);
  if (capacityOf(old) >= wanted) return true;
  if (old != nullptr) {
    heap::copyElements(heap, &bigger->header, bigger->elements(), old->elements(), layout,
                       list->length.load(std::memory_order_relaxed));
  }
  heap::storeReference(heap, &list->header, reinterpret_cast<Object**>(&list->storage), &bigger->header);
  if (old != nullptr) heap.discard(&old->header);
  return true;
}

// Elements from `from` on into a new array, which says how many. The lock bit is held.
void copyOut(heap::Heap& heap, List* list, uint32_t from, Array* to) {
  if (to->length == 0) return;
  const heap::Layout& layout = layoutOf(heap, list);
  heap::copyElements(heap, &to->header, to->elements(), elementAt(storageOf(list), layout, from), layout, to->length);
}

void clearElements(heap::Heap& heap, Array* storage, const heap::Layout& layout, uint32_t from, uint32_t to) {
  if (!heap.severalCarriers()) {
    std::memset(elementAt(storage, layout, from), 0, uint64_t{layout.size} * (to - from));
    return;
  }
  for (uint64_t i = from; i < to; ++i) {
    char* at = elementAt(storage, layout, i);
    for (uint32_t leaf = 0; leaf < layout.leafCount; ++leaf)
      heap::storeScalar(at + layout.leaves[leaf].offset, layout.leaves[leaf].kind, Slot{0});
  }
}

} // namespace

Array* newArray(heap::Heap& heap, heap::Allocator& allocator, const heap::Class& cls, uint64_t length) {
  if (length > kMaxLength) return nullptr;
  uint64_t size = sizeof(Array) + length * cls.element.size;
  Object* object = size <= heap::kLargestSmall ? allocator.tryAllocate(cls, static_cast<uint32_t>(size)) : nullptr;
  if (object == nullptr) object = heap.allocate(allocator, cls, size);
  if (object == nullptr) return nullptr;
  auto* array = reinterpret_cast<Array*>(object);
  array->length = static_cast<uint32_t>(length);
  return array;
}

List* newList(heap::Heap& heap, heap::Allocator& allocator, const heap::Class& cls, uint32_t capacity) {
  // Storage first: a collection for it finds no half-made list, and the list itself is made without one.
  Array* storage = nullptr;
  if (capacity > 0) {
    storage = newArray(heap, allocator, *cls.arrayClass, capacity);
    if (storage == nullptr) return nullptr;
  }
  Object* object =
      capacity > 0 ? heap.allocateNoCollect(allocator, cls, sizeof(List)) : heap.allocate(allocator, cls, sizeof(List));
  if (object == nullptr) return nullptr;
  auto* list = reinterpret_cast<List*>(object);
  heap::storeReference(heap, object, reinterpret_cast<Object**>(&list->storage), reinterpret_cast<Object*>(storage));
  return list;
}

bool tryListAdd(heap::Heap& heap, List* list, const Slot* element) {
  heap::LockBit lock(heap, list->header);
  Array* storage = storageOf(list);
  uint32_t length = list->length.load(std::memory_order_relaxed);
  if (length >= capacityOf(storage)) return false;
  const heap::Layout& layout = layoutOf(heap, list);
  heap::storeElement(heap, &storage->header, elementAt(storage, layout, length), layout, element);
  setLength(list, length + 1);
  list->version.store(list->version.load(std::memory_order_relaxed) + 2, std::memory_order_release);
  return true;
}

bool listAdd(heap::Heap& heap, heap::Allocator& allocator, List* list, const Slot* element) {
  while (!tryListAdd(heap, list, element)) {
    if (list->length.load(std::memory_order_relaxed) >= kMaxLength || !grow(heap, allocator, list)) return false;
  }
  return true;
}

ListResult listInsert(heap::Heap& heap, heap::Allocator& allocator, List* list, uint32_t index, const Slot* element) {
  const heap::Layout& layout = layoutOf(heap, list);
  for (;;) {
    {
      heap::LockBit lock(heap, list->header);
      Array* storage = storageOf(list);
      uint32_t length = list->length.load(std::memory_order_relaxed);
      if (index > length) return ListResult::kOutOfRange;
      if (length < capacityOf(storage)) {
        Rearrangement change(list);
        char* at = elementAt(storage, layout, index);
        heap::copyElements(heap, &storage->header, at + layout.size, at, layout, length - index);
        heap::storeElement(heap, &storage->header, at, layout, element);
        setLength(list, length + 1);
        return ListResult::kDone;
      }
      if (length >= kMaxLength) return ListResult::kOutOfMemory;
    }
    if (!grow(heap, allocator, list)) return ListResult::kOutOfMemory;
  }
}

ListResult listRemoveAt(heap::Heap& heap, List* list, uint32_t index, Slot* element) {
  const heap::Layout& layout = layoutOf(heap, list);
  heap::LockBit lock(heap, list->header);
  uint32_t length = list->length.load(std::memory_order_relaxed);
  if (index >= length) return ListResult::kOutOfRange;
  Array* storage = storageOf(list);
  char* at = elementAt(storage, layout, index);
  heap::loadElement(at, layout, element);
  Rearrangement change(list);
  heap::copyElements(heap, &storage->header, at, at + layout.size, layout, length - index - 1);
  clearElements(heap, storage, layout, length - 1, length);
  setLength(list, length - 1);
  return ListResult::kDone;
}

ListResult listGet(heap::Heap& heap, List* list, uint32_t index, Slot* element) {
  const heap::Layout& layout = layoutOf(heap, list);
  return readConsistently(list, [&] {
    if (index >= list->length.load(std::memory_order_acquire)) return ListResult::kOutOfRange;
    heap::loadElement(elementAt(storageOf(list), layout, index), layout, element);
    return ListResult::kDone;
  });
}

ListResult listSet(heap::Heap& heap, List* list, uint32_t index, const Slot* element) {
  heap::LockBit lock(heap, list->header);
  if (index >= list->length.load(std::memory_order_relaxed)) return ListResult::kOutOfRange;
  Array* storage = storageOf(list);
  const heap::Layout& layout = layoutOf(heap, list);
  heap::storeElement(heap, &storage->header, elementAt(storage, layout, index), layout, element);
  return ListResult::kDone;
}

bool listSetLeaf(heap::Heap& heap, List* list, uint32_t index, uint32_t leaf, Slot value) {
  heap::LockBit lock(heap, list->header);
  if (index >= list->length.load(std::memory_order_relaxed)) return false;
  Array* storage = storageOf(list);
  const heap::Layout& layout = layoutOf(heap, list);
  heap::storeLeaf(heap, &storage->header, elementAt(storage, layout, index) + layout.leaves[leaf].offset,
                  layout.leaves[leaf].kind, value);
  return true;
}

void listClear(heap::Heap& heap, List* list) {
  heap::LockBit lock(heap, list->header);
  uint32_t length = list->length.load(std::memory_order_relaxed);
  Rearrangement change(list);
  if (length > 0) clearElements(heap, storageOf(list), layoutOf(heap, list), 0, length);
  setLength(list, 0);
}

bool listOverwrite(heap::Heap& heap, List* list, const Array* elements, uint32_t version) {
  heap::LockBit lock(heap, list->header);
  uint32_t length = list->length.load(std::memory_order_relaxed);
  if (list->version.load(std::memory_order_relaxed) != version || length != elements->length) return false;
  if (length == 0) return true;
  Array* storage = storageOf(list);
  const heap::Layout& layout = layoutOf(heap, list);
  heap::copyElements(heap, &storage->header, storage->elements(), elements->elements(), layout, length);
  return true;
}

Array* listCopy(heap::Heap& heap, heap::Allocator& allocator, List* list) {
  for (;;) {
    uint32_t length = list->length.load(std::memory_order_acquire);
    Array* copy = newArray(heap, allocator, arrayClassOf(heap, list), length);
    if (copy == nullptr) return nullptr;
    heap::LockBit lock(heap, list->header);
    if (list->length.load(std::memory_order_relaxed) != length) continue;
    copyOut(heap, list, 0, copy);
    return copy;
  }
}

ListResult listToArray(heap::Heap& heap, heap::Allocator& allocator, List* list, uint32_t from, uint32_t to,
                       Array*& out) {
  out = nullptr;
  if (from > to || to > list->length.load(std::memory_order_acquire)) return ListResult::kOutOfRange;
  out = newArray(heap, allocator, arrayClassOf(heap, list), to - from);
  if (out == nullptr) return ListResult::kOutOfMemory;
  heap::LockBit lock(heap, list->header);
  if (to > list->length.load(std::memory_order_relaxed)) {
    out = nullptr; // the list has become shorter meanwhile
    return ListResult::kOutOfRange;
  }
  copyOut(heap, list, from, out);
  return ListResult::kDone;
}

ListResult listSlice(heap::Heap& heap, heap::Allocator& allocator, List* list, uint32_t from, uint32_t to, List*& out) {
  out = nullptr;
  Array* storage = nullptr;
  ListResult result = listToArray(heap, allocator, list, from, to, storage);
  if (result != ListResult::kDone) return result;
  // The copy is in no slot yet, so the list around it is made without collecting.
  Object* object = heap.allocateNoCollect(allocator, heap.classes().of(&list->header), sizeof(List));
  if (object == nullptr) return ListResult::kOutOfMemory;
  out = reinterpret_cast<List*>(object);
  heap::storeReference(heap, object, reinterpret_cast<Object**>(&out->storage), &storage->header);
  out->length.store(to - from, std::memory_order_relaxed);
  return ListResult::kDone;
}

void traceArray(heap::Marker& marker, Object* object, const heap::Class& cls) {
  if (!cls.element.hasReferences) return;
  auto* array = reinterpret_cast<Array*>(object);
  char* at = array->elements();
  if (cls.element.leafCount == 1) return marker.markRange(reinterpret_cast<Object**>(at), array->length);
  for (uint32_t i = 0; i < array->length; ++i, at += cls.element.size) {
    for (uint32_t leaf = 0; leaf < cls.element.leafCount; ++leaf) {
      if (cls.element.leaves[leaf].kind == bytecode::StorageKind::kReference) {
        marker.mark(heap::loadReference(reinterpret_cast<Object**>(at + cls.element.leaves[leaf].offset)));
      }
    }
  }
}

void traceList(heap::Marker& marker, Object* object, const heap::Class&) {
  marker.mark(reinterpret_cast<Object*>(reinterpret_cast<List*>(object)->storage));
}

} // namespace nlang::object
