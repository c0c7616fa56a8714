// The lexer's class, shared by its two files: lexer.cpp (driving, trivia, words, punctuation, brackets) and
// lexer_literals.cpp (numbers, characters, strings).
//
// Brackets. `open_` holds the brackets that are open, and an entry for every interpolation `${`. A closing bracket is
// paired with the nearest opening one of its kind; `)` and `]` do not look beyond a `{` or an interpolation, `}` gives
// up whatever is open inside the braces it closes. A `}` with nothing but an interpolation open continues that string.
// There a `:` that belongs to no `?` starts a format specification, and a `;` proves that the end of the interpolation
// was forgotten.
#pragma once

#include "syntax/diagnostic.h"
#include "syntax/source.h"
#include "syntax/token.h"

#include <string>
#include <string_view>
#include <vector>

namespace nlang::base {
class Arena;
class Interner;
} // namespace nlang::base

namespace nlang::syntax {

/// A file of nothing but semicolons would otherwise need many times its size.
inline constexpr std::size_t kMaxTokens = std::size_t{1} << 25;

class Lexer {
 public:
  Lexer(const SourceFile& file, base::Arena& arena, base::Interner& names, DiagnosticSink& sink,
        std::size_t maxTokens = kMaxTokens);
  TokenStream run();

 private:
  struct Open {
    TokenKind kind;          // LeftParen, LeftBracket, LeftBrace, or StringHead for an interpolation
    std::uint32_t token;     // index of the opening token
    std::uint32_t at;        // offset of the bracket, for an interpolation of its `$`
    std::uint32_t questions; // interpolation: `?` without their `:` so far
  };

  // ---- lexer.cpp
  bool skipTrivia(); // false: an error was reported and the text ends
  void skipLineComment();
  bool skipBlockComment();
  void lexToken();
  void lexWord();
  void lexNonAscii();
  void lexInvalid();
  void lexPunctuation();
  void lexRightBrace();
  void lexColon();
  void lexSemicolon();
  void open(TokenKind kind);
  void close(TokenKind kind, TokenKind opening);
  void finish();

  // ---- lexer_literals.cpp
  void lexNumber();
  void lexRadixNumber(unsigned radix);
  void lexDecimalNumber();
  bool scanDigits(unsigned radix, std::string& digits);
  void finishInteger(std::uint32_t begin, const std::string& digits, unsigned radix);
  void finishFloat(std::uint32_t begin, std::string& digits);
  std::string_view takeSuffix();
  void malformedNumber(std::uint32_t begin, const char* why);
  void addNumber(TokenKind kind, std::uint32_t begin, const Number& number, bool broken);

  void lexChar();
  void lexString();
  void lexRawString();
  // The text of a string from `at_` to its closing quote or next `${`; `begin` is where its token starts.
  void lexStringText(std::uint32_t begin, bool isContinuation);
  void lexFormatSpec();
  void continueString();
  void unterminatedString(std::uint32_t begin, bool isContinuation, std::string_view text);
  void abandonInterpolations();
  bool lexEscape(char32_t& value); // at the backslash; false: reported
  bool lexUnicodeEscape(std::uint32_t begin, char32_t& value);
  std::string_view keepText(std::uint32_t from, std::uint32_t to, bool plain);
  void addText(TokenKind kind, std::uint32_t begin, std::string_view text, bool broken);

  // ---- small helpers
  char peek(std::uint32_t ahead = 0) const { return at_ + ahead < size_ ? text_[at_ + ahead] : '\0'; }
  bool atEnd() const { return at_ >= size_; }
  bool inInterpolation() const { return !open_.empty() && open_.back().kind == TokenKind::StringHead; }
  SourceRange range(std::uint32_t begin, std::uint32_t end) const { return {file_.id(), begin, end}; }
  Token& add(TokenKind kind, std::uint32_t begin, std::uint32_t payload = 0) {
    Token token;
    token.begin = begin;
    token.end = at_;
    token.payload = payload;
    token.kind = kind;
    token.flags = pending_;
    pending_ = 0;
    return out_.tokens.emplace_back(token);
  }

  const SourceFile& file_;
  base::Arena& arena_;
  base::Interner& names_;
  DiagnosticSink& sink_;
  std::string_view text_;
  std::uint32_t size_;
  std::size_t maxTokens_;
  std::uint32_t at_ = 0;     // next byte to read
  std::uint8_t pending_ = 0; // flags for the next token
  std::vector<Open> open_;   // innermost last
  std::string scratch_;      // text of a string with escapes
  TokenStream out_;
};

} // namespace nlang::syntax
