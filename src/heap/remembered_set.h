// Objects that the next minor collection has to look at: old ones that may refer to young ones, and dirty contexts.
//
// Any carrier adds without a lock: a place in the current chunk is reserved by an atomic increment, and a full chunk is
// replaced by compare-and-swap. Everything else happens while the world is stopped. An object is added once a cycle:
// whoever sets its flag kDirty adds it.
#pragma once

#include <atomic>
#include <cstdint>

namespace nlang::heap {

struct Object;

class RememberedSet {
 public:
  RememberedSet() = default;
  ~RememberedSet();
  RememberedSet(const RememberedSet&) = delete;

  // Throws std::bad_alloc.
  void add(Object* object);
  template <class F> void forEach(F&& visit) const {
    for (const Chunk* chunk = current_.load(std::memory_order_acquire); chunk != nullptr; chunk = chunk->previous)
      for (uint32_t i = 0; i < chunk->count(); ++i) visit(chunk->objects[i]);
  }
  // Forgets all of them; keeps one chunk.
  void clear();

 private:
  static constexpr uint32_t kChunkObjects = 1022;
  struct Chunk {
    Chunk* previous;
    std::atomic<uint32_t> reserved; // places given out, more than there are when it is full
    Object* objects[kChunkObjects];
    uint32_t count() const {
      uint32_t n = reserved.load(std::memory_order_relaxed);
      return n < kChunkObjects ? n : kChunkObjects;
    }
  };
  void addChunk(Chunk* full);

  std::atomic<Chunk*> current_{nullptr};
};

} // namespace nlang::heap
