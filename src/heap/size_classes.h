// Sizes that cells come in.
//
// Small ones (objects of up to kLargestSmall bytes) are found through a table; medium ones, for objects up to
// kLargestMedium and served from spans of eight blocks, and stacks use steps of four sizes per doubling, computed from
// the bits of the size.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace nlang::heap {

constexpr unsigned kSizeClasses = 40; // 16 … kLargestSmall bytes
constexpr uint32_t kLargestSmall = 8192;

// Bytes of the cells of each small class: steps of 8, then about 1.25. The larger ones are chosen so that little of a
// 64 KiB block is left over: 5456 is a twelfth, 6552 a tenth, 7280 a ninth.
inline constexpr std::array<uint16_t, kSizeClasses> kSizeClassBytes = {
    16,  24,  32,  40,  48,  56,  64,  72,   80,   88,   96,   104,  112,  120,  128,  144,  160,  192,  224,  256,
    320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096, 5456, 6552, 7280, 8192};

// Small class of an object of `bytes`, by (bytes + 7) / 8.
inline constexpr std::array<uint8_t, kLargestSmall / 8 + 1> kSizeClassOf = [] {
  std::array<uint8_t, kLargestSmall / 8 + 1> table{};
  unsigned sizeClass = 0;
  for (unsigned words = 0; words < table.size(); ++words) {
    while (kSizeClassBytes[sizeClass] < words * 8) ++sizeClass;
    table[words] = static_cast<uint8_t>(sizeClass);
  }
  return table;
}();

// Four sizes per doubling: 4, 5, 6, 7 times a power of two. The number of the least such size that is not under
// `bytes`, counted so that 4 * 2^k has number 4 * k; `bytes` is at least 5.
constexpr unsigned quarterStep(uint64_t bytes) {
  unsigned shift = static_cast<unsigned>(std::bit_width(bytes - 1)) - 3; // so that (bytes - 1) >> shift is 4 … 7
  return 4 * shift + static_cast<unsigned>((bytes - 1) >> shift) - 3;
}
constexpr uint64_t quarterStepBytes(unsigned number) { return uint64_t{4 + number % 4} << (number / 4); }
static_assert(quarterStepBytes(quarterStep(64)) == 64 && quarterStepBytes(quarterStep(65)) == 80);
static_assert(quarterStepBytes(quarterStep(112)) == 112 && quarterStepBytes(quarterStep(113)) == 128);

constexpr uint32_t kLargestMedium = 128 * 1024;
constexpr unsigned kFirstMediumStep = quarterStep(kLargestSmall + 1);
constexpr unsigned kMediumClasses = quarterStep(kLargestMedium) - kFirstMediumStep + 1;

constexpr uint32_t kSmallestStack = 64;
constexpr uint32_t kLargestCellStack = 128 * 1024; // bigger stacks have mappings of their own
constexpr unsigned kFirstStackStep = quarterStep(kSmallestStack);
constexpr unsigned kStackClasses = quarterStep(kLargestCellStack) - kFirstStackStep + 1;

} // namespace nlang::heap
