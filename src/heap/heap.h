// The heap: allocation, collection, accounting.
//
// Non-moving, size-segregated blocks. Each carrier has an Allocator with free lists of its own and no atomics; large objects have their own
// mappings. Collection is exact mark-sweep with the carriers stopped; sweeping is lazy, block by block, when an allocator needs cells.
// An allocation that may collect is a safepoint: every context's state is complete (registers in frames, pc saved), and every other reference
// the caller holds is in a frame slot, a Root, or a root provider.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "heap/object.h"

namespace nlang::heap {

struct HeapOptions {
  uint64_t limit = UINT64_MAX;       // --heap-limit: bytes of objects and stacks; beyond it OutOfMemoryException
  bool stress = false;               // --gc-stress: collect at every allocation, and verify the barrier's invariant before each collection
  bool poison = false;               // fill freed memory with 0xdb (debug builds: always)
};

struct HeapStatistics {
  uint64_t collections = 0;
  uint64_t totalPauseNanos = 0, longestPauseNanos = 0;
  uint64_t allocatedBytes = 0;       // ever
  uint64_t liveBytes = 0;            // after the last collection
  uint64_t reservedBytes = 0;        // mapped now, stacks included
};

// Visits references during a collection. mark() is idempotent and cheap; tracing is iterative (mark stack and prefetch ring), so no
// structure, however deep, recurses.
class Marker {
 public:
  void mark(Object* object) { if (object != nullptr) markNonNull(object); }
  void markSlot(Slot slot) { mark(slot.object()); }
  bool isMarked(const Object* object) const;
  Heap& heap() { return heap_; }

 private:
  friend class Heap;
  explicit Marker(Heap& heap) : heap_(heap) {}
  void markNonNull(Object* object);
  Heap& heap_;
  std::vector<Object*> stack_;
};

// Something that holds roots: the contexts, globals and constants, host handles.
class RootProvider {
 public:
  virtual ~RootProvider() = default;
  virtual void markRoots(Marker& marker) = 0;
  // After everything reachable has been marked and before sweeping: may mark more (unobserved failures are kept for their report).
  virtual void afterMark(Marker&) {}
};

constexpr unsigned kSizeClasses = 40;      // 16 … kLargestSmall bytes
constexpr uint32_t kLargestSmall = 8192;
// Size class of an object of `bytes`, in steps of 8 or 16 and then about 1.25; generated table.
extern const uint8_t kSizeClassOf[kLargestSmall / 8 + 1];
extern const uint16_t kSizeClassBytes[kSizeClasses];

// One carrier's share of the heap. Used by its carrier only.
class Allocator {
 public:
  explicit Allocator(Heap& heap) : heap_(heap) {}
  // A zeroed cell with its header set, or null if the free list is empty, a collection is due or the object is large: then
  // Heap::allocate does the rest. Never collects.
  Object* tryAllocate(const Class& cls, uint32_t bytes);
  Heap& heap() { return heap_; }

 private:
  friend class Heap;
  struct FreeCell { FreeCell* next; uint32_t mark; uint32_t unused; };  // see heap.cpp: the mark byte lies where an object has it
  Heap& heap_;
  FreeCell* free_[kSizeClasses] = {};
  int64_t budget_ = 0;               // bytes until a collection is considered; negative: take the slow path
};

class Heap {
 public:
  Heap(ClassTable& classes, const HeapOptions& options);
  ~Heap();

  ClassTable& classes() { return classes_; }
  void addRoots(RootProvider* provider);

  // A zeroed object of `bytes` (header included), header set. May collect: a safepoint. Null only when the limit is reached even after a
  // full collection; the caller throws OutOfMemoryException.
  Object* allocate(Allocator& allocator, const Class& cls, uint64_t bytes);
  // The same without ever collecting: for faults, whose instructions are not safepoints, and for the loader. May pass the limit by a
  // bounded reserve (1 MiB); null when that is used up too.
  Object* allocateNoCollect(Allocator& allocator, const Class& cls, uint64_t bytes);

  // A full collection now. The caller is at a safepoint.
  void collect(Allocator& allocator);

  // Contexts live in blocks of their own, so that they can be walked. forEachContext visits every allocated cell, finished ones too.
  Object* allocateContext(Allocator& allocator, const Class& cls, uint32_t bytes);
  template <class F>
  void forEachContext(F&& visit) { forEachContextImpl([](void* f, Object* o) { (*static_cast<F*>(f))(o); }, &visit); }

  // Context stacks: blocks of `slots` 8-byte slots from size classes (64 bytes and up in steps of about 1.25); not objects, not zeroed.
  // `slots` is rounded up to the class's size. Null when the limit is reached. Counted in liveBytes and the limit.
  Slot* allocateStack(uint32_t& slots);
  void freeStack(Slot* stack, uint32_t slots);

  // Contexts that a minor collection has to visit: spawned, unparked or run since the last one. Idempotent within a cycle (flag kDirty).
  void addDirtyContext(Object* context);

  // A 32-bit identity hash, from a counter, stable for the object's life.
  uint32_t identityHash(Object* object);

  HeapStatistics statistics() const;
  const HeapOptions& options() const { return options_; }
  // Checks that every old object or parked context that is not remembered points at no young one. For tests and --gc-stress; aborts with a message.
  void verifyRemembered();

 private:
  friend class Marker;
  friend void rememberObject(Heap& heap, Object* holder);
  void forEachContextImpl(void (*visit)(void*, Object*), void* data);
  struct Impl;
  ClassTable& classes_;
  HeapOptions options_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nlang::heap
