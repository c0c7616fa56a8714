#include "syntax/token.h"

#include <array>

namespace nlang::syntax {

namespace {

constexpr const char* kDescriptions[] = {
#define NL_TOKEN(name, description) description,
#define NL_PUNCTUATION(name, spelling) "`" spelling "`",
#define NL_WORD(name, spelling) "`" spelling "`",
#include "syntax/tokens.def"
#undef NL_TOKEN
#undef NL_PUNCTUATION
#undef NL_WORD
};

constexpr std::string_view kSpellings[] = {
#define NL_TOKEN(name, description) "",
#define NL_PUNCTUATION(name, spelling) spelling,
#define NL_WORD(name, spelling) spelling,
#include "syntax/tokens.def"
#undef NL_TOKEN
#undef NL_PUNCTUATION
#undef NL_WORD
};

constexpr std::size_t kFirstWord = static_cast<std::size_t>(TokenKind::Abstract);
constexpr std::size_t kTableSize = 256;

constexpr std::size_t wordHash(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const auto second = static_cast<unsigned char>(text[1]);
  const auto last = static_cast<unsigned char>(text.back());
  return (first * 7U + second * 31U + last * 3U + text.size()) % kTableSize;
}

// Open addressing, filled at compile time; 0 is a free place (no word is token 0).
constexpr std::array<std::uint8_t, kTableSize> makeWordTable() {
  std::array<std::uint8_t, kTableSize> table{};
  for (std::size_t kind = kFirstWord; kind < std::size(kSpellings); ++kind) {
    std::size_t at = wordHash(kSpellings[kind]);
    while (table[at] != 0) at = (at + 1) % kTableSize;
    table[at] = static_cast<std::uint8_t>(kind);
  }
  return table;
}
constexpr auto kWordTable = makeWordTable();

constexpr std::size_t kShortestWord = 2;
constexpr std::size_t kLongestWord = 10;

} // namespace

const char* describe(TokenKind kind) { return kDescriptions[static_cast<std::size_t>(kind)]; }
const char* spellingOf(TokenKind kind) { return kSpellings[static_cast<std::size_t>(kind)].data(); }

TokenKind wordKind(std::string_view text) {
  if (text.size() < kShortestWord || text.size() > kLongestWord) return TokenKind::Identifier;
  for (std::size_t at = wordHash(text); kWordTable[at] != 0; at = (at + 1) % kTableSize) {
    if (kSpellings[kWordTable[at]] == text) return static_cast<TokenKind>(kWordTable[at]);
  }
  return TokenKind::Identifier;
}

} // namespace nlang::syntax
