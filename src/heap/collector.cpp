// Collection: marking with an explicit stack and a prefetch ring, what follows it, and the check of the write barrier's
// invariant.
#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "heap/heap_impl.h"

namespace nlang::heap {
namespace {

constexpr size_t kFirstStack = 16 * 1024; // entries of the mark stack to begin with
constexpr size_t kRangePiece = 256;       // elements of a range that are pushed at a time
constexpr size_t kRootBatch = 4096;       // roots that wait before they are traced

bool isRange(uintptr_t entry) { return entry & 1; }

} // namespace

// ---------------------------------------------------------------- marker

Marker::Marker(Heap& heap) : heap_(heap) {}

void Marker::begin(uint8_t epoch) {
  BlockPool& pool = heap_.impl_->pool;
  epoch_ = epoch;
  base_ = pool.base();
  rangeSize_ = pool.rangeSize();
  blocks_ = pool.blocks();
}

// Called when the mark stack is full; while roots are being given, it is emptied rather than let grow.
void Marker::makeRoom() {
  size_t used = static_cast<size_t>(top_ - stack_.get());
  if (!draining_ && used >= kRootBatch && base_ != nullptr) return drain();
  size_t capacity = std::max(kFirstStack, 2 * used);
  std::unique_ptr<Entry[]> bigger(new Entry[capacity]);
  if (used != 0) std::memcpy(bigger.get(), stack_.get(), used * sizeof(Entry));
  stack_ = std::move(bigger);
  top_ = stack_.get() + used;
  end_ = stack_.get() + capacity;
}

void Marker::markRange(Object* const* first, size_t count) {
  if (count > kRangePiece) {
    if (static_cast<size_t>(end_ - top_) < 2) makeRoom();
    if (static_cast<size_t>(end_ - top_) < 2) makeRoom();
    *top_++ = count;
    *top_++ = reinterpret_cast<uintptr_t>(first) | 1;
    return;
  }
  for (size_t i = 0; i < count; ++i) mark(loadReference(first + i));
}

// The topmost entry is a range: pushes some of its elements, and the rest below them.
void Marker::expandRange() {
  auto* first = reinterpret_cast<Object* const*>(top_[-1] & ~uintptr_t{1});
  size_t count = top_[-2];
  top_ -= 2;
  size_t piece = std::min(count, kRangePiece);
  if (count > piece) {
    *top_++ = count - piece;
    *top_++ = reinterpret_cast<uintptr_t>(first + piece) | 1;
  }
  for (size_t i = 0; i < piece; ++i) mark(loadReference(first + i));
}

void Marker::deferTrace(Object* object, const void* memory, DeferredTrace trace) {
  __builtin_prefetch(memory);
  Deferred& place = deferred_[nextDeferred_ % kRing];
  ++nextDeferred_;
  Deferred oldest = place;
  place = {object, trace};
  if (oldest.object != nullptr) oldest.trace(*this, oldest.object);
}

bool Marker::flushDeferred() {
  bool any = false;
  for (unsigned i = 0; i < kRing; ++i) {
    Deferred& place = deferred_[(nextDeferred_ + i) % kRing];
    if (place.object == nullptr) continue;
    Deferred oldest = place;
    place.object = nullptr;
    oldest.trace(*this, oldest.object);
    any = true;
  }
  return any;
}

template <bool kSearching> void Marker::visit(Object* object) {
  assert(object->mark.load(std::memory_order_relaxed) != kFree && "a reference to a freed object: a root was missed");
  if (object->mark.load(std::memory_order_relaxed) == epoch_) return;
  object->mark.store(epoch_, std::memory_order_relaxed);
  if constexpr (kSearching) return search_->trace(*this, object, heap_.classes_.of(object));
  size_t offset = static_cast<size_t>(reinterpret_cast<char*>(object) - base_);
  if (offset < rangeSize_) {
    Block* block = blocks_ + (offset >> kBlockShift);
    ++(block - block->headDistance)->live;
  }
  const Class& cls = heap_.classes_.of(object);
  if (cls.trace != nullptr) cls.trace(*this, object, cls);
}

void Marker::drain() { search_ == nullptr ? drainAs<false>() : drainAs<true>(); }

template <bool kSearching> void Marker::drainAs() {
  draining_ = true;
  unsigned at = 0, empty = 0;
  do {
    while (empty < kRing || top_ != stack_.get()) {
      Object* next = nullptr;
      while (top_ != stack_.get() && isRange(top_[-1])) expandRange();
      if (top_ != stack_.get()) {
        next = reinterpret_cast<Object*>(*--top_);
        __builtin_prefetch(next);
      }
      Object* ready = ring_[at % kRing];
      ring_[at++ % kRing] = next;
      empty = next != nullptr ? 0 : empty + 1;
      if (ready != nullptr) visit<kSearching>(ready);
    }
    empty = 0;
  } while (flushDeferred());
  draining_ = false;
}

void Marker::search(Search& search) {
  begin(kSearched);
  search_ = &search;
  search.begin(*this);
  do {
    drain();
  } while (search.goOn(*this));
  search_ = nullptr;
}

// ---------------------------------------------------------------- collection

// Takes the allocators' free cells away: all blocks are judged by the marks of what lies in them.
void Heap::Impl::closeBlocks() {
  for (Allocator* allocator : allocators) {
    std::memset(allocator->free_, 0, sizeof allocator->free_);
    std::memset(allocator->hidden_, 0, sizeof allocator->hidden_);
    std::memset(allocator->current_, 0, sizeof allocator->current_);
    std::memset(allocator->mediumFree_, 0, sizeof allocator->mediumFree_);
    std::memset(allocator->mediumCurrent_, 0, sizeof allocator->mediumCurrent_);
    for (unsigned i = 0; i < kStackClasses; ++i) {
      Allocator::StackCache& cache = allocator->stacks_[i];
      for (; cache.count > 0; --cache.count) {
        FreeCell* cell = cache.first;
        cache.first = cell->next;
        stacks.free(cell, StackSpace::classBytes(i));
      }
    }
  }
  for (auto& space : supplies)
    for (Supply& supply : space) supply.available = 0;
  for (Supply& supply : medium) supply.available = 0;
  for (uint32_t index = 1; index < pool.end(); ++index) {
    Block& block = pool.block(index);
    if (block.use == BlockUse::kObjects || block.use == BlockUse::kContexts) block.live = 0;
  }
}

void Heap::Impl::forgetRemembered() {
  remembered.forEach(
      [](Object* object) { object->flags.fetch_and(static_cast<uint8_t>(~kDirty), std::memory_order_relaxed); });
  remembered.clear();
}

// After marking: releases empty blocks, lists those with room, frees large objects. Blocks of contexts are swept at
// once, because they are walked, and so is everything when freed memory is to be poisoned or the epochs are about to
// start again.
void Heap::Impl::finishSweeping() {
  liveObjects = large.sweep(epoch);
  bool sweepsAll = options.poison || epoch == kLastEpoch;
  for (uint32_t index = pool.end(); index-- > 1;) {
    Block& block = pool.block(index);
    if (block.use != BlockUse::kObjects && block.use != BlockUse::kContexts) continue;
    liveObjects += uint64_t{block.live} * block.cellBytes;
    bool dies = block.live == 0;
    if (options.poison || (!dies && block.live != block.cellCount && (sweepsAll || block.use == BlockUse::kContexts))) {
      char* cell = pool.address(index);
      for (uint32_t i = 0; i < block.carved; ++i, cell += block.cellBytes) {
        auto* object = reinterpret_cast<Object*>(cell);
        uint8_t mark = object->mark.load(std::memory_order_relaxed);
        if (mark != epoch && mark != kFree) makeFree(object, block.cellBytes);
      }
    }
    if (dies) {
      pool.release(index);
      continue;
    }
    block.unswept = block.live != block.cellCount;
    if (!block.unswept) continue;
    Supply& supply = block.cellBytes > kLargestSmall ? medium[block.cellClass]
                                                     : supplies[block.use == BlockUse::kContexts][block.cellClass];
    block.next = supply.available;
    supply.available = index;
  }
  allocatedBefore += allocatedSince.exchange(0, std::memory_order_relaxed);
  budget = std::max<uint64_t>(kSmallestBudget * allocators.size(), liveObjects + stacks.usedBytes());
  pool.trim(budget + kKeepMapped);
}

void Heap::collect(Allocator&) {
  if (!severalCarriers_) return collectStopped();
  if (!world_.stop()) return;
  collectStopped();
  world_.resume();
}

void Heap::search(Search& search) {
  if (options_.stress) verifyRemembered();
  impl_->marker.search(search);
  collectVerified();
}

void Heap::collectStopped() {
  if (options_.stress) verifyRemembered();
  collectVerified();
}

void Heap::collectVerified() {
  Impl& heap = *impl_;
  assert(!heap.collecting && "a collection from within a collection");
  auto start = std::chrono::steady_clock::now();
  heap.notePeak();
  heap.collecting = true;
  heap.closeBlocks();
  heap.forgetRemembered();
  heap.epoch = static_cast<uint8_t>(heap.epoch == kLastEpoch ? kFirstEpoch : heap.epoch + 1);
  heap.marker.begin(heap.epoch);
  for (RootProvider* provider : heap.providers) provider->markRoots(heap.marker);
  heap.marker.drain();
  for (RootProvider* provider : heap.providers) provider->afterMark(heap.marker);
  heap.marker.drain();
  for (RootProvider* provider : heap.providers) provider->beforeSweep(heap.marker);
  heap.finishSweeping();
  heap.collecting = false;
  countPause(static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count()));
}

