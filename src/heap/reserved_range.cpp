#include "heap/reserved_range.h"

#include <sys/mman.h>

namespace nlang::heap {

ReservedRange::~ReservedRange() {
  if (mapping_ != nullptr) munmap(mapping_, mappingSize_);
}

bool ReservedRange::reserve(size_t size, size_t smallest, size_t alignment) {
  for (; size >= smallest; size /= 2) {
    size_t wanted = size + alignment;
    void* mapping = mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) continue;
    mapping_ = mapping;
    mappingSize_ = wanted;
    base_ = reinterpret_cast<char*>((reinterpret_cast<size_t>(mapping) + alignment - 1) & ~(alignment - 1));
    size_ = size;
    return true;
  }
  return false;
}

bool ReservedRange::commit(size_t end) {
  constexpr size_t kStep = 64 * 1024;
  end = (end + kStep - 1) & ~(kStep - 1);
  if (end <= committed_) return true;
  if (end > size_) return false;
  if (mprotect(base_ + committed_, end - committed_, PROT_READ | PROT_WRITE) != 0) return false;
  committed_ = end;
  return true;
}

} // namespace nlang::heap
