#include "syntax/lexer.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/utf8.h"
#include "syntax/lexer_impl.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace nlang::syntax {

namespace {

// How far a `)` looks for its `(` among brackets of the other kind; more than this is garbage.
constexpr std::size_t kMaxMismatch = 64;

enum class CharClass : std::uint8_t { Punctuation, Space, Newline, Word, Digit, Quote, NonAscii };

constexpr std::array<CharClass, 256> makeClasses() {
  std::array<CharClass, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') {
      classes[c] = CharClass::Word;
    } else if (c >= '0' && c <= '9') {
      classes[c] = CharClass::Digit;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      classes[c] = CharClass::Space;
    } else if (c == '\n') {
      classes[c] = CharClass::Newline;
    } else if (c == '"' || c == '\'' || c == '`') {
      classes[c] = CharClass::Quote;
    } else if (c >= 0x80) {
      classes[c] = CharClass::NonAscii;
    }
  }
  return classes;
}
constexpr auto kClasses = makeClasses();

CharClass classOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }

struct Punctuation {
  TokenKind kind = TokenKind::Invalid;
  std::uint8_t length = 0;
};

Punctuation punctuationAt(char a, char b, char c) {
  using enum TokenKind;
  switch (a) {
  case '(': return {LeftParen, 1};
  case ')': return {RightParen, 1};
  case '{': return {LeftBrace, 1};
  case '}': return {RightBrace, 1};
  case '[': return {LeftBracket, 1};
  case ']': return {RightBracket, 1};
  case ';': return {Semicolon, 1};
  case ',': return {Comma, 1};
  case ':': return {Colon, 1};
  case '~': return {Tilde, 1};
  case '.': return b == '.' ? Punctuation{DotDot, 2} : Punctuation{Dot, 1};
  case '?':
    return b == '.'   ? Punctuation{QuestionDot, 2}
           : b == '?' ? Punctuation{QuestionQuestion, 2}
                      : Punctuation{Question, 1};
  case '=': return b == '>' ? Punctuation{Arrow, 2} : b == '=' ? Punctuation{EqualEqual, 2} : Punctuation{Equal, 1};
  case '+': return b == '+' ? Punctuation{PlusPlus, 2} : b == '=' ? Punctuation{PlusEqual, 2} : Punctuation{Plus, 1};
  case '-':
    return b == '-' ? Punctuation{MinusMinus, 2} : b == '=' ? Punctuation{MinusEqual, 2} : Punctuation{Minus, 1};
  case '*': return b == '=' ? Punctuation{StarEqual, 2} : Punctuation{Star, 1};
  case '/': return b == '=' ? Punctuation{SlashEqual, 2} : Punctuation{Slash, 1};
  case '%': return b == '=' ? Punctuation{PercentEqual, 2} : Punctuation{Percent, 1};
  case '^': return b == '=' ? Punctuation{CaretEqual, 2} : Punctuation{Caret, 1};
  case '!': return b == '=' ? Punctuation{BangEqual, 2} : Punctuation{Bang, 1};
  case '&': return b == '&' ? Punctuation{AmpAmp, 2} : b == '=' ? Punctuation{AmpEqual, 2} : Punctuation{Amp, 1};
  case '|': return b == '|' ? Punctuation{PipePipe, 2} : b == '=' ? Punctuation{PipeEqual, 2} : Punctuation{Pipe, 1};
  case '>': return b == '=' ? Punctuation{GreaterEqual, 2} : Punctuation{Greater, 1};
  case '<':
    if (b == '<') return c == '=' ? Punctuation{LessLessEqual, 3} : Punctuation{LessLess, 2};
    return b == '=' ? Punctuation{LessEqual, 2} : Punctuation{Less, 1};
  default: return {};
  }
}

} // namespace

Lexer::Lexer(const SourceFile& file, base::Arena& arena, base::Interner& names, DiagnosticSink& sink,
             std::size_t maxTokens)
    : file_(file), arena_(arena), names_(names), sink_(sink), text_(file.text()),
      size_(static_cast<std::uint32_t>(file.text().size())), maxTokens_(maxTokens) {}

