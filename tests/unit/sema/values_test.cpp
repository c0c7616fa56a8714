// Conversions, operators, brace and bracket values, constants.
#include "program_check.h"

namespace nlang::sema {
namespace {

// rule: L2.3, L2.5
TEST(Values, Conversions) {
  expectErrors(R"(
class A { } class B : A { } enum E { X } struct S { int x; }
void f(int i, long l, double d, string s, char c, A a, B b, E e, S t, Object o, List<int> li, int[] arr, bool y) {
    l = i; d = i; o = i; o = s; o = t; o = e; a = b; o = li; Iterable<int> it = arr; it = li; Comparable<int> ci = i; Comparable<string> cs = s;
    byte small = 127; ubyte us = 255; uint u = 5L; ulong ul = 5; float f1 = 1; char c2 = 'x';
    small = 128;  //! E0402
    us = -1;  //! E0402
    i = l;  //! E0401
    i = d;  //! E0401
    i = c;  //! E0401
    c = 65;  //! E0401
    b = a;  //! E0401
    i = null;  //! E0403
    s = null;  //! E0403
    t = null;  //! E0403
    a = null; li = null;
    List<Object> lo = li;  //! E0401
    Object[] ao = arr;  //! E0401
    i = l as int; c = i as char; e = 0 as E; i = e as int; b = a as B; i = o as int; t = o as S; s = o as string; it = o as Iterable<int>;
    s = i as string;  //! E0404
    i = s as int;  //! E0404
    i = a as int;  //! E0404
    a = li as A;  //! E0404
    y = a is B; y = o is int; y = o is List<int>; y = i is int; y = a is Closeable;
    y = i is string;  //! E0405
    y = li is A;  //! E0405
    y = small == us && u == ul && f1 > 0 && c2 == c && ci == cs;  //! E0408
    i = y;  //! E0401
    i = "${i}";  //! E0401
}
)");
}

// rule: L2.4
TEST(Values, Operators) {
  expectErrors(R"(
void f(int i, uint u, long l, ulong ul, float g, double d, string s, char c, bool b, Object o, int[] arr) {
    l = i + u; ul = ul + 1; ul = ul + u; d = i + g; d = l * g; i = i << l; s = s + i + null + o + arr; s = 1 + s;
    i = i + l;  //! E0401
    ul = ul + i;  //! E0409
    ul = ul + -1;  //! E0409
    b = ul < i;  //! E0409
    b = b & true | false ^ b; b = !b && b || i > 0;
    b = i;  //! E0401
    b = i && b;  //! E0406
    i = -s;  //! E0407
    i = ~d;  //! E0407
    b = !i;  //! E0407
    i = i & d;  //! E0408
    i = c + 1;  //! E0408
    s = s - 1;  //! E0408
    b = s < "x" && c < 'x';
    b = o < o;  //! E0408
    b = s == null;  //! E0410
    b = o == null && arr != null && o == 5 && o == s;
    b = i == "x";  //! E0408
    i += d; i <<= l; s += d; b &= b; i++; d--;
    i += s;  //! E0408
    b += 1;  //! E0408
    s++;  //! E0407
    i = b ? 1 : 2; d = b ? i : d; o = b ? 1 : "s";
    i = b ? 1 : "s";  //! E0411
    arr = b ? [1] : []; arr = b ? null : arr;
    i = arr ?? 1;  //! E0411
    i = i ?? 1;  //! E0410
    o = o ?? 5; o = o ?? arr ?? s;
    i = arr[0] + s[0] + arr["x"];  //! E0401
    i = i[0];  //! E0445
    arr[0] = 1; arr[l] = 1;  //! E0401
    f(i, u, l, ul, g, d, s, c, b, o, arr) + 1;  //! E0413
}
)");
}

// rule: L4.6
TEST(Values, NullChains) {
  expectErrors(R"(
class N { public N next; public int value; public string name; public N get(int i) { return next; } public void run() { } }
void f(N n, int i, bool b) {
    i = n?.value; N m = n?.next?.next.get(1)?.next; i = n?.name.length() ?? -1; string s = n?.name?.toUpper() ?? "none";
    n?.run(); n?.next?.run();
    i = n?.nope;  //! E0303
    i = i?.value;  //! E0410
    i = n?.run() ?? 1;  //! E0413
    n?.value = 5;  //! E0468
    i = (n?.next).value;
    m = m ?? n;
    b = n?.next == null && s != "";
}
)");
}

// rule: L3.4, L3.5
TEST(Values, BracesAndBrackets) {
  expectErrors(R"(
struct P { int x; int y; public string n; }
class C { public int a; public const int k = 1; public C next; }
class D { public int a; D(int a) { this.a = a; } }
abstract class Q { }
void f(bool b) {
    int[] arr = [1, 2]; arr = {1, 2}; arr = []; arr = {}; double[] da = [1, 2.5]; byte[] ba = [1, 2]; int[][] grid = [[1], [], {2, 3}];
    List<long> ll = [1, 2L]; Iterable<string> it = ["a"]; List<P> lp = [{x: 1}, {}]; Object o = [1, 2.5]; List<Object> lo = [1, "a", null];
    P p = {x: 1, y: 2}; p = {}; p = P{y: 1}; C c = {a: 1, next: {a: 2}}; c = {}; int i = {}; string s = {}; Mutex m = {}; bool z = {}; Channel<int> ch = {};
    var l = [1, 2L, 3.5]; var n = [[1.5], [2]]; var e = [[], [1]]; var mixed = [C(), null];
    ba = [1, 300];  //! E0402
    arr = ["a", 1, 'b'];  //! E0401 E0401
    arr = 5;  //! E0401
    p = {z: 1};  //! E0321
    p = {x: "a"};  //! E0401
    p = {x: 1, x: 2};  //! E0452
    p = {1: 2};  //! E0451
    p = {1, 2};  //! E0447
    p = [1];  //! E0447
    c = {k: 2};  //! E0469
    D d = {a: 1};  //! E0453
    d = {};  //! E0416
    Q q = {};  //! E0435
    q = {a: 1};  //! E0435 E0321
    func<int> fn = {};  //! E0450
    Closeable cl = {};  //! E0450
    i = [1];  //! E0447
    i = {a: 1};  //! E0448
    o = {1: 2, 3};  //! E0449
    var w = [];  //! E0446
    var v = {};  //! E0446
    var u = [1, "a"];  //! E0412
    o = [];  //! E0446
    arr = new int[2]; grid = new int[2][]; arr = new int["x"];  //! E0401
    P(1, 2);  //! E0436
    p = P();
}
)");
}

// rule: L3.3
TEST(Values, Interpolation) {
  expectErrors(R"(
class A { }
string f(int n, double d, A a, string s, bool b) {
    s = "${n:05d} ${d:.2f} ${s:>10} ${a:<8} ${b} ${[1, 2]} ${b ? 1 : 2:x} ${"in ${n}"}";
    s = "${n:.2f}";  //! E0454
    s = "${d:d}";  //! E0454
    s = "${a:d}";  //! E0454
    s = "${nope} ${f(n)}";  //! E0301 E0416
    return s;
}
void g() { string s = "${g()}"; }  //! E0413
)");
}

// rule: L1.6, L2.2
TEST(Values, Constants) {
  expectErrors(R"(
const int kA = kB * 2; const int kB = 3; const string kName = "n" + kA; const byte kSmall = kA; const double kD = kA / 2;
const int kLoop = kLoop2; const int kLoop2 = kLoop + 1;  //! E0323
const int kRun = run(); int run() { return 1; }
const byte kBig = kA * 100;  //! E0402
int v = w + call(); int w = x; int x = 1; int call() { return late; } int late = 5;
int p = q; int q = p;  //! E0324
func<int> soft = () => soft();
int viaCall = needs(); int needs() { return viaCall; }  //! E0324
void f(int n) {
    const int local = kA; const byte b = local;
    switch (n) { case kA: break; case local + 1: break; case kRun: break; }  //! E0459
    kA = 1;  //! E0468
    kRun = 2;  //! E0469
    local = 3;  //! E0604
    b = b;  //! E0604
}
)");
}

// rule: L4.11
TEST(Values, Places) {
  expectErrors(R"(
struct S { int x; T t; } struct T { int y; } class C { public S s; public const S k; }
S make() { return {}; }
const S kS = {x: 1};
void f(C c, List<S> l, S[] a, string s, int n) {
    S v = {}; v.x = 1; v.t.y = 2; c.s.x = 3; c.s.t.y = 4; l[0].x = 5; a[0].t.y += 6; a[0].x++;
    make().x = 1;  //! E0473
    make() = v;  //! E0468
    c.k.x = 1;  //! E0469
    kS.x = 1;  //! E0469
    s[0] = 65;  //! E0470
    5 = n;  //! E0468
    n + 1 = 2;  //! E0468
    f = null;  //! E0468
    C = null;  //! E0468
    unknown = 1;  //! E0301
    unknown.x = [];  //! E0301
    (n) = 1;
}
)");
}

} // namespace
} // namespace nlang::sema
