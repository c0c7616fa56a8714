#include "bytecode/register_allocator.h"

#include <cassert>

#include "bytecode/program.h"

namespace nlang::bytecode {

uint16_t RegisterAllocator::allocateOne(bool isReference) {
  uint16_t reg;
  if (!takeSingle(singles_[isReference], reg) && !takeSingle(pieces_[isReference], reg)) {
    bool kinds[] = {isReference};
    return extend(kinds);
  }
  take({reg, 1});
  return reg;
}

uint16_t RegisterAllocator::allocate(std::span<const bool> kinds) {
  if (kinds.empty()) return 0;
  if (kinds.size() == 1) return allocateOne(kinds[0]);
  auto found = ranges_.find(Kinds(kinds.begin(), kinds.end()));
  if (found != ranges_.end()) {
    std::vector<uint16_t>& list = found->second;
    while (!list.empty()) {
      Range range{list.back(), static_cast<uint16_t>(kinds.size())};
      list.pop_back();
      if (!isFree(range)) continue;
      take(range);
      return range.first;
    }
  }
  return extend(kinds);
}

uint16_t RegisterAllocator::extend(std::span<const bool> kinds) {
  if (kinds_.size() + kinds.size() > kMaxRegisters) {
    overflowed_ = true;
    return 0;
  }
  Range range{static_cast<uint16_t>(kinds_.size()), static_cast<uint16_t>(kinds.size())};
  kinds_.insert(kinds_.end(), kinds.begin(), kinds.end());
  allocated_.resize(kinds_.size());
  take(range);
  return range.first;
}

bool RegisterAllocator::isFree(Range range) const {
  for (unsigned i = 0; i < range.count; ++i)
    if (allocated_[range.first + i]) return false;
  return true;
}

void RegisterAllocator::take(Range range) {
  for (unsigned i = 0; i < range.count; ++i) allocated_[range.first + i] = true;
  log_.push_back(range);
}

bool RegisterAllocator::takeSingle(std::vector<uint16_t>& list, uint16_t& reg) {
  while (!list.empty()) {
    reg = list.back();
    list.pop_back();
    if (!allocated_[reg]) return true;
  }
  return false;
}

void RegisterAllocator::release(uint16_t first, unsigned count) {
  if (overflowed_ || count == 0) return;
  assert(first + count <= kinds_.size());
  // A pointer, because g++ 12 gets the subscript of an array member chosen by `?:` wrong.
  std::vector<uint16_t>* lists = count == 1 ? singles_ : pieces_;
  // From the last to the first, so that the next single registers come in rising order.
  for (unsigned i = count; i-- > 0;) {
    uint16_t reg = static_cast<uint16_t>(first + i);
    assert(allocated_[reg] && "released twice");
    allocated_[reg] = false;
    lists[kinds_[reg]].push_back(reg);
  }
  if (count > 1) ranges_[Kinds(kinds_.begin() + first, kinds_.begin() + first + count)].push_back(first);
}

void RegisterAllocator::releaseTo(Mark mark) {
  while (log_.size() > mark) {
    Range range = log_.back();
    log_.pop_back();
    bool isWhole = true;
    for (unsigned i = 0; i < range.count; ++i) isWhole = isWhole && allocated_[range.first + i];
    if (isWhole) {
      release(range.first, range.count);
      continue;
    }
    for (unsigned i = range.count; i-- > 0;)
      if (allocated_[range.first + i]) release(static_cast<uint16_t>(range.first + i));
  }
}

std::vector<uint64_t> RegisterAllocator::referenceBits() const {
  std::vector<uint64_t> bits((kinds_.size() + 63) / 64);
  for (size_t i = 0; i < kinds_.size(); ++i)
    if (kinds_[i]) bits[i / 64] |= uint64_t{1} << (i % 64);
  return bits;
}

} // namespace nlang::bytecode
