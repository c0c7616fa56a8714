// Operators, postfix chains and calls. Chains are parsed by loops, so that their length costs no stack.
#include "syntax/parser_impl.h"

namespace nlang::syntax {

namespace {

// Precedence of binary operators; a higher one binds tighter. `as` and `is` bind tighter than all of them.
enum Precedence : unsigned {
  kNone,
  kCoalesce,
  kOrElse,
  kAndAlso,
  kOr,
  kXor,
  kAnd,
  kEquality,
  kRelation,
  kShift,
  kSum,
  kProduct,
};

} // namespace

// ---- whole expressions
// ---------------------------------------------------------------------------------------------------------

// A value where no statement may stand: an assignment here is reported.
Expr* Parser::parseExpression() { return misplacedStatement(parseValue()); }

Expr* Parser::parseValue() {
  const Nest nest(*this);
  return atLambda() ? parseLambda() : parseConditional();
}

// Reports what makes a statement or range of the value before it, and goes behind it.
Expr* Parser::misplacedStatement(Expr* value, const char* hint) {
  for (;;) {
    const SourceRange at = here();
    if (const Assignment assignment = assignmentHere(); assignment.tokens > 0) {
      Diagnostic& report = error(DiagId::AssignmentInExpression, at);
      if (hint != nullptr || assignment.op == AssignOp::Set)
        report.suggest(hint != nullptr ? hint : "did you mean `==`?");
      for (unsigned i = 0; i < assignment.tokens; ++i) advance();
      parseValue();
    } else if (this->at(TokenKind::PlusPlus) || this->at(TokenKind::MinusMinus)) {
      Diagnostic& report = error(DiagId::StepInExpression, at, spellingOf(kind()));
      if (hint != nullptr) report.suggest(hint);
      advance();
      if (const Operator following = operatorHere(); following.precedence != kNone) {
        for (unsigned i = 0; i < following.tokens; ++i) advance();
        parseValue();
      }
    } else if (this->at(TokenKind::DotDot)) {
      error(DiagId::RangeOutsideForeach, at);
      advance();
      parseValue();
    } else {
      return value;
    }
    auto* broken = make<ErrorExpr>(value->range.begin);
    broken->partial = value;
    value = broken;
  }
}

Expr* Parser::parseForeachIterable() {
  const Nest nest(*this);
  if (atLambda()) return misplacedStatement(parseLambda());
  const std::uint32_t start = begin();
  Expr* from = parseBinary(kCoalesce);
  if (!accept(TokenKind::DotDot)) return misplacedStatement(parseConditionalFrom(from));
  Expr* to = parseBinary(kCoalesce);
  auto* range = make<RangeExpr>(start);
  range->from = from;
  range->to = to;
  return misplacedStatement(range);
}

Expr* Parser::parseConditional() { return parseConditionalFrom(parseBinary(kCoalesce)); }

// `first ? a : second ? b : c` is a loop here and deep only in the tree.
Expr* Parser::parseConditionalFrom(Expr* first) {
  if (!at(TokenKind::Question)) return first;
  struct Link {
    Expr* condition;
    Expr* thenValue;
  };
  std::vector<Link> links;
  Expr* last = first;
  while (accept(TokenKind::Question)) {
    Expr* condition = last;
    Expr* thenValue = parseExpression();
    links.push_back({condition, thenValue});
    grow();
    if (!expect(TokenKind::Colon)) {
      last = make<ErrorExpr>(behind());
      break;
    }
    if (atLambda()) {
      last = parseValue();
      break;
    }
    const Subtree subtree(*this);
    last = parseBinary(kCoalesce);
  }
  for (std::size_t i = links.size(); i-- > 0;) {
    auto* made = make<ConditionalExpr>(links[i].condition->range.begin);
    made->condition = links[i].condition;
    made->thenValue = links[i].thenValue;
    made->elseValue = last;
    last = made;
  }
  return last;
}

// ---- binary operators
// ----------------------------------------------------------------------------------------------------------

Parser::Operator Parser::operatorHere() const {
  switch (kind()) {
  case TokenKind::Star: return {BinaryOp::Mul, kProduct, 1};
  case TokenKind::Slash: return {BinaryOp::Div, kProduct, 1};
  case TokenKind::Percent: return {BinaryOp::Rem, kProduct, 1};
  case TokenKind::Plus: return {BinaryOp::Add, kSum, 1};
  case TokenKind::Minus: return {BinaryOp::Sub, kSum, 1};
  case TokenKind::LessLess: return {BinaryOp::Shl, kShift, 1};
  case TokenKind::Less: return {BinaryOp::Less, kRelation, 1};
  case TokenKind::LessEqual: return {BinaryOp::LessEqual, kRelation, 1};
  case TokenKind::GreaterEqual: return {BinaryOp::GreaterEqual, kRelation, 1};
  case TokenKind::EqualEqual: return {BinaryOp::Equal, kEquality, 1};
  case TokenKind::BangEqual: return {BinaryOp::NotEqual, kEquality, 1};
  case TokenKind::Amp: return {BinaryOp::And, kAnd, 1};
  case TokenKind::Caret: return {BinaryOp::Xor, kXor, 1};
  case TokenKind::Pipe: return {BinaryOp::Or, kOr, 1};
  case TokenKind::AmpAmp: return {BinaryOp::AndAlso, kAndAlso, 1};
  case TokenKind::PipePipe: return {BinaryOp::OrElse, kOrElse, 1};
  case TokenKind::QuestionQuestion: return {BinaryOp::Coalesce, kCoalesce, 1};
  case TokenKind::Greater: break;
  default: return {};
  }
  // Neighbouring `>` make a shift, and with `>=` at the end an assignment, which is no operator.
  unsigned count = 1;
  while (next(count) == TokenKind::Greater && tokens_[at_ + count].begin == tokens_[at_ + count - 1].end && count < 3)
    ++count;
  const bool assigns =
      next(count) == TokenKind::GreaterEqual && tokens_[at_ + count].begin == tokens_[at_ + count - 1].end;
  if (assigns && count < 3) return {};
  if (count == 1) return {BinaryOp::Greater, kRelation, 1};
  return count == 2 ? Operator{BinaryOp::Shr, kShift, 2} : Operator{BinaryOp::UShr, kShift, 3};
}

Parser::Assignment Parser::assignmentHere() const {
  switch (kind()) {
  case TokenKind::Equal: return {AssignOp::Set, 1};
  case TokenKind::PlusEqual: return {AssignOp::Add, 1};
  case TokenKind::MinusEqual: return {AssignOp::Sub, 1};
  case TokenKind::StarEqual: return {AssignOp::Mul, 1};
  case TokenKind::SlashEqual: return {AssignOp::Div, 1};
  case TokenKind::PercentEqual: return {AssignOp::Rem, 1};
  case TokenKind::AmpEqual: return {AssignOp::And, 1};
  case TokenKind::PipeEqual: return {AssignOp::Or, 1};
  case TokenKind::CaretEqual: return {AssignOp::Xor, 1};
  case TokenKind::LessLessEqual: return {AssignOp::Shl, 1};
  case TokenKind::Greater: break;
  default: return {};
  }
  // `>>=` is `>` `>=`, and `>>>=` is `>` `>` `>=`.
  const auto touches = [&](Index i) { return tokens_[at_ + i].begin == tokens_[at_ + i - 1].end; };
  if (next(1) == TokenKind::GreaterEqual && touches(1)) return {AssignOp::Shr, 2};
  if (next(1) == TokenKind::Greater && touches(1) && next(2) == TokenKind::GreaterEqual && touches(2))
    return {AssignOp::UShr, 3};
  return {};
}

// Operators of precedence `lowest` and above. Those of one precedence in a row make one flat node.
Expr* Parser::parseBinary(unsigned lowest) {
  const Subtree subtree(*this);
  const std::uint32_t start = begin();
  Expr* left = parseCast();
  for (;;) {
    Operator found = operatorHere();
    if (found.precedence == kNone || found.precedence < lowest) return left;
    const unsigned precedence = found.precedence;
    List<BinaryOperand> rest(*this);
    while (found.precedence == precedence) {
      const std::uint32_t operandStart = begin();
      for (unsigned i = 0; i < found.tokens; ++i) advance();
      const SourceRange opRange{file_.id(), operandStart, previousEnd()};
      Expr* value = parseBinary(precedence + 1);
      if (is<ErrorExpr>(value) && value->range.begin == value->range.end) value = skipOperators(value, precedence);
      auto* operand = make<BinaryOperand>(operandStart);
      operand->op = found.op;
      operand->opRange = opRange;
      operand->value = value;
      rest.add(operand);
      found = operatorHere();
    }
    auto* binary = make<BinaryExpr>(start);
    binary->first = left;
    binary->rest = rest.take();
    left = binary;
    grow();
  }
}

// Where an operand is missing between two operators (`a + * b`) the second is skipped, and the operand behind it taken.
Expr* Parser::skipOperators(Expr* missing, unsigned precedence) {
  const Index before = at_;
  for (Operator found = operatorHere(); found.precedence != kNone; found = operatorHere()) {
    for (unsigned i = 0; i < found.tokens; ++i) advance();
  }
  return at_ > before && startsExpression(kind()) ? parseBinary(precedence + 1) : missing;
}

// `value as T`, `value is T`
Expr* Parser::parseCast() {
  const Subtree subtree(*this);
  const std::uint32_t start = begin();
  Expr* value = parseUnary();
  while (at(TokenKind::As) || at(TokenKind::Is)) {
    const bool isCast = at(TokenKind::As);
    advance();
    Type* type = parseType(VoidRule::Forbidden, ArgumentsRule::IfTypes);
    if (isCast) {
      auto* cast = make<CastExpr>(start);
      cast->value = value;
      cast->type = type;
      value = cast;
    } else {
      auto* test = make<TypeTestExpr>(start);
      test->value = value;
      test->type = type;
      value = test;
    }
    grow();
  }
  return value;
}

Expr* Parser::parseUnary() {
  UnaryOp op{};
  switch (kind()) {
  case TokenKind::Minus: op = UnaryOp::Minus; break;
  case TokenKind::Bang: op = UnaryOp::Not; break;
  case TokenKind::Tilde: op = UnaryOp::BitNot; break;
  case TokenKind::Plus:
    error(DiagId::UnaryPlus, here());
    skipSteps();
    return parsePostfix();
  case TokenKind::PlusPlus:
  case TokenKind::MinusMinus:
    error(DiagId::StepInExpression, here(), spellingOf(kind()));
    skipSteps();
    return parsePostfix();
  default: return parsePostfix();
  }
  const Nest nest(*this);
  const std::uint32_t start = begin();
  advance();
  if (op == UnaryOp::Minus && at(TokenKind::IntLiteral)) {
    const TokenKind follows = next();
    const bool isOperand = follows == TokenKind::Dot || follows == TokenKind::QuestionDot ||
                           follows == TokenKind::LeftBracket || follows == TokenKind::LeftParen;
    const NumberSuffix suffix = stream_.numbers[token().payload].suffix;
    if (!isOperand && suffix != NumberSuffix::U && suffix != NumberSuffix::UL) return parseInteger(start, true);
  }
  Expr* operand = parseUnary();
  auto* unary = make<UnaryExpr>(start);
  unary->op = op;
  unary->operand = operand;
  return unary;
}

// ---- postfix chains
// ------------------------------------------------------------------------------------------------------------

Expr* Parser::parsePostfix() {
  const Subtree subtree(*this);
  const std::uint32_t start = begin();
  Expr* value = parsePrimary();
  bool isNullSafe = false;
  for (;;) {
    switch (kind()) {
    case TokenKind::QuestionDot: isNullSafe = true; [[fallthrough]];
    case TokenKind::Dot: value = parseMember(value); break;
    case TokenKind::LeftParen: value = parseCall(value, false, start); break;
    case TokenKind::LeftBracket: value = atTypedBrace(value) ? parseTypedBrace(value) : parseIndex(value); break;
    case TokenKind::LeftBrace:
      if (atTypedBrace(value)) {
        value = parseTypedBrace(value);
        break;
      }
      [[fallthrough]];
    default:
      if (!isNullSafe) return value;
      auto* chain = make<NullChainExpr>(start);
      chain->chain = value;
      grow();
      return chain;
    }
    grow();
    if (gaveUp_) return value;
  }
}

Expr* Parser::parseMember(Expr* target) {
  const bool isNullSafe = at(TokenKind::QuestionDot);
  advance();
  const Ident name = memberName("the name of a member");
  auto* member = make<MemberExpr>(target->range.begin);
  member->target = target;
  member->name = name;
  member->isNullSafe = isNullSafe;
  if (!name.empty() && atTypeArguments()) {
    member->typeArguments = parseTypeArguments();
    member->hasTypeArguments = true;
    stretch(member);
  }
  return member;
}

Expr* Parser::parseCall(Expr* callee, bool isNew, std::uint32_t begin) {
  const std::span<Argument*> arguments = parseArguments();
  auto* call = make<CallExpr>(begin);
  call->callee = callee;
  call->arguments = arguments;
  call->isNew = isNew;
  return call;
}

Expr* Parser::parseIndex(Expr* target) {
  const Brackets brackets(*this);
  const Index open = at_;
  advance();
  Expr* index = parseExpression();
  closeBracket(TokenKind::RightBracket, open, "`]`");
  auto* made = make<IndexExpr>(target->range.begin);
  made->target = target;
  made->index = index;
  return made;
}

// At `(`.
std::span<Argument*> Parser::parseArguments() {
  const Brackets brackets(*this);
  const Index open = at_;
  advance();
  List<Argument> list(*this);
  bool named = false;
  while (!at(TokenKind::RightParen) && !atEnd()) {
    const Index before = at_;
    Argument* argument = parseArgument();
    list.add(argument);
    if (named && argument->name.empty()) complain(DiagId::PositionalAfterNamed, argument->range);
    named = named || !argument->name.empty();
    if (at_ == before || !continueList(TokenKind::RightParen, "`,` or `)`")) break;
  }
  closeBracket(TokenKind::RightParen, open, "`,` or `)`");
  return list.take();
}

// `value`, `name = value`, `out place`
Argument* Parser::parseArgument() {
  const std::uint32_t start = begin();
  Ident name{{}, behind()};
  if (at(TokenKind::Identifier) && next() == TokenKind::Equal) {
    name = takeIdent();
    advance();
  }
  // `out` followed by what could continue an expression is a variable of that name.
  const TokenKind second = next();
  const bool isLiteral = (second >= TokenKind::IntLiteral && second <= TokenKind::StringLiteral) ||
                         second == TokenKind::Null || second == TokenKind::True || second == TokenKind::False;
  const bool isOut = atContextual(at_, out_) &&
                     (second == TokenKind::This || second == TokenKind::Var || isLiteral || startsType(second));
  Expr* value = isOut ? parseOutPlace() : parseExpression();
  auto* argument = make<Argument>(start);
  argument->name = name;
  argument->value = value;
  argument->isOut = isOut;
  return argument;
}

Expr* Parser::parseOutPlace() {
  advance(); // `out`
  const bool isVar = at(TokenKind::Var);
  const Index end = isVar ? at_ + 1 : skipType(at_);
  if (end == 0 || kindAt(end) != TokenKind::Identifier) return parseExpression();
  complain(DiagId::OutDeclaresVariable, here(), wordAt(end));
  at_ = end;
  const std::uint32_t start = begin();
  const Ident name = takeIdent();
  auto* place = make<NameExpr>(start);
  place->name = name;
  auto* broken = make<ErrorExpr>(place->range);
  broken->partial = place;
  return broken;
}

// Behind an element: whether another one follows. A comma that is missing between two elements on one line is reported.
bool Parser::continueList(TokenKind close, const char* what) {
  if (accept(TokenKind::Comma)) return true;
  if (at(close) || startsLine() || !startsExpression(kind())) return false;
  errorExpected(what);
  return !gaveUp_;
}

// ---- values with a type in front
// -----------------------------------------------------------------------------------------------

// `Name{`, `a.Name<int>{`, `Name[]{`
bool Parser::atTypedBrace(const Expr* type) const {
  Index brace = at_;
  while (kindAt(brace) == TokenKind::LeftBracket && kindAt(brace + 1) == TokenKind::RightBracket) brace += 2;
  if (kindAt(brace) != TokenKind::LeftBrace || braceEndsExpression_ || looksLikeBlock(brace)) return false;
  const Expr* e = type;
  while (const auto* member = dyn<MemberExpr>(e)) {
    if (member->isNullSafe || member->name.empty() || (member->hasTypeArguments && e != type)) return false;
    e = member->target;
  }
  const auto* name = dyn<NameExpr>(e);
  return name != nullptr && (!name->hasTypeArguments || e == type);
}

// Only a block has a `;` of its own. (A value never has one; so this matters for broken programs alone, as in `if (x {
// f(); }`.)
bool Parser::looksLikeBlock(Index brace) const {
  const Index close = tokens_[brace].payload;
  if (close == 0) return true;
  for (Index i = brace + 1; i < close; ++i) {
    if (tokens_[i].kind == TokenKind::Semicolon) return true;
    const bool opens = tokens_[i].kind == TokenKind::LeftBrace || tokens_[i].kind == TokenKind::LeftParen;
    if (opens && tokens_[i].payload > i) i = tokens_[i].payload;
  }
  return false;
}

Expr* Parser::parseTypedBrace(Expr* type) {
  const std::uint32_t start = type->range.begin;
  return parseBrace(start, parseArraySuffixes(typeOf(type), start));
}

// The type that a chain of names means.
Type* Parser::typeOf(Expr* name) {
  std::vector<Ident> path;
  std::span<Type*> arguments;
  bool hasArguments = false;
  Expr* e = name;
  while (auto* member = dyn<MemberExpr>(e)) {
    path.push_back(member->name);
    if (member->hasTypeArguments) {
      arguments = member->typeArguments;
      hasArguments = true;
    }
    e = member->target;
  }
  auto* first = as<NameExpr>(e);
  path.push_back(first->name);
  if (first->hasTypeArguments) {
    arguments = first->typeArguments;
    hasArguments = true;
  }
  std::reverse(path.begin(), path.end());
  auto* type = make<NamedType>(name->range);
  type->path = arena_.copyList(path);
  type->arguments = arguments;
  type->hasArguments = hasArguments;
  return type;
}

} // namespace nlang::syntax