void Heap::countPause(uint64_t nanos) {
  HeapStatistics& statistics = impl_->statistics;
  ++statistics.collections;
  statistics.totalPauseNanos += nanos;
  statistics.longestPauseNanos = std::max(statistics.longestPauseNanos, nanos);
}

// ---------------------------------------------------------------- verification

// Traces every old object that is not remembered into the empty mark stack and looks at what was pushed.
void Heap::verifyRemembered() {
  Impl& heap = *impl_;
  Marker& marker = heap.marker;
  marker.begin(heap.epoch);
  marker.draining_ = true;
  heap.remembered.forEach([](Object* object) { object->flags.fetch_or(kDirty, std::memory_order_relaxed); });
  heap.forEachObject([&](Object* object) {
    if (object->mark.load(std::memory_order_relaxed) <= kYoung ||
        (object->flags.load(std::memory_order_relaxed) & kDirty))
      return;
    const Class& cls = classes_.of(object);
    if (cls.trace == nullptr) return;
    cls.trace(marker, object, cls);
    do {
      while (marker.top_ != marker.stack_.get()) {
        if (isRange(marker.top_[-1])) {
          marker.expandRange();
          continue;
        }
        auto* target = reinterpret_cast<Object*>(*--marker.top_);
        if (target->mark.load(std::memory_order_relaxed) != kYoung) continue;
        std::fprintf(stderr,
                     "nlang: an old object of class %s that is not remembered refers to a young one of class %s\n",
                     cls.definition->name.c_str(), classes_.of(target).definition->name.c_str());
        std::abort();
      }
    } while (marker.flushDeferred());
  });
  marker.draining_ = false;
}

} // namespace nlang::heap
