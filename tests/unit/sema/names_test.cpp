// Names, members, visibility and modules.
#include "program_check.h"

namespace nlang::sema {
namespace {

// The suggestions of everything said, in order.
std::vector<std::string> suggestions(const std::string& text) {
  CheckedProgram checked(text);
  std::vector<std::string> result;
  for (const syntax::Diagnostic* said : checked.sink.sorted()) result.push_back(said->suggestion);
  return result;
}

// rule: L12.1
TEST(Names, UnknownOnesAreReportedOnceAndCompared) {
  expectDiagnostics(R"(
import io;
void f(int width) {
    int a = widht;  //! E0301
    a.b.c();  //! E0303
    io.prnt(a);  //! E0306
    Strin s = {};  //! E0302
    s.whatever(s.more).again;
    "x".lenght();  //! E0303
    nothing(nothere, width);  //! E0301 E0301
    io.nothing.more();  //! E0306
    nowhere.f();  //! E0301
    io.Thing t;  //! E0307
    nowhere.Thing u;  //! E0305
}
)");
  using Texts = std::vector<std::string>;
  EXPECT_EQ(suggestions("void f(int width) { width = widht; }"), Texts{"did you mean `width`?"});
  EXPECT_EQ(suggestions("String s;"), Texts{"did you mean `string`?"});
  EXPECT_EQ(suggestions("boolean s;"), Texts{"did you mean `bool`?"});
  EXPECT_EQ(suggestions("int f(List<int> l) { return l.size(); }"), Texts{"did you mean `length`?"});
  EXPECT_EQ(suggestions("enum E { Red } E f() { return Red; }"), Texts{"did you mean `E.Red`?"});
  EXPECT_EQ(suggestions("void f() { io.print(1); }"), Texts{"write `import io;` at the top of the file"});
}

TEST(Names, WhatANameStandsForDependsOnItsPlace) {
  expectDiagnostics(R"(
import io;
class A { public int x; public static int s; public void m() { } public static void t() { } }
enum E { One }
void f(A a) {
    io;  //! E0314
    A;  //! E0313
    A.x = 1;  //! E0319
    A.m();  //! E0319
    a.s = 1;  //! E0320
    a.t();  //! E0320
    a.One();  //! E0303
    E.One;  //! W0004
    E.Two;  //! E0303
    A();
    f;  //! W0004
    f.x();  //! E0303
    f x;  //! E0312
    this.x = 1;  //! E0317
    super.m();  //! E0318
    int.max;  //! W0004
    int.maximum;  //! E0303
    new f(a);  //! E0437
    a();  //! E0415
}
)");
}

// rule: L7.3
TEST(Names, Visibility) {
  std::map<std::string, std::string> other = {{"other", R"(
public class Shape {
    private int secret; protected int inherited; int inModule; public int open;
    private void hide() { } protected void inherit() { } void stay() { } public void show() { }
    Shape() { }
    private Shape(int x) { }
}
private class Hidden { }
private void hidden() { }
private int hiddenValue;
void shown() { hidden(); hiddenValue = 1; }
struct Plain { int x; private int y; }
)"}};
  expectDiagnostics(R"(
import other;
class Mine : other.Shape {
    void f() {
        open = 1; inherited = 2;
        secret = 3;  //! E0311
        inModule = 4;  //! E0311
        show(); inherit();
        hide();  //! E0311
        stay();  //! E0311
    }
}
void f(other.Shape s, other.Plain p) {
    s.open = 1;
    s.inherited = 2;  //! E0311
    s.secret = 3;  //! E0311
    s.show();
    s.stay();  //! E0311
    p.x = 1;
    p.y = 2;  //! E0311
    other.shown();
    other.hidden();  //! E0311
    other.hiddenValue = 1;  //! E0311
    other.Hidden h;  //! E0311
    s = other.Shape();
    s = other.Shape(1);  //! E0416
}
)",
                    other);
}

// rule: L1.5
TEST(Names, Imports) {
  std::map<std::string, std::string> modules = {
      {"a/b", "import main2; public int value = 1; public class C { } public int f() { return main2.twice(); }"},
      {"a/c/b", "public int value = 2;"},
      {"main2", "import a.b; public int twice() { return b.value + a.b.value; }"}};
  expectDiagnostics(R"(
import a.b;
import a.b as brief;
import main2;  //! W0003
import nowhere.at.all;  //! E0304
int f() { b.f(); return b.value + a.b.value + brief.value; }
a.b.C c;
b.C d = brief.C();
int g() { return a.value; }  //! E0305
int h() { return all.value; }
int i() { return a; }  //! E0314
)",
                    modules);
  expectDiagnostics(R"(
import a.b;
import a.c.b;
int f() { return a.b.value + a.c.b.value; }
int g() { return b.value; }  //! E0308
b.C c;  //! E0308
)",
                    modules);
}

TEST(Names, DeclarationsAreUnique) {
  expectDiagnostics(R"(
class A { int x; void x() { } int y; int y; void m(int a) { } void m(int b) { } void m(long c) { } }  //! E0309 E0309 E0310
void A() { }  //! E0309
int f(int a, int a) { int a = 1; { int b = 2; int b = 3; a += b; } return a; }  //! E0309 E0309 E0309
int v; long v; using v = int;  //! E0309 E0309
enum E { P, P }  //! E0309
class G<T, T> { }  //! E0309
using X = Y; using Y = X;  //! E0316
)");
}

// rule: L12.3
TEST(Names, Shadowing) {
  expectDiagnostics(R"(
class A { int x; A(int x) { this.x = x; } }
void f(int a) {
    { int b = 1; a = b; }
    int b = 2;
    func<int, int> g = b => b + 1;  //! W0007
    foreach (int a in 0..3) { b += a; }  //! W0007
    g(b);
}
)");
}

} // namespace
} // namespace nlang::sema
