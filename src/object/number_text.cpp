#include "object/number_text.h"

#include <cmath>

#include <fmt/format.h>

#include "base/utf8.h"

namespace nlang::object {

template <class T> NumberText NumberText::formatted(T v) {
  NumberText result;
  auto end = fmt::format_to_n(result.text_, sizeof(result.text_), "{}", v);
  result.length_ = static_cast<uint8_t>(end.size);
  return result;
}

NumberText NumberText::ofLong(int64_t v) { return formatted(v); }
NumberText NumberText::ofULong(uint64_t v) { return formatted(v); }
// A NaN has no sign that programs could see.
NumberText NumberText::ofDouble(double v) { return formatted(std::isnan(v) ? std::fabs(v) : v); }
NumberText NumberText::ofFloat(float v) { return formatted(std::isnan(v) ? std::fabs(v) : v); }

NumberText NumberText::ofChar(char32_t v) {
  NumberText result;
  result.length_ = static_cast<uint8_t>(base::encodeUtf8(v, result.text_));
  return result;
}

} // namespace nlang::object
