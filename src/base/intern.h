// Interned text: equal strings share one address and one number, so names compare and hash without reading them.
//
// Invariants: every view returned for the same text has the same `data()`, which lives as long as the interner; ids
// count from 0 in the order of first use. One interner serves one compilation (all of its modules) and one thread.
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

  /// The number of `text`, which is copied on its first use.
  std::uint32_t idOf(std::string_view text);
  std::string_view textOf(std::uint32_t id) const { return texts_[id]; }
  /// The unique copy of `text`; the empty text has a unique address too.
  std::string_view intern(std::string_view text) { return texts_[idOf(text)]; }

  std::size_t count() const { return texts_.size(); }

 private:
  struct Place {
    std::uint32_t hash = 0;
    std::uint32_t idPlusOne = 0; // 0: the place is free
  };

  void grow();

  Arena arena_;                         // owns the bytes
  std::vector<std::string_view> texts_; // by id
  std::vector<Place> table_;            // open addressing; its size is a power of two, at most half full
};

} // namespace nlang::base
