// Programs beyond a limit, or with what is not supported, get a diagnostic and no code.
#include "unit/codegen/generated.h"

namespace nlang::codegen {
namespace {

std::string repeat(const std::string& text, int count, const std::string& separator) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    if (i > 0) all += separator;
    std::string one = text;
    for (size_t at; (at = one.find('#')) != std::string::npos;) one.replace(at, 1, std::to_string(i));
    all += one;
  }
  return all;
}

void expectError(const std::string& text, const std::string& code) {
  Generated made(text);
  EXPECT_FALSE(made.ok);
  EXPECT_NE(made.checked.said().find(code), std::string::npos) << made.checked.said() << made.checked.messages();
}

TEST(Limits, TypesThatGrowWithEachInstance) {
  expectError("void f<T>(T x, int n) { if (n > 0) { f<List<T>>([x], n - 1); } }\nvoid main() { f<int>(1, 2); }\n",
              "E0707");
  expectError("struct P<A, B> { A a; B b; }\nclass C<T> { C<P<T, T>> next; void go() { if (next == null) { next = "
              "C<P<T, T>>(); } next.go(); } }\n"
              "void main() { C<int>().go(); }\n",
              "E070");
}

TEST(Limits, Parameters) {
  Generated most("int f(" + repeat("int p#", 255, ", ") + ") { return p254; }\nvoid main() { f(" +
                 repeat("#", 255, ", ") + "); }\n");
  EXPECT_TRUE(most.ok);
  // Parameters that are structs count by their fields.
  expectError("struct P { int x; int y; }\nint f(" + repeat("P p#", 128, ", ") + ") { return p0.x; }\n" +
                  "void main() { P p = {}; f(" + repeat("p", 128, ", ") + "); }\n",
              "E0705");
}

TEST(Limits, FieldsOfStructsAndClasses) {
  expectError("struct S { " + repeat("int f#;", 300, " ") + " }\nvoid main() { S s = {}; Object o = s; }\n", "E0706");
  expectError("class C { " + repeat("long f#;", 9000, " ") + " }\nvoid main() { C c = C(); Object o = c; }\n", "E0704");
}

TEST(Limits, Registers) {
  expectError("void main() {\n" + repeat("int v# = #;", 60010, "\n") + "\nint s = 0;\n" +
                  repeat("s += v#;", 60010, "\n") + "}\n",
              "E0702");
}

TEST(Limits, LongChainsAreNoNesting) {
  Generated sum("int f(int x) { return " + repeat("x", 20000, " + ") + "; }\nvoid main() { f(1); }\n");
  EXPECT_TRUE(sum.ok);
  Generated text("string f(int x) { return \"a\" + " + repeat("x", 20000, " + ") + "; }\nvoid main() { f(1); }\n");
  EXPECT_TRUE(text.ok);
  Generated logic("bool f(bool x) { return " + repeat("x", 20000, " && ") +
                  "; }\nvoid main() { if (f(true)) { f(false); } }\n");
  EXPECT_TRUE(logic.ok);
  Generated branches("int f(int x) { " + repeat("if (x == #) { return #; }", 20000, " else ") +
                     " return 1; }\nvoid main() { f(1); }\n");
  EXPECT_TRUE(branches.ok);
}

} // namespace
} // namespace nlang::codegen
