// The index of a Dict's or Set's table: hash codes of plain keys, and the search. Private to the room; dict.h says what
// a table is.
#pragma once

#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "heap/heap.h"
#include "object/layout.h"
#include "object/string.h"

namespace nlang::object {

constexpr uint32_t kNoEntry = 0xffffffff;
constexpr unsigned kLineBits = 3; // slots in a line, as a power of two
constexpr uint32_t kLineMask = (1u << kLineBits) - 1;
constexpr uint32_t kHashBit = 0x80000000; // set in every hash code; 0 marks removed entries

// ---------------------------------------------------------------- hash codes

// A multiplication whose result depends on everything: xor of both halves of the 128-bit product.
inline uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Eight consecutive integers, as many as a line has slots, differ only in the upper bits of their hash codes.
inline uint32_t hashOfInteger(const heap::HashSeed& seed, uint64_t value) {
  uint64_t group = mix((value >> kLineBits) ^ seed.addend, seed.factor);
  return (static_cast<uint32_t>(group) ^ static_cast<uint32_t>(value) << (31 - kLineBits)) | kHashBit;
}

// Of one leaf, or continues that of the leaves in front.
inline uint64_t hashOfLeaf(const heap::HashSeed& seed, uint64_t before, uint64_t bits) {
  return mix((before + bits) ^ seed.addend, seed.factor);
}
inline uint32_t finishHash(uint64_t hash) { return static_cast<uint32_t>(hash) | kHashBit; }

inline uint32_t hashOfText(const heap::HashSeed& seed, const String* text) {
  uint32_t known = text == nullptr ? 0 : text->hash.load(std::memory_order_relaxed);
  return finishHash(hashOfLeaf(seed, 0, known != 0 ? known : hashOf(text)));
}

// ---------------------------------------------------------------- entries and slots

inline char* entryAt(Table* table, uint32_t number) { return table->entries() + size_t{number} * table->entrySize; }
inline uint32_t hashAt(const char* entry) {
  return __atomic_load_n(reinterpret_cast<const uint32_t*>(entry), __ATOMIC_RELAXED);
}
inline uint32_t loadSlot(const uint32_t* slot) { return __atomic_load_n(slot, __ATOMIC_RELAXED); }
inline void setSlot(Table* table, uint32_t slot, uint32_t hash, uint32_t entry) {
  __atomic_store_n(table->slots() + slot, (hash & ~table->numberMask) | (entry + 1), __ATOMIC_RELAXED);
}

// The slots of a line that are `wanted` where `mask` has ones, a bit each. No branch depends on what the slots hold, so
// that the processor can go on while it waits for them.
#if defined(__SSE2__) && !NLANG_TSAN
inline uint32_t slotsEqual(const uint32_t* line, uint32_t mask, uint32_t wanted) {
  static_assert(kLineBits == 3);
  const auto* halves = reinterpret_cast<const __m128i*>(line);
  __m128i masks = _mm_set1_epi32(static_cast<int>(mask)), values = _mm_set1_epi32(static_cast<int>(wanted));
  auto equal = [&](const __m128i* half) {
    __m128i same = _mm_cmpeq_epi32(_mm_and_si128(_mm_loadu_si128(half), masks), values);
    return static_cast<uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(same)));
  };
  return equal(halves) | equal(halves + 1) << 4;
}
#else
inline uint32_t slotsEqual(const uint32_t* line, uint32_t mask, uint32_t wanted) {
  uint32_t equal = 0;
  for (unsigned i = 0; i <= kLineMask; ++i) equal |= uint32_t{(loadSlot(line + i) & mask) == wanted} << i;
  return equal;
}
#endif

// ---------------------------------------------------------------- the search

struct Place {
  uint32_t entry; // kNoEntry: there is none, and `slot` is the empty one where its number would stand
  uint32_t slot;
  uint32_t step;  // slots passed before this one
  const char* at; // of the entry
};

// The first entry from step `from` on with this hash code for which `accept` holds.
template <class Accept>
[[gnu::always_inline]] inline Place find(Table* table, uint32_t hash, uint32_t from, const Accept& accept) {
  const uint32_t* slots = table->slots();
  uint32_t numberMask = table->numberMask, tagMask = ~numberMask;
  uint32_t step = from >> kLineBits;
  uint32_t wanted = ~0u << (from & kLineMask); // slots of the line that were not looked at yet
  auto line = static_cast<uint32_t>(hash + uint64_t{step} * (step + 1) / 2);
  for (;;) {
    uint32_t first = (line << kLineBits) & numberMask;
    // The top bit of every tag is set, so that no empty slot is among these.
    for (uint32_t left = slotsEqual(slots + first, tagMask, hash & tagMask) & wanted; left != 0; left &= left - 1) {
      auto i = static_cast<uint32_t>(std::countr_zero(left));
      uint32_t entry = (loadSlot(slots + first + i) & numberMask) - 1;
      const char* at = entryAt(table, entry);
      if (hashAt(at) == hash && accept(at)) return {entry, first + i, step << kLineBits | i, at};
    }
    uint32_t empty = slotsEqual(slots + first, ~0u, 0);
    if (empty != 0)
      return {kNoEntry, first + static_cast<uint32_t>(std::countr_zero(empty)), step << kLineBits, nullptr};
    wanted = ~0u;
    line += ++step;
  }
}

} // namespace nlang::object
