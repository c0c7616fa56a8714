#include "base/arena.h"

#include <algorithm>

namespace nlang::base {

namespace {
constexpr std::size_t kFirstBlock = 16 * 1024;
constexpr std::size_t kLargestBlock = 1024 * 1024;
} // namespace

void* Arena::allocateSlow(std::size_t size, std::size_t align) {
  // A request larger than a block gets one of its own size; the rest of the previous block is given up.
  std::size_t blockSize = std::min(kLargestBlock, std::max(kFirstBlock, reserved_ / 2));
  blockSize = std::max(blockSize, size + align);
  blocks_.push_back(std::unique_ptr<std::byte[]>(new std::byte[blockSize]));
  next_ = blocks_.back().get();
  end_ = next_ + blockSize;
  reserved_ += blockSize;
  return allocate(size, align);
}

} // namespace nlang::base
