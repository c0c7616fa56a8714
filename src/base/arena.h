// A bump allocator: objects live until the arena does, and none is destroyed one by one.
//
// Invariants: only trivially destructible types are placed here; a returned pointer stays valid and never moves until
// the arena is destroyed. Blocks grow geometrically so that a small file costs one small block and a large one few
// system calls. An arena belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nlang::base {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t size, std::size_t align) {
    auto at = (reinterpret_cast<std::uintptr_t>(next_) + (align - 1)) & ~(static_cast<std::uintptr_t>(align) - 1);
    if (next_ == nullptr || at + size > reinterpret_cast<std::uintptr_t>(end_)) return allocateSlow(size, align);
    next_ = reinterpret_cast<std::byte*>(at + size);
    return reinterpret_cast<void*>(at);
  }

  template <class T, class... Args> T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T> std::span<T> copyList(const T* items, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return {};
    auto* to = static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
    std::memcpy(static_cast<void*>(to), items, sizeof(T) * count);
    return {to, count};
  }
  template <class T> std::span<T> copyList(const std::vector<T>& items) { return copyList(items.data(), items.size()); }

  std::string_view copyText(std::string_view text) {
    if (text.empty()) return {};
    auto* to = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  /// Bytes reserved from the system so far.
  std::size_t reservedBytes() const { return reserved_; }

 private:
  void* allocateSlow(std::size_t size, std::size_t align);

  std::byte* next_ = nullptr;                        // first free byte of the newest block
  std::byte* end_ = nullptr;                         // one past the newest block
  std::size_t reserved_ = 0;                         // sum of the sizes of all blocks
  std::vector<std::unique_ptr<std::byte[]>> blocks_; // owners of the memory, oldest first
};

} // namespace nlang::base