TokenStream Lexer::run() {
  const std::size_t invalid = base::findInvalidUtf8(text_);
  if (invalid < size_) {
    const auto at = static_cast<std::uint32_t>(invalid);
    sink_.report(DiagId::InvalidUtf8, range(at, at + 1), static_cast<unsigned char>(text_[at]));
    at_ = size_;
    add(TokenKind::EndOfFile, size_).flags |= kBroken;
    return std::move(out_);
  }
  out_.tokens.reserve(size_ / 5 + 16);
  pending_ = kStartsLine;
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  while (skipTrivia() && !atEnd()) {
    lexToken();
    if (out_.tokens.size() >= maxTokens_) {
      sink_.report(DiagId::TooManyTokens, range(at_, at_));
      pending_ |= kBroken;
      at_ = size_;
      break;
    }
  }
  finish();
  return std::move(out_);
}

void Lexer::finish() {
  // Only interpolations are the lexer's business; open brackets are reported by the parser, which knows what they
  // began.
  const auto outermost =
      std::find_if(open_.begin(), open_.end(), [](const Open& o) { return o.kind == TokenKind::StringHead; });
  if (outermost != open_.end()) {
    if ((pending_ & kBroken) == 0)
      sink_.report(DiagId::UnterminatedInterpolation, range(outermost->at, outermost->at + 2));
    abandonInterpolations();
  }
  for (const Open& o : open_) out_.openBraces += o.kind == TokenKind::LeftBrace ? 1 : 0;
  add(TokenKind::EndOfFile, size_);
}

bool Lexer::skipTrivia() {
  while (!atEnd()) {
    switch (classOf(text_[at_])) {
    case CharClass::Space: ++at_; continue;
    case CharClass::Newline:
      pending_ |= kStartsLine;
      ++at_;
      continue;
    default: break;
    }
    if (text_[at_] != '/') return true;
    if (peek(1) == '/') {
      skipLineComment();
    } else if (peek(1) == '*') {
      if (!skipBlockComment()) return false;
    } else {
      return true;
    }
  }
  return true;
}

void Lexer::skipLineComment() {
  const std::size_t found = text_.find('\n', at_);
  const std::uint32_t end = found == std::string_view::npos ? size_ : static_cast<std::uint32_t>(found);
  if (peek(2) == '/' && peek(3) != '/') {
    std::string_view line = text_.substr(at_ + 3, end - at_ - 3);
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out_.docs.push_back({static_cast<std::uint32_t>(out_.tokens.size()), line});
    pending_ |= kHasDoc;
  }
  at_ = end;
}

bool Lexer::skipBlockComment() {
  const std::size_t found = text_.find("*/", at_ + 2);
  if (found == std::string_view::npos) {
    sink_.report(DiagId::UnterminatedComment, range(at_, at_ + 2));
    pending_ |= kBroken;
    at_ = size_;
    return false;
  }
  const auto end = static_cast<std::uint32_t>(found + 2);
  if (std::memchr(text_.data() + at_, '\n', end - at_) != nullptr) pending_ |= kStartsLine;
  at_ = end;
  return true;
}

void Lexer::lexToken() {
  switch (classOf(text_[at_])) {
  case CharClass::Word: lexWord(); break;
  case CharClass::Digit: lexNumber(); break;
  case CharClass::Quote:
    if (text_[at_] == '"') {
      lexString();
    } else if (text_[at_] == '`') {
      lexRawString();
    } else {
      lexChar();
    }
    break;
  case CharClass::NonAscii: lexNonAscii(); break;
  default: lexPunctuation(); break;
  }
}

void Lexer::lexWord() {
  const std::uint32_t begin = at_;
  for (;;) {
    while (at_ < size_ && (classOf(text_[at_]) == CharClass::Word || classOf(text_[at_]) == CharClass::Digit)) ++at_;
    if (atEnd() || classOf(text_[at_]) != CharClass::NonAscii) break;
    const base::Decoded d = base::decodeUtf8(text_, at_);
    if (!base::isIdentifierPart(d.value)) break;
    at_ += d.length;
  }
  const std::string_view word = text_.substr(begin, at_ - begin);
  const TokenKind kind = wordKind(word);
  // Reserved words get an id as well: after `.` they are names.
  add(kind, begin, names_.idOf(word));
}

void Lexer::lexNonAscii() {
  if (base::isIdentifierStart(base::decodeUtf8(text_, at_).value)) {
    lexWord();
  } else {
    lexInvalid();
  }
}

