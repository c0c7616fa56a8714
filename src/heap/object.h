// The header of every heap object, the run-time class, and the accessors through which heap words are read and written.
//
// Invariants
// - An object never moves. Its class never changes. Its size is a function of its class and, for arrays and strings,
// its length.
// - Mark byte: kFree in a free cell; kYoung since allocation; the heap's epoch at the last collection it survived
// ("old") — any other epoch
//   means that it is dead and not swept yet. The epoch counts from kFirstEpoch to kLastEpoch and starts again, so that
//   no mark is ever cleared. kSearched: reached by a Search, until the collection at its end.
// - All reads and writes of fields and elements go through load*/store*: relaxed atomics, release for references, so
// that racing programs
//   read stale but never torn values (C2.4). Reference stores call the write barrier first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "bytecode/program.h"
#include "heap/sanitizers.h"
#include "heap/slot.h"

namespace nlang::bytecode {
struct LoadedFunction;
}

namespace nlang::heap {

class Heap;
class Marker;
class ReservedRange;
struct Class;

enum MarkByte : uint8_t { kFree = 0, kYoung = 1, kFirstEpoch = 2, kLastEpoch = 254, kSearched = 255 };

enum ObjectFlags : uint8_t {
  kLockBit = 1, // container operations and primitives: a spin lock around a few instructions
  kDirty = 2,   // remembered: may hold references to young objects although it is old. Set: it is in the set. Not
                // set: it may be in it all the same (LockBit::release)
                // 4 is free; 8 and 16 belong to strings (object/layout.h)
};

struct Object {
  uint32_t classOffset;       // of its Class from the class table's base, in bytes
  std::atomic<uint8_t> mark;  // MarkByte; written by the collector and at allocation
  std::atomic<uint8_t> flags; // ObjectFlags
  std::atomic<uint16_t>
      hashState; // 0: no identity hash yet; else a number within its block, which has the other half (see identityHash)
};
static_assert(sizeof(Object) == 8);

using TraceFunction = void (*)(Marker&, Object*, const Class&);
// For kinds whose references all stand at Class::referenceOffsets.
void traceFields(Marker& marker, Object* object, const Class& cls);

// The leaves of an element, with the array inline for fast access. Storage belongs to the class table.
struct Layout {
  uint32_t size = 0;      // bytes of one element
  uint32_t leafCount = 0; // registers an element occupies
  const bytecode::Leaf* leaves = nullptr;
  bool hasReferences = false;
};

// A class at run time. Allocated in the class table, at an offset that fits the header; immutable once loaded.
struct Class {
  uint32_t offset; // its own, as in Object::classOffset
  uint32_t index;  // in Program::classes
  bytecode::ClassKind kind;
  bool isAbstract, isBoundMethod;
  uint32_t instanceSize;   // bytes with header; arrays and strings: of the fixed part
  TraceFunction trace;     // null: holds no references
  uint32_t referenceCount; // kPlain, kException, kClosure, kBox: reference fields
  const uint32_t* referenceOffsets;
  const bytecode::LoadedFunction* const* virtualTable;
  // Interface methods: an open-addressing table without collisions: methods[selector & methodMask] has that selector or
  // the class does not implement it (the loader grows the table until this holds).
  struct MethodEntry {
    uint32_t selector;
    const bytecode::LoadedFunction* function;
  };
  const MethodEntry* methods;
  uint32_t methodMask;
  // Subclasses of a class have a pre-order number in [preorder, lastPreorder] of its own.
  uint32_t preorder, lastPreorder;
  const uint32_t* interfaces; // sorted class indices of all interfaces
  uint32_t interfaceCount;
  const Class* superclass; // null for Object and interfaces
  Layout element, key;     // see bytecode::Class
  const Class* arrayClass; // kList, kChannel: of T[]; kDict, kSet: kTable; kPromise: the Future class
  const bytecode::LoadedFunction* closureFunction; // kClosure
  const Class* enumClass;                          // kBox of an enum
  const bytecode::Class* definition;

  bool isSubclassOf(const Class& other) const {
    if (other.kind == bytecode::ClassKind::kInterface) return implements(other.index);
    return preorder >= other.preorder && preorder <= other.lastPreorder;
  }
  bool implements(uint32_t interfaceIndex) const;
};

// All classes of a Vm, in one reserved range of addresses, so that a header needs 32 bits for its class.
class ClassTable {
 public:
  ClassTable();
  ~ClassTable();
  ClassTable(const ClassTable&) = delete;
  ClassTable& operator=(const ClassTable&) = delete;

  // The address that offsets count from. Constant for the table's life.
  char* base() const { return base_; }
  const Class& at(uint32_t offset) const { return *reinterpret_cast<const Class*>(base_ + offset); }
  const Class& of(const Object* object) const { return at(object->classOffset); }
  // Loads every class of a program (functions must have been loaded, in the order of the program). Throws
  // std::bad_alloc when the range is full.
  void load(const bytecode::Program& program, const bytecode::LoadedFunction* functions);
  const Class* const* all() const { return classes_; } // by index
  const Class& byIndex(uint32_t index) const { return *classes_[index]; }
  const Class& wellKnown(bytecode::WellKnown which) const { return *wellKnown_[static_cast<unsigned>(which)]; }
  // The trace function and fixed size of a kind; each room registers the kinds it implements before `load`.
  void registerKind(bytecode::ClassKind kind, TraceFunction trace, uint32_t instanceSize);

