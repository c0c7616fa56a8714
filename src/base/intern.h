// Interned text: equal strings share one address, so names compare and hash by pointer.
//
// Invariants: every view returned by `intern` for the same text has the same `data()`; the text lives as long as the interner.
// One interner serves one compilation (all of its modules) and one thread.
#pragma once

#include "base/arena.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nlang::base {

class Interner {
public:
  Interner();

  /// The unique copy of `text`; the empty text has a unique address too.
  std::string_view intern(std::string_view text);

  std::size_t count() const { return count_; }

private:
  struct Entry {
    const char* data = nullptr; // null: the place is free
    std::uint32_t size = 0;     // bytes
    std::uint32_t hash = 0;     // of the text; compared before the bytes are
  };

  void grow();

  Arena arena_;               // owns the bytes
  std::vector<Entry> table_;  // open addressing; its size is a power of two, at most half full
  std::size_t count_ = 0;     // used places
};

} // namespace nlang::base
