// Blocks of 64 KiB, the unit in which memory changes its use: cells of one size for objects, contexts or stacks.
//
// All blocks of a heap lie in one reserved range of addresses, made usable in chunks of 2 MiB; a descriptor for each
// stands in a table beside them, so that an address finds its descriptor by a shift, the table is dense in the cache
// (headers inside the blocks would all fall into the same cache sets), and whole pages belong to cells. Cells of over 8
// KiB come from spans of eight consecutive blocks, which have the first one's descriptor.
//
// Not locked: the heap calls it under its mutex. Memory of a block that was used before is not zero.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "heap/reserved_range.h"

namespace nlang::heap {

constexpr size_t kBlockBytes = 64 * 1024;
constexpr unsigned kBlockShift = 16;
constexpr size_t kChunkBytes = 2 * 1024 * 1024;
constexpr unsigned kBlocksPerChunk = kChunkBytes / kBlockBytes;
constexpr unsigned kSpanBlocks = 8;

enum class BlockUse : uint8_t { kNone, kObjects, kContexts, kStacks };

struct FreeCell;

// Descriptor of a block. Index 0 is never handed out and ends lists.
struct Block {
  uint32_t cellBytes; // of each cell
  uint32_t cellCount;
  uint32_t carved; // cells below this number have been free, used or dead at least once; behind it nothing may be read
  uint32_t live;   // objects: cells marked in the current cycle. Stacks: cells in use
  uint32_t next, prev;             // neighbours in the list that the block is in; 0: none
  FreeCell* free;                  // stacks: freed cells
  std::atomic<uint32_t> hashSeed;  // identity hashes of objects here start from it; 0: none was asked for yet
  std::atomic<uint16_t> hashCount; // given so far in this block
  BlockUse use;
  uint8_t cellClass;    // number of the size among those of its use
  uint8_t headDistance; // 0, or in the followers of a span: how many blocks before this one its descriptor is
  bool unswept;         // objects: dead cells are still to be found, by their mark
  bool clean;           // memory behind `carved` has never been used and is zero
};
static_assert(sizeof(Block) <= 48);

class BlockPool {
 public:
  BlockPool(); // std::bad_alloc when not even a small range of addresses can be reserved
  BlockPool(const BlockPool&) = delete;

  // `count` (1 or kSpanBlocks) consecutive blocks: the index of the first, its descriptor reset with `use` and `clean`
  // set; 0 when memory is exhausted.
  uint32_t take(unsigned count, BlockUse use);
  void release(uint32_t index);
  // Gives the memory of unused chunks back to the system until at most `keep` bytes of unused blocks are resident.
  void trim(size_t keep);

  Block& block(uint32_t index) { return blocks_[index]; }
  Block* blocks() { return blocks_; }
  uint32_t end() const { return static_cast<uint32_t>(chunks_.size()) * kBlocksPerChunk; } // one past the last index
  char* base() const { return range_.base(); }
  size_t rangeSize() const { return range_.size(); }
  char* address(uint32_t index) const { return base() + (size_t{index} << kBlockShift); }
  bool contains(const void* p) const {
    return static_cast<size_t>(static_cast<const char*>(p) - base()) < range_.size();
  }
  // The descriptor of the block or span around `p`, which the pool contains.
  Block& of(const void* p) {
    Block* block = blocks_ + (static_cast<size_t>(static_cast<const char*>(p) - base()) >> kBlockShift);
    return *(block - block->headDistance);
  }
  uint32_t indexOf(const Block& block) const { return static_cast<uint32_t>(&block - blocks_); }
  size_t usedBytes() const { return usedBlocks_ * kBlockBytes; }
  size_t mappedBytes() const { return chunks_.size() * kChunkBytes - trimmedChunks_ * kChunkBytes; }

 private:
  struct Chunk {
    uint32_t used = 0;    // bit set of blocks in use
    uint32_t touched = 0; // bit set of blocks whose memory was used before
    uint8_t ahead = 0;    // bit set of the 256 KiB steps that were touched ahead
    bool listed = false;  // in partial_
    bool trimmed = false; // its memory was given back and nothing was taken from it since
  };
  bool addChunk();
  int findRoom(const Chunk& chunk, unsigned count) const;
  void touchAhead(uint32_t index);

  ReservedRange range_, table_;
  Block* blocks_ = nullptr;   // in table_
  std::vector<Chunk> chunks_; // by number, all that were made usable
  std::vector<uint32_t>
      partial_; // chunks that had room, also empty ones; entries may be stale, a chunk is in it at most once
  size_t usedBlocks_ = 0, trimmedChunks_ = 0;
  bool canTouchAhead_ = true; // the system knows MADV_POPULATE_WRITE
};

} // namespace nlang::heap
