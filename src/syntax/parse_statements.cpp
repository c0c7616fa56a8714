#include "syntax/parser_impl.h"

namespace nlang::syntax {

Stmt* Parser::parseStatement() {
  const Nest nest(*this);
  // The body of an `if` or a loop: a declaration there is its own scope.
  if (atLocalDeclaration()) {
    List<Stmt> list(*this);
    parseLocals(list);
    const auto statements = list.take();
    if (statements.size() == 1) return statements[0];
    auto* block = make<BlockStmt>(statements[0]->range.begin);
    block->statements = statements;
    return block;
  }
  return parseStatementInner();
}

Stmt* Parser::parseStatementInner() {
  switch (kind()) {
  case TokenKind::LeftBrace: return parseBlock();
  case TokenKind::Semicolon: {
    const std::uint32_t start = begin();
    advance();
    return make<EmptyStmt>(start);
  }
  case TokenKind::If: return parseIf();
  case TokenKind::While: return parseWhile();
  case TokenKind::Do: return parseDo();
  case TokenKind::For: return parseFor();
  case TokenKind::Foreach: return parseForeach();
  case TokenKind::Switch: return parseSwitch();
  case TokenKind::Select: return parseSelect();
  case TokenKind::Break:
  case TokenKind::Continue: return parseJump();
  case TokenKind::Return: return parseReturn();
  case TokenKind::Throw: return parseThrow();
  case TokenKind::Try: return parseTry();
  case TokenKind::Assert: return parseAssert();
  case TokenKind::Lock: return atLockStatement() ? parseLock() : parseSimpleStatement();
  case TokenKind::Using: return parseUsing();
  case TokenKind::Super: return next() == TokenKind::LeftParen ? parseSuperCall() : parseSimpleStatement();
  case TokenKind::Class:
  case TokenKind::Struct:
  case TokenKind::Interface:
  case TokenKind::Enum: {
    const Decl* decl = parseNestedType();
    return make<ErrorStmt>(decl->range);
  }
  case TokenKind::Identifier:
    if (next() == TokenKind::Colon) return parseLabeled();
    return repairStatementWord() ? parseStatementInner() : parseSimpleStatement();
  default: return parseSimpleStatement();
  }
}

// `whlie (x) {`, `tyr {`, `retrun 1;`: a name where only a word of the language makes sense.
bool Parser::repairStatementWord() {
  const TokenKind second = next();
  if (second == TokenKind::LeftParen) {
    const Index close = tokens_[at_ + 1].payload;
    if (close == 0 || kindAt(close + 1) != TokenKind::LeftBrace) return false;
    return misspelled({TokenKind::If, TokenKind::While, TokenKind::For, TokenKind::Foreach, TokenKind::Switch,
                       TokenKind::Lock, TokenKind::Using});
  }
  // A class may be called `Try`: only what can be no value of it is taken for a block.
  if (second == TokenKind::LeftBrace) {
    return looksLikeBlock(at_ + 1) && misspelled({TokenKind::Try, TokenKind::Do, TokenKind::Select});
  }
  const bool startsValue = second != TokenKind::Minus && second != TokenKind::LeftBracket && startsExpression(second);
  if (!startsValue || (tokens_[at_ + 1].flags & kStartsLine) != 0) return false;
  return misspelled({TokenKind::Return, TokenKind::Throw, TokenKind::Break, TokenKind::Continue});
}

Stmt* Parser::parseLabeled() {
  const Ident label = takeIdent();
  advance(); // `:`
  Stmt* statement = parseStatement();
  if (auto* loop = dyn<LoopStmt>(statement)) {
    loop->label = label;
    loop->range.begin = label.range.begin;
  } else if (!is<ErrorStmt>(statement)) {
    complain(DiagId::LabelNeedsLoop, label.range);
  }
  return statement;
}

// ---- conditions and loops
// ------------------------------------------------------------------------------------------------------

// `(condition)`
Expr* Parser::parseCondition() {
  const Index open = at_;
  if (accept(TokenKind::LeftParen)) {
    Expr* condition = parseExpression();
    closeBracket(TokenKind::RightParen, open, "`)`");
    return condition;
  }
  errorExpected("`(`");
  if (!startsExpression(kind()) || at(TokenKind::LeftBrace)) return make<ErrorExpr>(behind());
  const bool outer = braceEndsExpression_;
  braceEndsExpression_ = true;
  Expr* condition = parseExpression();
  braceEndsExpression_ = outer;
  accept(TokenKind::RightParen);
  return condition;
}

// A chain of `else if` is no nesting.
Stmt* Parser::parseIf() {
  const std::uint32_t start = begin();
  List<IfBranch> branches(*this);
  Stmt* otherwise = nullptr;
  do {
    const Subtree subtree(*this);
    branches.add(parseIfBranch());
    if (!acceptElse()) break;
    if (!at(TokenKind::If)) otherwise = parseStatement();
  } while (at(TokenKind::If) && otherwise == nullptr);
  auto* made = make<IfStmt>(start);
  made->branches = branches.take();
  made->elseBody = otherwise;
  return made;
}

bool Parser::acceptElse() {
  if (!at(TokenKind::Identifier)) return accept(TokenKind::Else);
  const std::string_view word = wordAt(at_);
  const bool isElseIf = word == "elif" || word == "elseif" || word == "elsif";
  if (isElseIf && next() == TokenKind::LeftParen && kindAt(tokens_[at_ + 1].payload + 1) == TokenKind::LeftBrace) {
    error(DiagId::MisspelledWord, here(), word).suggest("did you mean `else if`?");
    tokens_[at_].kind = TokenKind::If;
    return true;
  }
  const bool opensBlock = next() == TokenKind::LeftBrace && looksLikeBlock(at_ + 1);
  return (opensBlock || next() == TokenKind::If) && misspelled({TokenKind::Else}) && accept(TokenKind::Else);
}

// At `if`.
IfBranch* Parser::parseIfBranch() {
  const std::uint32_t start = begin();
  advance();
  Expr* condition = parseCondition();
  Stmt* body = parseStatement();
  auto* branch = make<IfBranch>(start);
  branch->condition = condition;
  branch->body = body;
  return branch;
}

Stmt* Parser::parseWhile() {
  const std::uint32_t start = begin();
  advance();
  Expr* condition = parseCondition();
  Stmt* body = parseStatement();
  auto* loop = make<WhileStmt>(start);
  loop->condition = condition;
  loop->body = body;
  return loop;
}

Stmt* Parser::parseDo() {
  const std::uint32_t start = begin();
  advance();
  Stmt* body = parseStatement();
  Expr* condition = nullptr;
  if (expect(TokenKind::While)) {
    condition = parseCondition();
    expectSemicolon();
  } else {
    condition = make<ErrorExpr>(behind());
  }
  auto* loop = make<DoStmt>(start);
  loop->body = body;
  loop->condition = condition;
  return loop;
}

Stmt* Parser::parseFor() {
  if (atForeachHeader()) {
    error(DiagId::MisspelledWord, here(), "for").suggest("did you mean `foreach`?");
    return parseForeach();
  }
  const std::uint32_t start = begin();
  advance();
  const Index open = at_;
  std::span<Stmt*> init;
  std::span<Stmt*> update;
  Expr* condition = nullptr;
  if (expect(TokenKind::LeftParen)) {
    if (!accept(TokenKind::Semicolon)) {
      List<Stmt> list(*this);
      if (atLocalDeclaration()) {
        parseLocalList(list);
      } else {
        do {
          list.add(parseSimple());
        } while (accept(TokenKind::Comma));
      }
      if (!expect(TokenKind::Semicolon)) accept(TokenKind::Comma);
      init = list.take();
    }
    if (!at(TokenKind::Semicolon) && !at(TokenKind::RightParen)) condition = parseExpression();
    if (expect(TokenKind::Semicolon) && !at(TokenKind::RightParen)) {
      List<Stmt> list(*this);
      do {
        list.add(parseSimple());
      } while (accept(TokenKind::Comma));
      update = list.take();
    }
    closeBracket(TokenKind::RightParen, open, "`)`");
  }
  Stmt* body = parseStatement();
  auto* loop = make<ForStmt>(start);
  loop->init = init;
  loop->condition = condition;
  loop->update = update;
  loop->body = body;
  return loop;
}

// At `for` with `(T x in …` or `(T x : …` behind it.
bool Parser::atForeachHeader() {
  if (next() != TokenKind::LeftParen) return false;
  const Index end = kindAt(at_ + 2) == TokenKind::Var ? at_ + 3 : skipType(at_ + 2);
  return end != 0 && kindAt(end) == TokenKind::Identifier &&
         (kindAt(end + 1) == TokenKind::Colon || atContextual(end + 1, in_));
}

Stmt* Parser::parseForeach() {
  const std::uint32_t start = begin();
  const bool isRepaired = at(TokenKind::For);
  advance();
  const Index open = at_;
  std::span<ForeachVariable*> variables;
  Expr* iterable = nullptr;
  if (expect(TokenKind::LeftParen)) {
    {
      List<ForeachVariable> list(*this);
      do {
        list.add(parseForeachVariable());
      } while (accept(TokenKind::Comma));
      variables = list.take();
    }
    if (atContextual(at_, in_)) {
      advance();
      iterable = parseForeachIterable();
    } else {
      if (!isRepaired) errorExpected("`in`");
      if (accept(TokenKind::Colon) || startsExpression(kind()))
        iterable = parseForeachIterable(); // as other languages write it
    }
    closeBracket(TokenKind::RightParen, open, "`)`");
  }
  if (iterable == nullptr) iterable = make<ErrorExpr>(behind());
  if (variables.size() > 2) {
    complain(DiagId::ForeachVariables, variables[2]->range);
    auto* broken = make<ErrorExpr>(iterable->range);
    broken->partial = iterable;
    iterable = broken;
  }
  Stmt* body = parseStatement();
  auto* loop = make<ForeachStmt>(start);
  loop->variables = variables.size() > 2 ? variables.first(2) : variables;
  loop->iterable = iterable;
  loop->body = body;
  return loop;
}

ForeachVariable* Parser::parseForeachVariable() {
  const std::uint32_t start = begin();
  Type* type = nullptr;
  if (!accept(TokenKind::Var)) {
    const bool isBare = at(TokenKind::Identifier) && (atContextual(at_ + 1, in_) || next() == TokenKind::Comma) &&
                        !(atContextual(at_ + 1, in_) && atContextual(at_ + 2, in_)); // a variable named `in`
    if (isBare) {
      error(DiagId::ExpectedType, here(), found()).suggest("to have the type inferred write `var` before the name");
      type = make<ErrorType>(behind());
    } else {
      type = parseType();
    }
  }
  const Ident name = expectName("the name of a variable");
  auto* variable = make<ForeachVariable>(start);
  variable->type = type;
  variable->name = name;
  return variable;
}

// ---- switch and select
// ---------------------------------------------------------------------------------------------------------

// The branches up to the closing brace.
template <class Case> void Parser::parseCases(List<Case>& cases, Index open, Case* (Parser::*parseCase)(bool&)) {
  bool hasDefault = false;
  const Index outer = std::exchange(innermostBrace_, open);
  while (!at(TokenKind::RightBrace) && !atEnd() && !atForgottenBrace()) {
    if (at(TokenKind::Case) || at(TokenKind::Default)) {
      cases.add((this->*parseCase)(hasDefault));
      continue;
    }
    error(DiagId::StatementOutsideCase, here(), found());
    const Index before = at_;
    parseStatements(true); // not in the tree: it belongs to no branch
    if (at_ == before) break;
  }
  innermostBrace_ = outer;
  closeBraces(open);
}

Stmt* Parser::parseSwitch() {
  const std::uint32_t start = begin();
  advance();
  Expr* subject = parseCondition();
  const Index open = at_;
  List<SwitchCase> cases(*this);
  if (expect(TokenKind::LeftBrace)) parseCases(cases, open, &Parser::parseSwitchCase);
  auto* statement = make<SwitchStmt>(start);
  statement->subject = subject;
  statement->cases = cases.take();
  return statement;
}

SwitchCase* Parser::parseSwitchCase(bool& hasDefault) {
  const std::uint32_t start = begin();
  const bool isDefault = at(TokenKind::Default);
  if (isDefault && hasDefault) complain(DiagId::DuplicateDefault, here());
  hasDefault = hasDefault || isDefault;
  advance();
  std::span<Expr*> values;
  if (!isDefault) {
    List<Expr> list(*this);
    do {
      list.add(parseExpression());
    } while (accept(TokenKind::Comma));
    values = list.take();
  }
  expect(TokenKind::Colon);
  const std::span<Stmt*> body = parseStatements(true);
  auto* branch = make<SwitchCase>(start);
  branch->values = values;
  branch->body = body;
  branch->isDefault = isDefault;
  return branch;
}

Stmt* Parser::parseSelect() {
  const std::uint32_t start = begin();
  advance();
  const Index open = at_;
  List<SelectCase> cases(*this);
  if (expect(TokenKind::LeftBrace)) parseCases(cases, open, &Parser::parseSelectCase);
  auto* statement = make<SelectStmt>(start);
  statement->cases = cases.take();
  return statement;
}

SelectCase* Parser::parseSelectCase(bool& hasDefault) {
  const std::uint32_t start = begin();
  const bool isDefault = at(TokenKind::Default);
  auto* branch = make<SelectCase>(start);
  branch->selectKind = isDefault ? SelectKind::Default : SelectKind::Operation;
  if (isDefault && hasDefault) complain(DiagId::DuplicateDefault, here());
  hasDefault = hasDefault || isDefault;
  advance();
  if (!isDefault) parseSelectOperation(branch);
  expect(TokenKind::Colon);
  branch->body = parseStatements(true);
  stretch(branch);
  return branch;
}

// `timeout(ms)`, `T name = operation`, `operation`
void Parser::parseSelectOperation(SelectCase* branch) {
  const bool isCall = atContextual(at_, timeout_) && next() == TokenKind::LeftParen && tokens_[at_ + 1].payload > at_;
  if (isCall && kindAt(tokens_[at_ + 1].payload + 1) == TokenKind::Colon) {
    branch->selectKind = SelectKind::Timeout;
    advance();
    const Index open = at_;
    advance();
    branch->operation = parseExpression();
    closeBracket(TokenKind::RightParen, open, "`)`");
    return;
  }
  const bool isBare =
      atContextual(at_, timeout_) && (next() == TokenKind::IntLiteral || next() == TokenKind::Identifier);
  if (isBare && kindAt(at_ + 2) == TokenKind::Colon) {
    branch->selectKind = SelectKind::Timeout;
    advance();
    errorExpected("`(`");
    branch->operation = parseExpression();
    return;
  }
  if (atLocalDeclaration()) {
    branch->declares = true;
    accept(TokenKind::Const);
    if (!accept(TokenKind::Var)) branch->type = parseType();
    branch->name = expectName("the name of a variable");
    expect(TokenKind::Equal);
    branch->operation = parseExpression();
    return;
  }
  branch->operation = parseValue();
  if (!at(TokenKind::Equal)) return;
  const auto* name = dyn<NameExpr>(branch->operation);
  error(DiagId::SelectAssignment, here(), name != nullptr ? name->name.text : "x");
  advance();
  branch->operation = parseExpression();
}

// ---- leaving
// -------------------------------------------------------------------------------------------------------------------

Stmt* Parser::parseJump() {
  const std::uint32_t start = begin();
  const bool isBreak = at(TokenKind::Break);
  advance();
  Ident label{{}, behind()};
  if (at(TokenKind::Identifier) && (!startsLine() || next() == TokenKind::Semicolon)) label = takeIdent();
  expectSemicolon();
  if (isBreak) {
    auto* statement = make<BreakStmt>(start);
    statement->label = label;
    return statement;
  }
  auto* statement = make<ContinueStmt>(start);
  statement->label = label;
  return statement;
}

Stmt* Parser::parseReturn() {
  const std::uint32_t start = begin();
  advance();
  // `return` without `;` before a closing brace has no value.
  Expr* value = at(TokenKind::Semicolon) || at(TokenKind::RightBrace) ? nullptr : parseExpression();
  expectSemicolon();
  auto* statement = make<ReturnStmt>(start);
  statement->value = value;
  return statement;
}

Stmt* Parser::parseThrow() {
  const std::uint32_t start = begin();
  advance();
  Expr* value = at(TokenKind::Semicolon) || at(TokenKind::RightBrace) ? nullptr : parseExpression();
  expectSemicolon();
  auto* statement = make<ThrowStmt>(start);
  statement->value = value;
  return statement;
}

Stmt* Parser::parseTry() {
  const std::uint32_t start = begin();
  const SourceRange word = here();
  advance();
  BlockStmt* body = parseBlock();
  List<CatchClause> catches(*this);
  if (at(TokenKind::Identifier) && next() == TokenKind::LeftParen) misspelled({TokenKind::Catch});
  while (at(TokenKind::Catch)) catches.add(parseCatch());
  const bool opensBlock = next() == TokenKind::LeftBrace && (catches.size() == 0 || looksLikeBlock(at_ + 1));
  if (at(TokenKind::Identifier) && opensBlock) misspelled({TokenKind::Finally});
  BlockStmt* finallyBody = accept(TokenKind::Finally) ? parseBlock() : nullptr;
  if (catches.size() == 0 && finallyBody == nullptr) error(DiagId::TryWithoutHandler, word);
  auto* statement = make<TryStmt>(start);
  statement->body = body;
  statement->catches = catches.take();
  statement->finallyBody = finallyBody;
  return statement;
}

CatchClause* Parser::parseCatch() {
  const std::uint32_t start = begin();
  advance();
  const Index open = at_;
  Type* type = nullptr;
  Ident name{{}, behind()};
  if (expect(TokenKind::LeftParen)) {
    type = parseType();
    name = expectName("a name for the exception");
    closeBracket(TokenKind::RightParen, open, "`)`");
  } else {
    type = make<ErrorType>(behind());
  }
  BlockStmt* body = parseBlock();
  auto* clause = make<CatchClause>(start);
  clause->type = type;
  clause->name = name;
  clause->body = body;
  return clause;
}

// ---- statements with a head in parentheses
// ------------------------------------------------------------------------------------

Stmt* Parser::parseAssert() {
  const std::uint32_t start = begin();
  advance();
  const Index open = at_;
  Expr* condition = nullptr;
  Expr* message = nullptr;
  if (expect(TokenKind::LeftParen)) {
    condition = parseExpression();
    if (accept(TokenKind::Comma)) message = parseExpression();
    closeBracket(TokenKind::RightParen, open, "`,` or `)`");
  } else {
    condition = make<ErrorExpr>(behind());
  }
  expectSemicolon();
  auto* statement = make<AssertStmt>(start);
  statement->condition = condition;
  statement->message = message;
  return statement;
}

// Rule L1.2: only if `{` follows its `)`. Without a `)` it is taken for the statement too.
bool Parser::atLockStatement() const {
  if (next() != TokenKind::LeftParen) return true;
  const Index close = tokens_[at_ + 1].payload;
  return close == 0 || kindAt(close + 1) == TokenKind::LeftBrace;
}

Stmt* Parser::parseLock() {
  const std::uint32_t start = begin();
  advance();
  Expr* mutex = parseCondition();
  BlockStmt* body = parseBlock();
  auto* statement = make<LockStmt>(start);
  statement->mutex = mutex;
  statement->body = body;
  return statement;
}

Stmt* Parser::parseUsing() {
  const std::uint32_t start = begin();
  advance();
  const Index open = at_;
  LocalStmt* variable = nullptr;
  if (expect(TokenKind::LeftParen)) {
    const std::uint32_t variableStart = begin();
    const bool isConst = accept(TokenKind::Const);
    Type* type = parseLocalType();
    variable = parseLocal(variableStart, type, isConst);
    if (variable->initializer == nullptr) {
      if (type != nullptr && !isConst) errorExpected("`=` and the resource");
      variable->initializer = make<ErrorExpr>(behind());
    }
    closeBracket(TokenKind::RightParen, open, "`)`");
  } else {
    variable = make<LocalStmt>(behind());
    variable->type = make<ErrorType>(behind());
    variable->name = {{}, behind()};
    variable->initializer = make<ErrorExpr>(behind());
  }
  Stmt* body = parseStatement();
  auto* statement = make<UsingStmt>(start);
  statement->variable = variable;
  statement->body = body;
  return statement;
}

Stmt* Parser::parseSuperCall() {
  const std::uint32_t start = begin();
  advance();
  const std::span<Argument*> arguments = parseArguments();
  if (at(TokenKind::Dot)) {
    // `super(…).m()`: there is no value to go on with.
    error(DiagId::SuperAlone, {file_.id(), start, previousEnd()});
    skipToBoundary();
    return make<ErrorStmt>(start);
  }
  expectSemicolon();
  auto* statement = make<SuperCallStmt>(start);
  statement->arguments = arguments;
  return statement;
}

} // namespace nlang::syntax
