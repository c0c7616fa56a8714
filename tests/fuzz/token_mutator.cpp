#include "fuzz/token_mutator.h"

#include "base/arena.h"
#include "base/intern.h"
#include "syntax/diagnostic.h"
#include "syntax/lexer.h"
#include "syntax/source.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace nlang::fuzz {

namespace {

using syntax::TokenKind;
using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t count) { return random() % count; }
bool oneIn(Random& random, unsigned count) { return random() % count == 0; }
template <class Range> auto pick(Random& random, const Range& range) { return range[below(random, std::size(range))]; }

// Words of a class may stand for each other and often still parse.
constexpr std::array<std::string_view, 15> kTypeWords = {"bool",   "byte", "ubyte",  "short",  "ushort",
                                                         "int",    "uint", "long",   "ulong",  "float",
                                                         "double", "char", "string", "Object", "void"};
constexpr std::array<std::string_view, 13> kMemberWords = {"public",   "private",  "protected", "static", "virtual",
                                                           "abstract", "override", "const",     "native", "out",
                                                           "blocking", "class",    "struct"};
constexpr std::array<std::string_view, 24> kOperators = {"+",  "-",  "*",  "/",   "%",  "&",  "|",  "^",
                                                         "&&", "||", "<",  "<=",  ">",  ">=", "==", "!=",
                                                         "<<", ">>", "??", ">>>", "..", ".",  "?.", "="};
constexpr std::array<std::string_view, 12> kAssignments = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>="};
constexpr std::array<std::string_view, 30> kLiterals = {
    "0",   "1",     "-1",   "2147483647", "2147483648", "-2147483648", "4294967295u", "9223372036854775807L",
    "255", "65536", "0xff", "1.5",        "1e308",      "1.5f",        "0.0",         "18446744073709551615uL",
    "'a'", "'\\n'", "\"\"", "\"text\"",   "\"${1}\"",   "true",        "false",       "null",
    "[]",  "{}",    "[1]",  "{1: 2}",     "{x: 1}",     "() => 1"};
constexpr std::array<std::string_view, 36> kFragments = {";",
                                                         ",",
                                                         "(",
                                                         ")",
                                                         "{",
                                                         "}",
                                                         "[",
                                                         "]",
                                                         ":",
                                                         "=>",
                                                         "<",
                                                         ">",
                                                         "!",
                                                         "~",
                                                         "as int",
                                                         "is int",
                                                         "this",
                                                         "super",
                                                         "return;",
                                                         "break;",
                                                         "continue;",
                                                         "throw;",
                                                         "new int[3]",
                                                         "var x =",
                                                         "case 1:",
                                                         "default:",
                                                         "else",
                                                         "finally {}",
                                                         "catch (Exception e) {}",
                                                         "<int>",
                                                         "<T>",
                                                         "import io;",
                                                         "int main() { return 0; }",
                                                         "x++;",
                                                         "label:",
                                                         "case timeout(1):"};

