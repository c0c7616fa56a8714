#include "syntax/parser.h"

#include "syntax/lexer.h"
#include "syntax/parser_impl.h"

namespace nlang::syntax {

Parser::Parser(const SourceFile& file, TokenStream stream, base::Arena& arena, base::Interner& names,
               DiagnosticSink& sink)
    : file_(file), stream_(std::move(stream)), tokens_(stream_.tokens), arena_(arena), names_(names), sink_(sink),
      last_(static_cast<Index>(tokens_.size() - 1)), errorAt_(last_ + 1), strayBraces_(stream_.strayBraces),
      openBraces_(stream_.openBraces), in_(names.intern("in")), out_(names.intern("out")),
      native_(names.intern("native")), blocking_(names.intern("blocking")), timeout_(names.intern("timeout")) {}

Module* Parser::parse() {
  List<Decl> all(*this);
  while (!atEnd()) {
    const Index before = at_;
    parseTopLevel(all);
    if (at_ == before) advance();
  }
  std::vector<ImportDecl*> imports;
  std::vector<Decl*> others;
  for (Decl* decl : all.take()) {
    if (auto* import = dyn<ImportDecl>(decl)) {
      imports.push_back(import);
    } else {
      others.push_back(decl);
    }
  }
  auto* module = make<Module>(SourceRange{file_.id(), 0, static_cast<std::uint32_t>(file_.text().size())});
  module->imports = arena_.copyList(imports);
  module->declarations = arena_.copyList(others);
  return module;
}

// ---- reports and recovery
// ------------------------------------------------------------------------------------------------------

void Parser::giveUp(unsigned limit) {
  if (gaveUp_) return;
  complain(DiagId::NestingTooDeep, here(), limit);
  gaveUp_ = true;
  at_ = last_;
}

bool Parser::mayReport(SourceRange range) const {
  if (gaveUp_ || errorAt_ == at_ || (token().flags & kBroken) != 0) return false;
  const bool followsBroken = at_ > 0 && (tokens_[at_ - 1].flags & kBroken) != 0;
  // What is wrong with the first token of the next line is a fault of its own.
  return !followsBroken || (startsLine() && range.begin == begin() && range.end > range.begin);
}

Diagnostic& Parser::muted() {
  muted_ = {};
  return muted_;
}

std::string Parser::found() const {
  if (at(TokenKind::Identifier)) return fmt::format("`{}`", wordAt(at_));
  return describe(kind());
}

// Where something is missing: at the token that stands in its place, or behind the line before.
SourceRange Parser::foundRange() const { return startsLine() && at_ > 0 ? behind() : here(); }

Diagnostic& Parser::errorExpected(const char* what) { return error(DiagId::ExpectedToken, behind(), what); }

bool Parser::expect(TokenKind k) {
  if (accept(k)) return true;
  if (at(TokenKind::Invalid) && next() == k) {
    advance();
    advance();
    return true;
  }
  errorExpected(describe(k));
  return false;
}

bool Parser::expectSemicolon() {
  if (expect(TokenKind::Semicolon)) return true;
  // What starts a line is the next statement; anything else belongs to the faulty one.
  if (!startsLine()) skipToBoundary();
  return false;
}

void Parser::skipBalanced() {
  const Index close = tokens_[at_].payload;
  const bool opens = at(TokenKind::LeftParen) || at(TokenKind::LeftBracket) || at(TokenKind::LeftBrace);
  if (opens && close > at_) at_ = std::min(close, last_);
  advance();
}

// Behind the next `;`, or before a `}` or a token that starts a line.
void Parser::skipToBoundary() {
  while (!atEnd() && !at(TokenKind::RightBrace)) {
    if (accept(TokenKind::Semicolon)) return;
    skipBalanced();
    if (startsLine()) return;
  }
}

// Consumes the closing bracket, or reports that it is missing and goes behind it if it follows within the same
// statement.
bool Parser::closeBracket(TokenKind close, Index open, const char* what) {
  while (at(TokenKind::Invalid)) advance();
  if (accept(close)) return true;
  Diagnostic& report = errorExpected(what);
  if (file_.text().substr(tokens_[open].begin, begin() - tokens_[open].begin).find('\n') != std::string_view::npos) {
    report.note(rangeOf(open), "it was opened here");
  } else if (strayBraces_ > 0 && at(TokenKind::RightBrace) && !startsLine()) {
    // `xs[0};`: the wrong kind of bracket.
    const TokenKind follows = next();
    advance();
    if (follows == TokenKind::Semicolon || follows == TokenKind::Comma || follows == TokenKind::RightParen ||
        follows == TokenKind::RightBracket || follows == TokenKind::Dot || operatorHere().precedence != 0) {
      --strayBraces_;
      return true;
    }
    --at_;
  }
  const Index match = tokens_[open].payload;
  if (match <= at_ || match > last_) return false;
  for (Index i = at_; i < match; ++i) {
    if (tokens_[i].kind == TokenKind::Semicolon) return false;
    if (tokens_[i].kind == TokenKind::LeftBrace && tokens_[i].payload > i) i = tokens_[i].payload;
  }
  at_ = match;
  advance();
  return true;
}

Ident Parser::expectName(const char* what) {
  if (at(TokenKind::Identifier)) return takeIdent();
  if (isWord(kind()) && !startsLine()) {
    error(DiagId::ReservedWord, here(), wordAt(at_));
    useAsName();
    return takeIdent();
  }
  error(DiagId::ExpectedName, foundRange(), what, found());
  return {{}, behind()};
}

namespace {

bool isJump(TokenKind word) {
  return word == TokenKind::Break || word == TokenKind::Continue || word == TokenKind::Return ||
         word == TokenKind::Throw;
}

} // namespace

// The reserved word here was taken for a name, which was reported. What uses that name, to the end of the block or of
// the body behind the parameters, is no further mistake.
void Parser::useAsName() {
  Index open = innermostBrace_;
  if (open <= declarationStart_) {
    for (open = at_; kindAt(open) != TokenKind::LeftBrace; ++open) {
      if (kindAt(open) == TokenKind::Semicolon || kindAt(open) == TokenKind::EndOfFile) return;
    }
  }
  const TokenKind word = kind();
  const Index end = std::min(tokens_[open].payload, last_);
  for (Index i = at_ + 1; i < end; ++i) {
    if (tokens_[i].kind != word) continue;
    const TokenKind follows = kindAt(i + 1);
    const bool isCast = follows == TokenKind::As || follows == TokenKind::Is;
    const bool isType = follows == TokenKind::Identifier ||
                        (follows == TokenKind::LeftBracket && kindAt(i + 2) == TokenKind::RightBracket);
    const bool isStatement = follows == TokenKind::LeftBrace || follows == TokenKind::LeftParen ||
                             (follows == TokenKind::Semicolon && isJump(word)) ||
                             (follows == TokenKind::Colon && word == TokenKind::Default);
    if (isCast || (!isType && !isStatement && !isWord(follows))) tokens_[i].kind = TokenKind::Identifier;
  }
}

// After `.` every word is a name; but a word on the next line begins a statement, and the name is missing.
Ident Parser::memberName(const char* what) {
  if (at(TokenKind::Identifier) || (isWord(kind()) && !startsLine())) return takeIdent();
  error(DiagId::ExpectedName, foundRange(), what, found());
  return {{}, behind()};
}

// Whether the name here is nearly one of `words`; then it is reported and becomes that word.
bool Parser::misspelled(std::initializer_list<TokenKind> words) {
  if (!at(TokenKind::Identifier)) return false;
  std::vector<std::string_view> spellings;
  for (const TokenKind word : words) spellings.emplace_back(spellingOf(word));
  const std::string_view near = nearestWord(wordAt(at_), spellings);
  if (near.empty()) return false;
  error(DiagId::MisspelledWord, here(), wordAt(at_)).suggest(fmt::format("did you mean `{}`?", near));
  tokens_[at_].kind = wordKind(near);
  return true;
}

std::uint32_t Parser::column(Index i) const {
  const std::uint32_t begin = tokens_[i].begin;
  const std::size_t lineBreak = begin == 0 ? std::string_view::npos : file_.text().rfind('\n', begin - 1);
  return lineBreak == std::string_view::npos ? begin : begin - static_cast<std::uint32_t>(lineBreak) - 1;
}

// The column at which the line of a token begins.
std::uint32_t Parser::indentation(Index i) const {
  const std::uint32_t lineBegin = tokens_[i].begin - column(i);
  std::uint32_t indent = 0;
  while (file_.text()[lineBegin + indent] == ' ' || file_.text()[lineBegin + indent] == '\t') ++indent;
  return indent;
}

std::string_view Parser::documentationOf(Index i) {
  if ((tokens_[i].flags & kHasDoc) == 0) return {};
  const auto& docs = stream_.docs;
  auto line =
      std::lower_bound(docs.begin(), docs.end(), i, [](const DocLine& doc, Index token) { return doc.token < token; });
  std::string text;
  for (; line != docs.end() && line->token == i; ++line) {
    if (!text.empty()) text += '\n';
    text += line->text;
  }
  return arena_.copyText(text);
}

// ---- looking ahead
// -------------------------------------------------------------------------------------------------------------

bool Parser::startsType(TokenKind k) const {
  switch (k) {
  case TokenKind::Identifier:
  case TokenKind::Func:
  case TokenKind::Void:
  case TokenKind::Bool:
  case TokenKind::Byte:
  case TokenKind::UByte:
  case TokenKind::Short:
  case TokenKind::UShort:
  case TokenKind::Int:
  case TokenKind::UInt:
  case TokenKind::Long:
  case TokenKind::ULong:
  case TokenKind::Float:
  case TokenKind::Double:
  case TokenKind::Char:
  case TokenKind::String: return true;
  default: return false;
  }
}

Parser::Index Parser::skipType(Index i, unsigned depth) {
  if (depth > kMaxNesting) {
    skipTooDeep_ = true;
    return 0;
  }
  const TokenKind first = kindAt(i);
  if (!startsType(first)) return 0;
  ++i;
  if (first == TokenKind::Identifier) {
    while (kindAt(i) == TokenKind::Dot && (kindAt(i + 1) == TokenKind::Identifier || isWord(kindAt(i + 1)))) i += 2;
  }
  if (first == TokenKind::Func || (first == TokenKind::Identifier && kindAt(i) == TokenKind::Less)) {
    i = skipTypeArguments(i, depth);
    if (i == 0) return 0;
  }
  while (kindAt(i) == TokenKind::LeftBracket && kindAt(i + 1) == TokenKind::RightBracket) i += 2;
  return i;
}

Parser::Index Parser::skipTypeArguments(Index i, unsigned depth) {
  if (kindAt(i) != TokenKind::Less) return 0;
  do {
    ++i;
    if (atContextual(i, out_) && startsType(kindAt(i + 1))) ++i;
    i = skipType(i, depth + 1);
    if (i == 0) return 0;
  } while (kindAt(i) == TokenKind::Comma);
  return kindAt(i) == TokenKind::Greater ? i + 1 : 0;
}

// `<A<B<C<…`, without anything in between: that is no chain of comparisons, which would have no type.
bool Parser::nestsAtOnce(Index i) const {
  for (unsigned depth = 0; depth < kMaxNesting; ++depth) {
    if (kindAt(i) != TokenKind::Less || !startsType(kindAt(i + 1))) return false;
    i += 2;
  }
  return true;
}

// Rule L4.5.
bool Parser::atTypeArguments() {
  if (!at(TokenKind::Less)) return false;
  skipTooDeep_ = false;
  const Index end = skipTypeArguments(at_, 0);
  if (end == 0) {
    if (skipTooDeep_ && nestsAtOnce(at_)) giveUp(kMaxNesting);
    return false;
  }
  Index behind = end;
  while (kindAt(behind) == TokenKind::LeftBracket && kindAt(behind + 1) == TokenKind::RightBracket) behind += 2;
  const TokenKind follows = kindAt(end);
  if (behind > end) return kindAt(behind) == TokenKind::LeftBrace; // `List<int>[]{…}`
  return follows == TokenKind::LeftParen || follows == TokenKind::LeftBrace || follows == TokenKind::Dot;
}

bool Parser::atLambda() const {
  if (at(TokenKind::Identifier)) return next() == TokenKind::Arrow || atForeignArrow(at_ + 1);
  if (!at(TokenKind::LeftParen) || token().payload <= at_) return false;
  const Index behind = token().payload + 1;
  return kindAt(behind) == TokenKind::Arrow || atForeignArrow(behind);
}

// `->`, as other languages write `=>`: two operators that make no sense one behind the other.
bool Parser::atForeignArrow(Index i) const {
  return kindAt(i) == TokenKind::Minus && kindAt(i + 1) == TokenKind::Greater && tokens_[i].end == tokens_[i + 1].begin;
}

bool Parser::atLocalDeclaration() {
  switch (kind()) {
  case TokenKind::Var:
  case TokenKind::Const:
  case TokenKind::Void:
  case TokenKind::Func: return true;
  default: break;
  }
  if (!startsType(kind())) return false;
  skipTooDeep_ = false;
  const Index end = skipType(at_);
  if (end == 0) return skipTooDeep_; // then the type's parser reports it
  const TokenKind follows = kindAt(end);
  if (follows == TokenKind::Identifier) return true;
  if (isWord(follows) && follows != TokenKind::As && follows != TokenKind::Is && kindAt(end + 1) == TokenKind::Equal)
    return true;
  if (at(TokenKind::Identifier)) return false;
  return follows != TokenKind::Dot && follows != TokenKind::LeftBrace && follows != TokenKind::LeftParen;
}

Module* parseModule(const SourceFile& file, base::Arena& arena, base::Interner& names, DiagnosticSink& sink) {
  return Parser(file, lex(file, arena, names, sink), arena, names, sink).parse();
}

} // namespace nlang::syntax
