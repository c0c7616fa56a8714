// Arrays and lists. Reading takes no lock: a list's storage only grows, so an index below the length that was read is
// inside whatever storage is read after it; and what was read counts if the list's version, a sequence lock, says so
// (object/list.h). With several carriers replacing an element of a list takes its lock bit.
#include <sched.h>

#include "object/dict.h"
#include "object/layout.h"
#include "object/list.h"
#include "vm/dispatch.h"
#include "vm/faults.h"

namespace nlang::vm {

using bytecode::StorageKind;
using object::Array;
using object::List;

namespace {

constexpr uint64_t kMaxArrayLength = 0x7fffffff;

inline uint32_t elementSize(StorageKind kind) { return bytecode::storageSize(kind); }

} // namespace

static NLANG_SLOW(newArraySlow) {
  const heap::Class& cls = *ca->classes[C];
  if (RB.i32() < 0) SLOW(lengthFault);
  uint64_t bytes = sizeof(Array) + uint64_t{RB.u32()} * cls.element.size;
  saveContext(ca, pc, r);
  auto* array = reinterpret_cast<Array*>(ca->heap->allocate(ca->allocator, cls, bytes));
  if (array == nullptr) SLOW(memoryFault);
  array->length = RB.u32();
  RA.setObject(array);
  NEXT(pc + 1);
}

NLANG_OP(new_array) {
  const heap::Class& cls = *ca->classes[C];
  uint64_t length = RB.u32();
  uint64_t bytes = sizeof(Array) + length * cls.element.size;
  if (bytes > heap::kLargestSmall || length > kMaxArrayLength) SLOW(newArraySlow);
  auto* array = reinterpret_cast<Array*>(ca->allocator.tryAllocate(cls, static_cast<uint32_t>(bytes)));
  if (array == nullptr) [[unlikely]]
    SLOW(newArraySlow);
  array->length = static_cast<uint32_t>(length);
  RA.setObject(array);
  NEXT(pc + 1);
}

// `array`, `index` for the element of register b at register c; faults leave the handler.
#define ARRAY_ELEMENT(arrayRegister)                                                                                   \
  auto* array = (arrayRegister).as<Array>();                                                                           \
  if (array == nullptr) [[unlikely]]                                                                                   \
    SLOW(nullFault);                                                                                                   \
  uint32_t index = RC.u32();                                                                                           \
  if (index >= array->length) [[unlikely]] {                                                                           \
    ca->faultIndex = index;                                                                                            \
    ca->faultLength = array->length;                                                                                   \
    SLOW(boundsFault);                                                                                                 \
  }
#define LIST_ELEMENT(listRegister)                                                                                     \
  auto* list = (listRegister).as<List>();                                                                              \
  if (list == nullptr) [[unlikely]]                                                                                    \
    SLOW(nullFault);                                                                                                   \
  [[maybe_unused]] uint32_t version = list->version.load(std::memory_order_acquire);                                   \
  uint32_t index = RC.u32();                                                                                           \
  uint32_t length = list->length.load(std::memory_order_acquire);                                                      \
  if (index >= length) [[unlikely]] {                                                                                  \
    ca->faultIndex = index;                                                                                            \
    ca->faultLength = length;                                                                                          \
    SLOW(boundsFault);                                                                                                 \
  }                                                                                                                    \
  Array* array = reinterpret_cast<Array*>(heap::loadReference(reinterpret_cast<Object**>(&list->storage)));

// What was read of an array's element stands; a list's may have been in motion: then the instruction runs again.
#define ARRAY_READ_DONE()
#define LIST_READ_DONE()                                                                                               \
  std::atomic_thread_fence(std::memory_order_acquire);                                                                 \
  if ((version & 1) || list->version.load(std::memory_order_relaxed) != version) [[unlikely]]                          \
  SLOW(readAgain)
// An element is about to be replaced: with several carriers a list's storage may be about to be copied to a larger one.
#define ARRAY_WRITE_BEGIN()
#define LIST_WRITE_BEGIN()                                                                                             \
  if (ca->heap->severalCarriers()) [[unlikely]]                                                                        \
  SLOW(listStoreLocked)

#define LENGTH(name, Type, read)                                                                                       \
  NLANG_OP(name) {                                                                                                     \
    auto* container = RB.as<Type>();                                                                                   \
    if (container == nullptr) [[unlikely]]                                                                             \
      SLOW(nullFault);                                                                                                 \
    RA.setU32(read);                                                                                                   \
    NEXT(pc + 1);                                                                                                      \
  }
LENGTH(array_length, Array, container->length)
LENGTH(list_length, List, container->length.load(std::memory_order_relaxed))
// Lists, sets and dictionaries have their version at the same place.
// An odd one is that of the change under way.
LENGTH(list_version, List, (container->version.load(std::memory_order_relaxed) + 1) & ~1u)

#define GET_ELEMENT(name, CONTAINER, kind)                                                                             \
  NLANG_OP(name) {                                                                                                     \
    CONTAINER##_ELEMENT(RB);                                                                                           \
    Slot value =                                                                                                       \
        heap::loadLeaf(array->elements() + uint64_t{index} * elementSize(StorageKind::kind), StorageKind::kind);       \
    CONTAINER##_READ_DONE();                                                                                           \
    RA = value;                                                                                                        \
    NEXT(pc + 1);                                                                                                      \
  }
#define SET_ELEMENT(name, CONTAINER, kind)                                                                             \
  NLANG_OP(name) {                                                                                                     \
    CONTAINER##_ELEMENT(RB);                                                                                           \
    CONTAINER##_WRITE_BEGIN();                                                                                         \
    heap::storeScalar(array->elements() + uint64_t{index} * elementSize(StorageKind::kind), StorageKind::kind, RA);    \
    NEXT(pc + 1);                                                                                                      \
  }
#define SET_REFERENCE(name, CONTAINER)                                                                                 \
  NLANG_OP(name) {                                                                                                     \
    CONTAINER##_ELEMENT(RB);                                                                                           \
    CONTAINER##_WRITE_BEGIN();                                                                                         \
    auto* slot = reinterpret_cast<Object**>(array->elements() + uint64_t{index} * sizeof(Object*));                    \
    heap::storeReference(*ca->heap, &array->header, slot, RA.object());                                                \
    NEXT(pc + 1);                                                                                                      \
  }
// One leaf of a struct element; its index is in the word that follows.
#define LEAF_ADDRESS()                                                                                                 \
  const heap::Layout& layout =                                                                                         \
      reinterpret_cast<const heap::Class*>(ca->classBase + array->header.classOffset)->element;                        \
  const bytecode::Leaf& leaf = layout.leaves[bytecode::bOf(pc[1])];                                                    \
  char* address = array->elements() + uint64_t{index} * layout.size + leaf.offset;
#define GET_LEAF(name, CONTAINER)                                                                                      \
  NLANG_OP(name) {                                                                                                     \
    CONTAINER##_ELEMENT(RB);                                                                                           \
    LEAF_ADDRESS();                                                                                                    \
    Slot value = heap::loadLeaf(address, leaf.kind);                                                                   \
    CONTAINER##_READ_DONE();                                                                                           \
    RA = value;                                                                                                        \
    NEXT(pc + 2);                                                                                                      \
  }
#define SET_LEAF(name, CONTAINER)                                                                                      \
  NLANG_OP(name) {                                                                                                     \
    CONTAINER##_ELEMENT(RB);                                                                                           \
    CONTAINER##_WRITE_BEGIN();                                                                                         \
    LEAF_ADDRESS();                                                                                                    \
    heap::storeLeaf(*ca->heap, &array->header, address, leaf.kind, RA);                                                \
    NEXT(pc + 2);                                                                                                      \
  }

static NLANG_SLOW(readAgain) {
  sched_yield(); // a writer is in the middle of its few instructions, or has lost its processor
  NEXT(pc);
}

static NLANG_SLOW(listStoreLocked) {
  auto* list = RB.as<List>();
  bool oneLeaf = bytecode::opOf(in) == bytecode::Op::list_set_leaf;
  uint32_t leaf = oneLeaf ? bytecode::bOf(pc[1]) : 0;
  if (!object::listSetLeaf(*ca->heap, list, RC.u32(), leaf, RA)) {
    ca->faultIndex = RC.u32();
    ca->faultLength = list->length.load(std::memory_order_relaxed);
    SLOW(boundsFault);
  }
  NEXT(pc + (oneLeaf ? 2 : 1));
}

#define ELEMENTS(prefix, CONTAINER)                                                                                    \
  GET_ELEMENT(prefix##_get_i8, CONTAINER, kI8)                                                                         \
  GET_ELEMENT(prefix##_get_u8, CONTAINER, kU8)                                                                         \
  GET_ELEMENT(prefix##_get_i16, CONTAINER, kI16)                                                                       \
  GET_ELEMENT(prefix##_get_u16, CONTAINER, kU16)                                                                       \
  GET_ELEMENT(prefix##_get_32, CONTAINER, k32)                                                                         \
  GET_ELEMENT(prefix##_get_64, CONTAINER, k64)                                                                         \
  GET_ELEMENT(prefix##_get_ref, CONTAINER, kReference)                                                                 \
  GET_LEAF(prefix##_get_leaf, CONTAINER)                                                                               \
  SET_ELEMENT(prefix##_set_8, CONTAINER, kU8)                                                                          \
  SET_ELEMENT(prefix##_set_16, CONTAINER, kU16)                                                                        \
  SET_ELEMENT(prefix##_set_32, CONTAINER, k32)                                                                         \
  SET_ELEMENT(prefix##_set_64, CONTAINER, k64)                                                                         \
  SET_REFERENCE(prefix##_set_ref, CONTAINER)                                                                           \
  SET_LEAF(prefix##_set_leaf, CONTAINER)
ELEMENTS(array, ARRAY)
ELEMENTS(list, LIST)

static NLANG_SLOW(listAddSlow) {
  saveContext(ca, pc, r);
  if (!object::listAdd(*ca->heap, ca->allocator, RA.as<List>(), &RB)) SLOW(memoryFault);
  NEXT(pc + 1);
}

NLANG_OP(list_add) {
  auto* list = RA.as<List>();
  if (list == nullptr) [[unlikely]]
    SLOW(nullFault);
  if (!object::tryListAdd(*ca->heap, list, &RB)) SLOW(listAddSlow);
  NEXT(pc + 1);
}

// ---------------------------------------------------------------- dictionaries and sets

// Both instructions do what is quick for keys and values of one slot, without a frame. Everything else is an ordinary
// call of the native that they name; their encoding is that of a call.

NLANG_OP(call_find) {
  unsigned arguments = A & 0xff, results = A >> 8;
  Instruction word = pc[1];
  Slot receiver = r[static_cast<uint16_t>(word)];
  if (receiver.bits == 0) [[unlikely]]
    SLOW(nullFault);
  if (arguments != 2 || results > 2 || quota <= 0) SLOW(op_call);
  auto* dict = receiver.as<object::Dict>();
  Slot* result = r + bytecode::aOf(word);
  Slot value{0};
  object::QuickResult found =
      object::dictQuickGet(*ca->heap, dict, r[static_cast<uint16_t>(word >> 32)], results == 2 ? &value : nullptr);
  if (found == object::QuickResult::kNotQuick) SLOW(op_call);
  --quota;
  result[0].setBool(found == object::QuickResult::kFound);
  if (results == 2) result[1] = value;
  NEXT(pc + 2);
}

NLANG_OP(call_put) {
  unsigned arguments = A & 0xff, results = A >> 8;
  Instruction word = pc[1];
  Slot receiver = r[static_cast<uint16_t>(word)];
  if (receiver.bits == 0) [[unlikely]]
    SLOW(nullFault);
  // set(key, value) has three arguments, add(value) two and a result.
  if (arguments + results != 3 || quota <= 0) SLOW(op_call);
  const Slot* value = results == 0 ? r + static_cast<uint16_t>(word >> 48) : nullptr;
  object::QuickResult found =
      object::dictQuickSet(*ca->heap, receiver.as<object::Dict>(), r[static_cast<uint16_t>(word >> 32)], value);
  if (found == object::QuickResult::kNotQuick) SLOW(op_call);
  --quota;
  if (results == 1) r[bytecode::aOf(word)].setBool(found == object::QuickResult::kAbsent);
  NEXT(pc + 2);
}

} // namespace nlang::vm
