// Extremes: deep nesting gives one report and no crash, long chains are fine, any bytes are survived.
#include "unit/syntax/support.h"

#include <gtest/gtest.h>

namespace nlang::syntax {
namespace {

constexpr std::size_t kDeep = 20'000;

std::string repeated(std::string_view piece, std::size_t count) {
  std::string out;
  out.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += piece;
  return out;
}

// The only report is E0290.
void expectTooDeep(const std::string& text) {
  Text source(text);
  source.parse();
  ASSERT_EQ(source.sink().errorCount(), 1U) << text.substr(0, 60) << "\n" << source.rendered();
  EXPECT_EQ(source.sink().sorted()[0]->id, DiagId::NestingTooDeep) << source.rendered();
}

void expectFine(const std::string& text) { EXPECT_EQ(reports(text), "") << text.substr(0, 60); }

std::string inBody(const std::string& text) { return "void f() { " + text + " }"; }

TEST(Limits, DeepNestingIsOneError) {
  for (const auto& [open, middle, close] :
       std::initializer_list<std::array<const char*, 3>>{{"(", "1", ")"},
                                                         {"[", "", "]"},
                                                         {"{", "", "}"},
                                                         {"- ", "1", ""},
                                                         {"!", "a", ""},
                                                         {"() => ", "1", ""},
                                                         {"x => ", "1", ""},
                                                         {"f(", "", ")"},
                                                         {"a[", "0", "]"},
                                                         {"\"${", "1", "}\""},
                                                         {"() => { return ", "1", "; }"},
                                                         {"a ? ", "b", " : c"},
                                                         {"Point{x: ", "1", "}"},
                                                         {"new int[", "1", "]"}}) {
    expectTooDeep(inBody("var x = " + repeated(open, kDeep) + middle + repeated(close, kDeep) + ";"));
  }
  for (const auto& [open, middle, close] :
       std::initializer_list<std::array<const char*, 3>>{{"{", "", "}"},
                                                         {"if (a) ", ";", ""},
                                                         {"while (a) ", ";", ""},
                                                         {"for (;;) ", ";", ""},
                                                         {"do ", ";", " while (a);"},
                                                         {"foreach (int x in xs) ", ";", ""},
                                                         {"try { ", "", " } finally { }"},
                                                         {"lock (m) { ", "", " }"},
                                                         {"using (var r = f()) ", ";", ""},
                                                         {"switch (a) { case 1: ", "", " }"},
                                                         {"select { default: ", "", " }"},
                                                         {"List<", "int", "> x;"},
                                                         {"func<", "int", "> x;"},
                                                         {"a: ", ";", ""}}) {
    expectTooDeep(inBody(repeated(open, kDeep) + middle + repeated(close, kDeep)));
  }
  expectTooDeep(repeated("List<", kDeep) + "int" + repeated(">", kDeep) + " x;");
  expectTooDeep("int" + repeated("[]", kDeep) + " x;");
  expectTooDeep(inBody("var x = " + repeated("List<", kDeep) + "int" + repeated(">", kDeep) + "();"));
}

TEST(Limits, ChainsOfUnlimitedDepthInTheTreeAreRefused) {
  expectTooDeep(inBody("x" + repeated(".a()", kDeep) + ";"));
  expectTooDeep(inBody("x" + repeated("[0]", kDeep) + " = 1;"));
  expectTooDeep(inBody("var y = x" + repeated(" as int", kDeep) + ";"));
  expectTooDeep(inBody("var y = " + repeated("a ? b : ", kDeep) + "c;"));
  // Neither the nesting nor the chain alone is too much.
  expectTooDeep(inBody(repeated("x.a(", 200) + "1" + repeated(").c.d.e.f", 200) + ";"));
}

TEST(Limits, OrdinaryDepthIsFine) {
  expectFine(inBody("var x = " + repeated("(", 200) + "1" + repeated(")", 200) + ";"));
  expectFine(inBody(repeated("{", 200) + repeated("}", 200)));
  expectFine(inBody("x" + repeated(".a(1)", 300) + ";"));
  expectFine(inBody("var y = " + repeated("a ? b : ", 300) + "c;"));
}

TEST(Limits, LongChainsOfOperatorsAreFine) {
  expectFine(inBody("var x = " + repeated("1 + ", kDeep) + "1;"));
  expectFine(inBody("var x = " + repeated("a * b - c / d + ", 20'000) + "1;"));
  expectFine(inBody("var x = " + repeated("a && b || ", kDeep) + "c;"));
  expectFine(inBody("var x = " + repeated("a ?? ", kDeep) + "c;"));
}

TEST(Limits, LongListsAreFine) {
  expectFine(inBody("var x = [" + repeated("1, ", kDeep) + "1];"));
  expectFine(inBody("f(" + repeated("a < b, ", 2'000) + "1);"));
  expectFine(inBody(repeated("a();", kDeep)));
  expectFine(repeated("int x;", kDeep));
  expectFine(inBody("var s = \"" + repeated("${x}", kDeep) + "\";"));
  expectFine(inBody(repeated("if (a) { b(); } else ", kDeep) + "{ }"));
  expectFine(inBody("switch (a) { " + repeated("case 1: b(); ", kDeep) + "}"));
}

TEST(Limits, AnythingIsSurvived) {
  const std::string words[] = {"(",      ")",    "{",     "}",    "[",     "]",       ";",       ",",     "<",  ">",
                               "class ", "int ", "x ",    "\"${", "}\"",   "=> ",     "if ",     "else ", "= ", ": ",
                               "? ",     ". ",   "func<", "new ", "case ", "native ", "select ", "try ",  "1 ", "'"};
  std::uint32_t seed = 12345;
  for (int round = 0; round < 2000; ++round) {
    std::string text = round % 2 == 0 ? "" : "void f() { ";
    for (int i = 0; i < 60; ++i) {
      seed = seed * 1664525U + 1013904223U;
      text += words[(seed >> 8) % std::size(words)];
    }
    Text source(text);
    EXPECT_FALSE(printTree(source.parse()).empty());
  }
  for (const std::string& word : words) {
    Text source(repeated(word, 20'000));
    source.parse();
    EXPECT_FALSE(source.rendered().size() > 100'000) << word;
  }
}

TEST(Limits, EveryPrefixOfAProgramHasATree) {
  const std::string program =
      "import io;\n/// doc\nclass A<T> : B implements C { private int x = 1; A(int x) { super(x); this.x = x; } "
      "public T get<U : I>(T t, out U u) { foreach (var k, int v in d) { if (a?.b ?? c) { return \"${x:>5} $$\"; } "
      "else { throw; } } } }\n"
      "enum E { A, B = 2; int f() { return 1; } }\nvoid main() { var f = (int x, y) => { select { case int v = "
      "a.recv(): b(); default: } }; "
      "List<List<int>> z = {1: [2, 3]}; try { lock (m) { } } catch (E e) { } finally { } switch (x) { case 'a', 2.5f: "
      "break; } }\n";
  EXPECT_EQ(reports(program), "");
  for (std::size_t i = 0; i < program.size(); ++i) {
    Text source(program.substr(0, i));
    source.parse();
    EXPECT_LE(source.sink().errorCount(), 3U) << program.substr(0, i) << "\n" << source.rendered();
  }
}

} // namespace
} // namespace nlang::syntax
