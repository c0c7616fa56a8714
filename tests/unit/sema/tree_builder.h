// Typed trees made by hand, for tests of the analyses that walk them.
//
// Every node gets its own source range, in order of creation, so that a test can say where a diagnostic belongs.
#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/arena.h"
#include "sema/constants.h"
#include "sema/typed_tree.h"
#include "sema/types.h"
#include "syntax/diagnostic.h"

namespace nlang::sema {

class TreeBuilder {
 public:
  using Statements = std::vector<Statement*>;
  using Expressions = std::vector<Expression*>;

  TypeTable types;
  base::Arena arena;
  const Type* Int = types.simple(TypeKind::kInt);
  const Type* Bool = types.simple(TypeKind::kBool);
  const Type* Void = types.simple(TypeKind::kVoid);
  const Type* Error = types.simple(TypeKind::kError);
  FunctionSymbol* current = nullptr; // owner of the variables made next

  // ---- symbols
  FunctionSymbol* function(const Type* result, std::string_view name = "f") {
    FunctionSymbol* made = &functions_.emplace_back();
    made->name = name;
    made->range = range();
    made->resultType = result;
    current = made;
    return made;
  }
  FunctionSymbol* beginLambda(const Type* result) {
    FunctionSymbol* made = &functions_.emplace_back();
    made->kind = FunctionKind::kLambda;
    made->enclosing = current;
    made->resultType = result;
    current = made;
    return made;
  }
  Expression* endLambda(Statements body) {
    FunctionSymbol* made = current;
    made->body = block(std::move(body));
    current = made->enclosing;
    return arena.make<LambdaExpression>(node(ExpressionKind::kLambda, Int), made);
  }
  VariableSymbol* variable(std::string_view name, const Type* type = nullptr) {
    auto* made = arena.make<VariableSymbol>();
    made->name = name;
    made->range = range();
    made->type = type == nullptr ? Int : type;
    made->owner = current;
    return made;
  }
  VariableSymbol* parameter(std::string_view name, bool isOut = false) {
    VariableSymbol* made = variable(name);
    made->isParameter = true;
    made->isOut = isOut;
    made->index = static_cast<uint32_t>(current->parameters.size());
    current->parameters.push_back(made);
    current->defaults.push_back({});
    return made;
  }

  // ---- expressions
  Expression* number(int64_t value) {
    return arena.make<ConstantExpression>(node(ExpressionKind::kConstant, Int),
                                          integerConstant(static_cast<uint64_t>(value), Int));
  }
  Expression* truth(bool value) {
    return arena.make<ConstantExpression>(node(ExpressionKind::kConstant, Bool), boolConstant(value));
  }
  Expression* read(VariableSymbol* variable) {
    return arena.make<LocalExpression>(node(ExpressionKind::kLocal, variable->type), variable);
  }
  // Something unknown of type bool.
  Expression* unknown() { return call({}, Bool); }
  Expression* self() { return arena.make<ThisExpression>(node(ExpressionKind::kThis, Int)); }
  Expression* add(Expression* left, Expression* right) {
    return arena.make<BinaryExpression>(node(ExpressionKind::kBinary, Int), BinaryOp::kAdd, left, right);
  }
  Expression* less(Expression* left, Expression* right) {
    return arena.make<BinaryExpression>(node(ExpressionKind::kBinary, Bool), BinaryOp::kLess, left, right);
  }
  Expression* both(Expression* left, Expression* right) {
    return arena.make<LogicalExpression>(node(ExpressionKind::kLogical, Bool), true, left, right);
  }
  Expression* either(Expression* left, Expression* right) {
    return arena.make<LogicalExpression>(node(ExpressionKind::kLogical, Bool), false, left, right);
  }
  Expression* negation(Expression* operand) {
    return arena.make<UnaryExpression>(node(ExpressionKind::kUnary, Bool), UnaryExpression::Op::kNot, operand);
  }
  Expression* conditional(Expression* condition, Expression* whenTrue, Expression* whenFalse) {
    return arena.make<ConditionalExpression>(node(ExpressionKind::kConditional, whenTrue->type), condition, whenTrue,
                                             whenFalse);
  }
  // A call of some function value; `out` marks places that the call assigns.
  Expression* call(Expressions values, const Type* type = nullptr, std::vector<Expression*> outs = {}) {
    std::vector<Argument> arguments;
    for (Expression* value : values) arguments.push_back({value, static_cast<uint32_t>(arguments.size()), false});
    for (Expression* place : outs) arguments.push_back({place, static_cast<uint32_t>(arguments.size()), true});
    Expression* callee = arena.make<DefaultExpression>(node(ExpressionKind::kDefault, Int));
    return arena.make<CallValueExpression>(node(ExpressionKind::kCallValue, type == nullptr ? Int : type), callee,
                                           list(arguments));
  }
  Expression* callFunction(FunctionSymbol* callee, std::vector<Argument> arguments) {
    return arena.make<CallExpression>(node(ExpressionKind::kCall, Int), callee, Dispatch::kStatic, nullptr,
                                      std::span<const Type* const>{}, std::span<const Type* const>{}, list(arguments));
  }
  Expression* field(Expression* object) {
    return arena.make<FieldExpression>(node(ExpressionKind::kField, Int), object, nullptr);
  }