bool isIn(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// A text cut into tokens, each with the space and the comments before it.
class Tokens {
 public:
  explicit Tokens(std::string_view text) {
    syntax::SourceManager sources;
    syntax::DiagnosticSink sink;
    base::Arena arena;
    base::Interner names;
    const syntax::LoadResult loaded = sources.add("mutated.n", std::string(text));
    if (loaded.file == nullptr) return;
    const syntax::TokenStream stream = syntax::lex(*loaded.file, arena, names, sink);
    std::vector<std::size_t> openStrings;
    std::uint32_t end = 0;
    for (const syntax::Token& token : stream.tokens) {
      if (token.kind == TokenKind::EndOfFile) break;
      const std::size_t index = kinds_.size();
      kinds_.push_back(token.kind);
      gaps_.push_back(text.substr(end, token.begin - end));
      texts_.push_back(text.substr(token.begin, token.end - token.begin));
      const bool opens = token.kind == TokenKind::LeftParen || token.kind == TokenKind::LeftBracket ||
                         token.kind == TokenKind::LeftBrace;
      closing_.push_back(opens && token.payload != 0 ? token.payload : index);
      if (token.kind == TokenKind::StringHead) openStrings.push_back(index);
      if (token.kind == TokenKind::StringTail && !openStrings.empty()) {
        closing_[openStrings.back()] = index;
        openStrings.pop_back();
      }
      end = token.end;
    }
  }

  std::size_t size() const { return kinds_.size(); }
  TokenKind kind(std::size_t i) const { return kinds_[i]; }
  std::string_view gap(std::size_t i) const { return gaps_[i]; }
  std::string_view text(std::size_t i) const { return texts_[i]; }
  // The token that closes what this one opens; the token itself if it opens nothing.
  std::size_t closing(std::size_t i) const { return closing_[i]; }
  bool opens(std::size_t i) const { return closing_[i] != i; }

 private:
  std::vector<TokenKind> kinds_;
  std::vector<std::string_view> gaps_;
  std::vector<std::string_view> texts_;
  std::vector<std::size_t> closing_;
};

// Tokens [begin, end).
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

enum class Shape { kToken, kGroup, kStatement, kOperand, kCount };

bool startsStatement(const Tokens& tokens, std::size_t i) {
  if (i == 0) return true;
  switch (tokens.kind(i - 1)) {
  case TokenKind::Semicolon:
  case TokenKind::LeftBrace:
  case TokenKind::RightBrace: return true;
  default: return false;
  }
}

bool startsOperand(const Tokens& tokens, std::size_t i) {
  if (i == 0) return false;
  switch (tokens.kind(i - 1)) {
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
  case TokenKind::LeftBrace:
  case TokenKind::Comma:
  case TokenKind::Equal:
  case TokenKind::Colon:
  case TokenKind::Question:
  case TokenKind::Arrow:
  case TokenKind::Return:
  case TokenKind::Throw:
  case TokenKind::StringHead:
  case TokenKind::StringMiddle: return true;
  default: return false;
  }
}

bool endsOperand(TokenKind kind) {
  switch (kind) {
  case TokenKind::RightParen:
  case TokenKind::RightBracket:
  case TokenKind::RightBrace:
  case TokenKind::Comma:
  case TokenKind::Semicolon:
  case TokenKind::Colon:
  case TokenKind::Question:
  case TokenKind::StringMiddle:
  case TokenKind::StringTail:
  case TokenKind::FormatSpec: return true;
  default: return false;
  }
}

// The part of `shape` that starts at token `i`, if one does.
std::optional<Span> spanAt(const Tokens& tokens, std::size_t i, Shape shape) {
  switch (shape) {
  case Shape::kToken: return Span{i, i + 1};
  case Shape::kGroup:
    if (!tokens.opens(i)) return std::nullopt;
    return Span{i, tokens.closing(i) + 1};
  case Shape::kStatement: {
    if (!startsStatement(tokens, i)) return std::nullopt;
    for (std::size_t at = i; at < tokens.size(); at = tokens.closing(at) + 1) {
      if (tokens.kind(at) == TokenKind::Semicolon) return Span{i, at + 1};
      if (tokens.kind(at) == TokenKind::LeftBrace && tokens.opens(at)) return Span{i, tokens.closing(at) + 1};
      if (tokens.kind(at) == TokenKind::RightBrace) return std::nullopt;
    }
    return std::nullopt;
  }
  default: {
    if (!startsOperand(tokens, i)) return std::nullopt;
    std::size_t at = i;
    while (at < tokens.size() && !endsOperand(tokens.kind(at))) at = tokens.closing(at) + 1;
    if (at == i) return std::nullopt;
    return Span{i, std::min(at, tokens.size())};
  }
  }
}

// A random part of that shape: the first at or behind a random place, round the end.
std::optional<Span> findSpan(const Tokens& tokens, Shape shape, Random& random) {
  if (tokens.size() == 0) return std::nullopt;
  const std::size_t start = below(random, tokens.size());
  for (std::size_t step = 0; step < tokens.size(); ++step) {
    if (auto span = spanAt(tokens, (start + step) % tokens.size(), shape)) return span;
  }
  return std::nullopt;
}

// The text that comes out.
class Output {
 public:
  void add(std::string_view gap, std::string_view text) {
    out_ += gap;
    const bool wouldJoin =
        gap.empty() && !out_.empty() && !text.empty() && isWordByte(out_.back()) && isWordByte(text.front());
    if (wouldJoin) out_ += ' ';
    out_ += text;
  }
  void add(const Tokens& tokens, Span span) {
    for (std::size_t i = span.begin; i < span.end; ++i) add(tokens.gap(i), tokens.text(i));
  }
  void addText(std::string_view text) { add(" ", text); }
  std::string take() { return std::move(out_); }

 private:
  static bool isWordByte(char byte) {
    const auto c = static_cast<unsigned char>(byte);
    return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  std::string out_;
};

bool isLiteral(TokenKind kind) {
  return kind == TokenKind::IntLiteral || kind == TokenKind::FloatLiteral || kind == TokenKind::CharLiteral ||
         kind == TokenKind::StringLiteral || kind == TokenKind::True || kind == TokenKind::False ||
         kind == TokenKind::Null;
}

// Another token for `i`: of its class if it has one.
std::string_view substitute(const Tokens& tokens, std::size_t i, Random& random) {
  const std::string_view text = tokens.text(i);
  if (tokens.kind(i) == TokenKind::Identifier) {
    for (unsigned tries = 0; tries < 8; ++tries) {
      const std::size_t other = below(random, tokens.size());
      if (tokens.kind(other) == TokenKind::Identifier && tokens.text(other) != text) return tokens.text(other);
    }
    return oneIn(random, 2) ? pick(random, kTypeWords) : pick(random, kLiterals);
  }
  if (isLiteral(tokens.kind(i))) return pick(random, kLiterals);
  if (isIn(kTypeWords, text)) return pick(random, kTypeWords);
  if (isIn(kMemberWords, text)) return pick(random, kMemberWords);
  if (text != "=" && isIn(kOperators, text)) return pick(random, kOperators);
  if (isIn(kAssignments, text)) return pick(random, kAssignments);
  return tokens.text(below(random, tokens.size()));
}

struct Wrapping {
  std::string_view before;
  std::string_view after;
};
constexpr std::array<Wrapping, 8> kAroundStatements = {{{"{", "}"},
                                                        {"if (true) {", "}"},
                                                        {"for (int i = 0; i < 3; i++) {", "}"},
                                                        {"foreach (var item in [1, 2]) {", "}"},
                                                        {"try {", "} finally { }"},
                                                        {"try {", "} catch (Exception e) { throw; }"},
                                                        {"func<void> body = () => {", "};"},
                                                        {"switch (1) { case 1:", "default: break; }"}}};
constexpr std::array<Wrapping, 12> kAroundOperands = {{{"(", ")"},
                                                       {"[", "]"},
                                                       {"\"${", "}\""},
                                                       {"-(", ")"},
                                                       {"!(", ")"},
                                                       {"() =>", ""},
                                                       {"(", ").toString()"},
                                                       {"(", ") as Object"},
                                                       {"true ?", ": null"},
                                                       {"null ??", ""},
                                                       {"f(", ", 1)"},
                                                       {"List<int>{", "}"}}};

Shape randomShape(Random& random) { return static_cast<Shape>(below(random, static_cast<std::size_t>(Shape::kCount))); }

// `tokens` with `span` replaced by what `middle` adds.
template <class Middle> std::string around(const Tokens& tokens, Span span, const Middle& middle) {
  Output out;
  out.add(tokens, {0, span.begin});
  middle(out);
  out.add(tokens, {span.end, tokens.size()});
  return out.take();
}

std::string wrap(const Tokens& tokens, Random& random) {
  const bool isStatement = oneIn(random, 2);
  const auto span = findSpan(tokens, isStatement ? Shape::kStatement : Shape::kOperand, random);
  if (!span) return {};
  const Wrapping wrapping = isStatement ? pick(random, kAroundStatements) : pick(random, kAroundOperands);
  return around(tokens, *span, [&](Output& out) {
    out.addText(wrapping.before);
    out.add(tokens, *span);
    out.addText(wrapping.after);
  });
}

std::string exchange(const Tokens& tokens, Shape shape, Random& random) {
  auto first = findSpan(tokens, shape, random);
  auto second = findSpan(tokens, shape, random);
  if (!first || !second) return {};
  if (first->begin > second->begin) std::swap(first, second);
  if (first->end > second->begin) { // one within the other: the inner one takes the place of the outer
    return around(tokens, *first, [&](Output& out) { out.add(tokens, *second); });
  }
  Output out;
  out.add(tokens, {0, first->begin});
  out.add(tokens, *second);
  out.add(tokens, {first->end, second->begin});
  out.add(tokens, *first);
  out.add(tokens, {second->end, tokens.size()});
  return out.take();
}

std::string mutateOnce(const Tokens& tokens, Random& random) {
  const Shape shape = randomShape(random);
  const auto span = findSpan(tokens, shape, random);
  if (!span) return {};
  switch (below(random, 8)) {
  case 0: return around(tokens, *span, [](Output&) {});
  case 1:
    return around(tokens, *span, [&](Output& out) {
      for (std::size_t copies = oneIn(random, 10) ? 2 + below(random, 40) : 2; copies > 0; --copies) {
        out.add(tokens, *span);
        if (shape == Shape::kOperand && copies > 1)
          out.addText(pick(random, std::array<std::string_view, 2>{",", "+"}));
      }
    });
  case 2: return exchange(tokens, shape, random);
  case 3: return wrap(tokens, random);
  case 4: {
    const auto other = findSpan(tokens, shape, random);
    return around(tokens, *span, [&](Output& out) { out.add(tokens, *other); });
  }
  case 5:
    return around(tokens, {span->begin, span->begin}, [&](Output& out) { out.addText(pick(random, kFragments)); });
  default: {
    const std::size_t at = below(random, tokens.size());
    return around(tokens, {at, at + 1}, [&](Output& out) { out.add(tokens.gap(at), substitute(tokens, at, random)); });
  }
  }
}

} // namespace

std::string mutateProgram(std::string_view text, std::uint32_t seed) {
  Random random(seed);
  std::string result(text);
  for (unsigned rounds = 1 + static_cast<unsigned>(below(random, 4)); rounds > 0; --rounds) {
    const Tokens tokens(result);
    if (tokens.size() == 0) return {};
    std::string next = mutateOnce(tokens, random);
    if (!next.empty()) result = std::move(next);
  }
  return result;
}

std::string crossPrograms(std::string_view text, std::string_view donor, std::uint32_t seed) {
  Random random(seed);
  const Tokens tokens(text);
  const Tokens other(donor);
  if (tokens.size() == 0 || other.size() == 0) return {};
  if (oneIn(random, 8)) { // two programs in one
    Output out;
    out.add(tokens, {0, tokens.size()});
    out.add(other, {0, other.size()});
    return out.take();
  }
  const Shape shape = randomShape(random);
  const auto from = findSpan(other, shape, random);
  auto to = findSpan(tokens, shape, random);
  if (!from || !to) return {};
  if (shape == Shape::kStatement && oneIn(random, 2)) to->end = to->begin; // beside it, not in its place
  return around(tokens, *to, [&](Output& out) { out.add(other, *from); });
}

} // namespace nlang::fuzz
