#include "heap/large_space.h"

#include <cstring>
#include <new>

#include <sys/mman.h>

#include "heap/sanitizers.h"

namespace nlang::heap {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = 2 * 1024 * 1024;
constexpr size_t kMostKept = 16;             // mappings, so that looking for one stays short
constexpr size_t kLargestKept = 1024 * 1024; // bytes of one: huge pages make the first touch of larger ones cheap

size_t pages(size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

// A mapping of `mapped` bytes that starts at a huge page if it has several of them.
void* map(size_t mapped) {
  bool huge = mapped >= 2 * kHugePage;
  size_t extra = huge ? kHugePage : 0;
  void* raw = mmap(nullptr, mapped + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  if (!huge) return raw;
  char* start = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(raw) + kHugePage - 1) & ~(kHugePage - 1));
  size_t before = static_cast<size_t>(start - static_cast<char*>(raw));
  if (before != 0) munmap(raw, before);
  if (before != extra) munmap(start + mapped, extra - before);
  madvise(start, mapped, MADV_HUGEPAGE);
  return start;
}

} // namespace

LargeSpace::~LargeSpace() {
  for (LargeHeader* header : objects_) munmap(header, header->mapped);
  for (LargeHeader* header : kept_) {
    permitAccess(objectOf(header), header->mapped - kHeaderBytes);
    munmap(header, header->mapped);
  }
}

LargeHeader* LargeSpace::reuse(size_t mapped) {
  LargeHeader** best = nullptr;
  for (LargeHeader*& kept : kept_)
    if (kept->mapped >= mapped && kept->mapped <= mapped + mapped / 4 &&
        (best == nullptr || kept->mapped < (*best)->mapped))
      best = &kept;
  if (best == nullptr) return nullptr;
  LargeHeader* header = *best;
  *best = kept_.back();
  kept_.pop_back();
  permitAccess(objectOf(header), header->mapped - kHeaderBytes);
  return header;
}

Object* LargeSpace::allocate(uint64_t bytes) {
  if (bytes > size_t{1} << 46) return nullptr;
  bytes = (bytes + 7) & ~uint64_t{7};
  size_t mapped = pages(bytes + kHeaderBytes);
  LargeHeader* header = reuse(mapped);
  if (header != nullptr) {
    std::memset(static_cast<void*>(objectOf(header)), 0, bytes);
  } else {
    void* memory = map(mapped);
    if (memory == nullptr) return nullptr;
    header = new (memory) LargeHeader{};
    header->mapped = mapped;
    mapped_ += mapped;
  }
  header->bytes = bytes;
  header->hashSeed = 0;
  header->hashCount = 0;
  header->place = objects_.size();
  objects_.push_back(header);
  return objectOf(header);
}

// Keeps the mapping of a dead object for reuse, or gives it back.
void LargeSpace::dispose(LargeHeader* header) {
  if (kept_.size() < kMostKept && header->mapped <= kLargestKept) {
    objectOf(header)->mark.store(kFree, std::memory_order_relaxed);
    forbidAccess(objectOf(header), header->mapped - kHeaderBytes);
    kept_.push_back(header);
    return;
  }
  mapped_ -= header->mapped;
  munmap(header, header->mapped);
}

uint64_t LargeSpace::sweep(uint8_t epoch) {
  uint64_t live = 0;
  size_t kept = 0;
  for (LargeHeader* header : objects_) {
    if (objectOf(header)->mark.load(std::memory_order_relaxed) != epoch) {
      dispose(header);
      continue;
    }
    live += header->bytes;
    header->place = kept;
    objects_[kept++] = header;
  }
  objects_.resize(kept);
  return live;
}

void LargeSpace::free(Object* object) {
  LargeHeader& header = headerOf(object);
  objects_[header.place] = objects_.back();
  objects_[header.place]->place = header.place;
  objects_.pop_back();
  dispose(&header);
}

} // namespace nlang::heap
