// The heap: allocation, collection, accounting.
//
// Non-moving, size-segregated blocks. Each carrier has an Allocator with free lists of its own and no atomics; large
// objects have their own mappings. Collection is exact mark-sweep with the carriers stopped; sweeping is lazy, block by
// block, when an allocator needs cells. An allocation that may collect is a safepoint: every context's state is
// complete (registers in frames, pc saved), and every other reference the caller holds is in a frame slot, a Root, or a
// root provider.
//
// Free cells are zero behind their first two words (in debug builds and with HeapOptions::poison they are filled with
// 0xdb instead), because a sweep has a whole block in the cache anyway; so an allocation is a handful of instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "heap/object.h"
#include "heap/size_classes.h"
#include "heap/world.h"

namespace nlang::heap {

struct Block;

struct HeapOptions {
  uint64_t limit = UINT64_MAX; // --heap-limit: bytes of objects and stacks; beyond it OutOfMemoryException
  bool stress =
      false; // --gc-stress: collect at every allocation, and verify the barrier's invariant before each collection
  bool wholeLines = false; // contexts and stacks in cache lines of their own: for several carriers
  bool poison = false;     // fill freed memory with 0xdb (debug builds: always)
};

// What hash tables mix into hash codes, so that nobody outside knows which keys collide. Nothing that a program can see
// depends on it.
struct HashSeed {
  uint64_t addend;
  uint64_t factor; // odd
};

struct HeapStatistics {
  uint64_t collections = 0;
  uint64_t totalPauseNanos = 0, longestPauseNanos = 0;
  uint64_t allocatedBytes = 0;    // ever: cells handed to allocators, and large objects
  uint64_t liveBytes = 0;         // after the last collection, and stacks in use now
  uint64_t reservedBytes = 0;     // mapped now, stacks included
  uint64_t peakReservedBytes = 0; // mapped at most so far
};

class Marker;

// A trace beside collection, to learn what can be reached when one begins elsewhere and follows other rules: in place
// of the trace functions of the kinds, trace() says what an object leads to. Its marks are removed by the full
// collection that ends it (Heap::search).
class Search {
 public:
  virtual ~Search() = default;
  // Marks what is reached from the start.
  virtual void begin(Marker& marker) = 0;
  // An object has been reached, for the first time.
  virtual void trace(Marker& marker, Object* object, const Class& cls) = 0;
  // Everything marked so far has been traced. Marks more; false: nothing more is reached.
  virtual bool goOn(Marker& marker) = 0;
};

// Visits references during a collection. mark() is cheap and may be called again for what is marked already; tracing is
// iterative (mark stack and prefetch ring), so no structure, however deep, recurses.
//
// A reference waits on the mark stack; from there it goes through a ring of a few places, being prefetched on entry, so
// that its header is in the cache when it leaves the ring to be marked and traced. Nothing is read of an object before
// that.
class Marker {
 public:
  Marker(const Marker&) = delete;

  void mark(Object* object) {
    if (object != nullptr) markNonNull(object);
  }
  void markSlot(Slot slot) { mark(slot.object()); }
  // `count` consecutive reference slots of a heap object; long ranges are visited piecemeal.
  void markRange(Object* const* first, size_t count);
  // For objects with memory of their own elsewhere (the stack of a context): calls `trace` when `memory` has had time
  // to come into the cache.
  using DeferredTrace = void (*)(Marker&, Object*);
  void deferTrace(Object* object, const void* memory, DeferredTrace trace);
  // Whether the object has been reached in this collection (valid in and after RootProvider::afterMark).
  bool isMarked(const Object* object) const { return object->mark.load(std::memory_order_relaxed) == epoch_; }
  Heap& heap() { return heap_; }

 private:
  friend class Heap;
  explicit Marker(Heap& heap);
  void markNonNull(Object* object) {
    if (top_ == end_) makeRoom();
    *top_++ = reinterpret_cast<uintptr_t>(object);
  }
  void makeRoom();
  void begin(uint8_t epoch);
  void search(Search& search);
  void drain();
  template <bool kSearching> void drainAs();
  template <bool kSearching> void visit(Object* object);
  void expandRange();
  bool flushDeferred();

