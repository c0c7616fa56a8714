// UTF-8: decoding, encoding, checking, and the few properties of code points that the tools need.
//
// Invariants: nothing here reads outside the text it is given; whatever is no UTF-8 (overlong forms, surrogates,
// cut-off or stray bytes) decodes as U+FFFD and one byte long, so a loop over any bytes ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nlang::base {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;
inline constexpr char32_t kLastCodePoint = 0x10FFFF;

/// A code point that may stand in a text: neither a surrogate nor beyond U+10FFFF.
constexpr bool isScalarValue(char32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= kLastCodePoint); }

struct Decoded {
  char32_t value = 0;
  std::uint8_t length = 0; // bytes used, at least 1
  bool valid = false;      // false: `value` is U+FFFD
};

/// The code point at `text[at]`; `at` is less than the size.
Decoded decodeUtf8(std::string_view text, std::size_t at);

/// Writes 1 to 4 bytes and returns how many. `c` is a scalar value; anything else becomes U+FFFD.
std::size_t encodeUtf8(char32_t c, char* to);
void appendUtf8(std::string& to, char32_t c);

/// Offset of the first byte that is no part of valid UTF-8, or the size of the text.
std::size_t findInvalidUtf8(std::string_view text);

/// Number of code points; an invalid byte counts as one.
std::size_t countCodePoints(std::string_view text);

/// Columns that a terminal uses for the code point: 0, 1 or 2.
unsigned displayWidth(char32_t c);

/// Letters of any script and `_`; and those with digits and combining marks.
bool isIdentifierStart(char32_t c);
bool isIdentifierPart(char32_t c);

} // namespace nlang::base
