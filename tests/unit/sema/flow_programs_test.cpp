// Flow analysis on programs: what a reader of the language page would expect at each line.
#include "program_check.h"

namespace nlang::sema {
namespace {

// rule: L6.4
TEST(FlowPrograms, DefiniteAssignment) {
  expectDiagnostics(R"(
import io;

bool find(int key, out int value) { value = key; return key > 0; }

void straight() {
    int a;
    io.print(a);  //! E0602
    int b;
    b = 1;
    io.print(b);
}

void branches(bool c) {
    int a;
    if (c) { a = 1; } else { a = 2; }
    io.print(a);
    int b;
    if (c) { b = 1; }
    io.print(b);  //! E0602
    int d;
    if (c) { d = 1; } else { throw Exception("no"); }
    io.print(d);
}

void conditions(bool c) {
    int a;
    if (c && find(1, out a)) { io.print(a); }
    int b;
    if (!c || !find(1, out b)) { return; }
    io.print(b);
    int d;
    if (c || find(1, out d)) { io.print(d); }  //! E0602
}

void loops(List<int> xs) {
    int last;
    foreach (int x in xs) { last = x; }
    io.print(last);  //! E0602
    int found;
    while (true) {
        found = 3;
        if (found > xs.length()) { break; }
    }
    io.print(found);
}

void handlers() {
    int a;
    try { a = "1".toInt(); } catch (FormatException e) { a = 0; }
    io.print(a);
    int b;
    try { b = "1".toInt(); } catch (FormatException e) { }
    io.print(b);  //! E0602
    int d;
    try { io.print("x"); } finally { d = 1; }
    io.print(d);
}

void lambdas() {
    int a;
    func<int> early = () => a;  //! E0602
    a = 1;
    func<int> late = () => a;
    io.print(early() + late());
}
)");
}

// rule: L6.3
TEST(FlowPrograms, OutParameters) {
  expectDiagnostics(R"(
void good(int v, out int half) { half = v / 2; }
void never(out int x) { }  //! E0603
void early(bool c, out int x) {
    if (c) { return; }  //! E0603
    x = 1;
}
void thrown(bool c, out int x) {
    if (c) { throw Exception("no"); }
    x = 1;
}
void through(out int x) { good(4, out x); }
void read(out int x) { x += 1; }  //! E0602
void captured(out int x) {
    x = 1;
    func<int> f = () => x;  //! E0606
    f();
}
)");
}

// rule: L6.4
TEST(FlowPrograms, MissingReturns) {
  expectDiagnostics(R"(
int always(bool c) { if (c) { return 1; } else { return 2; } }
int sometimes(bool c) {
    if (c) { return 1; }
}  //! E0601
int forever() { while (true) { } }
int broken(bool c) {
    while (true) { if (c) { break; } }
}  //! E0601
int thrown() { throw Exception("no"); }
int tried(string s) {
    try { return s.toInt(); } catch (FormatException e) { return 0; }
}
int switched(int x) {
    switch (x) {
        case 1: return 10;
        default: return 0;
    }
}
int partly(int x) {
    switch (x) { case 1: return 10; }
}  //! E0601
int finished() {
    try { return 1; } finally { }
}
)");
}

// rule: L5.5
TEST(FlowPrograms, JumpsOutOfFinally) {
  expectDiagnostics(R"(
void f(List<int> xs) {
    try { } finally { return; }  //! E0605
}
void g(List<int> xs) {
    foreach (int x in xs) {
        try { continue; } finally { break; }  //! E0605
    }
}
void h(List<int> xs) {
    try { } finally {
        foreach (int x in xs) { if (x > 1) { break; } }
        func<int> f = () => 1;
        f();
    }
}
)");
}

// rule: L2.2
TEST(FlowPrograms, Constants) {
  expectDiagnostics(R"(
struct Point { int x; }
void f(List<int> xs) {
    const int k = 1;
    k = 2;   //! E0604
    k += 1;  //! E0604
    k++;     //! E0604
    const var list = xs;
    list.add(k);
    list = {};  //! E0604
    const Point p = {x: 1};
    p.x = 2;  //! E0604
}
)");
}

// rule: L12.3
TEST(FlowPrograms, Warnings) {
  expectDiagnostics(R"(
import io;
int f(bool c) {
    int unused = 1;  //! W0001
    int _quiet = 2;
    if (c) { return 1; }
    else { throw Exception("no"); }
    io.print("never");  //! W0002
    io.print("told once");
}
void g() {
    while (true) { }
    io.print("never");  //! W0002
}
void h() {
    for (int i = 0; ; i++) { break; }
    foreach (int unusedElement in [1, 2]) { io.print("x"); }
    try { io.print("x"); } catch (Exception unusedException) { }
}
)");
}

// Which variables of `run` are cells, in order of capture.
std::string cellsOf(const std::string& body) {
  CheckedProgram checked("import io;\nvoid run(List<func<int>> fs, bool c) {\n" + body + "\n}\n");
  EXPECT_FALSE(checked.sink.hasErrors()) << checked.messages() << body;
  FunctionSymbol* run = checked.function("run");
  if (run == nullptr || run->body == nullptr) return "no body";
  std::string cells;
  struct Walk {
    static void statement(Statement* statement, std::string& cells) {
      if (statement == nullptr) return;
      if (statement->kind == StatementKind::kBlock) {
        for (Statement* inner : static_cast<Block*>(statement)->statements) Walk::statement(inner, cells);
      } else if (statement->kind == StatementKind::kLocal) {
        variable(static_cast<LocalStatement*>(statement)->variable, cells);
      } else if (statement->kind == StatementKind::kFor) {
        for (Statement* inner : static_cast<ForStatement*>(statement)->initializer) Walk::statement(inner, cells);
        Walk::statement(static_cast<ForStatement*>(statement)->body, cells);
      } else if (statement->kind == StatementKind::kWhile) {
        Walk::statement(static_cast<WhileStatement*>(statement)->body, cells);
      } else if (statement->kind == StatementKind::kForEach) {
        variable(static_cast<ForEachStatement*>(statement)->variable, cells);
        Walk::statement(static_cast<ForEachStatement*>(statement)->body, cells);
      }
    }
    static void variable(VariableSymbol* variable, std::string& cells) {
      if (variable->isCaptured)
        cells += std::string(variable->name) + (variable->assignedAfterCapture ? ":cell " : ":copy ");
    }
  };
  Walk::statement(run->body, cells);
  return cells;
}

// rule: L4.8
TEST(FlowPrograms, Cells) {
  EXPECT_EQ(cellsOf("int x = 1; fs.add(() => x);"), "x:copy ");
  EXPECT_EQ(cellsOf("int x = 1; x = 2; fs.add(() => x);"), "x:copy ");
  EXPECT_EQ(cellsOf("int x = 1; fs.add(() => x); x = 2;"), "x:cell ");
  EXPECT_EQ(cellsOf("int x = 1; fs.add(() => { x += 1; return x; });"), "x:cell ");
  EXPECT_EQ(cellsOf("for (int i = 0; i < 3; i++) { fs.add(() => i); }"), "i:copy ");
  EXPECT_EQ(cellsOf("for (int i = 0; i < 3; i++) { fs.add(() => i); i += 1; }"), "i:cell ");
  EXPECT_EQ(cellsOf("int i = 0; while (c) { i += 1; fs.add(() => i); }"), "i:cell ");
  EXPECT_EQ(cellsOf("while (c) { int i = 0; i += 1; fs.add(() => i); }"), "i:copy ");
  EXPECT_EQ(cellsOf("foreach (int i in [1, 2]) { fs.add(() => i); }"), "i:copy ");
  EXPECT_EQ(cellsOf("int x = 1; fs.add(() => { func<int> inner = () => x; return inner(); });"), "x:copy ");
}

// rule: L6.2
TEST(FlowPrograms, DefaultValuesCaptureEarlierParameters) {
  CheckedProgram checked(R"(
int apply(int a, func<int> g = () => a, int c = a + 1) { return g() + c; }
class Base {
    public int n;
    Base(int n, func<int> f = () => n * 2) { this.n = n + f(); }
}
class Derived : Base { }
int run() {
    func<int> twice = () => apply(4) + apply(5);
    return twice() + Derived(3).n;
}
)");
  EXPECT_EQ(checked.said(), "") << checked.messages();
  FunctionSymbol* apply = checked.function("apply");
  ASSERT_NE(apply, nullptr);
  auto* value = static_cast<LambdaExpression*>(apply->defaults[1].value);
  ASSERT_EQ(value->kind, ExpressionKind::kLambda);
  EXPECT_EQ(value->function->captures, std::vector<VariableSymbol*>{apply->parameters[0]});
  EXPECT_FALSE(apply->parameters[0]->assignedAfterCapture);
}

// rule: L4.8
TEST(FlowPrograms, InitialisersOfFieldsCaptureThis) {
  CheckedProgram checked(R"(
class Counter {
    public int n = 1;
    public func<int> get = () => n;
    public func<int> five = () => 5;
}
func<int> nested = () => { int k = 1; func<int> inner = () => k; k = 2; return inner(); };
)");
  EXPECT_EQ(checked.said(), "") << checked.messages();
  for (ModuleSymbol* module : checked.program.modules) {
    if (module->isStandard) continue;
    ASSERT_EQ(module->classes.size(), 1u);
    for (FieldSymbol* field : module->classes[0]->fields) {
      if (field->initializer == nullptr || field->initializer->kind != ExpressionKind::kLambda) continue;
      EXPECT_EQ(static_cast<LambdaExpression*>(field->initializer)->function->capturesThis, field->name == "get")
          << field->name;
    }
  }
}

} // namespace
} // namespace nlang::sema
