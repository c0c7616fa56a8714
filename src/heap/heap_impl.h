// What the heap consists of. Private to the room.
//
// Life of a block of objects: taken fresh and carved piece by piece into free cells; when an allocator has used them up
// it leaves the block. A collection counts what lives in each block, releases those where nothing does, and lists those
// with room (`unswept`); an allocator that takes one from the list sweeps it first: cells whose mark is neither the
// epoch nor kFree are dead. Only then can young objects appear in it again, so in an unswept block the mark decides
// alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "heap/block_pool.h"
#include "heap/heap.h"
#include "heap/large_space.h"
#include "heap/remembered_set.h"
#include "heap/stack_space.h"

namespace nlang::heap {

constexpr int64_t kSmallestBudget = 4 * 1024 * 1024; // bytes that a carrier allocates between two collections, at least
constexpr uint64_t kFaultReserve = 1024 * 1024;      // what allocateNoCollect may use beyond the limit
constexpr size_t kCacheLine = 64;                    // bytes
constexpr size_t kKeepMapped = 16 * 1024 * 1024;     // unused memory kept beyond what the next cycle will want

// The heap's mutex, where more than one carrier could want it. It is held for a moment only, so who finds it taken
// first tries a few times: going to sleep for it would take many times as long.
class SlowLock {
 public:
  SlowLock(bool needed, std::mutex& mutex) : mutex_(needed ? &mutex : nullptr) {
    if (mutex_ == nullptr) return;
    for (unsigned tries = 0; tries < 1000; ++tries) {
      if (mutex_->try_lock()) return;
    }
    mutex_->lock();
  }
  ~SlowLock() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  SlowLock(const SlowLock&) = delete;

 private:
  std::mutex* mutex_;
};

struct Heap::Impl {
  Impl(Heap& heap, const HeapOptions& options);

  // Where cells of one size come from: the list of blocks with room, and how to make more.
  struct Supply {
    BlockUse use = BlockUse::kObjects;
    uint8_t cellClass = 0;
    bool isMedium = false;
    uint32_t cellBytes = 0;
    uint32_t available = 0; // blocks that a collection found to have room; linked by Block::next; 0: none
  };

  // Bytes that count for the limit.
  uint64_t usedBytes() const {
    return liveObjects + allocatedSince.load(std::memory_order_relaxed) + stacks.usedBytes();
  }
  bool mayUse(uint64_t bytes, uint64_t reserve) const {
    uint64_t limit = options.limit > UINT64_MAX - reserve ? UINT64_MAX : options.limit + reserve;
    uint64_t used = usedBytes();
    return used <= limit && bytes <= limit - used;
  }
  // Counts bytes that an allocator got. Any carrier.
  void charge(uint64_t bytes) { allocatedSince.fetch_add(bytes, std::memory_order_relaxed); }

  FreeCell* refill(Supply& supply, uint32_t& current, uint64_t reserve, bool locks);
  uint32_t takeBlock(Supply& supply, bool& isSwept);
  FreeCell* carve(Block& block, uint32_t index);
  FreeCell* sweep(Block& block, uint32_t index);
  void makeFree(Object* object, uint32_t cellBytes);
  uint64_t reservedBytes() const { return pool.mappedBytes() + large.mappedBytes() + stacks.mappedBytes(); }
  // Called before memory is given back: in between it only grows.
  void notePeak() { statistics.peakReservedBytes = std::max(statistics.peakReservedBytes, reservedBytes()); }
  void closeBlocks();
  void finishSweeping();
  void forgetRemembered();
  template <class F> void forEachObject(F&& visit);

  HeapOptions options; // poison set in debug builds
  bool hidesCells;     // every allocation takes the slow path: stress, or poisoning without clearing on the fast path
  // Changed while the world stands still:
  uint64_t liveObjects = 0;          // bytes after the last collection
  uint64_t allocatedBefore = 0;      // bytes that were ever allocated, up to then
  uint64_t budget = kSmallestBudget; // allocatedSince at which the next collection comes

  // All carriers read what is above all the time, and write what follows. The mutex is held in slow paths once several
  // run; it guards what follows, if not said otherwise.
  alignas(kCacheLine) std::mutex mutex;
  BlockPool pool;
  LargeSpace large;
  StackSpace stacks;
  Supply supplies[2][kSizeClasses]; // objects, contexts
  Supply medium[kMediumClasses];
  std::vector<Allocator*> allocators;
  std::vector<RootProvider*> providers;
  RememberedSet remembered; // old objects that may point at young ones, and dirty contexts; has no lock
  Marker marker;
  uint8_t epoch = kFirstEpoch; // of the last collection
  bool collecting = false;
  uint32_t nextHashSeed = 0;
  HeapStatistics statistics; // the counts of collections
  // Bytes of cells handed out and large objects since the last collection. Written by all carriers for each few
  // kilobytes.
  alignas(kCacheLine) std::atomic<uint64_t> allocatedSince{0};
};

// Every object that is allocated, dead ones in swept blocks included until the next collection; contexts too.
template <class F> void Heap::Impl::forEachObject(F&& visit) {
  for (uint32_t index = 1; index < pool.end(); ++index) {
    Block& block = pool.block(index);
    if (block.use != BlockUse::kObjects && block.use != BlockUse::kContexts) continue;
    char* cell = pool.address(index);
    for (uint32_t i = 0; i < block.carved; ++i, cell += block.cellBytes) {
      auto* object = reinterpret_cast<Object*>(cell);
      uint8_t mark = object->mark.load(std::memory_order_relaxed);
      if (block.unswept ? mark == epoch : mark != kFree) visit(object);
    }
  }
  large.forEach(visit);
}

} // namespace nlang::heap
