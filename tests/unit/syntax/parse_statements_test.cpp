#include "unit/syntax/support.h"

#include <gtest/gtest.h>

namespace nlang::syntax {
namespace {

TEST(Statements, Blocks) {
  EXPECT_EQ(body(""), "");
  EXPECT_EQ(body("{ } { a(); }"), "(block) (block (call a))");
  EXPECT_EQ(body(";"), "(empty)");
}

// rule: L2.2
TEST(Statements, LocalDeclarations) {
  EXPECT_EQ(body("int x; int y = 1;"), "(local int x) (local int y 1)");
  EXPECT_EQ(body("var x = 1; const int k = 2; const var z = 3;"), "(local var x 1) (const int k 2) (const var z 3)");
  EXPECT_EQ(body("List<int> xs = []; Dict<string, List<int>> d = {};"),
            "(local List<int> xs []) (local Dict<string, List<int>> d {})");
  EXPECT_EQ(body("m.T<int>[] a; func<void, int, out string> f;"),
            "(local m.T<int>[] a) (local func<void, int, out string> f)");
  EXPECT_EQ(body("int a = 1, b, c = 2;"), "(local int a 1) (local int b) (local int c 2)");
  EXPECT_EQ(body("int[][] g = [[1]];"), "(local int[][] g [[1]])");
  EXPECT_EQ(body("T\n x;"), "(local T x)");
}

TEST(Statements, AnExpressionIsNoDeclaration) {
  EXPECT_EQ(body("a < b; a.b; a[0] = 1; f<int>(x); int.max;"),
            "(a < b) (. a b) (= (index a 0) 1) (call f<int> x) (. int max)");
  EXPECT_EQ(body("string.join(x);"), "(call (. string join) x)");
  EXPECT_EQ(body("List<int>();"), "(call List<int>)");
  EXPECT_EQ(body("a * b;"), "(a * b)");
}

TEST(Statements, FaultyDeclarations) {
  EXPECT_EQ(body("var x;"), "(local <error-type> x) !! 1:17 E0222");
  EXPECT_EQ(body("const int x;"), "(const int x) !! 1:23 E0233");
  EXPECT_EQ(body("void x;"), "(local <error-type> x) !! 1:13 E0224");
  EXPECT_EQ(body("int class = 1; a();"), "(local int class 1) (call a) !! 1:17 E0208");
  EXPECT_EQ(body("Mutex lock = {}; a();"), "(local Mutex lock {}) (call a) !! 1:19 E0208");
  EXPECT_EQ(body("int = 1; a();"), "(local int <missing> 1) (call a) !! 1:17 E0204");
  EXPECT_EQ(body("int; a();"), "(<error-statement>) (call a) !! 1:16 E0204");
  EXPECT_EQ(body("const x = 1;"), "(const var x 1) !! 1:19 E0203");
}

TEST(Statements, Assignments) {
  EXPECT_EQ(
      body("a = 1; a += 1; a -= 1; a *= 1; a /= 1; a %= 1; a &= 1; a |= 1; a ^= 1; a <<= 1; a >>= 1; a >>>= 1;"),
      "(= a 1) (+= a 1) (-= a 1) (*= a 1) (/= a 1) (%= a 1) (&= a 1) (|= a 1) (^= a 1) (<<= a 1) (>>= a 1) (>>>= a 1)");
  EXPECT_EQ(body("a++; a.b--; ++a;"), "(++ a) (-- (. a b)) (++ a) !! 1:25 E0213");
  EXPECT_EQ(body("a = b = c;"), "(= a (<error> b)) !! 1:19 E0211");
}

TEST(Statements, Conditions) {
  EXPECT_EQ(body("if (a) { b(); }"), "(if a (block (call b)))");
  EXPECT_EQ(body("if (a) b(); else c();"), "(if a (call b) (call c))");
  EXPECT_EQ(body("if (a) { } else if (b) { } else { c(); }"), "(if a (block) b (block) (block (call c)))");
  EXPECT_EQ(body("if (a) if (b) c(); else d();"), "(if a (if b (call c) (call d)))");
}

TEST(Statements, Loops) {
  EXPECT_EQ(body("while (a) { b(); }"), "(while a (block (call b)))");
  EXPECT_EQ(body("do { a(); } while (b);"), "(do (block (call a)) b)");
  EXPECT_EQ(body("for (int i = 0; i < 3; i++) { a(i); }"),
            "(for (init (local int i 0)) (i < 3) (update (++ i)) (block (call a i)))");
  EXPECT_EQ(body("for (;;) ;"), "(for _ (empty))");
  EXPECT_EQ(body("for (i = 0, j = 1; ; i++, j--) { }"),
            "(for (init (= i 0) (= j 1)) _ (update (++ i) (-- j)) (block))");
  EXPECT_EQ(body("for (int i = 0, n = 5; i < n; i += 2) { }"),
            "(for (init (local int i 0) (local int n 5)) (i < n) (update (+= i 2)) (block))");
}

// rule: L5.3
TEST(Statements, Foreach) {
  EXPECT_EQ(body("foreach (int x in xs) { }"), "(foreach (int x) xs (block))");
  EXPECT_EQ(body("foreach (var x in 0..n + 1) a();"), "(foreach (var x) (.. 0 (n + 1)) (call a))");
  EXPECT_EQ(body("foreach (string k, List<int> v in d) { }"), "(foreach (string k) (List<int> v) d (block))");
  EXPECT_EQ(body("foreach (int in in xs) { }"), "(foreach (int in) xs (block))");
  EXPECT_EQ(body("foreach (int x in a ? b : c) { }"), "(foreach (int x) (? a b c) (block))");
  EXPECT_EQ(body("foreach (x in xs) { }"), "(foreach (<error-type> x) xs (block)) !! 1:22 E0203");
  EXPECT_EQ(body("foreach (int x : xs) { }"), "(foreach (int x) xs (block)) !! 1:27 E0201");
  EXPECT_EQ(body("foreach (int a, int b, int c in xs) { }"),
            "(foreach (int a) (int b) (<error> xs) (block)) !! 1:36 E0239");
}

// rule: L5.1
TEST(Statements, LabelsNameLoops) {
  EXPECT_EQ(body("outer: for (;;) { break outer; continue outer; break; continue; }"),
            "(for (label outer) _ (block (break outer) (continue outer) (break) (continue)))");
  EXPECT_EQ(body("a: while (b) ;"), "(while (label a) b (empty))");
  EXPECT_EQ(body("a: b();"), "(call b) !! 1:13 E0225");
}

// rule: L5.4
TEST(Statements, Switch) {
  EXPECT_EQ(body("switch (a) { case 1, 2: b(); case Color.Red: { c(); } break; default: }"),
            "(switch a (case (1, 2) (call b)) (case ((. Color Red)) (block (call c)) (break)) (default))");
  EXPECT_EQ(body("switch (a) { case b ? c : d: e(); }"), "(switch a (case ((? b c d)) (call e)))");
  EXPECT_EQ(body("switch (a) { }"), "(switch a)");
  EXPECT_EQ(body("switch (a) { b(); case 1: c(); }"), "(switch a (case (1) (call c))) !! 1:26 E0236");
  EXPECT_EQ(body("switch (a) { default: default: }"), "(switch a (default) (default)) !! 1:35 E0235");
  EXPECT_EQ(body("switch (a) { case 1 b(); }"), "(switch a (case (1) (call b))) !! 1:32 E0201");
}

// rule: C3.7
TEST(Statements, Select) {
  EXPECT_EQ(body("select { case int v = a.recv(): f(v); case b.send(x): case var s = c.get(): g(); case timeout(100): "
                 "h(); default: }"),
            "(select (case (int v) (call (. a recv)) (call f v)) (case (call (. b send) x)) (case (var s) (call (. c "
            "get)) (call g)) "
            "(timeout 100 (call h)) (default))");
  EXPECT_EQ(body("select { case timeout(5).recv(): case timeout.recv(): }"),
            "(select (case (call (. (call timeout 5) recv))) (case (call (. timeout recv))))");
  EXPECT_EQ(body("select { case v = a.recv(): f(); }"), "(select (case (call (. a recv)) (call f))) !! 1:29 E0234");
  EXPECT_EQ(body("int timeout = 1; timeout = 2; f(timeout);"), "(local int timeout 1) (= timeout 2) (call f timeout)");
}

TEST(Statements, Leaving) {
  EXPECT_EQ(body("return; return 1; throw e; throw;"), "(return) (return 1) (throw e) (throw)");
}

// rule: L5.5
TEST(Statements, Try) {
  EXPECT_EQ(body("try { a(); } catch (A e) { b(); } catch (m.B e) { } finally { c(); }"),
            "(try (block (call a)) (catch A e (block (call b))) (catch m.B e (block)) (finally (block (call c))))");
  EXPECT_EQ(body("try { } finally { }"), "(try (block) (finally (block)))");
  EXPECT_EQ(body("try { } a();"), "(try (block)) (call a) !! 1:13 E0227");
}

TEST(Statements, AssertLockUsingSuper) {
  EXPECT_EQ(body("assert(a); assert(a > b, \"c\");"), "(assert a) (assert (a > b) \"c\")");
  EXPECT_EQ(body("lock (m) { a(); }"), "(lock m (block (call a)))");
  EXPECT_EQ(body("lock(m); lock (5);"), "(call lock m) (call lock 5)"); // rule: L1.2
  EXPECT_EQ(body("using (var r = f()) { g(); }"), "(using (local var r (call f)) (block (call g)))");
  EXPECT_EQ(body("using (Res r = f()) g();"), "(using (local Res r (call f)) (call g))");
  EXPECT_EQ(body("super(1, 2); super.m();"), "(super 1 2) (call (. super m))");
}

TEST(Statements, ContextualWordsAreNames) {
  EXPECT_EQ(body("int in = 1, out = 2; native = blocking + timeout; in(out);"),
            "(local int in 1) (local int out 2) (= native (blocking + timeout)) (call in out)");
}

// rule: L12.2
TEST(Recovery, AMissingSemicolonIsReportedBehindTheStatement) {
  EXPECT_EQ(body("int x = 1\n b();\n"), "(local int x 1) (call b) !! 1:22 E0201");
  EXPECT_EQ(body("a()\n b()\n c();\n"), "(call a) (call b) (call c) !! 1:16 E0201 2:5 E0201");
  EXPECT_EQ(body("return 1 }"), "(return 1) !! 1:21 E0201 1:23 E0210");
  EXPECT_EQ(body("a() b(); c();"), "(call a) (call c) !! 1:16 E0201");
}

TEST(Recovery, AMissingParenthesisIsOneFault) {
  EXPECT_EQ(body("f(1, 2;\n g();"), "(call f 1 2) (call g) !! 1:19 E0201");
  EXPECT_EQ(body("if (a { b(); }\n c();"), "(if a (block (call b))) (call c) !! 1:18 E0201");
  EXPECT_EQ(body("if a { b(); }\n c();"), "(if a (block (call b))) (call c) !! 1:15 E0201");
  EXPECT_EQ(body("while a > 1 { }\n c();"), "(while (a > 1) (block)) (call c) !! 1:18 E0201");
  EXPECT_EQ(body("f(a;\n int x = 1;"), "(call f a) (local int x 1) !! 1:16 E0201");
}

TEST(Recovery, MisspelledWordsAreUnderstood) {
  EXPECT_EQ(body("whlie (a) { b(); }"), "(while a (block (call b))) !! 1:13 E0209");
  EXPECT_EQ(body("fro (int i = 0; i < 1; i++) { }"),
            "(for (init (local int i 0)) (i < 1) (update (++ i)) (block)) !! 1:13 E0209");
  EXPECT_EQ(body("if (a) { } esle { b(); }"), "(if a (block) (block (call b))) !! 1:24 E0209");
  EXPECT_EQ(body("retrun 5;"), "(return 5) !! 1:13 E0209");
  EXPECT_EQ(
      body("tyr { a(); } cathc (E e) { } finaly { b(); }"),
      "(try (block (call a)) (catch E e (block)) (finally (block (call b)))) !! 1:13 E0209 1:26 E0209 1:42 E0209");
}

TEST(Recovery, NamesThatResembleWordsAreNames) {
  EXPECT_EQ(body("whle(a); Try{x: 1}.f(); Do{}.g();"), "(call whle a) (call (. Try{x: 1} f)) (call (. Do{} g))");
  EXPECT_EQ(body("if (a) { } Else{x: 1}.f();"), "(if a (block)) (call (. Else{x: 1} f))");
  EXPECT_EQ(body("try { } finally { } Finally{}.f();"), "(try (block) (finally (block))) (call (. Finally{} f))");
  EXPECT_EQ(body("Retrun x = 1; Publc y;"), "(local Retrun x 1) (local Publc y)");
}

TEST(Recovery, EveryStatementWithAFaultIsReported) {
  EXPECT_EQ(body("int a = ;\n f(1 2);\n b = + 3;\n if (x = 1) { }\n good();"),
            "(local int a (<error>)) (call f 1 2) (= b 3) (if (<error> x) (block)) (call good) !! "
            "1:21 E0202 2:5 E0201 3:6 E0241 4:8 E0211");
}

TEST(Recovery, MisplacedWords) {
  EXPECT_EQ(body("\n    static int x = 1;\n    a();\n  "), "(<error-statement>) (call a) !! 2:5 E0207");
  EXPECT_EQ(body("else { a(); } b();"), "(<error-statement>) (block (call a)) (call b) !! 1:13 E0207");
  EXPECT_EQ(body("case 1: a();"), "(<error-statement>) (call a) !! 1:13 E0207");
  EXPECT_EQ(body("catch (E e) { } a();"), "(<error-statement>) (block) (call a) !! 1:13 E0207");
  EXPECT_EQ(body(") a();\n b();"), "(<error-statement>) (call b) !! 1:13 E0207");
}

TEST(Recovery, AnUnterminatedStringIsOneFault) {
  EXPECT_EQ(body("f(\"abc);\n g();"), "(call f \"abc);\") (call g) !! 1:15 E0108");
  EXPECT_EQ(body("f(\"abc${x);\n g();"), "(call f (text \"abc\" ${x})) (call g) !! 1:19 E0111");
  EXPECT_EQ(body("f(1 # 2);\n g();"), "(call f 1) (call g) !! 1:17 E0106");
}

TEST(Recovery, FunctionsAndTypesInsideFunctions) {
  EXPECT_EQ(body("int g(int x) { return 1; } a();"), "(<error-statement>) (call a) !! 1:13 E0220");
  EXPECT_EQ(body(" class A { class B { } int x; } a();"), "(<error-statement>) (call a) !! 1:14 E0221");
}

} // namespace
} // namespace nlang::syntax
