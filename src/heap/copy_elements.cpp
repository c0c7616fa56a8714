// Copies of ranges of elements.
//
// With one carrier nobody can look at a half-copied range, so it is a memmove. With several, every word is read and
// written whole: the largest power of two up to 8 that divides the addresses and the size of an element is never torn.
#include <cstring>

#include "heap/heap.h"

namespace nlang::heap {
namespace {

template <class Word> void copyWords(char* to, const char* from, uint64_t bytes) {
  auto* target = reinterpret_cast<Word*>(to);
  const auto* source = reinterpret_cast<const Word*>(from);
  uint64_t count = bytes / sizeof(Word);
  if (to <= from || to >= from + bytes) {
    for (uint64_t i = 0; i < count; ++i)
      __atomic_store_n(target + i, __atomic_load_n(source + i, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
  } else {
    for (uint64_t i = count; i-- > 0;)
      __atomic_store_n(target + i, __atomic_load_n(source + i, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
  }
}

} // namespace

void copyElements(Heap& heap, Object* holder, char* to, const char* from, const Layout& layout, uint64_t count) {
  uint64_t bytes = count * layout.size;
  if (bytes == 0) return;
  if (layout.hasReferences && holder->mark.load(std::memory_order_relaxed) > kYoung &&
      !(holder->flags.load(std::memory_order_relaxed) & kDirty))
    rememberObject(heap, holder);
  if (!heap.severalCarriers()) {
    std::memmove(to, from, bytes);
    return;
  }
  switch ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | layout.size) & 7) {
  case 0: return copyWords<uint64_t>(to, from, bytes);
  case 4: return copyWords<uint32_t>(to, from, bytes);
  case 2:
  case 6: return copyWords<uint16_t>(to, from, bytes);
  default: return copyWords<uint8_t>(to, from, bytes);
  }
}

} // namespace nlang::heap
