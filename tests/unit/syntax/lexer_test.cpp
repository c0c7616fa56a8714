#include "unit/syntax/support.h"

#include "syntax/lexer_impl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nlang::syntax {
namespace {

std::string tokens(std::string text) {
  Text source(std::move(text));
  std::string out = source.tokens();
  if (!source.reports().empty()) out += " !! " + source.reports();
  return out;
}

std::vector<std::string> texts(std::string text) {
  Text source(std::move(text));
  const TokenStream stream = source.lex();
  EXPECT_EQ(source.reports(), "");
  return {stream.texts.begin(), stream.texts.end()};
}

// rule: L1.1
TEST(Lexer, AnEmptyTextIsOnlyItsEnd) {
  EXPECT_EQ(tokens(""), "EOF");
  EXPECT_EQ(tokens(" \t\r\n\f\v"), "EOF");
  EXPECT_EQ(tokens("\xEF\xBB\xBF"), "EOF");
}

TEST(Lexer, CommentsAreSkipped) {
  EXPECT_EQ(tokens("a // b\nc /* d\n e */ f /**/ g"), "a c f g EOF");
  EXPECT_EQ(tokens("a / b"), "a / b EOF");
  EXPECT_EQ(tokens("// no line break"), "EOF");
}

TEST(Lexer, AnUnterminatedCommentIsReportedWhereItBegins) { EXPECT_EQ(tokens("a\n /* b"), "a EOF !! 2:2 E0107"); }

// rule: L1.2
TEST(Lexer, ReservedWordsAreTokensOfTheirOwn) {
  EXPECT_EQ(tokens("int integer Int _int int1 élan 世界"), "int integer Int _int int1 élan 世界 EOF");
  Text source(
      "abstract as assert bool break byte case catch char class const continue default do double else enum false "
      "finally "
      "float for foreach func if implements import int interface is long lock new null override private protected "
      "public "
      "return select short static string struct super switch this throw true try ubyte uint ulong ushort using var "
      "virtual void while");
  for (const Token& token : source.lex().tokens) EXPECT_NE(token.kind, TokenKind::Identifier);
  Text contextual("in out native blocking timeout");
  unsigned names = 0;
  for (const Token& token : contextual.lex().tokens) names += token.kind == TokenKind::Identifier ? 1 : 0;
  EXPECT_EQ(names, 5U);
}

TEST(Lexer, PunctuationTakesTheLongestToken) {
  EXPECT_EQ(tokens("a?.b??c?d:e"), "a ?. b ?? c ? d : e EOF");
  EXPECT_EQ(tokens("<<= << <= < => == = ++ += + -- -= - && &= & || |= | ^= ^ != ! ~ .. ."),
            "<<= << <= < => == = ++ += + -- -= - && &= & || |= | ^= ^ != ! ~ .. . EOF");
  EXPECT_EQ(tokens("> >> >>= >="), "> > > > >= >= EOF"); // `>` stands alone for the sake of type arguments
}

TEST(Lexer, BracketsKnowTheirPartners) {
  Text source("( [ { } ] )");
  const TokenStream stream = source.lex();
  EXPECT_EQ(stream.tokens[0].payload, 5U);
  EXPECT_EQ(stream.tokens[1].payload, 4U);
  EXPECT_EQ(stream.tokens[2].payload, 3U);
}

TEST(Lexer, AMissingBracketDoesNotSpoilTheBraces) {
  Text source("{ ( [ } }");
  const TokenStream stream = source.lex();
  EXPECT_EQ(stream.tokens[0].payload, 3U);
  EXPECT_EQ(stream.tokens[1].payload, 0U);
  EXPECT_EQ(stream.strayBraces, 1U);
}

// rule: L3.1
TEST(Lexer, Numbers) {
  EXPECT_EQ(tokens("42 0xff 0XFF 0b1010 1_000_000 42u 42L 42uL 1.5 2e9 1.5f 2f 1e-5 1E+5"),
            "42 0xff 0XFF 0b1010 1_000_000 42u 42L 42uL 1.5 2e9 1.5f 2f 1e-5 1E+5 EOF");
  EXPECT_EQ(tokens("0..3 1.max x.0"), "0 .. 3 1 . max x . 0 EOF");
}

TEST(Lexer, NumbersHaveTheirValues) {
  Text source("0xff 0b1010 1_000 18446744073709551615uL 1.5 0.1 0.1f 1e308 1e-400 0.0000001e-320");
  const auto numbers = source.lex().numbers;
  EXPECT_EQ(numbers[0].integer, 255U);
  EXPECT_EQ(numbers[1].integer, 10U);
  EXPECT_EQ(numbers[2].integer, 1000U);
  EXPECT_EQ(numbers[3].integer, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(numbers[4].real, 1.5);
  EXPECT_EQ(numbers[5].real, 0.1);
  EXPECT_EQ(numbers[6].real, static_cast<double>(0.1F));
  EXPECT_EQ(numbers[7].real, 1e308);
  EXPECT_EQ(numbers[8].real, 0.0);
  EXPECT_EQ(source.reports(), "");
}

TEST(Lexer, MalformedNumbersAreReported) {
  EXPECT_EQ(tokens("0x"), "0x EOF !! 1:1 E0118");
  EXPECT_EQ(tokens("0b12"), "0b12 EOF !! 1:1 E0118");
  EXPECT_EQ(tokens("0b2"), "0b2 EOF !! 1:1 E0118");
  EXPECT_EQ(tokens("1_"), "1_ EOF !! 1:1 E0118");
  EXPECT_EQ(tokens("0x_1"), "0x_1 EOF !! 1:1 E0118");
  EXPECT_EQ(tokens("1e"), "1e EOF !! 1:1 E0118");
  EXPECT_EQ(tokens("12abc"), "12abc EOF !! 1:3 E0119");
  EXPECT_EQ(tokens("12l"), "12l EOF !! 1:3 E0119");
  EXPECT_EQ(tokens("1.5u"), "1.5u EOF !! 1:4 E0119");
  EXPECT_EQ(tokens("18446744073709551616uL"), "18446744073709551616uL EOF !! 1:1 E0120");
  EXPECT_EQ(tokens("1e999"), "1e999 EOF !! 1:1 E0121");
  EXPECT_EQ(tokens("1e39f"), "1e39f EOF !! 1:1 E0121");
}

TEST(Lexer, Characters) {
  Text source(R"('a' '\n' '\'' '\u{4e2d}' 'é' '"' '\x41' '\0')");
  const auto numbers = source.lex().numbers;
  EXPECT_EQ(source.reports(), "");
  ASSERT_EQ(numbers.size(), 8U);
  const std::uint64_t expected[] = {'a', '\n', '\'', 0x4E2D, 0xE9, '"', 'A', 0};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(numbers[i].integer, expected[i]);
}

TEST(Lexer, FaultyCharactersAreReported) {
  EXPECT_EQ(tokens("''"), "'' EOF !! 1:1 E0112");
  EXPECT_EQ(tokens("'ab'"), "'ab' EOF !! 1:1 E0113");
  EXPECT_EQ(tokens("x = 'a;\ny"), "x = 'a; y EOF !! 1:5 E0110");
  EXPECT_EQ(tokens("'\\q'"), "'\\q' EOF !! 1:2 E0114");
  EXPECT_EQ(tokens("'\\u{d800}'"), "'\\u{d800}' EOF !! 1:2 E0117");
}

// rule: L3.2
TEST(Lexer, StringsAndTheirEscapes) {
  EXPECT_EQ(texts(R"("")")[0], "");
  EXPECT_EQ(texts(R"("a\n\r\t\\\"\'\a\b\f\vz")")[0], "a\n\r\t\\\"'\a\b\f\vz");
  EXPECT_EQ(texts(R"("\0")")[0], std::string(1, '\0'));
  EXPECT_EQ(texts(R"("\x41\u{1F600}\u{e9}")")[0], "A\U0001F600é");
  EXPECT_EQ(texts("\"\\xe9\"")[0], "é");
  EXPECT_EQ(texts(R"("$$5 $x $")")[0], "$5 $x $");
  EXPECT_EQ(texts(R"("$${x}")")[0], "${x}");
}

TEST(Lexer, FaultyEscapesAreReportedEachAtItsPlace) {
  EXPECT_EQ(tokens(R"("a\qb\x4g\u41\u{}\u{110000}\u{1234567}")"),
            "STRING EOF !! 1:3 E0114 1:6 E0115 1:10 E0116 1:14 E0116 1:18 E0117 1:28 E0116");
}

TEST(Lexer, RawStringsSpanLinesAndKeepEverything) {
  EXPECT_EQ(texts("`a\n\\n ${b} \"`")[0], "a\n\\n ${b} \"");
  EXPECT_EQ(tokens("x `abc"), "x STRING EOF !! 1:3 E0109");
}

TEST(Lexer, AnUnterminatedRawStringIsTheOnlyFaultOfItsFile) {
  EXPECT_EQ(reports("string s = `abc;\n}\n"), "1:12 E0109");
}

TEST(Lexer, TheNumberOfTokensIsLimited) {
  SourceManager sources;
  DiagnosticSink sink;
  base::Arena arena;
  base::Interner names;
  const SourceFile& file = *sources.add("a.n", std::string(1000, ';')).file;
  const TokenStream stream = Lexer(file, arena, names, sink, 100).run();
  EXPECT_EQ(stream.tokens.size(), 101U);
  ASSERT_EQ(sink.errorCount(), 1U);
  EXPECT_EQ(sink.sorted()[0]->id, DiagId::TooManyTokens);
  EXPECT_EQ(sink.sorted()[0]->range.begin, 100U);
}

TEST(Lexer, Interpolation) {
  EXPECT_EQ(tokens(R"("a${b}c")"), "HEAD b TAIL EOF");
  EXPECT_EQ(tokens(R"("${a}${b}")"), "HEAD a MIDDLE b TAIL EOF");
  EXPECT_EQ(tokens(R"("${f("x${y}")}")"), "HEAD f ( HEAD y TAIL ) TAIL EOF");
  EXPECT_EQ(tokens(R"("${ {1: {2: 3}} }")"), "HEAD { 1 : { 2 : 3 } } TAIL EOF");
  EXPECT_EQ(tokens("\"${\na\n}\""), "HEAD a TAIL EOF");
  EXPECT_EQ(texts(R"("a${b}c${d}e")"), (std::vector<std::string>{"a", "c", "e"}));
}

// rule: L3.3
TEST(Lexer, FormatSpecifications) {
  EXPECT_EQ(tokens(R"("${x:08.3f}")"), "HEAD x SPEC TAIL EOF");
  EXPECT_EQ(texts(R"("${x:08.3f}")"), (std::vector<std::string>{"", "08.3f", ""}));
  EXPECT_EQ(tokens(R"("${c ? a : b}")"), "HEAD c ? a : b TAIL EOF");
  EXPECT_EQ(tokens(R"("${c ? a : b:>5}")"), "HEAD c ? a : b SPEC TAIL EOF");
  EXPECT_EQ(tokens(R"("${c ? d ? a : b : e:x}")"), "HEAD c ? d ? a : b : e SPEC TAIL EOF");
  EXPECT_EQ(tokens(R"("${a?.b ?? c:x}")"), "HEAD a ?. b ?? c SPEC TAIL EOF");
  EXPECT_EQ(tokens(R"("${ {a: b}:x}")"), "HEAD { a : b } SPEC TAIL EOF");
  EXPECT_EQ(texts(R"("${x::>5}")")[1], ":>5");
}

TEST(Lexer, UnterminatedStringsEndWithTheirLine) {
  EXPECT_EQ(tokens("\"abc\nd"), "STRING d EOF !! 1:1 E0108");
  EXPECT_EQ(tokens("\"abc\\"), "STRING EOF !! 1:1 E0108");
  EXPECT_EQ(tokens("\"a${b}c\nd"), "HEAD b TAIL d EOF !! 1:6 E0108");
}

TEST(Lexer, AForgottenEndOfAnInterpolationIsOneFault) {
  EXPECT_EQ(tokens("\"a${b\";\nc"), "HEAD b STRING TAIL c EOF !! 1:3 E0111");
  EXPECT_EQ(tokens("\"a${b;\nc"), "HEAD b TAIL ; c EOF !! 1:3 E0111");
  EXPECT_EQ(tokens("\"a${b; x\"; c"), "HEAD b TAIL ; c EOF !! 1:3 E0111");
  EXPECT_EQ(tokens("\"a${b"), "HEAD b TAIL EOF !! 1:3 E0111");
  EXPECT_EQ(tokens("\"a${\"b${c"), "HEAD HEAD c TAIL TAIL EOF !! 1:3 E0111");
  EXPECT_EQ(tokens("\"a${b:x\" c"), "HEAD b SPEC TAIL c EOF !! 1:3 E0111");
}

TEST(Lexer, GarbageIsReportedOnceForARun) {
  EXPECT_EQ(tokens("a ### b"), "a INVALID b EOF !! 1:3 E0106");
  EXPECT_EQ(tokens(std::string("a \0 b", 5)), "a INVALID b EOF !! 1:3 E0106");
  EXPECT_EQ(tokens("a € b"), "a INVALID b EOF !! 1:3 E0106");
}

TEST(Lexer, InvalidUtf8IsOneErrorWithItsPosition) {
  EXPECT_EQ(tokens("int x;\n\"é\xFF\xFE\""), "EOF !! 2:3 E0105");
  EXPECT_EQ(tokens("// \xED\xA0\x80"), "EOF !! 1:4 E0105");
}

TEST(Lexer, TokensKnowWhetherTheyStartALine) {
  Text source("a b\n c /* \n */ d");
  const auto stream = source.lex();
  const bool expected[] = {true, false, true, true};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ((stream.tokens[i].flags & kStartsLine) != 0, expected[i]) << i;
}

TEST(Lexer, DocumentationBelongsToTheNextToken) {
  Text source("/// one\n///  two\nclass /// three\n A //// four\n {");
  const auto stream = source.lex();
  ASSERT_EQ(stream.docs.size(), 3U);
  EXPECT_EQ(stream.docs[0].text, "one");
  EXPECT_EQ(stream.docs[1].text, " two");
  EXPECT_EQ(stream.docs[1].token, 0U);
  EXPECT_EQ(stream.docs[2].token, 1U);
}

} // namespace
} // namespace nlang::syntax
