#include "sema/format_spec.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace nlang::sema {

namespace {

bool isAlign(char c) { return c == '<' || c == '>' || c == '^'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Reads digits at `at`. False if the number is over the limit.
bool readNumber(std::string_view text, size_t& at, int32_t& number) {
  uint32_t value = 0;
  for (; at < text.size() && isDigit(text[at]); ++at) {
    value = value * 10 + static_cast<uint32_t>(text[at] - '0');
    if (value > kMaxFormatNumber) return false;
  }
  number = static_cast<int32_t>(value);
  return true;
}

std::string tooLarge(std::string_view what) {
  return fmt::format("the {} is over the limit of {}", what, kMaxFormatNumber);
}

// How a value is presented: decides which options make sense.
enum class Presentation { kInteger, kFloating, kText };

bool isOneOf(char type, std::string_view letters) { return letters.find(type) != std::string_view::npos; }

} // namespace

std::string parseFormatSpec(std::string_view text, FormatSpec& spec) {
  spec = {};
  size_t at = 0;
  if (text.find_first_of("{}") != std::string_view::npos) return "braces cannot stand in it";
  if (!text.empty()) {
    size_t fillLength = base::decodeUtf8(text, 0).length;
    if (fillLength < text.size() && isAlign(text[fillLength])) {
      spec.fill = text.substr(0, fillLength);
      spec.align = text[fillLength];
      at = fillLength + 1;
    } else if (isAlign(text[0])) {
      spec.align = text[0];
      at = 1;
    }
  }
  auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  if (peek() == '+' || peek() == '-' || peek() == ' ') spec.sign = text[at++];
  if (peek() == '#') spec.alternate = true, ++at;
  if (peek() == '0') spec.zero = true, ++at;
  if (isDigit(peek())) {
    if (!readNumber(text, at, spec.width)) return tooLarge("width");
  }
  if (peek() == '.') {
    ++at;
    if (!isDigit(peek())) return "digits are missing after the `.` of the precision";
    if (!readNumber(text, at, spec.precision)) return tooLarge("precision");
  }
  if (peek() == 'L') spec.localized = true, ++at;
  if (at < text.size()) {
    size_t length = base::decodeUtf8(text, at).length;
    if (!isOneOf(text[at], "aAbBcdeEfFgGosxX"))
      return fmt::format("`{}` is no type of presentation", text.substr(at, length));
    spec.type = text[at++];
  }
  if (at < text.size()) {
    return fmt::format("`{}` is out of place: the order is fill, alignment, sign, `#`, `0`, width, precision, type",
                       text.substr(at));
  }
  return {};
}

bool formatsDirectly(const Type* type) {
  return type->isNumeric() || type->kind == TypeKind::kChar || type->kind == TypeKind::kBool ||
         type->kind == TypeKind::kString;
}

std::string checkFormatSpec(std::string_view text, const Type* type) {
  FormatSpec spec;
  if (std::string wrong = parseFormatSpec(text, spec); !wrong.empty() || type->isError()) return wrong;

  constexpr std::string_view kIntegerLetters = "bBdoxX";
  std::string_view letters = "s";
  Presentation presentation = Presentation::kText;
  if (type->isInteger()) {
    letters = "bBcdoxX";
    presentation = spec.type == 'c' ? Presentation::kText : Presentation::kInteger;
  } else if (type->isFloating()) {
    letters = "aAeEfFgG";
    presentation = Presentation::kFloating;
  } else if (type->kind == TypeKind::kChar) {
    letters = "cbBdoxX";
    if (isOneOf(spec.type, kIntegerLetters)) presentation = Presentation::kInteger;
  } else if (type->kind == TypeKind::kBool) {
    letters = "sbBdoxX";
    if (isOneOf(spec.type, kIntegerLetters)) presentation = Presentation::kInteger;
  }
  std::string name = formatsDirectly(type) ? typeName(type) : "the text of " + typeName(type);
  if (spec.type != 0 && !isOneOf(spec.type, letters))
    return fmt::format("`{}` does not present a value of type {}", spec.type, name);
  if (presentation == Presentation::kText) {
    if (spec.sign != 0) return fmt::format("a sign does not go with {}", name);
    if (spec.alternate) return fmt::format("`#` does not go with {}", name);
    if (spec.zero) return fmt::format("`0` does not go with {}", name);
  }
  bool takesPrecision = presentation == Presentation::kFloating || letters == "s";
  if (spec.precision >= 0 && !takesPrecision) return fmt::format("a precision does not go with {}", name);
  bool isCharacter = presentation == Presentation::kText && type->kind != TypeKind::kBool;
  if (spec.localized && isCharacter) return fmt::format("`L` does not go with {}", name);
  return {};
}

} // namespace nlang::sema