 private:
  struct KindEntry {
    TraceFunction trace = nullptr;
    uint32_t instanceSize = 0;
  };
  std::unique_ptr<ReservedRange> range_;
  char* base_ = nullptr;                  // of range_
  size_t used_ = 0;                       // bytes of it
  const Class* const* classes_ = nullptr; // by index; null until loaded
  const Class* wellKnown_[static_cast<unsigned>(bytecode::WellKnown::kCount)] = {};
  KindEntry kinds_[32];
};

// Reads a field or element of `kind` at `address` into a slot.
inline Slot loadLeaf(const char* address, bytecode::StorageKind kind) {
  using K = bytecode::StorageKind;
  auto read = [&](auto sample) {
    return __atomic_load_n(reinterpret_cast<const decltype(sample)*>(address), __ATOMIC_RELAXED);
  };
  switch (kind) {
  case K::kI8: return {static_cast<uint32_t>(static_cast<int32_t>(read(int8_t{})))};
  case K::kU8: return {read(uint8_t{})};
  case K::kI16: return {static_cast<uint32_t>(static_cast<int32_t>(read(int16_t{})))};
  case K::kU16: return {read(uint16_t{})};
  case K::k32: return {read(uint32_t{})};
  case K::k64: return {read(uint64_t{})};
  case K::kReference:
#if NLANG_TSAN
    return {__atomic_load_n(reinterpret_cast<const uint64_t*>(address), __ATOMIC_ACQUIRE)};
#else
    return {read(uint64_t{})};
#endif
  }
  __builtin_unreachable();
}

inline Object* loadReference(Object* const* slot) {
  return loadLeaf(reinterpret_cast<const char*>(slot), bytecode::StorageKind::kReference).object();
}

// Puts `holder` on the remembered list; the slow half of the write barrier.
void rememberObject(Heap& heap, Object* holder);

// The write barrier. Called before every reference store into a heap object: an old object that may now point at a
// young one is remembered until the next collection.
inline void writeBarrier(Heap& heap, Object* holder, Object* value) {
  if (holder->mark.load(std::memory_order_relaxed) > kYoung && value != nullptr &&
      !(holder->flags.load(std::memory_order_relaxed) & kDirty)) {
    rememberObject(heap, holder);
  }
}

inline void storeReference(Heap& heap, Object* holder, Object** slot, Object* value) {
  writeBarrier(heap, holder, value);
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

// Writes a scalar leaf. References go through storeReference.
inline void storeScalar(char* address, bytecode::StorageKind kind, Slot value) {
  using K = bytecode::StorageKind;
  switch (kind) {
  case K::kI8:
  case K::kU8:
    __atomic_store_n(reinterpret_cast<uint8_t*>(address), static_cast<uint8_t>(value.bits), __ATOMIC_RELAXED);
    return;
  case K::kI16:
  case K::kU16:
    __atomic_store_n(reinterpret_cast<uint16_t*>(address), static_cast<uint16_t>(value.bits), __ATOMIC_RELAXED);
    return;
  case K::k32:
    __atomic_store_n(reinterpret_cast<uint32_t*>(address), static_cast<uint32_t>(value.bits), __ATOMIC_RELAXED);
    return;
  case K::k64:
  case K::kReference: __atomic_store_n(reinterpret_cast<uint64_t*>(address), value.bits, __ATOMIC_RELAXED); return;
  }
}

// Writes a leaf of any kind into `holder`, with the barrier if it is a reference.
inline void storeLeaf(Heap& heap, Object* holder, char* address, bytecode::StorageKind kind, Slot value) {
  if (kind == bytecode::StorageKind::kReference)
    storeReference(heap, holder, reinterpret_cast<Object**>(address), value.object());
  else
    storeScalar(address, kind, value);
}

// Moves a whole element between consecutive slots and its packed place in `holder`.
inline void loadElement(const char* address, const Layout& layout, Slot* to) {
  for (uint32_t i = 0; i < layout.leafCount; ++i)
    to[i] = loadLeaf(address + layout.leaves[i].offset, layout.leaves[i].kind);
}
inline void storeElement(Heap& heap, Object* holder, char* address, const Layout& layout, const Slot* from) {
  for (uint32_t i = 0; i < layout.leafCount; ++i)
    storeLeaf(heap, holder, address + layout.leaves[i].offset, layout.leaves[i].kind, from[i]);
}
// Copies `count` elements within or between objects, word by word, in an order that is right for overlapping ranges.
// `to` lies in `holder`.
void copyElements(Heap& heap, Object* holder, char* to, const char* from, const Layout& layout, uint64_t count);

} // namespace nlang::heap
