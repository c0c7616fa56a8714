// Allocation: the slow paths behind Allocator, limits, stacks, contexts, identity hashes.
#include "heap/heap.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/planted_fault.h"
#include "heap/heap_impl.h"

namespace nlang::heap {
namespace {

constexpr uint8_t kPoison = 0xdb;
// How much of a fresh block is turned into free cells at a time: what is about to be used, and no page before it is
// needed.
constexpr uint32_t kCarveBytes = 4096;
constexpr uint64_t kLargestCachedStack = 4096; // bytes; of larger ones carriers keep none for themselves
constexpr uint32_t kStackBatch = 32;

#ifdef NDEBUG
constexpr bool kDebug = false;
#else
constexpr bool kDebug = true;
#endif

// With several carriers, neighbours often run on different ones: what each writes all the time is kept in cache lines
// of its own.
uint64_t wholeLines(uint64_t bytes) { return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine; }

FreeCell* pop(FreeCell*& list) {
  FreeCell* cell = list;
  list = cell->next;
  return cell;
}

void poisonCell(void* cell, uint32_t cellBytes) {
  std::memset(static_cast<char*>(cell) + sizeof(FreeCell), kPoison, cellBytes - sizeof(FreeCell));
}

} // namespace

// ---------------------------------------------------------------- allocator

Allocator::Allocator(Heap& heap) : heap_(heap) {
  SlowLock lock(heap.severalCarriers(), heap.impl_->mutex);
  heap.impl_->allocators.push_back(this);
}

Allocator::~Allocator() {
  SlowLock lock(heap_.severalCarriers(), heap_.impl_->mutex);
  std::erase(heap_.impl_->allocators, this);
}

void Allocator::clearPoison(FreeCell* cell, uint32_t cellBytes) {
  permitAccess(cell, cellBytes);
  const auto* bytes = reinterpret_cast<const unsigned char*>(cell);
  for (uint32_t i = sizeof(FreeCell); i < cellBytes; ++i) {
    if (bytes[i] == kPoison) continue;
    std::fprintf(stderr, "nlang: a freed object was written to: byte %u of a cell of %u at %p\n", i, cellBytes,
                 static_cast<void*>(cell));
    std::abort();
  }
  std::memset(static_cast<void*>(cell), 0, cellBytes);
  forbidAccess(reinterpret_cast<char*>(cell) + sizeof(FreeCell), cellBytes - sizeof(FreeCell));
}

// ---------------------------------------------------------------- cells

Heap::Impl::Impl(Heap& heap, const HeapOptions& given)
    : options(given), hidesCells(given.stress || (given.poison && !kDebug)), stacks(pool, given.poison || kDebug),
      marker(heap) {
  options.poison |= kDebug;
  for (unsigned i = 0; i < kSizeClasses; ++i) {
    supplies[0][i] = {BlockUse::kObjects, static_cast<uint8_t>(i), false, kSizeClassBytes[i], 0};
    supplies[1][i] = {BlockUse::kContexts, static_cast<uint8_t>(i), false, kSizeClassBytes[i], 0};
  }
  for (unsigned i = 0; i < kMediumClasses; ++i) {
    auto bytes = static_cast<uint32_t>(quarterStepBytes(kFirstMediumStep + i));
    medium[i] = {BlockUse::kObjects, static_cast<uint8_t>(i), true, bytes, 0};
  }
}

// Turns a dead object's cell into a free one, apart from its link.
void Heap::Impl::makeFree(Object* object, uint32_t cellBytes) {
  auto* cell = reinterpret_cast<FreeCell*>(object);
  permitAccess(cell, cellBytes);
  if (options.poison)
    poisonCell(cell, cellBytes);
  else
    std::memset(static_cast<void*>(cell), 0, cellBytes);
  cell->header = 0;
  forbidAccess(reinterpret_cast<char*>(cell) + sizeof(FreeCell), cellBytes - sizeof(FreeCell));
}

// The next cells of a block that is not carved to its end.
FreeCell* Heap::Impl::carve(Block& block, uint32_t index) {
  uint32_t count = std::min(std::max(1u, kCarveBytes / block.cellBytes), block.cellCount - block.carved);
  char* start = pool.address(index) + size_t{block.carved} * block.cellBytes;
  size_t bytes = size_t{count} * block.cellBytes;
  permitAccess(start, bytes);
  if (!block.clean) std::memset(start, 0, bytes);
  FreeCell* list = nullptr;
  for (char* at = start + bytes; at > start;) {
    at -= block.cellBytes;
    auto* cell = reinterpret_cast<FreeCell*>(at);
    if (options.poison) poisonCell(cell, block.cellBytes);
    cell->header = 0;
    cell->next = list;
    list = cell;
    forbidAccess(at + sizeof(FreeCell), block.cellBytes - sizeof(FreeCell));
  }
  block.carved += count;
  charge(bytes);
  return list;
}

// The free and dead cells of a block, lowest first.
FreeCell* Heap::Impl::sweep(Block& block, uint32_t index) {
  FreeCell* list = nullptr;
  uint32_t count = 0;
  char* start = pool.address(index);
  for (uint32_t i = block.carved; i-- > 0;) {
    auto* object = reinterpret_cast<Object*>(start + size_t{i} * block.cellBytes);
    uint8_t mark = object->mark.load(std::memory_order_relaxed);
    if (mark == epoch) continue;
    if (mark != kFree) makeFree(object, block.cellBytes);
    auto* cell = reinterpret_cast<FreeCell*>(object);
    cell->next = list;
    list = cell;
    ++count;
  }
  block.unswept = false;
  charge(uint64_t{count} * block.cellBytes);
  return list;
}

// Free cells of one size, from the current block, one with room, or a fresh one. Null at the limit, or when the system
// has no memory. With `locks` the mutex is taken for the choice of a block only: what is carved or swept is nobody
// else's.
FreeCell* Heap::Impl::refill(Supply& supply, uint32_t& current, uint64_t reserve, bool locks) {
  for (;;) {
    bool isSwept = true;
    if (!mayUse(supply.cellBytes, reserve)) return nullptr;
    if (current != 0 && pool.block(current).carved == pool.block(current).cellCount) current = 0;
    if (current == 0) {
      SlowLock lock(locks, mutex);
      current = takeBlock(supply, isSwept);
    }
    if (current == 0) return nullptr;
    Block& block = pool.block(current);
    if (isSwept) return carve(block, current);
    if (FreeCell* list = sweep(block, current)) return list;
  }
}

// A block with room, still to be swept, or a fresh one.
uint32_t Heap::Impl::takeBlock(Supply& supply, bool& isSwept) {
  uint32_t index = supply.available;
  isSwept = index == 0;
  if (!isSwept) {
    supply.available = pool.block(index).next;
    return index;
  }
  unsigned blocks = supply.isMedium ? kSpanBlocks : 1;
  index = pool.take(blocks, supply.use);
  if (index == 0) return 0;
  Block& block = pool.block(index);
  block.cellBytes = supply.cellBytes;
  block.cellCount = static_cast<uint32_t>(blocks * kBlockBytes / supply.cellBytes);
  block.cellClass = supply.cellClass;
  return index;
}

// ---------------------------------------------------------------- heap

Heap::Heap(ClassTable& classes, const HeapOptions& options)
    : classes_(classes), options_(options), impl_(std::make_unique<Impl>(*this, options)) {}

Heap::~Heap() = default;

void Heap::addRoots(RootProvider* provider) { impl_->providers.push_back(provider); }
void Heap::removeRoots(RootProvider* provider) { std::erase(impl_->providers, provider); }

Object* Heap::allocate(Allocator& allocator, const Class& cls, uint64_t bytes) {
  if (bytes <= kLargestSmall)
    if (Object* object = allocator.tryAllocate(cls, static_cast<uint32_t>(bytes))) return object;
  return allocateSlowly(allocator, 0, cls, bytes);
}

Object* Heap::allocateContext(Allocator& allocator, const Class& cls, uint32_t bytes) {
  assert(bytes <= kLargestSmall);
  if (options_.wholeLines) bytes = static_cast<uint32_t>(wholeLines(bytes));
  if (Object* object = allocator.tryAllocateContext(cls, bytes)) return object;
  return allocateSlowly(allocator, 1, cls, bytes);
}

Object* Heap::allocateNoCollect(Allocator& allocator, const Class& cls, uint64_t bytes) {
  if (bytes <= kLargestSmall)
    if (Object* object = allocator.tryAllocate(cls, static_cast<uint32_t>(bytes))) return object;
  return takeCell(allocator, 0, cls, bytes, kFaultReserve);
}

Object* Heap::allocateSlowly(Allocator& allocator, unsigned space, const Class& cls, uint64_t bytes) {
  world_.safepoint();
  bool collected =
      impl_->options.stress ||
      impl_->allocatedSince.load(std::memory_order_relaxed) + (bytes > kLargestSmall ? bytes : 0) >= impl_->budget;
  if (collected) collect(allocator);
  // With several carriers others may take what a collection has freed before this one gets its part.
  for (unsigned more = severalCarriers_ ? 3 : collected ? 0 : 1;; --more) {
    if (Object* object = takeCell(allocator, space, cls, bytes, 0)) return object;
    if (more == 0) return nullptr;
    collect(allocator);
  }
}

Object* Heap::takeCell(Allocator& allocator, unsigned space, const Class& cls, uint64_t bytes, uint64_t reserve) {
  Impl& heap = *impl_;
  if (bytes > kLargestMedium) {
    SlowLock lock(severalCarriers_, heap.mutex);
    if (!heap.mayUse(bytes, reserve)) return nullptr;
    Object* object = heap.large.allocate(bytes);
    if (object == nullptr) return nullptr;
    heap.charge(LargeSpace::headerOf(object).bytes);
    *reinterpret_cast<uint64_t*>(object) = cls.offset | uint64_t{kYoung} << 32;
    return object;
  }
  bool isMedium = bytes > kLargestSmall;
  unsigned cellClass = isMedium ? quarterStep(bytes) - kFirstMediumStep : kSizeClassOf[(bytes + 7) / 8];
  Impl::Supply& supply = isMedium ? heap.medium[cellClass] : heap.supplies[space][cellClass];
  FreeCell*& list = isMedium          ? allocator.mediumFree_[cellClass]
                    : heap.hidesCells ? allocator.hidden_[space][cellClass]
                                      : allocator.free_[space][cellClass];
  uint32_t& current = isMedium ? allocator.mediumCurrent_[cellClass] : allocator.current_[space][cellClass];
  if (list == nullptr) list = heap.refill(supply, current, reserve, severalCarriers_);
  if (list == nullptr) return nullptr;
  FreeCell* cell = pop(list);
  if (heap.options.poison) Allocator::clearPoison(cell, supply.cellBytes);
  return Allocator::makeObject(cell, cls, static_cast<uint32_t>(bytes));
}

void Heap::discardSlowly(Object* object) {
  Impl& heap = *impl_;
  bool isRemembered = object->flags.load(std::memory_order_relaxed) & kDirty;
  if (heap.pool.contains(object) || isRemembered) return;
  uint64_t bytes = LargeSpace::headerOf(object).bytes;
  // What was allocated since the last collection is no longer to be collected; what is older was counted as live.
  if (object->mark.load(std::memory_order_relaxed) == kYoung) {
    heap.allocatedSince.fetch_sub(bytes, std::memory_order_relaxed);
    heap.allocatedBefore += bytes;
  } else {
    heap.liveObjects -= bytes;
  }
  heap.notePeak();
  heap.large.free(object);
}

// ---------------------------------------------------------------- stacks

Slot* Heap::allocateStack(Allocator& allocator, uint32_t& slots) {
  Impl& heap = *impl_;
  uint64_t wanted = uint64_t{slots} * sizeof(Slot);
  uint64_t bytes = StackSpace::roundUp(options_.wholeLines ? wholeLines(wanted) : wanted);
  void* stack = nullptr;
  if (severalCarriers_ && bytes <= kLargestCachedStack) {
    stack = takeCachedStack(allocator, bytes);
  } else {
    SlowLock lock(severalCarriers_, heap.mutex);
    if (heap.mayUse(bytes, 0)) stack = heap.stacks.allocate(bytes);
  }
  if (stack != nullptr) slots = static_cast<uint32_t>(bytes / sizeof(Slot));
  return static_cast<Slot*>(stack);
}

// From the allocator's own cache, which is filled with some at a time.
void* Heap::takeCachedStack(Allocator& allocator, uint64_t bytes) {
  Impl& heap = *impl_;
  Allocator::StackCache& cache = allocator.stacks_[StackSpace::classOf(bytes)];
  if (cache.first == nullptr) {
    std::lock_guard lock(heap.mutex);
    while (cache.count < kStackBatch && heap.mayUse(bytes, 0)) {
      auto* cell = static_cast<FreeCell*>(heap.stacks.allocate(bytes));
      if (cell == nullptr) break;
      cell->next = cache.first;
      cache.first = cell;
      ++cache.count;
    }
    if (cache.first == nullptr) return nullptr;
  }
  --cache.count;
  return pop(cache.first);
}

void Heap::freeStack(Allocator& allocator, Slot* stack, uint32_t slots) {
  uint64_t bytes = uint64_t{slots} * sizeof(Slot);
  if (!severalCarriers_ || bytes > kLargestCachedStack) {
    SlowLock lock(severalCarriers_, impl_->mutex);
    if (bytes > kLargestCellStack) impl_->notePeak();
    return impl_->stacks.free(stack, bytes);
  }
  Allocator::StackCache& cache = allocator.stacks_[StackSpace::classOf(bytes)];
  auto* cell = reinterpret_cast<FreeCell*>(stack);
  cell->next = cache.first;
  cache.first = cell;
  if (++cache.count < 2 * kStackBatch) return;
  std::lock_guard lock(impl_->mutex);
  for (; cache.count > kStackBatch; --cache.count) impl_->stacks.free(pop(cache.first), bytes);
}

void Heap::forEachContextImpl(void (*visit)(void*, Object*), void* data) {
  BlockPool& pool = impl_->pool;
  for (uint32_t index = 1; index < pool.end(); ++index) {
    Block& block = pool.block(index);
    if (block.use != BlockUse::kContexts) continue;
    char* cell = pool.address(index);
    for (uint32_t i = 0; i < block.carved; ++i, cell += block.cellBytes) {
      auto* object = reinterpret_cast<Object*>(cell);
      if (object->mark.load(std::memory_order_relaxed) != kFree) visit(data, object);
    }
  }
}

// ---------------------------------------------------------------- remembering

void rememberObject(Heap& heap, Object* holder) {
  if (NLANG_FAULT("skip-barrier")) return;
  if (holder->flags.fetch_or(kDirty, std::memory_order_relaxed) & kDirty) return;
  heap.impl_->remembered.add(holder);
}

void Heap::addDirtyContextSlowly(Object* context) {
  if (severalCarriers_) {
    if (context->flags.fetch_or(kDirty, std::memory_order_relaxed) & kDirty) return;
  } else {
    context->flags.store(context->flags.load(std::memory_order_relaxed) | kDirty, std::memory_order_relaxed);
  }
  impl_->remembered.add(context);
}

// ---------------------------------------------------------------- identity hashes

// The upper part belongs to the object's block, which takes it from a counter when the first of its objects is asked
// for a hash and has another one after it was empty; the lower part counts within the block and stands in the header.
// Their mixture is 32 bits of an injective function as long as fewer than 2^16 blocks have hashed objects.
uint32_t Heap::identityHash(Object* object) {
  bool isSmall = impl_->pool.contains(object);
  LargeHeader* header = isSmall ? nullptr : &LargeSpace::headerOf(object);
  Block* block = isSmall ? &impl_->pool.of(object) : nullptr;
  std::atomic<uint32_t>& seed = isSmall ? block->hashSeed : header->hashSeed;
  std::atomic<uint16_t>& count = isSmall ? block->hashCount : header->hashCount;
  if (seed.load(std::memory_order_acquire) == 0) {
    SlowLock lock(severalCarriers_, impl_->mutex);
    if (seed.load(std::memory_order_relaxed) == 0) seed.store(++impl_->nextHashSeed, std::memory_order_release);
  }
  uint16_t state = object->hashState.load(std::memory_order_relaxed);
  while (state == 0) {
    uint16_t next = static_cast<uint16_t>(count.fetch_add(1, std::memory_order_relaxed) + 1);
    if (next == 0) continue; // the counter went round; zero means none
    if (object->hashState.compare_exchange_strong(state, next, std::memory_order_relaxed)) state = next;
  }
  uint64_t mixed = uint64_t{seed.load(std::memory_order_relaxed)} << 16 | state;
  auto hash = static_cast<uint32_t>(mixed ^ mixed >> 32 << 7);
  hash ^= hash >> 16;
  hash *= 0x7feb352du;
  hash ^= hash >> 15;
  hash *= 0x846ca68bu;
  return hash ^ hash >> 16;
}

HeapStatistics Heap::statistics() const {
  HeapStatistics result = impl_->statistics;
  result.allocatedBytes = impl_->allocatedBefore + impl_->allocatedSince.load(std::memory_order_relaxed);
  result.liveBytes = impl_->liveObjects + impl_->stacks.usedBytes();
  result.reservedBytes = impl_->reservedBytes();
  result.peakReservedBytes = std::max(result.peakReservedBytes, result.reservedBytes);
  return result;
}

} // namespace nlang::heap