  // A reference waiting to be marked, or (begin | 1) of a range of references, with its count below it.
  using Entry = uintptr_t;
  static constexpr unsigned kRing = 16;
  Heap& heap_;
  std::unique_ptr<Entry[]> stack_; // the mark stack; kept between collections
  Entry* top_ = nullptr;           // one past its last entry
  Entry* end_ = nullptr;           // one past its memory
  uint8_t epoch_ = kFirstEpoch;    // the mark of what has been reached
  bool draining_ = false;          // trace functions are running: mark() only pushes
  Search* search_ = nullptr;       // what the marks are for; null: a collection
  char* base_ = nullptr;           // of the block pool; what lies outside it is a large object
  size_t rangeSize_ = 0;
  Block* blocks_ = nullptr; // descriptors
  Object* ring_[kRing] = {};
  struct Deferred {
    Object* object;
    DeferredTrace trace;
  };
  Deferred deferred_[kRing] = {};
  unsigned nextDeferred_ = 0; // the oldest place of deferred_
};

// Something that holds roots: the contexts, globals and constants, host handles.
class RootProvider {
 public:
  virtual ~RootProvider() = default;
  virtual void markRoots(Marker& marker) = 0;
  // After everything reachable has been marked and before sweeping: may mark more (unobserved failures are kept for
  // their report). The dirty list is empty then: contexts that are running are added to it again here.
  virtual void afterMark(Marker&) {}
  // Everything that lives on is marked; marks no more.
  virtual void beforeSweep(const Marker&) {}
};

// A cell that holds no object. Its first word reads as a header with the mark kFree.
struct FreeCell {
  uint64_t header; // zero: class offset 0, which no class has, and kFree
  FreeCell* next;
};

// One carrier's share of the heap. Used by its carrier only.
class Allocator {
 public:
  explicit Allocator(Heap& heap);
  ~Allocator();
  Allocator(const Allocator&) = delete;
  // A zeroed cell with its header set, or null if the free list is empty or the object is large: then Heap::allocate
  // does the rest. Never collects.
  Object* tryAllocate(const Class& cls, uint32_t bytes) { return tryTake(0, cls, bytes); }
  Object* tryAllocateContext(const Class& cls, uint32_t bytes) { return tryTake(1, cls, bytes); }
  Heap& heap() { return heap_; }

 private:
  friend class Heap;
  Object* tryTake(unsigned space, const Class& cls, uint32_t bytes) {
    if (bytes > kLargestSmall) [[unlikely]]
      return nullptr;
    FreeCell*& head = free_[space][kSizeClassOf[(bytes + 7) / 8]];
    FreeCell* cell = head;
    if (cell == nullptr) [[unlikely]]
      return nullptr;
    head = cell->next;
#ifndef NDEBUG
    clearPoison(cell, kSizeClassBytes[kSizeClassOf[(bytes + 7) / 8]]);
#endif
    return makeObject(cell, cls, bytes);
  }
  static Object* makeObject(FreeCell* cell, const Class& cls, uint32_t bytes) {
    permitAccess(cell, (bytes + 7) & ~7u);
    cell->header = cls.offset | uint64_t{kYoung} << 32;
    cell->next = nullptr;
    return reinterpret_cast<Object*>(cell);
  }
  // Aborts if a free cell was written to; zeroes it.
  static void clearPoison(FreeCell* cell, uint32_t cellBytes);

  Heap& heap_;
  FreeCell* free_[2][kSizeClasses] =
      {}; // objects, contexts: cells for the taking. Always empty when every allocation must be seen
  FreeCell* hidden_[2][kSizeClasses] = {}; // the same for that case (stress, and poisoning in release builds)
  uint32_t current_[2][kSizeClasses] = {}; // the blocks from which the next cells come, 0: none
  FreeCell* mediumFree_[kMediumClasses] = {};
  uint32_t mediumCurrent_[kMediumClasses] = {};
  // Freed stacks for the next contexts, used only once several carriers run; given back at a collection.
  struct StackCache {
    FreeCell* first;
    uint32_t count;
  };
  StackCache stacks_[kStackClasses] = {};
};

class Heap {
 public:
  // Throws std::bad_alloc when the system has no addresses left.
  Heap(ClassTable& classes, const HeapOptions& options);
  ~Heap();
  Heap(const Heap&) = delete;

  ClassTable& classes() { return classes_; }
  void addRoots(RootProvider* provider);
  void removeRoots(RootProvider* provider);

