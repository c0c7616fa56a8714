// Objects, fields, globals, types, boxes.
#include "object/layout.h"
#include "vm/dispatch.h"
#include "vm/faults.h"

namespace nlang::vm {

using bytecode::StorageKind;

// ---------------------------------------------------------------- allocation

namespace {

// The slow half of an allocation: may collect, so the context is saved first. Null: out of memory.
Object* allocateSlowly(Carrier* ca, const Instruction* pc, Slot* r, const heap::Class& cls, uint64_t bytes) {
  saveContext(ca, pc, r);
  return ca->heap->allocate(ca->allocator, cls, bytes);
}

} // namespace

static NLANG_SLOW(newObjectSlow) {
  const heap::Class& cls = *ca->classes[UIMM_BC];
  Object* object = allocateSlowly(ca, pc, r, cls, cls.instanceSize);
  if (object == nullptr) SLOW(memoryFault);
  RA.setObject(object);
  NEXT(pc + 1);
}

NLANG_OP(new_object) {
  const heap::Class& cls = *ca->classes[UIMM_BC];
  Object* object = ca->allocator.tryAllocate(cls, cls.instanceSize);
  if (object == nullptr) [[unlikely]]
    SLOW(newObjectSlow);
  RA.setObject(object);
  NEXT(pc + 1);
}

static NLANG_SLOW(newClosureSlow) {
  const heap::Class& cls = *ca->classes[UIMM_BC];
  auto* closure = reinterpret_cast<object::Closure*>(allocateSlowly(ca, pc, r, cls, cls.instanceSize));
  if (closure == nullptr) SLOW(memoryFault);
  closure->function = cls.closureFunction;
  RA.setObject(closure);
  NEXT(pc + 1);
}

NLANG_OP(new_closure) {
  const heap::Class& cls = *ca->classes[UIMM_BC];
  auto* closure = reinterpret_cast<object::Closure*>(ca->allocator.tryAllocate(cls, cls.instanceSize));
  if (closure == nullptr) [[unlikely]]
    SLOW(newClosureSlow);
  closure->function = cls.closureFunction;
  RA.setObject(closure);
  NEXT(pc + 1);
}

static NLANG_SLOW(boxSlow) {
  const heap::Class& cls = *ca->classes[C];
  auto* box = reinterpret_cast<object::Box*>(allocateSlowly(ca, pc, r, cls, cls.instanceSize));
  if (box == nullptr) SLOW(memoryFault);
  heap::storeElement(*ca->heap, &box->header, box->value(), cls.element, &RB);
  RA.setObject(box);
  NEXT(pc + 1);
}

NLANG_OP(box) {
  const heap::Class& cls = *ca->classes[C];
  auto* box = reinterpret_cast<object::Box*>(ca->allocator.tryAllocate(cls, cls.instanceSize));
  if (box == nullptr) [[unlikely]]
    SLOW(boxSlow);
  heap::storeElement(*ca->heap, &box->header, box->value(), cls.element, &RB);
  RA.setObject(box);
  NEXT(pc + 1);
}

// ---------------------------------------------------------------- fields

#define GET_FIELD(name, kind)                                                                                          \
  NLANG_OP(name) {                                                                                                     \
    const char* object = RB.as<const char>();                                                                          \
    if (object == nullptr) [[unlikely]]                                                                                \
      SLOW(nullFault);                                                                                                 \
    RA = heap::loadLeaf(object + C, StorageKind::kind);                                                                \
    NEXT(pc + 1);                                                                                                      \
  }
GET_FIELD(get_i8, kI8)
GET_FIELD(get_u8, kU8)
GET_FIELD(get_i16, kI16)
GET_FIELD(get_u16, kU16)
GET_FIELD(get_32, k32)
GET_FIELD(get_64, k64)
GET_FIELD(get_ref, kReference)

#define SET_FIELD(name, kind)                                                                                          \
  NLANG_OP(name) {                                                                                                     \
    char* object = RB.as<char>();                                                                                      \
    if (object == nullptr) [[unlikely]]                                                                                \
      SLOW(nullFault);                                                                                                 \
    heap::storeScalar(object + C, StorageKind::kind, RA);                                                              \
    NEXT(pc + 1);                                                                                                      \
  }
SET_FIELD(set_8, kU8)
SET_FIELD(set_16, kU16)
SET_FIELD(set_32, k32)
SET_FIELD(set_64, k64)

NLANG_OP(set_ref) {
  Object* object = RB.object();
  if (object == nullptr) [[unlikely]]
    SLOW(nullFault);
  heap::storeReference(*ca->heap, object, reinterpret_cast<Object**>(RB.as<char>() + C), RA.object());
  NEXT(pc + 1);
}

// Globals are roots of every collection, so they need no barrier.
NLANG_OP(get_global) {
  RA.bits = __atomic_load_n(&ca->globals[UIMM_BC].bits, __ATOMIC_ACQUIRE);
  NEXT(pc + 1);
}
NLANG_OP(set_global) {
  __atomic_store_n(&ca->globals[UIMM_BC].bits, RA.bits, __ATOMIC_RELEASE);
  NEXT(pc + 1);
}

NLANG_OP(check_null) {
  if (RA.bits == 0) [[unlikely]]
    SLOW(nullFault);
  NEXT(pc + 1);
}

// ---------------------------------------------------------------- types

namespace {

const heap::Class& classOf(Carrier* ca, const Object* object) {
  return *reinterpret_cast<const heap::Class*>(ca->classBase + object->classOffset);
}

} // namespace

NLANG_OP(is_class) {
  const Object* object = RB.object();
  RA.setBool(object != nullptr && classOf(ca, object).isSubclassOf(*ca->classes[C]));
  NEXT(pc + 1);
}

NLANG_OP(cast_class) {
  Object* object = RB.object();
  if (object != nullptr && !classOf(ca, object).isSubclassOf(*ca->classes[C])) [[unlikely]]
    SLOW(castFault);
  RA.setObject(object);
  NEXT(pc + 1);
}

NLANG_OP(is_exact) {
  const Object* object = RB.object();
  RA.setBool(object != nullptr && &classOf(ca, object) == ca->classes[C]);
  NEXT(pc + 1);
}

NLANG_OP(unbox) {
  auto* box = RB.as<object::Box>();
  const heap::Class& cls = *ca->classes[C];
  if (box == nullptr || &classOf(ca, &box->header) != &cls) [[unlikely]]
    SLOW(castFault);
  heap::loadElement(box->value(), cls.element, &RA);
  NEXT(pc + 1);
}

NLANG_OP(check_char) {
  int64_t v = RB.i64();
  if (v < 0 || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff)) [[unlikely]]
    SLOW(charFault);
  RA.setI32(static_cast<int32_t>(v));
  NEXT(pc + 1);
}

NLANG_OP(check_enum) {
  int64_t v = RB.i64();
  const auto& members = ca->classes[C]->definition->members;
  for (const bytecode::EnumMember& member : members) {
    if (member.value == v) {
      RA.setI32(member.value);
      NEXT(pc + 1);
    }
  }
  SLOW(enumFault);
}

} // namespace nlang::vm
