// Statements, entry point, warnings.
#include "program_check.h"

namespace nlang::sema {
namespace {

// rule: L5.1, L5.3, L5.4
TEST(Statements, LoopsAndSwitch) {
  expectDiagnostics(R"(
enum E { A, B, C }
void f(int n, long l, ulong u, string s, List<int> list, E e, double d, Channel<string> ch, bool c, Object o) {
    foreach (int i in 0..n) { n -= i; } foreach (long i in 0..n) { l -= i; } foreach (var i in n..l) { l -= i; } foreach (char x in s) { s += x; }
    foreach (double x in list) { d += x; } foreach (string x in ch) { s += x; } foreach (var x in [1, 2]) { n += x; } foreach (Object x in [1, "a"]) { s += x; }
    foreach (byte b in 0..5) { }  //! E0401
    foreach (int i in 0..u) { }  //! E0456
    foreach (int i in n) { }  //! E0455
    foreach (int i, int j in list) { }  //! E0457
    foreach (string x in list) { }  //! E0401
    foreach (var x in unknown) { s += x.anything; }  //! E0301
    break;  //! E0607
    continue;  //! E0607
    switch (n) { case 1: break; case 2, 3: continue; }  //! E0607
    a: while (c) { b: do { if (c) { continue a; } break b; } while (c); break nope; }  //! E0315
    while (c) { func<void> g = () => { break; }; g(); }  //! E0607
    switch (n) { case 1: case 1: break; case l: break; case "x": break; case 5L: break; }  //! E0460 E0401 E0401
    switch (s) { case "a": break; case "a": break; default: break; }  //! E0460
    switch (e) { case E.A, E.B: break; }  //! W0005
    switch (e) { case E.A: break; default: break; }
    switch (d) { case 1: break; case 1.0: break; }  //! E0460
    switch (c) { default: break; }  //! E0458
    switch (o) { default: break; }  //! E0458
    if (n) { }  //! E0406
    while (s) { }  //! E0406
    for (;n;) { }  //! E0406
    do { } while (o);  //! E0406
    assert(n);  //! E0406
    assert(c, n);  //! E0401
    for (int i = 0, j = 1; i < j; i++, j--) { } int i = 1; n = i;
}
)");
}

// rule: L5.5, L5.6, L5.7
TEST(Statements, Exceptions) {
  expectDiagnostics(R"(
class A { } class E : IOException { }
void f(A a, Object o) {
    try { throw E("x"); } catch (E e) { throw; } catch (IOException e) { throw e; } catch (Exception e) { } catch (CancelledException e) { } finally { }
    try { } catch (A e) { }  //! E0461
    try { } catch (string e) { }  //! E0461
    try { } catch (Nope e) { e.anything(); }  //! E0302
    try { } catch (Exception e) { } catch (IOException e) { }  //! W0009
    try { } catch (IOException e) { } catch (IOException e) { }  //! W0009
    try { } catch (Exception e) { func<void> g = () => { throw; }; g(); }
    if (o == null) { throw null; }
    if (o == a) { throw a; }  //! E0461
    throw;  //! E0610
}
)");
}

// rule: C3.7
TEST(Statements, LockUsingSelect) {
  expectDiagnostics(R"(
class R implements Closeable { public void close() { } public void lock() { } public void unlock() { } }
class Half { public void lock() { } public void close() { } }
void f(Mutex m, R r, Half h, Channel<int> a, Channel<string> b, Future<double> fu, Promise<int> p, int n) {
    lock (m) { n++; } lock (r) { n++; }
    lock (h) { }  //! E0462
    lock (n) { }  //! E0462
    using (var x = R()) { x.lock(); } using (Closeable x = r) { x.close(); } using (R x = r) { }
    using (var x = h) { }  //! E0463
    using (int x = "s") { }  //! E0463 E0401
    select { case int v = a.recv(): n += v; case string s = b.recv(): n += s.length(); case a.send(n): break; case var d = fu.get(): n += d as int; case fu.get(): break;
             case long w = a.recv(): n += w as int; case timeout(n): break; default: break; }
    select { case string v = a.recv(): n += v.length(); }  //! E0401
    select { case a.send("x"): break; }  //! E0401
    select { case a.trySend(1): break; }  //! E0464
    select { case p.complete(1): break; }  //! E0464
    select { case var v = a.send(1): break; }  //! E0465
    select { case timeout("x"): break; default: break; default: break; }  //! E0401 E0235
    select { case timeout(1): break; case timeout(2): break; }  //! E0467
    select { case unknown.recv(): break; }  //! E0301
    select { }  //! E0466
    while (true) { select { case a.recv(): continue; case timeout(1): break; } }
}
)");
}

// rule: L12.3
TEST(Statements, Warnings) {
  expectDiagnostics(R"(
import thread;
import io;  //! W0003
int f(int n, long l) {
    n + 1;  //! W0004
    "text";  //! W0004
    f;  //! W0004
    () => 1;  //! W0004
    f(n, l); Exception(); new int[1];  //! W0004
    thread.spawn(() => 1);  //! W0008
    thread.spawn(() => { });
    double d = l;  //! W0006
    float g = n;  //! W0006
    d = n + g; d = 5L; g = 1;
    return d > g ? 1 : 2;
}
)");
}

TEST(Statements, Returns) {
  expectDiagnostics(R"(
int f() { return; }  //! E0608
void g() { return 1; }  //! E0609
int h() { return "s"; }  //! E0401
int i() { return g(); }  //! E0413
void j() { var x = g(); var y = null; }  //! E0414 E0414
class A { A() { return 1; } }  //! E0609
)");
}

// rule: L12.2
TEST(Statements, SyntaxErrorsHideNothingElsewhere) {
  expectDiagnostics(R"(
import io;
int broken(int n) { int unused = 1; return n +; }  //! E0202
int incomplete(int n) { if (n > 0) { return 1; } }  //! E0601
void unassigned() { int a; a += 1; nothing(); }  //! E0602 E0301
class A { int f( { return 1; } int g() { } }  //! E0203 E0601
void later() { int unused = "x"; }  //! E0401
)");
}

// rule: L1.3
TEST(Statements, EntryPoint) {
  auto said = [](const std::string& text) { return CheckedProgram(text, {}, true).said(); };
  EXPECT_EQ(said("void main() { }"), "");
  EXPECT_EQ(said("int main(string[] args) { return args.length(); }"), "");
  EXPECT_EQ(said("void run() { }"), "E0326\n");
  EXPECT_EQ(said("int main = 1;"), "E0326\n");
  EXPECT_EQ(said("string main() { return \"\"; }"), "test.n:1 E0327\n");
  EXPECT_EQ(said("void main(int n) { }"), "test.n:1 E0327\n");
  EXPECT_EQ(said("void main<T>() { }"), "test.n:1 E0327\n");
  EXPECT_EQ(said("void main() { }\nvoid main(string[] a) { }"), "test.n:2 E0328\n");
}

} // namespace
} // namespace nlang::sema
