// The text of numbers and characters (L2.7), without allocation.
#pragma once

#include <cstdint>
#include <string_view>

namespace nlang::object {

// A short text by value: no number needs more.
class NumberText {
 public:
  static NumberText ofLong(int64_t v);
  static NumberText ofULong(uint64_t v);
  // Shortest text that reads back the same, without a trailing .0; scientific when the exponent is below -4 or above
  // 15; inf, -inf, nan.
  static NumberText ofDouble(double v);
  static NumberText ofFloat(float v);
  // UTF-8 of a Unicode scalar value.
  static NumberText ofChar(char32_t v);

  std::string_view view() const { return {text_, length_}; }

 private:
  template <class T> static NumberText formatted(T v);
  char text_[31];
  uint8_t length_;
};

} // namespace nlang::object
