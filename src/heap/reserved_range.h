// A range of addresses that is reserved once and made usable from its start on, so that what lies in it can be
// addressed by a small number.
//
// Reserving costs no memory and no accounting (PROT_NONE); committed memory is zero and becomes resident when it is
// touched.
#pragma once

#include <cstddef>

namespace nlang::heap {

class ReservedRange {
 public:
  ReservedRange() = default;
  ~ReservedRange();
  ReservedRange(const ReservedRange&) = delete;
  ReservedRange& operator=(const ReservedRange&) = delete;

  // Reserves `size` bytes, or half of that, a quarter … down to `smallest` where the system refuses. `alignment` is a
  // power of two. False when even the smallest is refused.
  bool reserve(size_t size, size_t smallest, size_t alignment);
  // Makes [0, end) usable. False when the range or the system's memory is exhausted; what was usable stays so.
  bool commit(size_t end);

  char* base() const { return base_; }
  size_t size() const { return size_; }
  size_t committed() const { return committed_; }

 private:
  char* base_ = nullptr;    // aligned start; null before reserve
  size_t size_ = 0;         // bytes from base_ on
  size_t committed_ = 0;    // bytes from base_ on that are usable, a multiple of the page size
  void* mapping_ = nullptr; // what munmap gets back
  size_t mappingSize_ = 0;
};

} // namespace nlang::heap
