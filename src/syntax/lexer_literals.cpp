#include "base/arena.h"
#include "base/utf8.h"
#include "syntax/lexer_impl.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace nlang::syntax {

namespace {

bool isWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// 16 and more: no digit of any radix.
unsigned digitValue(char c) {
  if (isDigit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

constexpr unsigned kMaxUnicodeDigits = 6;

} // namespace

// ---- numbers
// -------------------------------------------------------------------------------------------------------------------

void Lexer::lexNumber() {
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return lexRadixNumber(16);
  if (peek() == '0' && (peek(1) == 'b' || peek(1) == 'B')) return lexRadixNumber(2);
  lexDecimalNumber();
}

// Appends the digits without underscores. False if an underscore is first or last, or there is no digit.
bool Lexer::scanDigits(unsigned radix, std::string& digits) {
  const std::uint32_t begin = at_;
  const std::size_t before = digits.size();
  while (!atEnd() && (digitValue(text_[at_]) < radix || text_[at_] == '_')) {
    if (text_[at_] != '_') digits.push_back(text_[at_]);
    ++at_;
  }
  return digits.size() > before && text_[begin] != '_' && text_[at_ - 1] != '_';
}

void Lexer::lexRadixNumber(unsigned radix) {
  const std::uint32_t begin = at_;
  at_ += 2;
  std::string digits;
  const bool fine = scanDigits(radix, digits);
  if (digits.empty()) return malformedNumber(begin, "digits are missing");
  if (!fine) return malformedNumber(begin, "`_` stands between digits only");
  if (radix == 2 && isDigit(peek())) return malformedNumber(begin, "a binary digit is 0 or 1");
  finishInteger(begin, digits, radix);
}

void Lexer::lexDecimalNumber() {
  const std::uint32_t begin = at_;
  std::string digits;
  bool fine = scanDigits(10, digits);
  bool isReal = false;
  if (peek() == '.' && isDigit(peek(1))) {
    isReal = true;
    ++at_;
    digits.push_back('.');
    fine = scanDigits(10, digits) && fine;
  }
  if (peek() == 'e' || peek() == 'E') {
    const bool isSigned = peek(1) == '+' || peek(1) == '-';
    if (!isDigit(peek(isSigned ? 2 : 1))) return malformedNumber(begin, "the exponent has no digits");
    isReal = true;
    digits.push_back('e');
    if (isSigned && peek(1) == '-') digits.push_back('-');
    at_ += isSigned ? 2 : 1;
    fine = scanDigits(10, digits) && fine;
  }
  if (!fine) return malformedNumber(begin, "`_` stands between digits only");
  if (isReal || (peek() == 'f' && !isWordByte(peek(1)))) return finishFloat(begin, digits);
  finishInteger(begin, digits, 10);
}

std::string_view Lexer::takeSuffix() {
  const std::uint32_t begin = at_;
  while (!atEnd() && isWordByte(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

void Lexer::malformedNumber(std::uint32_t begin, const char* why) {
  takeSuffix();
  sink_.report(DiagId::InvalidNumber, range(begin, at_), why);
  addNumber(TokenKind::IntLiteral, begin, {}, true);
}

void Lexer::finishInteger(std::uint32_t begin, const std::string& digits, unsigned radix) {
  Number number;
  bool broken = false;
  const std::uint32_t suffixAt = at_;
  const std::string_view suffix = takeSuffix();
  if (suffix == "u") {
    number.suffix = NumberSuffix::U;
  } else if (suffix == "L") {
    number.suffix = NumberSuffix::L;
  } else if (suffix == "uL") {
    number.suffix = NumberSuffix::UL;
  } else if (!suffix.empty()) {
    Diagnostic& d = sink_.report(DiagId::InvalidSuffix, range(suffixAt, at_), suffix);
    if (suffix == "l") d.suggest("did you mean `L`?");
    if (suffix == "U") d.suggest("did you mean `u`?");
    if (suffix == "ul" || suffix == "UL" || suffix == "Ul" || suffix == "Lu" || suffix == "LU")
      d.suggest("did you mean `uL`?");
    broken = true;
  }
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number.integer, static_cast<int>(radix));
  if (error != std::errc() && !broken) {
    sink_.report(DiagId::IntegerTooLarge, range(begin, at_), number.suffix == NumberSuffix::None ? "long" : "ulong");
    broken = true;
    number.integer = 0;
  }
  addNumber(TokenKind::IntLiteral, begin, number, broken);
}

void Lexer::finishFloat(std::uint32_t begin, std::string& digits) {
  Number number;
  bool broken = false;
  const std::uint32_t suffixAt = at_;
  const std::string_view suffix = takeSuffix();
  if (suffix == "f") {
    number.suffix = NumberSuffix::F;
  } else if (!suffix.empty()) {
    sink_.report(DiagId::InvalidSuffix, range(suffixAt, at_), suffix);
    broken = true;
  }
  const char* first = digits.data();
  const char* last = first + digits.size();
  std::errc error;
  if (number.suffix == NumberSuffix::F) {
    float value = 0; // parsed as binary32 at once: rounding twice could differ
    error = std::from_chars(first, last, value).ec;
    number.real = value;
  } else {
    error = std::from_chars(first, last, number.real).ec;
  }
  if (error != std::errc()) {
    // Out of range. A negative exponent or a zero before the point means too small, which is zero and no error.
    const std::size_t exponent = digits.find('e');
    const bool tiny = exponent != std::string::npos ? digits[exponent + 1] == '-' : digits[0] == '0';
    number.real = 0;
    if (!tiny && !broken) {
      sink_.report(DiagId::FloatTooLarge, range(begin, at_), number.suffix == NumberSuffix::F ? "float" : "double");
      broken = true;
    }
  }
  addNumber(TokenKind::FloatLiteral, begin, number, broken);
}

void Lexer::addNumber(TokenKind kind, std::uint32_t begin, const Number& number, bool broken) {
  Token& token = add(kind, begin, static_cast<std::uint32_t>(out_.numbers.size()));
  if (broken) token.flags |= kBroken;
  out_.numbers.push_back(number);
}

// ---- characters
// ----------------------------------------------------------------------------------------------------------------

void Lexer::lexChar() {
  const std::uint32_t begin = at_++;
  Number number;
  if (peek() == '\'') {
    ++at_;
    if (peek() == '\'') ++at_; // `'''`
    sink_.report(DiagId::EmptyChar, range(begin, at_));
    return addNumber(TokenKind::CharLiteral, begin, number, true);
  }
  bool broken = false;
  unsigned count = 0;
  while (!atEnd() && text_[at_] != '\'' && text_[at_] != '\n') {
    char32_t value = 0;
    if (text_[at_] == '\\') {
      if (!lexEscape(value)) broken = true;
    } else {
      const base::Decoded d = base::decodeUtf8(text_, at_);
      value = d.value;
      at_ += d.length;
    }
    if (count++ == 0) number.integer = value;
  }
  if (peek() != '\'') {
    if (!broken) sink_.report(DiagId::UnterminatedChar, range(begin, begin + 1));
    return addNumber(TokenKind::CharLiteral, begin, number, true);
  }
  ++at_;
  if (count > 1 && !broken) {
    sink_.report(DiagId::LongChar, range(begin, at_)).suggest("a text of any length is written in double quotes");
    broken = true;
  }
  addNumber(TokenKind::CharLiteral, begin, number, broken);
}

bool Lexer::lexEscape(char32_t& value) {
  const std::uint32_t begin = at_++;
  const char c = peek();
  if (atEnd() || c == '\n') return true; // the missing end of the literal is the fault
  ++at_;
  switch (c) {
  case 'n': value = '\n'; return true;
  case 'r': value = '\r'; return true;
  case 't': value = '\t'; return true;
  case '0': value = '\0'; return true;
  case 'a': value = '\a'; return true;
  case 'b': value = '\b'; return true;
  case 'f': value = '\f'; return true;
  case 'v': value = '\v'; return true;
  case '\\':
  case '"':
  case '\'': value = static_cast<char32_t>(c); return true;
  case 'x': {
    const unsigned high = digitValue(peek());
    const unsigned low = high < 16 ? digitValue(peek(1)) : 16;
    if (low >= 16) {
      sink_.report(DiagId::InvalidHexEscape, range(begin, at_));
      return false;
    }
    value = high * 16 + low;
    at_ += 2;
    return true;
  }
  case 'u': return lexUnicodeEscape(begin, value);
  default: break;
  }
  --at_;
  const base::Decoded d = base::decodeUtf8(text_, at_);
  std::string shown;
  base::appendUtf8(shown, base::displayWidth(d.value) > 0 ? d.value : base::kReplacementCharacter);
  at_ += d.length;
  Diagnostic& error = sink_.report(DiagId::InvalidEscape, range(begin, at_), shown);
  if (c == '$') error.suggest("a dollar sign is written `$$`");
  return false;
}

bool Lexer::lexUnicodeEscape(std::uint32_t begin, char32_t& value) {
  std::uint32_t code = 0;
  unsigned digits = 0;
  if (peek() == '{') {
    ++at_;
    while (digitValue(peek()) < 16 && digits <= kMaxUnicodeDigits) {
      code = code * 16 + digitValue(peek());
      ++digits;
      ++at_;
    }
    if (digits > 0 && digits <= kMaxUnicodeDigits && peek() == '}') {
      ++at_;
      if (base::isScalarValue(code)) {
        value = code;
        return true;
      }
      sink_.report(DiagId::InvalidCodePoint, range(begin, at_), code);
      return false;
    }
  }
  sink_.report(DiagId::InvalidUnicodeEscape, range(begin, at_));
  return false;
}

// ---- strings
// -------------------------------------------------------------------------------------------------------------------

void Lexer::lexString() {
  const std::uint32_t begin = at_++;
  lexStringText(begin, false);
}

void Lexer::lexStringText(std::uint32_t begin, bool isContinuation) {
  // Text without escapes is a view of the source; from the first escape on it is collected in `scratch_`.
  const std::uint32_t from = at_;
  std::uint32_t copied = at_; // everything before it is in `scratch_`
  bool plain = true;
  const auto flush = [&] {
    if (plain) scratch_.clear();
    plain = false;
    scratch_.append(text_.substr(copied, at_ - copied));
  };
  while (!atEnd()) {
    const char c = text_[at_];
    if (c == '"' || c == '\n') break;
    if (c == '\\') {
      flush();
      char32_t value = base::kReplacementCharacter;
      if (lexEscape(value)) base::appendUtf8(scratch_, value);
      copied = at_;
    } else if (c == '$' && peek(1) == '$') {
      ++at_;
      flush();
      copied = ++at_;
    } else if (c == '$' && peek(1) == '{') {
      const std::string_view text = plain ? keepText(from, at_, true) : keepText(copied, at_, false);
      open_.push_back({TokenKind::StringHead, static_cast<std::uint32_t>(out_.tokens.size()), at_, 0});
      at_ += 2;
      return addText(isContinuation ? TokenKind::StringMiddle : TokenKind::StringHead, begin, text, false);
    } else {
      ++at_;
    }
  }
  const std::string_view text = plain ? keepText(from, at_, true) : keepText(copied, at_, false);
  if (peek() != '"' || atEnd()) return unterminatedString(begin, isContinuation, text);
  ++at_;
  addText(isContinuation ? TokenKind::StringTail : TokenKind::StringLiteral, begin, text, false);
}

// The text between two offsets, behind what is in `scratch_` unless `plain`.
std::string_view Lexer::keepText(std::uint32_t from, std::uint32_t to, bool plain) {
  const std::string_view slice = text_.substr(from, to - from);
  if (plain) return slice;
  scratch_.append(slice);
  return arena_.copyText(scratch_);
}

void Lexer::addText(TokenKind kind, std::uint32_t begin, std::string_view text, bool broken) {
  Token& token = add(kind, begin, static_cast<std::uint32_t>(out_.texts.size()));
  if (broken) token.flags |= kBroken;
  out_.texts.push_back(text);
}

void Lexer::unterminatedString(std::uint32_t begin, bool isContinuation, std::string_view text) {
  if (isContinuation) {
    sink_.report(DiagId::UnterminatedString, range(begin, at_));
    addText(TokenKind::StringTail, begin, text, true);
  } else {
    if (const auto inner = inInterpolation() ? open_.back().at : begin; inner != begin) {
      // What looks like the start of a string inside an interpolation is the end of the outer one.
      sink_.report(DiagId::UnterminatedInterpolation, range(inner, inner + 2));
    } else {
      sink_.report(DiagId::UnterminatedString, range(begin, at_));
    }
    addText(TokenKind::StringLiteral, begin, text, true);
  }
  abandonInterpolations();
}

// Ends all open interpolations here, so that the parser sees complete strings.
void Lexer::abandonInterpolations() {
  std::size_t lowest = 0;
  while (lowest < open_.size() && open_[lowest].kind != TokenKind::StringHead) ++lowest;
  while (open_.size() > lowest) {
    if (open_.back().kind == TokenKind::StringHead) addText(TokenKind::StringTail, at_, {}, true);
    open_.pop_back();
  }
}

void Lexer::continueString() {
  const std::uint32_t begin = at_++;
  open_.pop_back();
  lexStringText(begin, true);
}

void Lexer::lexFormatSpec() {
  const std::uint32_t begin = at_++;
  while (!atEnd() && text_[at_] != '}' && text_[at_] != '"' && text_[at_] != '\n') ++at_;
  const std::string_view spec = text_.substr(begin + 1, at_ - begin - 1);
  addText(TokenKind::FormatSpec, begin, spec, false);
  if (peek() == '}') return continueString();
  const std::uint32_t at = open_.back().at;
  sink_.report(DiagId::UnterminatedInterpolation, range(at, at + 2));
  if (peek() == '"') ++at_;
  abandonInterpolations();
}

void Lexer::lexRawString() {
  const std::uint32_t begin = at_++;
  const std::size_t found = text_.find('`', at_);
  if (found == std::string_view::npos) {
    sink_.report(DiagId::UnterminatedRawString, range(begin, begin + 1));
    const std::string_view rest = text_.substr(at_);
    at_ = size_;
    return addText(TokenKind::StringLiteral, begin, rest, true);
  }
  const std::string_view text = text_.substr(at_, found - at_);
  at_ = static_cast<std::uint32_t>(found) + 1;
  addText(TokenKind::StringLiteral, begin, text, false);
}

} // namespace nlang::syntax
