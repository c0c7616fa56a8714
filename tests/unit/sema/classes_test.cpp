// Inheritance, overriding, interfaces, constructors, structs and enums.
#include "program_check.h"

namespace nlang::sema {
namespace {

// rule: L7.1
TEST(Classes, Overriding) {
  expectDiagnostics(R"(
class A {
    public virtual int f() { return 1; }
    public int g() { return 2; }
    public virtual A self() { return this; }
    private void own() { }
    public static void st() { }
    protected virtual void less() { }
}
class B : A {
    public int f() { return super.f(); }
    public int f(int x) { return x; }
    public int g() { return 3; }  //! E0510
    public B self() { return this; }
    private void own() { }
    public override void none() { }  //! E0511
    private void less() { }  //! E0513
}
class C : B { public override long f() { return 1; } }  //! E0512
class D : A { public override int f() { return 1; } public override int g(int x) { return x; } }  //! E0511
class E { public string toString() { return ""; } public bool equals(Object o) { return true; } public int hashCode() { return 1; } }
class F { public int toString() { return 1; } }  //! E0512
struct S { int x; public string toString() { return "s"; } public int hashCode(int seed) { return seed; } }
struct T { int x; public int toString() { return 1; } }  //! E0512
)");
}

TEST(Classes, AbstractOnesAndInterfaces) {
  expectDiagnostics(R"(
interface Shape { double area(); string name(); }
interface Solid : Shape { double volume(); }
abstract class Base implements Shape {
    public string name() { return "${area()}"; }
    public abstract int sides();
    abstract void twice() { }  //! E0218
}
class Good : Base { public double area() { return 1; } public int sides() { return 1; } public void twice() { } }
class Bad : Base { public double area() { return 1; } public void twice() { } }  //! E0508
class Worse implements Solid { public double area() { return 1; } public string name() { return ""; } }  //! E0509
class Wrong implements Comparable<Wrong> { public int compareTo(Object o) { return 1; } }  //! E0509
class Private implements Closeable { private void close() { } }  //! E0513
class Result implements Comparable<int> { public long compareTo(int o) { return 1; } }  //! E0512
class Late : Mid { public override void run() { } }
class Mid : First { }
class First { public virtual void run() { } }
class Inherits : Plain implements Closeable { }
class Plain { public void close() { } }
class Concrete { abstract void f(); }  //! E0507
void f() {
    Base b = Good();
    b = Base();  //! E0435
    Shape s = b;
    s = Shape();  //! E0435
    Closeable c = Inherits();
    c.close(); s.name(); b.name();
    Good().toString().length();
}
class CallsAbstract : Base {
    public double area() { return 1; }
    public int sides() { return super.sides(); }  //! E0519
    public void twice() { }
}
)");
}

TEST(Classes, Headers) {
  expectDiagnostics(R"(
interface I { }
struct S { int x; }
class A : I { }  //! E0502
class B : S { }  //! E0501
class C : List<int> { }  //! E0503
class D : Exception { }
class E implements I, I { }  //! E0505
class F implements D { }  //! E0504
class G : H { }  //! E0506
class H : G { }
interface J : K { }
interface K : J { }  //! E0506
class L<T : S> { }  //! E0431
class M<T : Comparable<T>> { }
M<M<int>> m;  //! E0430
M<string> n;
class O : M<O> implements Comparable<O> { public int compareTo(O o) { return 0; } }
class P<T> { static T x; static T f(T a) { return a; } T ok; static int n; static U g<U>(U u) { return u; } }  //! E0515 E0515 E0515
interface Q { void f<T>(T x); }  //! E0514
class R { virtual void f<T>(T x) { } }  //! E0514
struct V { V again; }  //! E0516
struct W { X inner; }  //! E0516
struct X { W[] fine; Pair<W> bad; }  //! E0516
struct Pair<T> { T value; }
)");
}

// rule: L7.2
TEST(Classes, Constructors) {
  expectDiagnostics(R"(
class A { public int x; A(int x) { this.x = x; } A(int x, int y) { this.x = y; } }
class B : A { }
class C : A { C() { } }  //! E0517
class D : A { D(string s) { super(s.length()); } D() { super(1, 2); x = 3; } }
class E : A { E() { super(); } }  //! E0424
class F : A { F() { x = 1; super(1); } }  //! E0518
class G : A { int y; G() { super(y); } int h() { return 1; } G(int a) { super(h()); } G(long a) { super(this.y); } }  //! E0319 E0319 E0317
class H : Exception { }
class Defaults { public int a; Defaults(int a = 1, int b = a + 1) { this.a = b; } }
class Inherits : Defaults { }
void f() {
    B(1); B(1, 2);
    B();  //! E0424
    H(); H("x"); H("x", null);
    H(1);  //! E0424
    Inherits(); Inherits(5); Inherits(b = 3);
    Thread();  //! E0311
}
)");
}

TEST(Classes, ConstantFieldsAndThisOfStructs) {
  expectDiagnostics(R"(
class A {
    const int a; const int b = 1; static const int c = 2; public const string d;
    A() { a = 1; this.a = 2; b = 3; c = 4; d = "x"; func<void> f = () => { a = 5; }; f(); }  //! E0469 E0468 E0469
    void m() { a = 1; }  //! E0469
}
class B : A { B() { a = 1; } }  //! E0469
struct S { int x; S2 inner; void m() { x = 1; this.x = 2; inner.y = 3; inner.z.p = 4; } int ok() { int x = this.x; x += 1; return x; } }  //! E0471 E0471 E0471
struct S2 { int y; R z; }
class R { public int p; }
)");
}

// rule: L7.6
TEST(Classes, Enums) {
  expectDiagnostics(R"(
enum Color { Red, Green = 5, Blue, Last = Green2, Far = 2147483647, Over; public bool warm() { return this == Color.Red; } }  //! E0301 E0402
enum Small { A, B = 10, C; public Small next() { return this == Small.A ? Small.B : Small.A; } public static Small best() { return Small.C; } }
const int kTen = 10;
enum Other { X = kTen + 1, Y = 5 * 2, Z = f() }  //! E0475
int f() { return 1; }
void g(Small s) {
    List<Small> all = Small.values();
    all.add(s.next());
    s = Small.best();
    s.A;  //! E0320
    if (s < Small.B && s.compareTo(Small.A) > 0) { }
    s = 1;  //! E0401
    s = 1 as Small;
    int n = s as int;
    n += s;  //! E0408
}
)");
}

} // namespace
} // namespace nlang::sema
