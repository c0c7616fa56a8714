// What the checker leaves behind for the code generator: tables, dispatch, arguments, order of initialisation.
#include "program_check.h"

#include "sema/typed_tree.h"

namespace nlang::sema {
namespace {

ClassSymbol* typeNamed(CheckedProgram& checked, std::string_view name) {
  for (ModuleSymbol* module : checked.program.modules) {
    for (ClassSymbol* type : module->classes) {
      if (type->name == name) return type;
    }
  }
  return nullptr;
}

FunctionSymbol* methodOf(ClassSymbol* type, std::string_view name) {
  for (FunctionSymbol* method : type->methods) {
    if (method->name == name) return method;
  }
  return nullptr;
}

// The expression of the only `return` of function `name`.
Expression* returned(CheckedProgram& checked, std::string_view name) {
  FunctionSymbol* function = checked.function(name);
  EXPECT_EQ(checked.said(false), "") << checked.messages();
  if (function == nullptr || function->body == nullptr) return nullptr;
  Statement* last = function->body->statements.back();
  return last->kind == StatementKind::kReturn ? static_cast<ReturnStatement*>(last)->value : nullptr;
}

template <class T> const T& as(const Expression* expression, ExpressionKind kind) {
  EXPECT_EQ(expression->kind, kind);
  return *static_cast<const T*>(expression);
}

TEST(TypedProgram, VirtualTables) {
  CheckedProgram checked(R"(
interface Named { string name(); }
class A implements Named { public virtual void f() { } public string name() { return ""; } public void plain() { } public int hashCode() { return 1; } }
class B : A { public void f() { } public virtual void g() { } public string toString() { return ""; } }
)");
  ClassSymbol* a = typeNamed(checked, "A");
  ClassSymbol* b = typeNamed(checked, "B");
  ASSERT_EQ(a->virtualTable.size(), 5u);
  ASSERT_EQ(b->virtualTable.size(), 6u);
  EXPECT_EQ(a->virtualTable[0]->owner->name, "Object");
  EXPECT_EQ(a->virtualTable[2]->owner, a);
  EXPECT_EQ(b->virtualTable[0]->owner, b);
  EXPECT_EQ(b->virtualTable[2]->owner, a);
  EXPECT_EQ(b->virtualTable[3], methodOf(b, "f"));
  EXPECT_EQ(b->virtualTable[3]->overridden, methodOf(a, "f"));
  EXPECT_TRUE(methodOf(a, "name")->isVirtual);
  EXPECT_FALSE(methodOf(a, "plain")->isVirtual);
  FunctionSymbol* name = typeNamed(checked, "Named")->methods[0];
  EXPECT_EQ(checked.checker->implementation(b->selfType, typeNamed(checked, "Named")->selfType, name),
            methodOf(a, "name"));
}

TEST(TypedProgram, ImplementationsForOtherTypes) {
  CheckedProgram checked(R"(
struct P implements Comparable<P> { int x; public int compareTo(P o) { return x - o.x; } public string toString() { return "p"; } }
class Box<T> implements Iterable<T> { public Iterator<T> iterator() { return null; } }
)");
  TypeTable& types = checked.checker->types();
  ClassSymbol* comparable = typeNamed(checked, "Comparable");
  ClassSymbol* p = typeNamed(checked, "P");
  const Type* own = p->selfType;
  EXPECT_EQ(checked.checker->implementation(own, types.named(comparable, {&own, 1}), comparable->methods[0]),
            methodOf(p, "compareTo"));
  const Type* number = types.simple(TypeKind::kInt);
  EXPECT_EQ(checked.checker->implementation(number, types.named(comparable, {&number, 1}), comparable->methods[0]),
            nullptr);
  ClassSymbol* box = typeNamed(checked, "Box");
  ClassSymbol* iterable = typeNamed(checked, "Iterable");
  const Type* boxOfInt = types.named(box, {&number, 1});
  EXPECT_EQ(checked.checker->implementation(boxOfInt, types.named(iterable, {&number, 1}), iterable->methods[0]),
            methodOf(box, "iterator"));
  const Type* array = types.array(number);
  EXPECT_EQ(checked.checker->implementation(array, types.named(iterable, {&number, 1}), iterable->methods[0]),
            methodOf(typeNamed(checked, "Array"), "iterator"));
}

TEST(TypedProgram, DispatchAndOwners) {
  CheckedProgram checked(R"(
interface I { int f(); }
class A<T> { public T value; public virtual int g() { return 1; } public int h() { return 2; } }
class B : A<string> implements I { public int f() { return super.g(); } }
int throughInterface(I i) { return i.f(); }
int throughTable(B b) { return b.g(); }
int directly(B b) { return b.h(); }
string field(B b) { return b.value; }
string ofObject(int n) { return n.toString(); }
abstract class Later implements I { }
int leftToSubclasses(Later l) { return l.f(); }
)");
  auto call = [&](std::string_view name) -> const CallExpression& {
    return as<CallExpression>(returned(checked, name), ExpressionKind::kCall);
  };
  EXPECT_EQ(call("throughInterface").dispatch, Dispatch::kInterface);
  EXPECT_EQ(call("leftToSubclasses").dispatch, Dispatch::kInterface);
  EXPECT_EQ(call("leftToSubclasses").receiver->type->kind, TypeKind::kInterface);
  EXPECT_EQ(call("throughTable").dispatch, Dispatch::kVirtual);
  ASSERT_EQ(call("throughTable").ownerArguments.size(), 1u);
  EXPECT_EQ(call("throughTable").ownerArguments[0]->kind, TypeKind::kString);
  EXPECT_EQ(call("directly").dispatch, Dispatch::kStatic);
  EXPECT_EQ(returned(checked, "field")->type->kind, TypeKind::kString);
  EXPECT_EQ(call("ofObject").function->owner->name, "Object");
  EXPECT_EQ(call("ofObject").receiver->type->kind, TypeKind::kInt);
  FunctionSymbol* f = methodOf(typeNamed(checked, "B"), "f");
  const auto& super =
      as<CallExpression>(static_cast<ReturnStatement*>(f->body->statements[0])->value, ExpressionKind::kCall);
  EXPECT_EQ(super.dispatch, Dispatch::kStatic);
}

// rule: L6.2
TEST(TypedProgram, ArgumentsInOrderOfEvaluation) {
  CheckedProgram checked(R"(
int f(int a, int b = a + 1, int c = 7) { return a + b + c; }
int g() { return f(c = 1, a = 2); }
)");
  const auto& call = as<CallExpression>(returned(checked, "g"), ExpressionKind::kCall);
  ASSERT_EQ(call.arguments.size(), 3u);
  EXPECT_EQ(call.arguments[0].parameter, 2u);
  EXPECT_EQ(call.arguments[1].parameter, 0u);
  EXPECT_EQ(call.arguments[2].parameter, 1u);
  EXPECT_EQ(call.arguments[2].value, call.function->defaults[1].value);
}

TEST(TypedProgram, ConstantsAreFolded) {
  CheckedProgram checked(R"(
const int kA = 6;
int number() { const int b = kA * 7; return b; }
string text() { return "a" + 1 + "${kA}!" + null; }
byte narrow() { return kA; }
bool logic() { return kA > 5 && !(kA == 6) || true; }
)");
  EXPECT_EQ(as<ConstantExpression>(returned(checked, "number"), ExpressionKind::kConstant).value.bits, 42u);
  EXPECT_EQ(as<ConstantExpression>(returned(checked, "text"), ExpressionKind::kConstant).value.text, "a16!null");
  EXPECT_EQ(as<ConstantExpression>(returned(checked, "narrow"), ExpressionKind::kConstant).type->kind, TypeKind::kByte);
  EXPECT_EQ(as<ConstantExpression>(returned(checked, "logic"), ExpressionKind::kConstant).value.bits, 1u);
}

// rule: L4.6
TEST(TypedProgram, NullChainsNestToTheLeft) {
  CheckedProgram checked(R"(
class N { public N next; public int value; }
int f(N n) { return n?.next?.next.value; }
)");
  const auto& outer = as<ChainExpression>(returned(checked, "f"), ExpressionKind::kChain);
  EXPECT_EQ(outer.type->kind, TypeKind::kInt);
  const auto& inner = as<ChainExpression>(outer.receiver, ExpressionKind::kChain);
  EXPECT_EQ(inner.receiver->kind, ExpressionKind::kLocal);
  const auto& value = as<FieldExpression>(outer.rest, ExpressionKind::kField);
  const auto& next = as<FieldExpression>(value.object, ExpressionKind::kField);
  EXPECT_EQ(next.object->kind, ExpressionKind::kChainReceiver);
}

// rule: L1.6, L7.8
TEST(TypedProgram, OrderOfInitialisation) {
  CheckedProgram checked(R"(
import other;
int a = b + call();
int b = 1 + other.base;
const int folded = 3;
int call() { return A.s; }
class A { public static int s = late; public static int plain; }
int late = 5;
func<int> soft = () => after;
int after = 6;
)",
                         {{"other", "public int base = more; int more = 2;"}});
  ASSERT_EQ(checked.said(false), "") << checked.messages();
  std::string order;
  for (const FieldSymbol* field : checked.program.initialization) order += std::string(field->name) + " ";
  EXPECT_EQ(order, "more base b late s a after soft ");
}

TEST(TypedProgram, ConstructorsAreInherited) {
  CheckedProgram checked("class E : IOException { }\nE make() { return E(\"x\"); }");
  ClassSymbol* e = typeNamed(checked, "E");
  ASSERT_EQ(e->constructors.size(), 3u);
  const auto& made = as<NewExpression>(returned(checked, "make"), ExpressionKind::kNew);
  EXPECT_TRUE(made.constructor->isDefaultConstructor);
  EXPECT_EQ(made.constructor->parameters.size(), 1u);
  ASSERT_NE(made.constructor->superCall, nullptr);
  EXPECT_EQ(as<CallExpression>(made.constructor->superCall, ExpressionKind::kCall).function->owner->name,
            "IOException");
}

// rule: L12.2
TEST(TypedProgram, NestedTrialsEnd) {
  std::string text =
      "void k(func<int, int> f) { }\nvoid k(func<string, int> f) { }\nvoid k(func<bool, int> f) { }\nvoid f() {\n";
  for (int i = 0; i < 40; ++i) text += "k(x => { ";
  text += "nope;";
  for (int i = 0; i < 40; ++i) text += " return 1; });";
  CheckedProgram checked(text + "}");
  EXPECT_NE(checked.said(false), "");
  std::string chain = "int f(int a) { return a";
  for (int i = 0; i < 20000; ++i) chain += " + a";
  EXPECT_EQ(CheckedProgram(chain + "; }").said(), "");
}

} // namespace
} // namespace nlang::sema
