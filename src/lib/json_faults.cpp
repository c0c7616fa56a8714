#include "lib/json_faults.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/utf8.h"

namespace nlang::lib {

namespace {

bool isDigit(int c) { return c >= '0' && c <= '9'; }

int hexValue(int c) {
  if (isDigit(c)) return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Goes through the text once, without recursion. Each function reads one thing from the cursor on; false means that
// fault_ is set.
class FaultFinder {
 public:
  FaultFinder(std::string_view text, size_t maxDepth, std::vector<size_t>& longIntegers)
      : text_(text), maxDepth_(maxDepth), longIntegers_(longIntegers) {}

  std::optional<JsonFault> run() {
    if (document()) return std::nullopt;
    return fault_;
  }

 private:
  static constexpr int kEnd = -1;

  int peek() const { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : kEnd; }
  bool take(char c) {
    if (peek() != static_cast<unsigned char>(c)) return false;
    ++at_;
    return true;
  }
  void skipSpace() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  bool fail(size_t offset, const char* reason) {
    fault_ = {offset, reason};
    return false;
  }
  bool fail(const char* reason) { return fail(at_, reason); }
  // The same, for where the text may simply have ended.
  bool expected(const char* reason) { return fail(peek() == kEnd ? "the text ends too early" : reason); }

  bool document() {
    if (!value()) return false;
    while (!open_.empty()) {
      if (!next()) return false;
    }
    skipSpace();
    return at_ == text_.size() || fail("something follows the value");
  }

  // A value, of an array or object only what is in front of its first value.
  bool value() {
    skipSpace();
    switch (peek()) {
    case '[': return enter(Open::kArray) && arrayStart();
    case '{': return enter(Open::kObject) && objectStart();
    case '"': return string();
    case 't': return word("true");
    case 'f': return word("false");
    case 'n': return word("null");
    default: return peek() == '-' || isDigit(peek()) ? number() : expected("a value is expected");
    }
  }

  enum class Open : uint8_t { kArray, kObject };

  bool enter(Open which) {
    if (open_.size() >= maxDepth_) return fail("nested too deeply");
    open_.push_back(which);
    ++at_;
    return true;
  }
  bool leave() {
    open_.pop_back();
    return true;
  }
  bool arrayStart() {
    skipSpace();
    return take(']') ? leave() : value();
  }
  bool objectStart() {
    skipSpace();
    return take('}') ? leave() : member();
  }
  bool member() {
    skipSpace();
    if (peek() != '"') return expected("a name is expected");
    if (!string()) return false;
    skipSpace();
    return take(':') ? value() : expected("a colon is expected");
  }
  // What follows a value of the innermost array or object.
  bool next() {
    skipSpace();
    if (open_.back() == Open::kArray) {
      if (take(']')) return leave();
      return take(',') ? value() : expected("a comma or ] is expected");
    }
    if (take('}')) return leave();
    return take(',') ? member() : expected("a comma or } is expected");
  }

  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return fail("a value is expected");
    at_ += wanted.size();
    return true;
  }

  bool digits() {
    if (!isDigit(peek())) return expected("a digit is expected");
    while (isDigit(peek())) ++at_;
    return true;
  }

  bool number() {
    size_t start = at_;
    take('-');
    size_t first = at_;
    if (!digits()) return false;
    if (at_ - first > 1 && text_[first] == '0') return fail(first + 1, "a number does not begin with 0");
    bool isInteger = true;
    if (take('.')) {
      isInteger = false;
      if (!digits()) return false;
    }
    if (take('e') || take('E')) {
      isInteger = false;
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    std::string digitsOf(text_.substr(start, at_ - start));
    if (std::isinf(std::strtod(digitsOf.c_str(), nullptr))) return fail(start, "the number is too large");
    if (isInteger && !fits<int64_t>(digitsOf) && !fits<uint64_t>(digitsOf)) longIntegers_.push_back(at_);
    return true;
  }
  template <class T> static bool fits(std::string_view digits) {
    T value;
    return std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc();
  }

  bool string() {
    ++at_;
    for (;;) {
      int c = peek();
      if (c == '"') return ++at_, true;
      if (c == kEnd) return fail("the string has no end");
      if (c < 0x20) return fail("a control character in a string");
      if (c == '\\') {
        if (!escape()) return false;
      } else {
        base::Decoded decoded = base::decodeUtf8(text_, at_);
        if (!decoded.valid) return fail("not UTF-8");
        at_ += decoded.length;
      }
    }
  }

  bool escape() {
    size_t start = at_++;
    int c = peek();
    if (c == kEnd) return fail("the string has no end");
    ++at_;
    if (c != 'u') {
      return std::string_view("\"\\/bfnrt").find(static_cast<char>(c)) != std::string_view::npos ||
             fail(start, "there is no such escape");
    }
    int code;
    if (!hexDigits(code)) return false;
    if (code >= 0xdc00 && code < 0xe000) return fail(start, "a low surrogate without a high one");
    if (code < 0xd800 || code >= 0xe000) return true;
    bool paired = take('\\') && take('u') && hexDigits(code) && code >= 0xdc00 && code < 0xe000;
    return paired || fail(start, "a high surrogate without a low one");
  }

  bool hexDigits(int& code) {
    code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      int digit = hexValue(peek());
      if (digit < 0) return fail("four hexadecimal digits are expected");
      code = code * 16 + digit;
    }
    return true;
  }

  std::string_view text_;
  size_t maxDepth_;
  std::vector<size_t>& longIntegers_;
  size_t at_ = 0;          // the cursor
  std::vector<Open> open_; // the arrays and objects around the cursor
  JsonFault fault_ = {0, ""};
};

} // namespace

std::optional<JsonFault> findJsonFault(std::string_view text, size_t maxDepth, std::vector<size_t>& longIntegers) {
  return FaultFinder(text, maxDepth, longIntegers).run();
}

std::string describeJsonFault(std::string_view text, const JsonFault& fault) {
  std::string_view before = text.substr(0, fault.offset);
  auto line = std::count(before.begin(), before.end(), '\n') + 1;
  size_t lineStart = before.rfind('\n') + 1; // 0 when there is none
  size_t column = base::countCodePoints(before.substr(lineStart)) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + fault.reason;
}

} // namespace nlang::lib
