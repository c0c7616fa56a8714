#include "vm/resources.h"

#include <algorithm>

namespace nlang::vm {

namespace {

constexpr size_t kSmallestBudget = size_t{16} << 20; // bytes of new resources that are always fine

} // namespace

void Resources::give(heap::Allocator& allocator, const heap::Object* holder, std::unique_ptr<Resource> resource,
                     size_t bytes) {
  bool isMuch;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    entries_.push_back({holder, std::move(resource), bytes});
    bytes_ += bytes;
    bytesSince_ += bytes;
    isMuch = bytesSince_ > std::max(kSmallestBudget, bytes_ - bytesSince_);
  }
  if (isMuch) heap_.collect(allocator);
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
