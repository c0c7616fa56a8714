// Format specifications of interpolations, "${x:08.3f}" (L3.3): the grammar of std::format without nested braces,
//   [[fill] align] [sign] ['#'] ['0'] [width] ['.' precision] ['L'] [type]
// checked against the type of the value when the program is compiled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sema/types.h"

namespace nlang::sema {

// Widths and precisions above are refused, so that no text of a program asks for gigabytes of spaces.
inline constexpr uint32_t kMaxFormatNumber = 1'000'000;

struct FormatSpec {
  std::string_view fill;  // one code point; empty: a space
  char align = 0;         // '<', '>', '^', or 0
  char sign = 0;          // '+', '-', ' ', or 0
  bool alternate = false; // '#'
  bool zero = false;      // '0'
  int32_t width = -1;     // -1 if absent
  int32_t precision = -1; // -1 if absent
  bool localized = false; // 'L': accepted; there is one locale
  char type = 0;          // 0 if absent
};

// Splits `text` (without the leading colon). Returns an empty string, or what is wrong with it as the end of a
// sentence.
std::string parseFormatSpec(std::string_view text, FormatSpec& spec);

// Parses `text` and checks it for values of `type`. Types other than numbers, char, bool and string format their text,
// so they are checked as strings. A type parameter is only parsed as it may turn out to be anything: it formats its
// text too.
std::string checkFormatSpec(std::string_view text, const Type* type);

// Does a specification apply to the value itself (numbers, char, bool, string)? Others are converted to their text
// first.
bool formatsDirectly(const Type* type);

} // namespace nlang::sema
