// What good code for the commonest forms looks like. These are the instruction sequences that the interpreter's speed
// rests on.
#include "unit/codegen/generated.h"

namespace nlang::codegen {
namespace {

using bytecode::Op;

TEST(Shape, FibIsEightInstructions) {
  Generated made(R"(
int fib(int n) { if (n < 2) { return n; } return fib(n - 1) + fib(n - 2); }
void main() { fib(3); }
)");
  EXPECT_EQ(made.code("test.fib"), "jgei_i32 r0, 2, -> 2\n"
                                   "ret r0\n"
                                   "addi_i32 r1, r0, -1\n"
                                   "call_1 test.fib(r1) = r1\n"
                                   "addi_i32 r2, r0, -2\n"
                                   "call_1 test.fib(r2) = r2\n"
                                   "add_i32 r2, r1, r2\n"
                                   "ret r2\n");
}

TEST(Shape, CountingLoopEndsInOneInstruction) {
  Generated made(R"(
int f(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i; } return s; }
int g() { int s = 0; for (int i = 0; i < 100; i = i + 1) { s += i; } return s; }
int h() { int s = 0; for (int i = 0; i < 1000000; i += 1) { s += i; } return s; }
int list(List<int> l) { int s = 0; for (int i = 0; i < l.length(); i++) { s += l[i]; } return s; }
int range(int n) { int s = 0; foreach (int i in 0..n) { s += i; } return s; }
void main() { f(1); g(); h(); list([]); range(3); }
)");
  EXPECT_EQ(made.code("test.f"), "const_u32 r1, 0\n"
                                 "const_u32 r2, 0\n"
                                 "jle_i32 r0, r2, -> 5\n"
                                 "add_i32 r1, r1, r2\n"
                                 "for_lt_i32 r2, r0, -> 3\n"
                                 "ret r1\n");
  EXPECT_EQ(made.code("test.g"), "const_u32 r0, 0\n"
                                 "const_u32 r1, 0\n"
                                 "add_i32 r0, r0, r1\n"
                                 "for_lti_i32 r1, 100, -> 2\n"
                                 "ret r0\n");
  EXPECT_EQ(made.code("test.h"), "const_u32 r0, 0\n"
                                 "const_u32 r1, 0\n"
                                 "const_u32 r2, 1000000\n"
                                 "jle_i32 r2, r1, -> 6\n"
                                 "add_i32 r0, r0, r1\n"
                                 "for_lt_i32 r1, r2, -> 4\n"
                                 "ret r0\n");
  EXPECT_EQ(made.code("test.range"), made.code("test.f"));
  EXPECT_EQ(made.count("test.list", Op::for_lt_i32), 1u);
}

TEST(Shape, LoopTestsStandAtTheBottom) {
  Generated made(R"(
int f(int n) { while (n > 1) { n /= 2; } return n; }
int g(int n, int m) { do { n += m; } while (n < 100); return n; }
void endless() { while (true) { } }
void main() { f(1); g(1, 2); endless(); }
)");
  EXPECT_EQ(made.code("test.f"), "jlei_i32 r0, 1, -> 4\n"
                                 "divi_i32 r0, r0, 2\n"
                                 "jlei_i32 r0, 1, -> 4\n"
                                 "loop -> 1\n"
                                 "ret r0\n");
  EXPECT_EQ(made.code("test.g"), "add_i32 r0, r0, r1\n"
                                 "loop_lti_i32 r0, 100, -> 0\n"
                                 "ret r0\n");
  EXPECT_EQ(made.code("test.endless"), "loop -> 0\n");
}

TEST(Shape, LocalsAreUsedInPlace) {
  Generated made(R"(
class P { public int x; public double y; }
double f(P p, int k) { p.x += k; p.y = p.y * 2; return p.y; }
bool g(int a, int b, bool c) { return a < b && c; }
int h(int[] xs, int i) { xs[i] = xs[i] + 1; xs[i] *= 3; return xs[i]; }
void main() { f(P(), 1); g(1, 2, true); h([1], 0); }
)");
  EXPECT_EQ(made.code("test.f"), "get_32 r2, r0, 16\n"
                                 "add_i32 r2, r2, r1\n"
                                 "set_32 r2, r0, 16\n"
                                 "get_64 r2, r0, 8\n"
                                 "const_pool r3, 4611686018427387904 (double 2)\n"
                                 "mul_f64 r3, r2, r3\n"
                                 "set_64 r3, r0, 8\n"
                                 "get_64 r3, r0, 8\n"
                                 "ret r3\n");
  EXPECT_EQ(made.code("test.g"), "const_u32 r3, 0\n"
                                 "jle_i32 r1, r0, -> 3\n"
                                 "move r3, r2\n"
                                 "ret r3\n");
  EXPECT_EQ(made.count("test.h", Op::move), 0u);
}

TEST(Shape, StringsGrowInPlace) {
  Generated made(R"(
string f(string s, string a, string b) { s = s + a + b; s += a; s = "${s}${a}"; return s; }
string g(string a, string b, int n) { return a + "-" + b + n; }
void main() { f("", "", ""); g("", "", 1); }
)");
  EXPECT_EQ(made.code("test.f"), "concat r3, r1, r2\n"
                                 "concat r0, r0, r3\n"
                                 "concat r0, r0, r1\n"
                                 "concat r0, r0, r1\n"
                                 "ret r0\n");
  EXPECT_EQ(made.count("test.g", Op::concat_n), 1u);
  EXPECT_EQ(made.count("test.g", Op::concat), 0u);
}

TEST(Shape, PrintingAStringDoesNotCopyIt) {
  Generated made("import io;\nvoid main() { io.print(\"text\"); }\n");
  EXPECT_EQ(made.code("io.print"), "call io.writeLine(r0)\nret_void\n");
}

TEST(Shape, TrivialConstructorsAreNotCalled) {
  Generated made(R"(
class A { int x; }
class B : A { int y; B() { } }
void main() { A a = B(); List<int> l = List<int>(); l.add(1); Object o = a; }
)");
  EXPECT_EQ(made.count("test.main", Op::call), 0u);
  EXPECT_EQ(made.count("test.main", Op::new_object), 2u);
}

TEST(Shape, FieldsArePacked) {
  Generated made(R"(
class A { byte b; long l; bool c; int i; string s; }
class B : A { short t; bool d; }
struct S { bool a; double d; byte b; }
class C { bool a; S s; bool c; }
void main() { B b = B(); C c = C(); S[] list = new S[1]; Object o = b; o = c; o = list; }
)");
  ASSERT_NE(made.findClass("A"), nullptr);
  EXPECT_EQ(made.findClass("A")->instanceSize, 32u); // header, long, string, int, byte, bool, two bytes free
  EXPECT_EQ(made.findClass("A")->referenceOffsets, std::vector<uint32_t>{16});
  EXPECT_EQ(made.findClass("B")->instanceSize, 40u);
  EXPECT_EQ(made.findClass("S[]")->element.size, 16u);
  EXPECT_EQ(made.findClass("C")->instanceSize, 32u);
}

TEST(Shape, ExceptionFieldsStayInOrder) {
  Generated made("class E : Exception { int code; }\nvoid main() { throw E(); }\n");
  EXPECT_EQ(made.findClass("Exception")->referenceOffsets, (std::vector<uint32_t>{8, 16, 24, 32, 40}));
  EXPECT_EQ(made.findClass("E")->instanceSize, 56u);
  EXPECT_EQ(made.findClass("E")->kind, bytecode::ClassKind::kException);
}

TEST(Shape, MethodsThatNothingCallsAreNotCompiled) {
  Generated made(R"(
class A { public virtual int used() { return 1; } public virtual int unused() { return hidden(); } int hidden() { return 2; } }
class B : A { public int used() { return 3; } public int unused() { return 4; } }
void main() { A a = B(); a.used(); }
)");
  EXPECT_NE(made.find("test.B.used"), nullptr);
  EXPECT_EQ(made.find("test.B.unused"), nullptr);
  EXPECT_EQ(made.find("test.A.hidden"), nullptr);
}

TEST(Shape, EqualInstancesAreOneFunction) {
  Generated made(R"(
T same<T>(T x) { return x; }
void main() { same(1); same(2); same("a"); same<int>(3); }
)");
  unsigned instances = 0;
  for (const bytecode::Function& function : made.program.functions) instances += function.name == "test.same";
  EXPECT_EQ(instances, 2u);
}

TEST(Shape, EqualBodiesAreShared) {
  Generated made(R"(
class A { }
class B { }
class Box<T> { T v; T get() { return v; } T twice() { return get(); } int size(int n) { return n == 0 ? 0 : size(n - 1); } }
void main() {
    Box<A> a = {}; Box<B> b = {}; Box<int> c = {};
    a.twice(); b.twice(); c.twice(); a.size(1); b.size(1);
    func<A> f = a.get; func<B> g = b.get;
    f(); g();
}
)");
  auto instances = [&](const std::string& name) {
    unsigned found = 0;
    for (const bytecode::Function& function : made.program.functions)
      found += function.name == name && !(function.flags & bytecode::kFunctionHidden);
    return found;
  };
  EXPECT_EQ(instances("test.Box.get"), 2u);
  EXPECT_EQ(instances("test.Box.twice"), 2u);
  EXPECT_EQ(instances("test.Box.size"), 1u);
}

TEST(Shape, CallsInAChainHaveTheLineOfTheirName) {
  Generated made(R"(
class A { public A next() { return this; } }
void main() {
    A a = A();
    a.next()
        .next()
        .next();
}
)");
  const bytecode::Function* main = made.find("test.main");
  std::vector<uint32_t> lines;
  for (const bytecode::LineEntry& entry : main->lines) lines.push_back(entry.line);
  EXPECT_EQ(lines, (std::vector<uint32_t>{4, 5, 6, 7}));
}

} // namespace
} // namespace nlang::codegen
