#include "unit/syntax/support.h"

#include <gtest/gtest.h>

#include <set>

namespace nlang::syntax {
namespace {

SourceRange range(FileId file, std::uint32_t begin, std::uint32_t end) { return {file, begin, end}; }

std::string rendered(const std::string& text, SourceRange where) {
  SourceManager sources;
  sources.add("a.n", text);
  DiagnosticSink sink;
  sink.report(DiagId::ExpectedToken, where, "`;`");
  return renderDiagnostics(sources, sink);
}

TEST(Diagnostics, TheTableIsSound) {
  std::set<std::string> codes;
  std::set<std::string> names;
  for (std::size_t i = 0; i < diagnosticCount(); ++i) {
    const DiagnosticInfo& info = infoOf(static_cast<DiagId>(i));
    EXPECT_TRUE(codes.insert(info.code).second) << info.code;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(info.code[0], info.severity == Severity::Error ? 'E' : 'W') << info.code;
    EXPECT_EQ(std::string_view(info.code).size(), 5U) << info.code;
    EXPECT_NE(std::string_view(info.text), "");
    EXPECT_NE(std::string_view(info.text).back(), '.') << info.code;
  }
}

// The examples of the lexer's and the parser's diagnostics provoke them.
TEST(Diagnostics, ExamplesShowWhatTheyAreFor) {
  for (std::size_t i = 0; i < diagnosticCount(); ++i) {
    const DiagnosticInfo& info = infoOf(static_cast<DiagId>(i));
    const std::string_view code = info.code;
    if (info.example[0] == '\0' || (!code.starts_with("E01") && !code.starts_with("E02"))) continue;
    EXPECT_NE(reports(info.example).find(code), std::string::npos) << code << ": " << info.example << "\n"
                                                                   << reports(info.example);
  }
}

// rule: L12.1
TEST(Diagnostics, OneIsItsPositionItsTextTheLineAndACaret) {
  EXPECT_EQ(rendered("int x\nint yy = 1", range(1, 10, 12)), "a.n:2:5: error[E0201]: expected `;`\n"
                                                             "    2 | int yy = 1\n"
                                                             "      |     ^~\n");
}

TEST(Diagnostics, TheCaretStandsUnderItsTextBehindTabsAndWideCharacters) {
  EXPECT_EQ(rendered("\t\tx", range(1, 2, 3)), "a.n:1:3: error[E0201]: expected `;`\n"
                                               "    1 | \t\tx\n"
                                               "      | \t\t^\n");
  EXPECT_EQ(rendered("世é x", range(1, 6, 7)), "a.n:1:4: error[E0201]: expected `;`\n"
                                               "    1 | 世é x\n"
                                               "      |     ^\n");
}

TEST(Diagnostics, TheEndOfTheFileHasAPlaceToo) {
  EXPECT_EQ(rendered("ab\n", range(1, 3, 3)), "a.n:2:1: error[E0201]: expected `;`\n    2 | \n      | ^\n");
  EXPECT_EQ(rendered("", range(1, 0, 0)), "a.n:1:1: error[E0201]: expected `;`\n    1 | \n      | ^\n");
}

TEST(Diagnostics, ARangeOverSeveralLinesIsUnderlinedToTheEndOfItsFirst) {
  EXPECT_EQ(rendered("ab cd\nef", range(1, 3, 8)),
            "a.n:1:4: error[E0201]: expected `;`\n    1 | ab cd\n      |    ^~\n");
}

TEST(Diagnostics, LongLinesAreCutAroundTheCaret) {
  const std::string text = std::string(5000, 'a') + "X" + std::string(5000, 'b');
  const std::string out = rendered(text, range(1, 5000, 5001));
  EXPECT_LT(out.size(), 600U);
  EXPECT_NE(out.find("a.n:1:5001:"), std::string::npos);
  EXPECT_NE(out.find("aaaaX"), std::string::npos);
  const std::size_t source = out.find(" | …") + 6; // the ellipsis is three bytes and one column
  const std::size_t carets = out.find('^') - (out.find(" |  ", source) + 4);
  EXPECT_EQ(out.find('X', source) - source, carets);
}

TEST(Diagnostics, ControlCharactersAreNotWrittenToTheTerminal) {
  EXPECT_EQ(rendered("a\x1b[2Jb", range(1, 0, 1)).find('\x1b'), std::string::npos);
}

TEST(Diagnostics, NotesAndSuggestionsFollow) {
  SourceManager sources;
  sources.add("a.n", "{\n");
  DiagnosticSink sink;
  sink.report(DiagId::ExpectedToken, range(1, 2, 2), "`}`")
      .note(range(1, 0, 1), "it was opened here")
      .note({}, "no place")
      .suggest("did you mean `x`?");
  EXPECT_EQ(renderDiagnostics(sources, sink), "a.n:2:1: error[E0201]: expected `}`\n"
                                              "    2 | \n"
                                              "      | ^\n"
                                              "      = did you mean `x`?\n"
                                              "a.n:1:1: note: it was opened here\n"
                                              "    1 | {\n"
                                              "      | ^\n"
                                              "      = note: no place\n");
}

// rule: L12.2
TEST(Diagnostics, TheyComeInSourceOrderAndNeverTwice) {
  DiagnosticSink sink;
  sink.report(DiagId::ExpectedToken, range(2, 0, 1), "b");
  sink.report(DiagId::ExpectedToken, range(1, 9, 10), "c");
  sink.report(DiagId::ExpectedToken, range(1, 5, 6), "a");
  sink.report(DiagId::UnaryPlus, range(1, 5, 6));
  sink.report(DiagId::ExpectedToken, range(1, 5, 8), "again");
  const auto sorted = sink.sorted();
  ASSERT_EQ(sorted.size(), 4U);
  EXPECT_EQ(sorted[0]->message, "expected a");
  EXPECT_EQ(sorted[1]->id, DiagId::UnaryPlus);
  EXPECT_EQ(sorted[2]->message, "expected c");
  EXPECT_EQ(sorted[3]->message, "expected b");
}

TEST(Diagnostics, AfterAHundredErrorsItIsEnough) {
  SourceManager sources;
  sources.add("a.n", std::string(500, 'x'));
  DiagnosticSink sink;
  for (std::uint32_t i = 0; i < 500; ++i) sink.report(DiagId::UnaryPlus, range(1, i, i + 1));
  const std::string out = renderDiagnostics(sources, sink);
  EXPECT_EQ(sink.errorCount(), 500U);
  EXPECT_NE(out.find("a.n:1:100:"), std::string::npos);
  EXPECT_EQ(out.find("a.n:1:101:"), std::string::npos);
  EXPECT_TRUE(out.ends_with("too many errors: the first 100 are shown\n"));
}

TEST(Diagnostics, MemoryIsBoundedWhateverIsReported) {
  DiagnosticSink sink;
  for (std::uint32_t i = 0; i < 50000; ++i) sink.report(DiagId::UnaryPlus, range(1, i, i + 1)).note({}, "note");
  EXPECT_EQ(sink.sorted().size(), DiagnosticSink::kMaxStored);
  EXPECT_EQ(sink.errorCount(), 50000U);
}

TEST(Spelling, FindsTheNearestWord) {
  const std::vector<std::string_view> words = {"length", "print", "while", "if", "substring"};
  EXPECT_EQ(nearestWord("lenght", words), "length");
  EXPECT_EQ(nearestWord("prnt", words), "print");
  EXPECT_EQ(nearestWord("whlie", words), "while");
  EXPECT_EQ(nearestWord("Length", words), "length");
  EXPECT_EQ(nearestWord("subString", words), "substring");
  EXPECT_EQ(nearestWord("elephant", words), "");
  EXPECT_EQ(nearestWord("is", words), "if");
  EXPECT_EQ(nearestWord("of", words), "");
  EXPECT_EQ(nearestWord(std::string(1000, 'a'), words), "");
}

} // namespace
} // namespace nlang::syntax
