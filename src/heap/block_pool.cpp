#include "heap/block_pool.h"

#include <bit>
#include <cassert>
#include <new>

#include <sys/mman.h>

#include "heap/sanitizers.h"

namespace nlang::heap {
namespace {

// The sanitizers keep shadow memory for what is mapped; they get less to care for.
constexpr size_t kRange = NLANG_ASAN || NLANG_TSAN ? size_t{16} << 30 : size_t{1} << 40;
constexpr size_t kSmallestRange = size_t{1} << 30;
// From this size on memory is asked for in huge pages and touched ahead: a small program keeps to the pages it needs.
constexpr size_t kLargeHeap = 8 * 1024 * 1024;
constexpr size_t kAheadBytes = 256 * 1024;
constexpr unsigned kBlocksAhead = kAheadBytes / kBlockBytes;
// How many chunks with some room are looked at for a span before a fresh chunk is preferred.
constexpr unsigned kSpanSearch = 16;

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

} // namespace

BlockPool::BlockPool() {
  if (!range_.reserve(kRange, kSmallestRange, kChunkBytes)) throw std::bad_alloc();
  size_t tableBytes = (range_.size() >> kBlockShift) * sizeof(Block);
  if (!table_.reserve(tableBytes, tableBytes, 4096)) throw std::bad_alloc();
  blocks_ = reinterpret_cast<Block*>(table_.base());
}

bool BlockPool::addChunk() {
  size_t number = chunks_.size();
  if (!table_.commit((number + 1) * kBlocksPerChunk * sizeof(Block))) return false;
  if (!range_.commit((number + 1) * kChunkBytes)) return false;
  if (number * kChunkBytes >= kLargeHeap) madvise(range_.base() + number * kChunkBytes, kChunkBytes, MADV_HUGEPAGE);
  chunks_.emplace_back();
  if (number == 0) chunks_[0].used = 1; // index 0 stands for none
  chunks_.back().listed = true;
  partial_.push_back(static_cast<uint32_t>(number));
  return true;
}

// The first block in the chunk of a free run of `count`, or -1.
int BlockPool::findRoom(const Chunk& chunk, unsigned count) const {
  if (count == 1) return chunk.used == ~0u ? -1 : std::countr_one(chunk.used);
  for (unsigned first = 0; first < kBlocksPerChunk; first += kSpanBlocks)
    if (((chunk.used >> first) & 0xff) == 0) return static_cast<int>(first);
  return -1;
}

uint32_t BlockPool::take(unsigned count, BlockUse use) {
  assert(count == 1 || count == kSpanBlocks);
  while (!partial_.empty() && chunks_[partial_.back()].used == ~0u) {
    chunks_[partial_.back()].listed = false;
    partial_.pop_back();
  }
  uint32_t number = 0;
  int first = -1;
  for (size_t i = partial_.size(), tried = 0; i > 0 && first < 0 && tried < kSpanSearch; --i, ++tried) {
    number = partial_[i - 1];
    first = findRoom(chunks_[number], count);
  }
  if (first < 0) {
    if (!addChunk()) return 0;
    number = static_cast<uint32_t>(chunks_.size() - 1);
    first = findRoom(chunks_[number], count);
  }
  Chunk& chunk = chunks_[number];
  if (chunk.trimmed) {
    chunk.trimmed = false;
    --trimmedChunks_;
  }
  uint32_t bits = ((count == 1 ? 1u : 0xffu)) << first;
  uint32_t index = number * kBlocksPerChunk + static_cast<uint32_t>(first);
  Block& block = blocks_[index];
  new (&block) Block{};
  block.use = use;
  block.clean = (chunk.touched & bits) == 0;
  for (unsigned i = 1; i < count; ++i) {
    new (&blocks_[index + i]) Block{};
    blocks_[index + i].headDistance = static_cast<uint8_t>(i);
  }
  chunk.used |= bits;
  chunk.touched |= bits;
  usedBlocks_ += count;
  if (usedBlocks_ * kBlockBytes >= kLargeHeap)
    for (unsigned i = 0; i < count; i += kBlocksAhead) touchAhead(index + i);
  return index;
}

void BlockPool::touchAhead(uint32_t index) {
  Chunk& chunk = chunks_[index / kBlocksPerChunk];
  unsigned step = index % kBlocksPerChunk / kBlocksAhead;
  if ((chunk.ahead >> step) & 1) return;
  chunk.ahead |= static_cast<uint8_t>(1u << step);
  if (!canTouchAhead_) return;
  char* start = address(index - index % kBlocksAhead);
  canTouchAhead_ = madvise(start, kAheadBytes, MADV_POPULATE_WRITE) == 0;
}

void BlockPool::release(uint32_t index) {
  Block& block = blocks_[index];
  uint32_t number = index / kBlocksPerChunk;
  unsigned first = index % kBlocksPerChunk;
  bool isSpan = index + 1 < end() && blocks_[index + 1].headDistance == 1 && first % kSpanBlocks == 0;
  unsigned count = isSpan ? kSpanBlocks : 1;
  permitAccess(address(index), count * kBlockBytes);
  block.use = BlockUse::kNone;
  for (unsigned i = 1; i < count; ++i) blocks_[index + i].headDistance = 0;
  Chunk& chunk = chunks_[number];
  chunk.used &= ~((count == 1 ? 1u : 0xffu) << first);
  usedBlocks_ -= count;
  if (!chunk.listed) {
    chunk.listed = true;
    partial_.push_back(number);
  }
}

void BlockPool::trim(size_t keep) {
  size_t unused = mappedBytes() - usedBytes();
  for (size_t number = chunks_.size(); number > 0 && unused > keep; --number) {
    Chunk& chunk = chunks_[number - 1];
    if (chunk.used != 0 || chunk.trimmed || chunk.touched == 0) continue;
    madvise(range_.base() + (number - 1) * kChunkBytes, kChunkBytes, MADV_DONTNEED);
    chunk.touched = 0;
    chunk.ahead = 0;
    chunk.trimmed = true;
    ++trimmedChunks_;
    unused -= kChunkBytes;
  }
}

} // namespace nlang::heap
