// Objects of more than kLargestMedium bytes: each has a mapping of its own, with a header of kHeaderBytes before the
// object.
//
// Fresh mappings are zero. A few dead ones are kept for the next objects of about their size, because mapping and first
// touch cost more than clearing. Not locked: the heap calls it under its mutex.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heap/object.h"

namespace nlang::heap {

struct LargeHeader {
  size_t mapped;                  // bytes of the mapping
  size_t bytes;                   // of the object, rounded up to 8
  size_t place;                   // in LargeSpace::objects_
  std::atomic<uint32_t> hashSeed; // as in Block
  std::atomic<uint16_t> hashCount;
};

class LargeSpace {
 public:
  static constexpr size_t kHeaderBytes = 64;
  ~LargeSpace();

  // Zeroed memory for an object, or null when the system refuses.
  Object* allocate(uint64_t bytes);
  // Frees every object whose mark is not `epoch`; returns the bytes of the others.
  uint64_t sweep(uint8_t epoch);
  // Frees one object at once.
  void free(Object* object);

  static LargeHeader& headerOf(const Object* object) {
    return *reinterpret_cast<LargeHeader*>(reinterpret_cast<uintptr_t>(object) - kHeaderBytes);
  }
  template <class F> void forEach(F&& visit) {
    for (LargeHeader* header : objects_) visit(objectOf(header));
  }
  size_t mappedBytes() const { return mapped_; }

 private:
  static Object* objectOf(LargeHeader* header) {
    return reinterpret_cast<Object*>(reinterpret_cast<char*>(header) + kHeaderBytes);
  }
  LargeHeader* reuse(size_t mapped);
  void dispose(LargeHeader* header);
  std::vector<LargeHeader*> objects_; // all that are allocated
  std::vector<LargeHeader*> kept_;    // dead ones, for reuse
  size_t mapped_ = 0;                 // bytes of both kinds
};

} // namespace nlang::heap
