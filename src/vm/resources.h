// What lies outside the heap and belongs to an object in it: compiled patterns, and whatever else must be closed.
//
// A native makes the resource and gives it to the registry together with its holder, an object of the program, which
// keeps the address in a `long` field of its own that no other code can write. So the address is right for as long as
// somebody has the holder. When a collection finds the holder dead, the resource is destroyed before its memory is
// reused; programs have no finalisers, and nothing of the program runs then. What is left goes with the Vm.
//
// Memory of resources is not the heap's and does not make it collect. Therefore they are counted here, and when many
// have been made since the last collection, the next one makes the heap collect. All together may take as much as the
// heap may.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "heap/heap.h"

namespace nlang::vm {

class Resource {
 public:
  Resource() = default;
  virtual ~Resource() = default; // closes it
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
};

class Resources final : public heap::RootProvider {
 public:
  explicit Resources(heap::Heap& heap) : heap_(heap) { heap_.addRoots(this); }
  ~Resources() override { heap_.removeRoots(this); }

  // Ties `resource`, of about `bytes`, to the life of `holder`. May collect: a safepoint, and the holder is in a frame.
  // False: there would be too much even after a collection, and the resource is gone.
  bool give(heap::Allocator& allocator, const heap::Object* holder, std::unique_ptr<Resource> resource, size_t bytes);
  // How many there are.
  size_t count();

  // ---- heap::RootProvider
  void markRoots(heap::Marker&) override {}
  void beforeSweep(const heap::Marker& marker) override;

 private:
  struct Entry {
    const heap::Object* holder; // does not keep it alive
    std::unique_ptr<Resource> resource;
    size_t bytes;
  };
  bool fits(size_t bytes) const; // with the lock

  heap::Heap& heap_;
  std::mutex mutex_; // for the rest, except during a collection, when no carrier runs
  std::vector<Entry> entries_;
  size_t bytes_ = 0;      // of all entries
  size_t bytesSince_ = 0; // of those made since the last collection
};

} // namespace nlang::vm
