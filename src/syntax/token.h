// Tokens: 16 bytes each, in one array per file.
//
// The array ends with `EndOfFile`. Tokens do not overlap and are in source order; the texts of an interpolated string
// are tokens of their own (StringHead, StringMiddle, StringTail) with the tokens of the expressions between them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace nlang::syntax {

enum class TokenKind : std::uint8_t {
#define NL_TOKEN(name, description) name,
#define NL_PUNCTUATION(name, spelling) name,
#define NL_WORD(name, spelling) name,
#include "syntax/tokens.def"
#undef NL_TOKEN
#undef NL_PUNCTUATION
#undef NL_WORD
};

/// "`while`", "a name": for messages.
const char* describe(TokenKind kind);
/// The spelling of punctuation and words; "" for tokens with a text of their own.
const char* spellingOf(TokenKind kind);
inline bool isWord(TokenKind kind) { return kind >= TokenKind::Abstract; }
/// The reserved word `text`, or `Identifier`.
TokenKind wordKind(std::string_view text);

enum TokenFlag : std::uint8_t {
  kStartsLine = 1, // first token of its line
  kBroken = 2,     // the lexer has reported it; a syntax error right at or behind it is a consequence
  kHasDoc = 4,     // documentation comments stand before it
};

struct Token {
  std::uint32_t begin = 0; // byte offset in the file
  std::uint32_t end = 0;
  // Identifier: id in the interner. Strings and FormatSpec: index into `texts`. Numbers and CharLiteral: index into
  // `numbers`. Opening brackets: index of the closing token, 0 if there is none. Otherwise 0.
  std::uint32_t payload = 0;
  TokenKind kind = TokenKind::EndOfFile;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Token) == 16);

enum class NumberSuffix : std::uint8_t { None, U, L, UL, F };

struct Number {
  std::uint64_t integer = 0; // IntLiteral: magnitude; CharLiteral: code point
  double real = 0;           // FloatLiteral
  NumberSuffix suffix = NumberSuffix::None;
};

/// One line of documentation; the lines before token N have `token == N`.
struct DocLine {
  std::uint32_t token;
  std::string_view text; // without slashes and one space
};

struct TokenStream {
  std::vector<Token> tokens;
  std::vector<std::string_view> texts; // escapes replaced; in the source text or the arena
  std::vector<Number> numbers;
  std::vector<DocLine> docs; // in source order
  unsigned strayBraces = 0;  // how many `}` close nothing
  unsigned openBraces = 0;   // how many `{` are closed by nothing
};

} // namespace nlang::syntax
