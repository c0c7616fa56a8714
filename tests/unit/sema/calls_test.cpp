// Calls: arguments, overloads, inference, lambdas, function values.
#include "program_check.h"

namespace nlang::sema {
namespace {

// rule: L6.2, L6.3
TEST(Calls, Arguments) {
  expectErrors(R"(
void f(int a, int b = a * 2, string c = "c") { }
void g(out int a, out string b) { a = 1; b = ""; }
void h(int x, long y) {
    f(1); f(1, 2); f(1, c = "x"); f(c = "x", a = 1); f(1, 2, "x");
    f();  //! E0416
    f(1, 2, "x", 4);  //! E0416
    f(1, d = 2);  //! E0322
    f(1, a = 2);  //! E0418
    f(b = 2);  //! E0417
    f("a", b = "b");  //! E0401 E0401
    string s;
    g(out x, out s);
    s += x;
    g(out y, out s);  //! E0422
    g(out 5, out s);  //! E0468
    g(x, out s);  //! E0420
    f(out x);  //! E0421
    func<void, int, out string> v = (int a, out string b) => { b = ""; };
    v(1, out s);
    v(1, s);  //! E0420
    v(out x, out s);  //! E0421
    v(1);  //! E0416
    v(1, b = s);  //! E0423 E0420
}
void order(int a = 1, int b) { }  //! E0476
int itself(int a = itself()) { return a; }  //! E0325
void unknown(int a = b, int b = 1) { }  //! E0301
class A { int n; void m(int a = n, int b = k()) { } static void s(int a = n) { } int k() { return n; } }  //! E0319
)");
}

// rule: L6.1
TEST(Calls, Overloads) {
  expectErrors(R"(
class A { }
class B : A { }
void f(int a) { }
void f(long a) { }
void f(Object a) { }
void f(A a) { }
void g(int a, long b) { }
void g(long a, int b) { }
void k(func<int, int> f) { }
void k(func<string, int> f) { }
void k(int a, int b = 1) { }
void k(int a) { }
void l(List<int> a) { }
void l(string s) { }
void m(func<void> f) { }
void m<T>(func<T> f) { }
void n(int a) { }
void n(bool b) { }
void both(int a, func<int, int> f) { }
void both(string a, func<int, int> f) { }
void h(byte b, B x, bool c) {
    f(b); f(1L); f(x); f(1.5); f("s"); f('c'); f(null as A);
    f(null);
    g(1, 2L);
    g(1, 2);  //! E0425
    k(x => x + 1); k(x => "s"); k(1);
    k(x => true);  //! E0424
    k(x => nothing);  //! E0301
    l([1, 2]); l([]); l(c ? [1] : []);
    l([1.5]);  //! E0401
    m(() => { }); m(() => 1); m(() => h(b, x, c)); m(() => [1]); m(() => []);  //! E0446
    n("s");  //! E0424
    n(nothing);  //! E0301
    n();  //! E0424
    both(1, q => q.nope);  //! E0303
    both(true, q => q);  //! E0424
}
)");
}

// rule: L2.1
TEST(Calls, Inference) {
  expectErrors(R"(
class Box<T> {
    public T v;
    public Box(T v) { this.v = v; }
    public R with<R>(func<R, T> f) { return f(v); }
    public static Box<U> of<U>(U u) { return Box(u); }
}
class Plain { }
T id<T>(T x) { return x; }
T first<T>(List<T> xs) { return xs[0]; }
T both<T>(T a, T b) { return a; }
void two<A, B>(A a, List<B> b, func<A, B> f) { }
T arr<T>(T[] xs) { return xs[0]; }
void needs<T : Closeable>(T x) { x.close(); }
T dflt<T>() { return {}; }
bool every<T>(T a, T b) { return a == b && a.equals(b) && a.hashCode() == b.hashCode() && a.toString() == "${b}" && a != null; }
int cmp<T>(T a, T b) { return a.compareTo(b); }  //! E0303
T plus<T>(T a, T b) { return a + b; }  //! E0408
T unbox<T>(Object o) { if (o is T) { return o as T; } return {}; }
void f(List<int> li, List<string> ls) {
    int a = id(5); long b = id(5); string s = id("x");
    s = id(5);  //! E0401
    a = first([1, 2]) + arr([3]) + first(li) + id<int>(3);
    b = arr<long>([3]);
    double d = both(1, 2.5);
    Object o = both("a", 5 as Object);
    both("a", 5);  //! E0427
    both(li, ls);  //! E0427
    two(1, ["x"], t => t.length());
    two("y", [1.5], t => "${t}");
    two(1, ["x"], t => t);  //! E0401
    needs(5);  //! E0430
    dflt();  //! E0426
    a = dflt<int>();
    Box<int> bx = Box(5);
    Box<string> bs = Box(5);  //! E0401
    d = Box("abc").with(t => t.length()) + Box.of(1.5).v;
    id<int, int>(5);  //! E0433
    id<string>(5);  //! E0401
    f<int>(li, ls);  //! E0432
    Plain<int> p;  //! E0432
    Box n;  //! E0433
    id(null);
    id([]);  //! E0446
    id(x => x);  //! E0438
    id(id);  //! E0426
    id(f);
    bx.with(5);  //! E0401
    bx.with((string q) => 1);  //! E0401
    bx.with(q => { });  //! E0428
    bx.with(q => unknown);  //! E0301
    first(unknown);  //! E0301
}
)");
}

// rule: L4.7, L4.9
TEST(Calls, LambdasAndFunctionValues) {
  expectErrors(R"(
int one(int a) { return a; }
string many(int a) { return ""; }
int many(string a) { return 1; }
class A { public int m(int a) { return a; } public static int s(int a) { return a; } public virtual void v() { } }
func<int, int> module = one;
void f(A a, bool c) {
    func<int, int> g = x => x + 1;
    g = (int x) => x; g = one; g = a.m; g = A.s; g = null;
    g = (x) => { if (c) { return 1; } return x; };
    g = () => 1;  //! E0439
    g = (string x) => 1;  //! E0440
    g = x => "s";  //! E0401
    g = x => { };  //! E0601
    g = x => { return; };  //! E0608
    func<void, int> h = x => x + 1;
    h = one; h = x => { };
    h = x => { return 1; };  //! E0609
    func<string, int> k = many;
    func<double, int> w = x => x;  
    var t = () => 1; int n = t();
    var u = () => { if (c) { return 1; } return 2.5; };
    double d = u();
    var bad = x => x;  //! E0438
    var alsoBad = () => null;  //! E0442
    var mixed = () => { if (c) { return; } return 1; };  //! E0443
    var none = () => { if (c) { return 1; } return "s"; };  //! E0411
    var which = many;  //! E0444
    func<void> bound = a.v;
    g = k;  //! E0401
    bool same = g == one && bound != null;
    func<func<int, int>, int> curry = x => y => x + y;
    n = curry(1)(2) + one(n);
    List<func<int, int>> fs = [x => x, one, (int x) => x * 2];
    fs = [many];  //! E0401
}
)");
}

} // namespace
} // namespace nlang::sema