  // Whether lock bits are needed: more than one carrier has ever run in this Vm.
  // Set by the first carrier while no other has started and no lock bit is held; never reset.
  bool severalCarriers() const { return severalCarriers_; }
  void setSeveralCarriers() { severalCarriers_ = true; }
  // Which carriers may touch the heap, and how they are made to stand still. Not used before there are several.
  World& world() { return world_; }

  const HashSeed& hashSeed() const { return hashSeed_; }
  void setHashSeed(uint64_t seed) { hashSeed_ = {seed, seed * 0x9e3779b97f4a7c15u | 1}; }

  // A zeroed object of `bytes` (header included), header set. May collect: a safepoint. Null only when the limit is
  // reached even after a full collection; the caller throws OutOfMemoryException.
  Object* allocate(Allocator& allocator, const Class& cls, uint64_t bytes);
  // The same without ever collecting: for faults, whose instructions are not safepoints, and for the loader. May pass
  // the limit by a bounded reserve (1 MiB); null when that is used up too.
  Object* allocateNoCollect(Allocator& allocator, const Class& cls, uint64_t bytes);

  // Says that nothing refers to the object any more and nobody reads it: the storage that a container has outgrown.
  // Frees it at once if it is large and only one carrier has run; otherwise the next collection finds it. So a list
  // that doubles does not drag its old storage along.
  void discard(Object* object) {
    if (!severalCarriers_) discardSlowly(object);
  }

  // A full collection now; if another carrier is about to make one, that one. The caller is at a safepoint.
  void collect(Allocator& allocator);

  // Runs a search, then a full collection. The caller is at a safepoint and has stopped the world.
  void search(Search& search);

  // Contexts live in blocks of their own, so that they can be walked. A safepoint like allocate; `bytes` is at most
  // kLargestSmall. forEachContext visits every allocated cell, finished ones too; the visitor does not allocate
  // contexts.
  Object* allocateContext(Allocator& allocator, const Class& cls, uint32_t bytes);
  template <class F> void forEachContext(F&& visit) {
    forEachContextImpl([](void* f, Object* o) { (*static_cast<F*>(f))(o); }, &visit);
  }

  // Context stacks: blocks of `slots` 8-byte slots from size classes (64 bytes and up in steps of about 1.25); not
  // objects, not zeroed. `slots` is rounded up to the class's size, and freeStack gets that size. Null when the limit
  // is reached. Counted in liveBytes and the limit.
  Slot* allocateStack(Allocator& allocator, uint32_t& slots);
  void freeStack(Allocator& allocator, Slot* stack, uint32_t slots);

  // Contexts that a minor collection has to visit: spawned, unparked or run since the last one. Idempotent within a
  // cycle (flag kDirty).
  void addDirtyContext(Object* context) {
    if (!(context->flags.load(std::memory_order_relaxed) & kDirty)) addDirtyContextSlowly(context);
  }

  // A 32-bit identity hash, from a counter, stable for the object's life.
  uint32_t identityHash(Object* object);

  HeapStatistics statistics() const;
  const HeapOptions& options() const { return options_; }
  // Checks that every old object or parked context that is not remembered points at no young one. For tests and
  // --gc-stress; aborts with a message.
  void verifyRemembered();

 private:
  friend class Marker;
  friend class Allocator;
  friend void rememberObject(Heap& heap, Object* holder);
  void forEachContextImpl(void (*visit)(void*, Object*), void* data);
  void addDirtyContextSlowly(Object* context);
  Object* allocateSlowly(Allocator& allocator, unsigned space, const Class& cls, uint64_t bytes);
  Object* takeCell(Allocator& allocator, unsigned space, const Class& cls, uint64_t bytes, uint64_t reserve);
  void discardSlowly(Object* object);
  void collectStopped();
  void collectVerified();
  void* takeCachedStack(Allocator& allocator, uint64_t bytes);
  void countPause(uint64_t nanos);
  struct Impl;
  ClassTable& classes_;
  HeapOptions options_;
  bool severalCarriers_ = false;
  World world_;
  HashSeed hashSeed_{0x2545f4914f6cdd1d, 0x9e3779b97f4a7c15};
  std::unique_ptr<Impl> impl_;
};

} // namespace nlang::heap
