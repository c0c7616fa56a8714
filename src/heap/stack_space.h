// Stacks of contexts: cells in blocks of the pool, each block with its own free list, so that an empty one goes back at
// once; stacks of more than kLargestCellStack bytes have mappings of their own.
//
// Cells are cut from a block one by one: a page becomes resident when the first stack on it is used. Not locked: the
// heap calls it under its mutex once several carriers run.
#pragma once

#include <atomic>
#include <cstdint>

#include "heap/block_pool.h"
#include "heap/size_classes.h"
#include "heap/slot.h"

namespace nlang::heap {

class StackSpace {
 public:
  StackSpace(BlockPool& pool, bool poison) : pool_(pool), poison_(poison) {}

  // The size class of stacks of so many bytes (rounded up, at most kLargestCellStack), and its bytes.
  static unsigned classOf(uint64_t bytes) { return quarterStep(bytes) - kFirstStackStep; }
  static uint64_t classBytes(unsigned stackClass) { return quarterStepBytes(stackClass + kFirstStackStep); }
  // Bytes that a stack of so many gets.
  static uint64_t roundUp(uint64_t bytes);
  // `bytes` as rounded up. Null when the system refuses.
  void* allocate(uint64_t bytes);
  void free(void* stack, uint64_t bytes);

  // Any carrier; the rest under the heap's mutex.
  uint64_t usedBytes() const { return used_.load(std::memory_order_relaxed); }
  uint64_t mappedBytes() const { return mapped_; } // of big ones; the others lie in the pool

 private:
  void link(uint32_t& list, uint32_t index);
  void unlink(uint32_t& list, Block& block);
  BlockPool& pool_;
  bool poison_;                            // fill freed stacks
  uint32_t available_[kStackClasses] = {}; // blocks with room: heads of lists, doubly linked; 0: none
  void addUsed(uint64_t bytes) { used_.store(usedBytes() + bytes, std::memory_order_relaxed); }
  std::atomic<uint64_t> used_{0}; // bytes of stacks in use
  uint64_t mapped_ = 0;           // of those with own mappings
};

} // namespace nlang::heap
