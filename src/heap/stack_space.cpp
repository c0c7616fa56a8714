#include "heap/stack_space.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>

#include "heap/heap.h"

namespace nlang::heap {
namespace {

constexpr uint64_t kPage = 4096;

} // namespace

uint64_t StackSpace::roundUp(uint64_t bytes) {
  bytes = quarterStepBytes(quarterStep(std::max<uint64_t>(bytes, kSmallestStack)));
  return bytes <= kLargestCellStack ? bytes : (bytes + kPage - 1) & ~(kPage - 1);
}

void StackSpace::link(uint32_t& list, uint32_t index) {
  Block& block = pool_.block(index);
  block.prev = 0;
  block.next = list;
  if (list != 0) pool_.block(list).prev = index;
  list = index;
}

void StackSpace::unlink(uint32_t& list, Block& block) {
  (block.prev != 0 ? pool_.block(block.prev).next : list) = block.next;
  if (block.next != 0) pool_.block(block.next).prev = block.prev;
}

void* StackSpace::allocate(uint64_t bytes) {
  if (bytes > kLargestCellStack) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    addUsed(bytes);
    mapped_ += bytes;
    return memory;
  }
  unsigned cellClass = classOf(bytes);
  uint32_t& list = available_[cellClass];
  if (list == 0) {
    bool isMedium = bytes > kLargestSmall;
    uint32_t index = pool_.take(isMedium ? kSpanBlocks : 1, BlockUse::kStacks);
    if (index == 0) return nullptr;
    Block& fresh = pool_.block(index);
    fresh.cellBytes = static_cast<uint32_t>(bytes);
    fresh.cellCount = static_cast<uint32_t>(kBlockBytes * (isMedium ? kSpanBlocks : 1) / bytes);
    fresh.cellClass = static_cast<uint8_t>(cellClass);
    link(list, index);
  }
  uint32_t index = list;
  Block& block = pool_.block(index);
  char* cell = reinterpret_cast<char*>(block.free);
  if (cell != nullptr) {
    permitAccess(cell, bytes);
    block.free = block.free->next;
  } else {
    cell = pool_.address(index) + uint64_t{block.carved++} * block.cellBytes;
  }
  ++block.live;
  if (block.live == block.cellCount) unlink(list, block);
  addUsed(bytes);
  return cell;
}

void StackSpace::free(void* stack, uint64_t bytes) {
  addUsed(-bytes);
  if (bytes > kLargestCellStack) {
    mapped_ -= bytes;
    munmap(stack, bytes);
    return;
  }
  if (poison_) std::memset(stack, 0xdb, bytes);
  Block& block = pool_.of(stack);
  uint32_t& list = available_[block.cellClass];
  auto* cell = static_cast<FreeCell*>(stack);
  cell->next = block.free;
  block.free = cell;
  forbidAccess(static_cast<char*>(stack) + sizeof(FreeCell), bytes - sizeof(FreeCell));
  if (block.live-- == block.cellCount) {
    link(list, pool_.indexOf(block));
  } else if (block.live == 0 && (block.prev != 0 || block.next != 0)) {
    unlink(list, block);
    pool_.release(pool_.indexOf(block));
  }
}

} // namespace nlang::heap
