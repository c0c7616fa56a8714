#include "heap/remembered_set.h"

#include <cstdlib>
#include <new>

namespace nlang::heap {

RememberedSet::~RememberedSet() {
  clear();
  std::free(current_.load(std::memory_order_relaxed));
}

void RememberedSet::add(Object* object) {
  for (;;) {
    Chunk* chunk = current_.load(std::memory_order_acquire);
    if (chunk != nullptr) {
      uint32_t place = chunk->reserved.fetch_add(1, std::memory_order_relaxed);
      if (place < kChunkObjects) {
        chunk->objects[place] = object;
        return;
      }
    }
    addChunk(chunk);
  }
}

void RememberedSet::addChunk(Chunk* full) {
  auto* fresh = static_cast<Chunk*>(std::malloc(sizeof(Chunk)));
  if (fresh == nullptr) throw std::bad_alloc();
  fresh->previous = full;
  new (&fresh->reserved) std::atomic<uint32_t>(0);
  if (!current_.compare_exchange_strong(full, fresh, std::memory_order_acq_rel)) std::free(fresh);
}

void RememberedSet::clear() {
  Chunk* kept = current_.load(std::memory_order_relaxed);
  if (kept == nullptr) return;
  while (Chunk* chunk = kept->previous) {
    kept->previous = chunk->previous;
    std::free(chunk);
  }
  kept->reserved.store(0, std::memory_order_relaxed);
}

} // namespace nlang::heap
