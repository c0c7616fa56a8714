#include "unit/syntax/support.h"

#include <gtest/gtest.h>

namespace nlang::syntax {
namespace {

TEST(Declarations, AnEmptyFileIsAnEmptyModule) {
  EXPECT_EQ(tree(""), "");
  EXPECT_EQ(tree("// nothing\n"), "");
}

// rule: L1.5
TEST(Declarations, Imports) {
  EXPECT_EQ(tree("import io; import a.b; import a.b as c; import a.default;"),
            "(import io io) (import b a.b) (import c a.b) (import default a.default)");
}

// rule: L1.6
TEST(Declarations, AliasesVariablesConstants) {
  EXPECT_EQ(tree("using Names = List<string>; private using F = func<int>;"),
            "(alias Names List<string>) (alias private F func<int>)");
  EXPECT_EQ(tree("int x; private string s = \"a\"; const int k = 1; m.T t; int[] a, b = [1];"),
            "(var x int) (var private s string \"a\") (var const k int 1) (var t m.T) (var a int[]) (var b int[] [1])");
}

TEST(Declarations, Functions) {
  EXPECT_EQ(tree("void f() { } private int g(int a, string b = \"x\") { return a; }"),
            "(function f void () (block)) (function private g int (int a, string b = \"x\") (block (return a)))");
  EXPECT_EQ(tree("void d(int a, out int q, out List<int> r) { }"),
            "(function d void (int a, out int q, out List<int> r) (block))");
  EXPECT_EQ(tree("T max<T : Comparable<T>, U>(T a, U b) { }"),
            "(function max (types T:Comparable<T> U) T (T a, U b) (block))");
  EXPECT_EQ(tree("int[] f() { } func<void> g() { } a.b.C<D> h() { }"),
            "(function f int[] () (block)) (function g func<void> () (block)) (function h a.b.C<D> () (block))");
}

// rule: L6.5
TEST(Declarations, NativeFunctions) {
  EXPECT_EQ(tree("native int add(int a, int b);"), "(function native add int (int a, int b))");
  EXPECT_EQ(tree("native(\"libm.so.6\", \"cos\") double cos(double x);"),
            "(function native cos (library \"libm.so.6\" \"cos\") double (double x))");
  EXPECT_EQ(tree("native(\"libm.so.6\") double cos(double x);"),
            "(function native cos (library \"libm.so.6\" \"\") double (double x))");
  EXPECT_EQ(tree("blocking native int f(); private native void g();"),
            "(function native blocking f int ()) (function private native g void ())");
  EXPECT_EQ(tree("int native; int blocking = 1; native x;"), "(var native int) (var blocking int 1) (var x native)");
  EXPECT_EQ(tree("native int f() { }"), "(function native f int () (block)) !! 1:16 E0218");
}

TEST(Declarations, Classes) {
  EXPECT_EQ(tree("class A : B implements C, D<A> { }"), "(class A (base B) (implements C D<A>))");
  EXPECT_EQ(tree("abstract class S<T, U : I> { T t; }"), "(class abstract S (types T U:I) (var t T))");
  EXPECT_EQ(
      tree("class A { private long c = 0; public const string o; public static int n = 0; A(string o) { super(); } }"),
      "(class A (var private c long 0) (var public const o string) (var public static n int 0) "
      "(constructor A (string o) (block (super))))");
  EXPECT_EQ(
      tree("class A { public virtual void f() { } override int g() { } abstract void h(); static T k<T>(T x) { } }"),
      "(class A (function public virtual f void () (block)) (function override g int () (block)) (function abstract h "
      "void ()) "
      "(function static k (types T) T (T x) (block)))");
  EXPECT_EQ(
      tree(
          "class M { public native M(int n); native void lock(); public native bool lock(long ms); native T recv(); }"),
      "(class M (constructor public native M (int n)) (function native lock void ()) (function public native lock bool "
      "(long ms)) "
      "(function native recv T ()))");
  EXPECT_EQ(tree("class A { };"), "(class A)");
}

TEST(Declarations, StructsAndInterfaces) {
  EXPECT_EQ(tree("struct P<A, B> implements I { A a; B b; int f() { return 1; } }"),
            "(struct P (types A B) (implements I) (var a A) (var b B) (function f int () (block (return 1))))");
  EXPECT_EQ(tree("interface I<T> : J, K<T> { double area(); string name(); }"),
            "(interface I (types T) (implements J K<T>) (function area double ()) (function name string ()))");
}

// rule: L7.6
TEST(Declarations, Enums) {
  EXPECT_EQ(
      tree("enum C { Red, Green = 5, Blue; public bool warm() { return true; } }"),
      "(enum C (member Red) (member Green 5) (member Blue) (function public warm bool () (block (return true))))");
  EXPECT_EQ(tree("enum E { } enum F { A, } enum G { A = 1 << 2, B = -1 }"),
            "(enum E) (enum F (member A)) (enum G (member A (1 << 2)) (member B -1))");
}

TEST(Declarations, Documentation) {
  EXPECT_EQ(tree("/// A thing.\n///   more\nclass A {\n /// Field.\n public int x;\n}\n/// F.\nvoid f() { }"),
            "(class A (doc \"A thing.\\n  more\") (var public x (doc \"Field.\") int)) (function f (doc \"F.\") void "
            "() (block))");
  EXPECT_EQ(tree("enum E {\n/// one\nA }"), "(enum E (member A (doc \"one\")))");
}

TEST(Declarations, Modifiers) {
  EXPECT_EQ(reports("public public int x;"), "1:8 E0214");
  EXPECT_EQ(reports("public private int x;"), "1:8 E0215");
  EXPECT_EQ(reports("virtual class A { }"), "1:1 E0216");
  EXPECT_EQ(reports("static int x;"), "1:1 E0216");
  EXPECT_EQ(reports("public import io;"), "1:1 E0216");
  EXPECT_EQ(reports("class A { static virtual void f() { } }"), "1:18 E0215");
  EXPECT_EQ(reports("class A { virtual int x; abstract A() { } }"), "1:11 E0216 1:26 E0216");
  EXPECT_EQ(reports("interface I { static void f(); }"), "1:15 E0216");
}

TEST(Declarations, Bodies) {
  EXPECT_EQ(reports("int f();"), "1:8 E0217");
  EXPECT_EQ(reports("class A { abstract void f() { } }"), "1:29 E0218");
  EXPECT_EQ(reports("interface I { void f() { } int x; I() { } }"), "1:24 E0218 1:32 E0219 1:35 E0219 1:39 E0218");
  EXPECT_EQ(reports("enum E { A; int x; E() { } }"), "1:17 E0219 1:20 E0219");
}

TEST(Declarations, Inheritance) {
  EXPECT_EQ(reports("class A : B, C { }"), "1:14 E0244");
  EXPECT_EQ(reports("struct A : B { }"), "1:10 E0243");
  EXPECT_EQ(reports("enum A : B { C }"), "1:8 E0243");
}

TEST(Recovery, FaultyDeclarationsDoNotSpoilTheNext) {
  EXPECT_EQ(tree("import io\nint x;"), "(import io io) (var x int) !! 1:10 E0201");
  EXPECT_EQ(tree("int f( { }\nint g() { }"),
            "(function f int (<error-type> <missing>) (block)) (function g int () (block)) !! 1:8 E0203");
  EXPECT_EQ(tree("clas A { int x; }\nint y;"), "(class A (var x int)) (var y int) !! 1:1 E0209");
  EXPECT_EQ(tree("pubic int x;\nint y;"), "(var public x int) (var y int) !! 1:1 E0209");
  EXPECT_EQ(tree("return 1;\nint y;"), "(<error-declaration>) (var y int) !! 1:1 E0205");
  EXPECT_EQ(tree("io.print(1);\nint y;"), "(<error-declaration>) (var y int) !! 1:1 E0205");
  EXPECT_EQ(tree("f(1);\nint y;"), "(<error-declaration>) (var y int) !! 1:1 E0205");
  EXPECT_EQ(tree("f() { }\nint y;"), "(function f <error-type> () (block)) (var y int) !! 1:1 E0240");
  EXPECT_EQ(tree("int x = ;\nint y;"), "(var x int (<error>)) (var y int) !! 1:9 E0202");
  EXPECT_EQ(tree("var x = 1;"), "(var x <error-type> 1) !! 1:1 E0223");
  EXPECT_EQ(tree("void x;"), "(var x <error-type>) !! 1:1 E0224");
  EXPECT_EQ(tree("const int x;"), "(var const x int) !! 1:11 E0233");
  EXPECT_EQ(tree("List<> x;"), "(var x List<<error-type>>) !! 1:5 E0242");
  EXPECT_EQ(tree("List<void> x;"), "(var x List<<error-type>>) !! 1:6 E0224");
  EXPECT_EQ(tree("} }\nint y;"), "(var y int) !! 1:1 E0210");
}

TEST(Recovery, FaultyMembersDoNotSpoilTheNext) {
  EXPECT_EQ(tree("class A { int 5;\n int x; }"), "(class A (<error-declaration>) (var x int)) !! 1:15 E0204");
  EXPECT_EQ(tree("class A { return 1;\n int x; }"), "(class A (<error-declaration>) (var x int)) !! 1:11 E0206");
  EXPECT_EQ(tree("class A { foo() { }\n int x; }"),
            "(class A (function foo <error-type> () (block)) (var x int)) !! 1:11 E0240");
  EXPECT_EQ(tree("class A { class B { int y; }\n int x; }"),
            "(class A (<error-declaration>) (var x int)) !! 1:11 E0221");
  EXPECT_EQ(tree("class A { io.print(1);\n int x; }"), "(class A (<error-declaration>) (var x int)) !! 1:11 E0206");
  EXPECT_EQ(tree("enum E { A B }\nint x;"), "(enum E (member A) (member B)) (var x int) !! 1:11 E0201");
  EXPECT_EQ(tree("enum E { A\n B, 5 }\nint x;"),
            "(enum E (member A) (member B) (<error-declaration>)) (var x int) !! 1:11 E0201 2:4 E0201");
}

TEST(Recovery, AForgottenBraceIsOneFault) {
  EXPECT_EQ(reports("void f() {\n  if (a) {\n    b();\n}\nvoid g() { }\nvoid h() { }\n"), "4:2 E0201");
  EXPECT_EQ(reports("class A {\n  void f() {\n    if (a) {\n  }\n  public void g() { }\n  int x;\n}\nint y;\n"),
            "4:4 E0201");
  EXPECT_EQ(reports("class A {\n  void f() { }\n\nclass B { }\n"), "2:15 E0201");
  EXPECT_EQ(reports("class A {\n  void f() { }\n\nvoid g() { }\n"), "2:15 E0201");
  EXPECT_EQ(reports("void f() {\n  a();\n"), "2:7 E0201");
  EXPECT_EQ(reports("void f() {\n  while (a) {\n    if (b) {\n      c();\n\nvoid g() { }\n"), "4:11 E0201");
  EXPECT_EQ(reports("void f() {\n  a();\nusing X = int;\n"), "2:7 E0201");
}

TEST(Recovery, ABraceTooManyIsOneFault) {
  EXPECT_EQ(reports("void f() {\n  a();\n}\n}\nvoid g() { }\n"), "4:1 E0210");
  EXPECT_EQ(reports("class A {\n  void f() {\n    a();\n    }\n  }\n  virtual void g() { }\n  A() { }\n}\nint x;\n"),
            "4:5 E0210");
  EXPECT_EQ(reports("void f() {\n  if (a) {\n    b();\n  }\n  }\n  c();\n}\nint x;\n"), "5:3 E0210");
}

} // namespace
} // namespace nlang::syntax
