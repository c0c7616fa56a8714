// Any bytes as a source file through the lexer: no crash, tokens in order, brackets paired, every string complete.
#include "base/arena.h"
#include "base/intern.h"
#include "syntax/diagnostic.h"
#include "syntax/lexer.h"
#include "syntax/source.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace nlang;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void checkTokens(const syntax::TokenStream& stream, std::size_t size) {
  using syntax::TokenKind;
  require(!stream.tokens.empty() && stream.tokens.back().kind == TokenKind::EndOfFile);
  std::uint32_t end = 0;
  unsigned openStrings = 0;
  for (const syntax::Token& token : stream.tokens) {
    require(token.begin >= end && token.end >= token.begin && token.end <= size);
    end = token.end;
    switch (token.kind) {
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::LeftBrace:
      if (token.payload == 0) break;
      require(token.payload < stream.tokens.size());
      require(static_cast<int>(stream.tokens[token.payload].kind) == static_cast<int>(token.kind) + 1);
      break;
    case TokenKind::StringHead: ++openStrings; [[fallthrough]];
    case TokenKind::StringLiteral:
    case TokenKind::StringMiddle:
    case TokenKind::FormatSpec: require(token.payload < stream.texts.size()); break;
    case TokenKind::StringTail: require(openStrings-- > 0); break;
    case TokenKind::IntLiteral:
    case TokenKind::FloatLiteral:
    case TokenKind::CharLiteral: require(token.payload < stream.numbers.size()); break;
    default: break;
    }
  }
  require(openStrings == 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  syntax::SourceManager sources;
  syntax::DiagnosticSink sink;
  base::Arena arena;
  base::Interner names;
  const syntax::LoadResult loaded = sources.add("fuzz.n", std::string(reinterpret_cast<const char*>(data), size));
  checkTokens(syntax::lex(*loaded.file, arena, names, sink), size);
  renderDiagnostics(sources, sink);
  return 0;
}
