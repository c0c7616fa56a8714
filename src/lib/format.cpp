// Class Format: values with a format specification (L3.3). The grammar is that of std::format, which {fmt} implements;
// the compiler has checked the specification, so what {fmt} still refuses is our own mistake or a specification from
// elsewhere, and a FormatException either way.
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "base/utf8.h"
#include "lib/natives.h"
#include "lib/waiting.h"

namespace nlang::lib {

namespace {

constexpr std::string_view kIntegerTypes = "bBdoxX";

std::string replacementField(std::string_view specification) { return "{:" + std::string(specification) + "}"; }

template <class T> Outcome formatAs(Call& call, const T& value, std::string_view specification) {
  fmt::memory_buffer text;
  try {
    fmt::vformat_to(fmt::appender(text), replacementField(specification), fmt::make_format_args(value));
  } catch (const fmt::format_error& error) {
    return call.fail(WellKnown::kFormatException, error.what());
  }
  return call.returnText({text.data(), text.size()});
}

Outcome formatCharacter(Call& call, char32_t c, std::string_view specification) {
  std::string text;
  base::appendUtf8(text, c);
  if (specification.ends_with('c')) specification.remove_suffix(1);
  return formatAs(call, std::string_view(text), specification);
}

bool isAsInteger(std::string_view specification) {
  return !specification.empty() && kIntegerTypes.find(specification.back()) != std::string_view::npos;
}

// {fmt} takes a sign for signed types only, so everything is formatted as one that holds it.
template <class T> Outcome formatInteger(Call& call, T value) {
  std::string_view specification = call.text(1);
  using Signed = std::conditional_t<std::is_signed_v<T>, T, __int128>;
  if (!specification.ends_with('c')) return formatAs(call, static_cast<Signed>(value), specification);
  if (value > static_cast<T>(base::kLastCodePoint) || !base::isScalarValue(static_cast<char32_t>(value))) {
    return call.fail(WellKnown::kFormatException, fmt::format("{} is not the number of a character", value));
  }
  return formatCharacter(call, static_cast<char32_t>(value), specification);
}

bool isAligned(std::string_view specification) {
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^'; };
  if (specification.empty()) return false;
  size_t fill = base::decodeUtf8(specification, 0).length;
  return isAlign(specification[0]) || (fill < specification.size() && isAlign(specification[fill]));
}

// All NaN have the same text. {fmt} puts what is not finite to the left, unlike other numbers.
template <class T> Outcome formatFloating(Call& call, T value) {
  if (std::isnan(value)) value = std::abs(value);
  std::string_view specification = call.text(1);
  if (std::isfinite(value) || isAligned(specification)) return formatAs(call, value, specification);
  return formatAs(call, value, ">" + std::string(specification));
}

// string formatLong(long value, string specification)
Outcome formatLong(Call& call) { return formatInteger(call, call.argument(0).i64()); }
// string formatULong(ulong value, string specification)
Outcome formatULong(Call& call) { return formatInteger(call, call.argument(0).u64()); }
// string formatDouble(double value, string specification)
Outcome formatDouble(Call& call) { return formatFloating(call, call.argument(0).f64()); }
// string formatFloat(float value, string specification)
Outcome formatFloat(Call& call) { return formatFloating(call, call.argument(0).f32()); }

// string formatChar(char value, string specification)
Outcome formatChar(Call& call) {
  std::string_view specification = call.text(1);
  if (isAsInteger(specification)) return formatAs(call, int64_t{call.argument(0).u32()}, specification);
  return formatCharacter(call, call.argument(0).u32(), specification);
}

// string formatBool(bool value, string specification)
Outcome formatBool(Call& call) {
  std::string_view specification = call.text(1);
  bool value = call.argument(0).boolean();
  if (isAsInteger(specification)) return formatAs(call, int64_t{value}, specification);
  return formatAs(call, value, specification);
}
// string formatString(string value, string specification)
Outcome formatString(Call& call) { return formatAs(call, call.text(0), call.text(1)); }

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.Format.formatLong", formatLong},     {"prelude.Format.formatULong", formatULong},
    {"prelude.Format.formatDouble", formatDouble}, {"prelude.Format.formatFloat", formatFloat},
    {"prelude.Format.formatChar", formatChar},     {"prelude.Format.formatBool", formatBool},
    {"prelude.Format.formatString", formatString},
};

} // namespace

NativeTable formatNatives() { return kNatives; }

} // namespace nlang::lib
