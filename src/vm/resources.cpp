#include "vm/resources.h"

#include <algorithm>
#include <cstdint>

namespace nlang::vm {

namespace {

constexpr size_t kSmallestBudget = size_t{16} << 20; // bytes of new resources that are always fine

} // namespace

bool Resources::fits(size_t bytes) const {
  uint64_t limit = heap_.options().limit;
  return bytes <= limit && bytes_ <= limit - bytes;
}

bool Resources::give(heap::Allocator& allocator, const heap::Object* holder, std::unique_ptr<Resource> resource,
                     size_t bytes) {
  bool isFull, isMuch;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    isFull = !fits(bytes);
  }
  if (isFull) heap_.collect(allocator);
  {
    std::lock_guard<std::mutex> guard(mutex_);
    if (!fits(bytes)) return false;
    entries_.push_back({holder, std::move(resource), bytes});
    bytes_ += bytes;
    bytesSince_ += bytes;
    isMuch = bytesSince_ > std::max(kSmallestBudget, bytes_ - bytesSince_);
  }
  if (isMuch) heap_.collect(allocator);
  return true;
}

size_t Resources::count() {
  std::lock_guard<std::mutex> guard(mutex_);
  return entries_.size();
}

void Resources::beforeSweep(const heap::Marker& marker) {
  std::erase_if(entries_, [&](const Entry& entry) {
    if (marker.isMarked(entry.holder)) return false;
    bytes_ -= entry.bytes;
    return true;
  });
  bytesSince_ = 0;
}

} // namespace nlang::vm
