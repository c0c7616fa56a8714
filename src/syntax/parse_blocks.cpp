// Blocks and their recovery, local declarations, and the statements that consist of an expression.
#include "syntax/parser_impl.h"

namespace nlang::syntax {

BlockStmt* Parser::parseBlock() {
  const Index open = at_;
  const std::uint32_t start = begin();
  if (!expect(TokenKind::LeftBrace)) return make<BlockStmt>(behind());
  const Brackets brackets(*this);
  const Index outer = std::exchange(innermostBrace_, open);
  const std::span<Stmt*> statements = parseStatements(false);
  innermostBrace_ = outer;
  closeBraces(open);
  auto* block = make<BlockStmt>(start);
  block->statements = statements;
  return block;
}

std::span<Stmt*> Parser::parseStatements(bool inCase) {
  List<Stmt> list(*this);
  while (!atEndOfStatements(inCase)) {
    const Index before = at_;
    parseStatementInto(list);
    if (at_ == before) advance();
  }
  return list.take();
}

// `inCase`: in a branch of `switch` or `select`, where the next branch ends it too.
bool Parser::atEndOfStatements(bool inCase) {
  switch (kind()) {
  case TokenKind::EndOfFile: return true;
  case TokenKind::RightBrace: return !atStrayBrace() || atEndOfStatements(inCase);
  case TokenKind::Case:
  case TokenKind::Default: return inCase;
  case TokenKind::Identifier: {
    // `defualt:` is no label where no loop follows.
    const TokenKind second = kindAt(at_ + 2);
    const bool isLabel = second == TokenKind::For || second == TokenKind::Foreach || second == TokenKind::While ||
                         second == TokenKind::Do;
    if (inCase && next() == TokenKind::Colon && !isLabel && misspelled({TokenKind::Default})) return true;
    break;
  }
  case TokenKind::Public:
  case TokenKind::Protected:
  case TokenKind::Private:
  case TokenKind::Static:
  case TokenKind::Abstract:
  case TokenKind::Virtual:
  case TokenKind::Override: // the next member, unless it is indented as the inside of this one
    return startsLine() && (openBraces_ > 0 || column(at_) <= column(declarationStart_));
  case TokenKind::Using:
    if (next() == TokenKind::Identifier) return true;
    break;
  default: break;
  }
  return atForgottenBrace();
}

void Parser::parseStatementInto(List<Stmt>& statements) {
  if (atNestedFunction()) return statements.add(parseNestedFunction());
  if (atLocalDeclaration()) return parseLocals(statements);
  statements.add(parseStatement());
}

// ---- local declarations
// --------------------------------------------------------------------------------------------------------

void Parser::parseLocals(List<Stmt>& statements) {
  LocalStmt* last = parseLocalList(statements);
  if (last == nullptr) {
    if (!startsLine()) skipToBoundary();
    return;
  }
  expectSemicolon();
  stretch(last);
}

// `T a = 1, b` gives one statement for each name; not the `;`. Gives the last one, null if there is not even a name.
LocalStmt* Parser::parseLocalList(List<Stmt>& statements) {
  const Nest nest(*this);
  std::uint32_t start = begin();
  const bool isConst = accept(TokenKind::Const);
  Type* type = parseLocalType();
  const Index nameAt = at_;
  LocalStmt* local = parseLocal(start, type, isConst);
  if (local->name.empty() && at_ == nameAt) {
    statements.add(make<ErrorStmt>(start));
    return nullptr;
  }
  statements.add(local);
  const auto isCondition = [this] { // `int i = 0, i < n`: a `;` is meant
    const TokenKind k = next(2);
    return next() == TokenKind::Identifier &&
           (k == TokenKind::Less || k == TokenKind::LessEqual || k == TokenKind::Greater ||
            k == TokenKind::GreaterEqual || k == TokenKind::BangEqual);
  };
  while (at(TokenKind::Comma) && !isCondition()) {
    advance();
    start = begin();
    local = parseLocal(start, type, isConst);
    statements.add(local);
  }
  return local;
}

// Null for `var`.
Type* Parser::parseLocalType() {
  if (accept(TokenKind::Var)) return nullptr;
  if (at(TokenKind::Identifier) && next() == TokenKind::Equal) { // `const x = 1;`
    error(DiagId::ExpectedType, here(), found()).suggest("to have the type inferred write `var` before the name");
    return nullptr;
  }
  return parseType();
}

// A name and its value; not the `;`.
LocalStmt* Parser::parseLocal(std::uint32_t begin, Type* type, bool isConst) {
  const Ident name = expectName("the name of a variable");
  Expr* initializer = accept(TokenKind::Equal) ? parseExpression() : nullptr;
  auto* local = make<LocalStmt>(begin);
  if (initializer == nullptr && !name.empty()) {
    if (type == nullptr) {
      complain(DiagId::VarNeedsInitializer, name.range, name.text);
      local->type = make<ErrorType>(name.range);
    } else if (isConst) {
      complain(DiagId::ConstNeedsInitializer, name.range, name.text);
    }
  }
  if (type != nullptr) local->type = type;
  local->name = name;
  local->initializer = initializer;
  local->isConst = isConst;
  return local;
}

// `T name(…) {` where a statement is expected.
bool Parser::atNestedFunction() {
  if (!startsType(kind())) return false;
  const Index end = skipType(at_);
  if (end == 0 || kindAt(end) != TokenKind::Identifier || kindAt(end + 1) != TokenKind::LeftParen) return false;
  const Index close = tokens_[end + 1].payload;
  return close != 0 && kindAt(close + 1) == TokenKind::LeftBrace;
}

Stmt* Parser::parseNestedFunction() {
  const Nest nest(*this);
  Head head = parseHead();
  error(DiagId::NestedFunction, here());
  Type* type = parseType(VoidRule::Allowed);
  const Ident name = expectName("a name");
  parseFunction(head, TokenKind::EndOfFile, type, name);
  return make<ErrorStmt>(head.begin);
}

// ---- expressions as statements
// -------------------------------------------------------------------------------------------------

// Behind a report of the first one.
void Parser::skipSteps() {
  while (at(TokenKind::PlusPlus) || at(TokenKind::MinusMinus) || at(TokenKind::Plus)) advance();
}

// An assignment, a step or an expression; not the `;`.
Stmt* Parser::parseSimple() {
  const std::uint32_t start = begin();
  if (at(TokenKind::PlusPlus) || at(TokenKind::MinusMinus)) {
    const bool isIncrement = at(TokenKind::PlusPlus);
    error(DiagId::PrefixStep, here(), spellingOf(kind()));
    skipSteps();
    Expr* target = parseValue();
    auto* step = make<StepStmt>(start);
    step->target = target;
    step->isIncrement = isIncrement;
    return step;
  }
  Expr* first = parseValue();
  if (const Assignment assignment = assignmentHere(); assignment.tokens > 0) {
    for (unsigned i = 0; i < assignment.tokens; ++i) advance();
    Expr* value = parseExpression();
    auto* assign = make<AssignStmt>(start);
    assign->op = assignment.op;
    assign->target = first;
    assign->value = value;
    return assign;
  }
  if (at(TokenKind::PlusPlus) || at(TokenKind::MinusMinus)) {
    const bool isIncrement = at(TokenKind::PlusPlus);
    advance();
    if (at(TokenKind::PlusPlus) || at(TokenKind::MinusMinus)) {
      error(DiagId::StepInExpression, {file_.id(), start, previousEnd()}, isIncrement ? "++" : "--");
      skipSteps();
    }
    auto* step = make<StepStmt>(start);
    step->target = first;
    step->isIncrement = isIncrement;
    return step;
  }
  if (at(TokenKind::DotDot)) first = misplacedStatement(first);
  auto* statement = make<ExprStmt>(start);
  statement->expression = first;
  return statement;
}

Stmt* Parser::parseSimpleStatement() {
  const std::uint32_t start = begin();
  const Index before = at_;
  if (!startsExpression(kind()) && !at(TokenKind::PlusPlus) && !at(TokenKind::MinusMinus)) return parseMisplaced();
  Stmt* statement = parseSimple();
  expectSemicolon();
  if (at_ == before) advance();
  statement->range = {file_.id(), start, std::max(start, previousEnd())};
  return statement;
}

// What cannot begin a statement.
Stmt* Parser::parseMisplaced() {
  const std::uint32_t start = begin();
  error(DiagId::ExpectedStatement, here(), found());
  // Behind words such as `else` or `case` a statement may follow; anything else spoils its line.
  const bool isWordOfStatement = at(TokenKind::Else) || at(TokenKind::Catch) || at(TokenKind::Finally) ||
                                 at(TokenKind::Case) || at(TokenKind::Default);
  const bool isClause = at(TokenKind::Catch) || at(TokenKind::Case);
  advance();
  if (!isWordOfStatement || isClause) {
    while (!atEnd() && !at(TokenKind::LeftBrace) && !at(TokenKind::RightBrace) && !startsLine()) {
      if (accept(TokenKind::Semicolon) || accept(TokenKind::Colon)) break;
      skipBalanced();
    }
  } else {
    accept(TokenKind::Colon);
  }
  return make<ErrorStmt>(start);
}

} // namespace nlang::syntax
