#include "base/utf8.h"

#include <cstring>

#include <utf8proc.h>

namespace nlang::base {

namespace {

bool isContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The first byte at or after `at` that is not ASCII; eight at a time, since nearly all source text is ASCII.
std::size_t skipAscii(std::string_view text, std::size_t at) {
  while (at + 8 <= text.size()) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080ULL) != 0) break;
    at += 8;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

} // namespace

Decoded decodeUtf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const std::size_t left = text.size() - at;
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  if (first >= 0xC2 && first < 0xE0) {
    if (left >= 2 && isContinuation(byte(1)))
      return {static_cast<char32_t>((first & 0x1F) << 6 | (byte(1) & 0x3F)), 2, true};
  } else if (first >= 0xE0 && first < 0xF0) {
    if (left >= 3 && isContinuation(byte(1)) && isContinuation(byte(2))) {
      const auto c = static_cast<char32_t>((first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F));
      if (c >= 0x800 && isScalarValue(c)) return {c, 3, true};
    }
  } else if (first >= 0xF0 && first < 0xF5) {
    if (left >= 4 && isContinuation(byte(1)) && isContinuation(byte(2)) && isContinuation(byte(3))) {
      const auto c = static_cast<char32_t>((first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
                                           (byte(3) & 0x3F));
      if (c >= 0x10000 && c <= kLastCodePoint) return {c, 4, true};
    }
  }
  return {kReplacementCharacter, 1, false};
}

std::size_t encodeUtf8(char32_t c, char* to) {
  if (!isScalarValue(c)) c = kReplacementCharacter;
  if (c < 0x80) {
    to[0] = static_cast<char>(c);
    return 1;
  }
  const auto tail = [&](unsigned shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x800) {
    to[0] = static_cast<char>(0xC0 | c >> 6);
    to[1] = tail(0);
    return 2;
  }
  if (c < 0x10000) {
    to[0] = static_cast<char>(0xE0 | c >> 12);
    to[1] = tail(6);
    to[2] = tail(0);
    return 3;
  }
  to[0] = static_cast<char>(0xF0 | c >> 18);
  to[1] = tail(12);
  to[2] = tail(6);
  to[3] = tail(0);
  return 4;
}

void appendUtf8(std::string& to, char32_t c) {
  char bytes[4];
  to.append(bytes, encodeUtf8(c, bytes));
}

std::size_t findInvalidUtf8(std::string_view text) {
  for (std::size_t at = 0;;) {
    at = skipAscii(text, at);
    if (at == text.size()) return at;
    const Decoded d = decodeUtf8(text, at);
    if (!d.valid) return at;
    at += d.length;
  }
}

std::size_t countCodePoints(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = skipAscii(text, at);
    count += next - at;
    at = next;
    if (at == text.size()) break;
    at += decodeUtf8(text, at).length;
    ++count;
  }
  return count;
}

unsigned displayWidth(char32_t c) {
  if (c < 0x7F) return c >= 0x20 ? 1 : 0;
  const int width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(c));
  return width < 0 ? 0 : static_cast<unsigned>(width);
}

bool isIdentifierStart(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_NL: return true;
  default: return false;
  }
}

bool isIdentifierPart(char32_t c) {
  if (c < 0x80) return isIdentifierStart(c) || (c >= '0' && c <= '9');
  if (isIdentifierStart(c)) return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_PC: return true;
  default: return false;
  }
}

} // namespace nlang::base
