// Every node's range is the text it stands for.
#include "unit/syntax/support.h"

#include <gtest/gtest.h>

namespace nlang::syntax {
namespace {

class Ranges : public ::testing::Test {
 protected:
  std::string_view textOf(SourceRange range) const {
    return source_.file().text().substr(range.begin, range.end - range.begin);
  }

  Text source_{"import a.b as c;\n"
               "/// doc\n"
               "private int f<T : I>(int a = 1, out List<T> b) { return a + b.c(1, x = 2)[3] * -4; }\n"
               "class A : B { int x = 1, y; }\n"};
  const Module* module_ = source_.parse();
};

TEST_F(Ranges, OfDeclarations) {
  EXPECT_EQ(textOf(module_->imports[0]->range), "import a.b as c;");
  EXPECT_EQ(textOf(module_->imports[0]->name.range), "c");
  const auto* f = as<FunctionDecl>(module_->declarations[0]);
  EXPECT_EQ(textOf(f->range), "private int f<T : I>(int a = 1, out List<T> b) { return a + b.c(1, x = 2)[3] * -4; }");
  EXPECT_EQ(textOf(f->name.range), "f");
  EXPECT_EQ(textOf(f->typeParameters[0]->range), "T : I");
  EXPECT_EQ(textOf(f->parameters[0]->range), "int a = 1");
  EXPECT_EQ(textOf(f->parameters[1]->range), "out List<T> b");
  EXPECT_EQ(textOf(f->parameters[1]->type->range), "List<T>");
  const auto* a = as<ClassDecl>(module_->declarations[1]);
  EXPECT_EQ(textOf(a->range), "class A : B { int x = 1, y; }");
  EXPECT_EQ(textOf(a->members[0]->range), "int x = 1");
  EXPECT_EQ(textOf(a->members[1]->range), "y");
}

TEST_F(Ranges, OfStatementsAndExpressions) {
  const auto* f = as<FunctionDecl>(module_->declarations[0]);
  const auto* statement = as<ReturnStmt>(f->body->statements[0]);
  EXPECT_EQ(textOf(statement->range), "return a + b.c(1, x = 2)[3] * -4;");
  const auto* sum = as<BinaryExpr>(statement->value);
  EXPECT_EQ(textOf(sum->range), "a + b.c(1, x = 2)[3] * -4");
  EXPECT_EQ(textOf(sum->rest[0]->opRange), "+");
  const auto* product = as<BinaryExpr>(sum->rest[0]->value);
  EXPECT_EQ(textOf(product->range), "b.c(1, x = 2)[3] * -4");
  EXPECT_EQ(textOf(product->rest[0]->value->range), "-4");
  const auto* index = as<IndexExpr>(product->first);
  EXPECT_EQ(textOf(index->range), "b.c(1, x = 2)[3]");
  const auto* call = as<CallExpr>(index->target);
  EXPECT_EQ(textOf(call->range), "b.c(1, x = 2)");
  EXPECT_EQ(textOf(call->arguments[1]->range), "x = 2");
  EXPECT_EQ(textOf(as<MemberExpr>(call->callee)->range), "b.c");
  EXPECT_EQ(textOf(as<MemberExpr>(call->callee)->name.range), "c");
}

TEST_F(Ranges, NamesAreInterned) {
  const auto* f = as<FunctionDecl>(module_->declarations[0]);
  const auto* sum = as<BinaryExpr>(as<ReturnStmt>(f->body->statements[0])->value);
  EXPECT_EQ(as<NameExpr>(sum->first)->name.text.data(), f->parameters[0]->name.text.data());
}

} // namespace
} // namespace nlang::syntax