  // ---- statements
  Block* block(Statements statements) { return arena.make<Block>(statement(StatementKind::kBlock), list(statements)); }
  Statement* evaluate(Expression* e) {
    return arena.make<ExpressionStatement>(statement(StatementKind::kExpression), e);
  }
  Statement* use(VariableSymbol* variable) { return evaluate(call({read(variable)})); }
  Statement* declare(VariableSymbol* variable, Expression* initializer = nullptr) {
    return arena.make<LocalStatement>(statement(StatementKind::kLocal), variable, initializer);
  }
  Statement* assign(Expression* place, Expression* value, bool compound = false) {
    return arena.make<AssignStatement>(statement(StatementKind::kAssign), place, value, compound, BinaryOp::kAdd, Int);
  }
  Statement* assign(VariableSymbol* variable, int64_t value = 1) { return assign(read(variable), number(value)); }
  Statement* increase(VariableSymbol* variable) { return assign(read(variable), number(1), true); }
  Statement* branch(Expression* condition, Statements thenBranch) {
    return chain({{condition, block(std::move(thenBranch)), {}}}, nullptr);
  }
  Statement* branch(Expression* condition, Statements thenBranch, Statements elseBranch) {
    return chain({{condition, block(std::move(thenBranch)), {}}}, block(std::move(elseBranch)));
  }
  Statement* chain(const std::vector<IfBranch>& branches, Statement* otherwise) {
    return arena.make<IfStatement>(statement(StatementKind::kIf), std::span<const IfBranch>(arena.copyList(branches)),
                                   otherwise);
  }
  // Loops are made empty, so that jumps inside them can name them.
  WhileStatement* whileLoop(Expression* condition) {
    return arena.make<WhileStatement>(statement(StatementKind::kWhile), condition, nullptr);
  }
  DoWhileStatement* doLoop() {
    return arena.make<DoWhileStatement>(statement(StatementKind::kDoWhile), nullptr, nullptr);
  }
  ForStatement* forLoop(VariableSymbol* variable, Expression* condition, Statements update) {
    std::vector<VariableSymbol*> variables{variable};
    return arena.make<ForStatement>(statement(StatementKind::kFor), list(Statements{declare(variable, number(0))}),
                                    std::span<VariableSymbol* const>(list(variables)), condition, list(update),
                                    nullptr);
  }
  Statement* forEach(VariableSymbol* variable, Expression* sequence, Statements body) {
    return arena.make<ForEachStatement>(statement(StatementKind::kForEach), ForEachStatement::Source::kList, variable,
                                        nullptr, sequence, nullptr, Int, nullptr, block(std::move(body)));
  }
  template <class Loop> Loop* fill(Loop* loop, Statements body) {
    loop->body = block(std::move(body));
    return loop;
  }
  Statement* breakFrom(Statement* target) {
    return arena.make<BreakStatement>(statement(StatementKind::kBreak), target);
  }
  Statement* continueTo(Statement* target) {
    return arena.make<ContinueStatement>(statement(StatementKind::kContinue), target);
  }
  Statement* giveBack(Expression* value = nullptr) {
    return arena.make<ReturnStatement>(statement(StatementKind::kReturn), value);
  }
  Statement* raise() { return arena.make<ThrowStatement>(statement(StatementKind::kThrow), number(0), nullptr); }
  Statement* attempt(Statements body, std::vector<Statements> catches, Block* finallyBody = nullptr) {
    std::vector<CatchClause> clauses;
    for (Statements& statements : catches) clauses.push_back({Int, variable("e"), block(std::move(statements))});
    return arena.make<TryStatement>(statement(StatementKind::kTry), block(std::move(body)),
                                    std::span<const CatchClause>(list(clauses)), finallyBody);
  }
  Statement* choose(std::vector<Statements> cases, bool lastIsDefault) {
    std::vector<SwitchCase> made;
    for (size_t i = 0; i < cases.size(); ++i) {
      made.push_back({{}, lastIsDefault && i + 1 == cases.size(), block(std::move(cases[i]))});
    }
    return arena.make<SwitchStatement>(statement(StatementKind::kSwitch), call({}),
                                       std::span<const SwitchCase>(list(made)));
  }
  Statement* select(std::vector<Statements> branches) {
    std::vector<SelectBranch> made;
    for (Statements& body : branches)
      made.push_back({SelectBranch::Operation::kReceive, nullptr, call({}), nullptr, block(std::move(body))});
    return arena.make<SelectStatement>(statement(StatementKind::kSelect), std::span<const SelectBranch>(list(made)));
  }
  Statement* check(Expression* condition, Expression* message = nullptr) {
    return arena.make<AssertStatement>(statement(StatementKind::kAssert), condition, message, std::string_view());
  }

 private:
  syntax::SourceRange range() {
    position_ += 2;
    return {1, position_, position_ + 1};
  }
  Expression node(ExpressionKind kind, const Type* type) { return {kind, range(), type}; }
  Statement statement(StatementKind kind) { return {kind, range()}; }
  template <class T> std::span<T> list(const std::vector<T>& items) { return arena.copyList(items); }

  std::deque<FunctionSymbol> functions_;
  uint32_t position_ = 0;
};

} // namespace nlang::sema