void Lexer::lexInvalid() {
  // One error for a run of garbage, not one for each character.
  const std::uint32_t begin = at_;
  const base::Decoded first = base::decodeUtf8(text_, at_);
  at_ += first.length;
  while (!atEnd()) {
    const base::Decoded d = base::decodeUtf8(text_, at_);
    const bool starts = d.value < 0x80 ? classOf(text_[at_]) != CharClass::Punctuation ||
                                             punctuationAt(text_[at_], '\0', '\0').length > 0
                                       : base::isIdentifierStart(d.value);
    if (starts) break;
    at_ += d.length;
  }
  std::string shown = fmt::format("U+{:04X}", static_cast<std::uint32_t>(first.value));
  if (base::displayWidth(first.value) > 0) {
    shown = "`";
    base::appendUtf8(shown, first.value);
    shown += "`";
  }
  sink_.report(DiagId::InvalidCharacter, range(begin, begin + first.length), shown);
  add(TokenKind::Invalid, begin).flags |= kBroken;
}

void Lexer::lexPunctuation() {
  const Punctuation p = punctuationAt(text_[at_], peek(1), peek(2));
  const std::uint32_t begin = at_;
  switch (p.kind) {
  case TokenKind::Invalid: return lexInvalid();
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
  case TokenKind::LeftBrace: return open(p.kind);
  case TokenKind::RightParen: return close(p.kind, TokenKind::LeftParen);
  case TokenKind::RightBracket: return close(p.kind, TokenKind::LeftBracket);
  case TokenKind::RightBrace: return lexRightBrace();
  case TokenKind::Colon: return lexColon();
  case TokenKind::Semicolon: return lexSemicolon();
  case TokenKind::Question:
    if (inInterpolation()) ++open_.back().questions;
    break;
  default: break;
  }
  at_ += p.length;
  add(p.kind, begin);
}

void Lexer::open(TokenKind kind) {
  open_.push_back({kind, static_cast<std::uint32_t>(out_.tokens.size()), at_, 0});
  const std::uint32_t begin = at_++;
  add(kind, begin);
}

void Lexer::close(TokenKind kind, TokenKind opening) {
  const auto index = static_cast<std::uint32_t>(out_.tokens.size());
  const std::size_t lowest = open_.size() > kMaxMismatch ? open_.size() - kMaxMismatch : 0;
  for (std::size_t i = open_.size(); i > lowest; --i) {
    const Open& candidate = open_[i - 1];
    if (candidate.kind == opening) {
      out_.tokens[candidate.token].payload = index;
      open_.resize(i - 1);
      break;
    }
    if (candidate.kind == TokenKind::LeftBrace || candidate.kind == TokenKind::StringHead) break;
  }
  const std::uint32_t begin = at_++;
  add(kind, begin);
}

void Lexer::lexRightBrace() {
  while (!open_.empty() && open_.back().kind != TokenKind::LeftBrace) {
    if (open_.back().kind == TokenKind::StringHead) return continueString();
    open_.pop_back();
  }
  if (!open_.empty()) {
    out_.tokens[open_.back().token].payload = static_cast<std::uint32_t>(out_.tokens.size());
    open_.pop_back();
  } else {
    ++out_.strayBraces;
  }
  const std::uint32_t begin = at_++;
  add(TokenKind::RightBrace, begin);
}

void Lexer::lexColon() {
  if (inInterpolation()) {
    if (open_.back().questions == 0) return lexFormatSpec();
    --open_.back().questions;
  }
  const std::uint32_t begin = at_++;
  add(TokenKind::Colon, begin);
}

void Lexer::lexSemicolon() {
  if (inInterpolation()) {
    const Open& forgotten = open_.back();
    sink_.report(DiagId::UnterminatedInterpolation, range(forgotten.at, forgotten.at + 2));
    abandonInterpolations();
    // The rest of the string, if its closing quote is on this line, is no code.
    const std::size_t lineEnd = std::min<std::size_t>(text_.find('\n', at_), size_);
    const std::size_t quote = text_.substr(0, lineEnd).find('"', at_);
    if (quote != std::string_view::npos) at_ = static_cast<std::uint32_t>(quote) + 1;
    return;
  }
  const std::uint32_t begin = at_++;
  add(TokenKind::Semicolon, begin);
}

TokenStream lex(const SourceFile& file, base::Arena& arena, base::Interner& names, DiagnosticSink& sink) {
  return Lexer(file, arena, names, sink).run();
}

} // namespace nlang::syntax
