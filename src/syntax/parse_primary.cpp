// The smallest expressions: names, literals, strings with interpolation, lambdas, brackets and braces, `new`.
#include "syntax/parser_impl.h"

namespace nlang::syntax {

bool Parser::startsExpression(TokenKind k) {
  switch (k) {
  case TokenKind::Identifier:
  case TokenKind::IntLiteral:
  case TokenKind::FloatLiteral:
  case TokenKind::CharLiteral:
  case TokenKind::StringLiteral:
  case TokenKind::StringHead:
  case TokenKind::True:
  case TokenKind::False:
  case TokenKind::Null:
  case TokenKind::This:
  case TokenKind::Super:
  case TokenKind::New:
  case TokenKind::Lock:
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
  case TokenKind::LeftBrace:
  case TokenKind::Minus:
  case TokenKind::Bang:
  case TokenKind::Tilde:
  case TokenKind::Bool:
  case TokenKind::Byte:
  case TokenKind::UByte:
  case TokenKind::Short:
  case TokenKind::UShort:
  case TokenKind::Int:
  case TokenKind::UInt:
  case TokenKind::Long:
  case TokenKind::ULong:
  case TokenKind::Float:
  case TokenKind::Double:
  case TokenKind::Char:
  case TokenKind::String: return true;
  default: return false;
  }
}

Expr* Parser::parsePrimary() {
  const std::uint32_t start = begin();
  switch (kind()) {
  case TokenKind::Identifier: return parseName();
  case TokenKind::IntLiteral: return parseInteger(start, false);
  case TokenKind::FloatLiteral: return parseFloat();
  case TokenKind::CharLiteral: return parseChar();
  case TokenKind::StringLiteral: return parseString();
  case TokenKind::StringHead: return parseInterpolatedString();
  case TokenKind::True:
  case TokenKind::False: {
    const bool value = at(TokenKind::True);
    advance();
    auto* literal = make<BoolLiteral>(start);
    literal->value = value;
    return literal;
  }
  case TokenKind::Null: advance(); return make<NullLiteral>(start);
  case TokenKind::This: advance(); return make<ThisExpr>(start);
  case TokenKind::Super: return parseSuper();
  case TokenKind::New: return parseNew();
  case TokenKind::Lock: return next() == TokenKind::LeftParen ? parseName() : missingExpression();
  case TokenKind::LeftParen: return parseParen();
  case TokenKind::LeftBracket: return parseBracket();
  case TokenKind::LeftBrace: return braceEndsExpression_ ? missingExpression() : parseBrace(start, nullptr);
  case TokenKind::Func:
  case TokenKind::Void: return missingExpression();
  default: return startsType(kind()) ? parsePrimitive() : missingExpression();
  }
}

Expr* Parser::missingExpression() {
  error(DiagId::ExpectedExpression, foundRange(), found());
  const SourceRange where = behind();
  if (at(TokenKind::Invalid)) advance();
  return make<ErrorExpr>(where);
}

Expr* Parser::parseName() {
  const std::uint32_t start = begin();
  const Ident name = takeIdent();
  auto* expression = make<NameExpr>(start);
  expression->name = name;
  if (atTypeArguments()) {
    expression->typeArguments = parseTypeArguments();
    expression->hasTypeArguments = true;
    stretch(expression);
  }
  return expression;
}

// `super.m`; a call of the base's constructor is a statement.
Expr* Parser::parseSuper() {
  const std::uint32_t start = begin();
  const SourceRange range = here();
  if (next() != TokenKind::Dot) {
    error(DiagId::SuperAlone, range);
    advance();
    return make<ErrorExpr>(start);
  }
  advance();
  return make<SuperExpr>(start);
}

// `int.max`, `string.join`, `int{}`, `int[]{1, 2}`
Expr* Parser::parsePrimitive() {
  const std::uint32_t start = begin();
  Type* type = parseType();
  if (at(TokenKind::LeftBrace) && !braceEndsExpression_) return parseBrace(start, type);
  auto* expression = make<TypeExpr>(start);
  expression->type = type;
  if (at(TokenKind::LeftParen)) {
    reportForeignCast();
    const std::span<Argument*> arguments = parseArguments();
    if (arguments.size() == 1 && !arguments[0]->isOut) return foreignCast(start, type, arguments[0]->value);
    return make<ErrorExpr>(start);
  }
  if (!at(TokenKind::Dot)) errorExpected("`.` behind the type");
  return expression;
}

// `int(x)` and `(int) x`, as other languages convert.
void Parser::reportForeignCast() {
  errorExpected("`.` behind the type").suggest("a value is converted with `as`, as in `x as int`");
}

Expr* Parser::foreignCast(std::uint32_t start, Type* type, Expr* value) {
  auto* cast = make<CastExpr>(start);
  cast->value = value;
  cast->type = type;
  return cast;
}

// ---- literals
// ------------------------------------------------------------------------------------------------------------------

// Rule L3.1: the smallest type that the suffix allows. `negative`: a minus before it belongs to it, and reaches one
// further.
Expr* Parser::parseInteger(std::uint32_t begin, bool negative) {
  const Number& number = stream_.numbers[token().payload];
  const bool broken = (token().flags & kBroken) != 0;
  advance();
  auto* literal = make<IntLiteral>(begin);
  const std::uint64_t reach = negative ? 1 : 0;
  const std::uint64_t magnitude = number.integer;
  const bool fitsInt = magnitude <= 0x7FFFFFFFULL + reach;
  const bool fitsLong = magnitude <= 0x7FFFFFFFFFFFFFFFULL + reach;
  switch (number.suffix) {
  case NumberSuffix::UL: literal->intKind = IntKind::ULong; break;
  case NumberSuffix::U: literal->intKind = magnitude <= 0xFFFFFFFFULL ? IntKind::UInt : IntKind::ULong; break;
  case NumberSuffix::L: literal->intKind = IntKind::Long; break;
  default: literal->intKind = fitsInt ? IntKind::Int : IntKind::Long; break;
  }
  if (literal->intKind == IntKind::Long && !fitsLong && !broken) {
    complain(DiagId::IntegerTooLarge, literal->range, "long")
        .suggest("the largest type is `ulong`, with the suffix `uL`");
    return make<ErrorExpr>(literal->range);
  }
  literal->bits = negative ? std::uint64_t{0} - magnitude : magnitude;
  return literal;
}

Expr* Parser::parseFloat() {
  const std::uint32_t start = begin();
  const Number& number = stream_.numbers[token().payload];
  advance();
  auto* literal = make<FloatLiteral>(start);
  literal->value = number.real;
  literal->isFloat = number.suffix == NumberSuffix::F;
  return literal;
}

Expr* Parser::parseChar() {
  const std::uint32_t start = begin();
  const Number& number = stream_.numbers[token().payload];
  const bool isBroken = (token().flags & kBroken) != 0; // it may have been meant for a string
  advance();
  if (isBroken) return make<ErrorExpr>(start);
  auto* literal = make<CharLiteral>(start);
  literal->value = static_cast<char32_t>(number.integer);
  return literal;
}

Expr* Parser::parseString() {
  const std::uint32_t start = begin();
  const std::string_view value = stream_.texts[token().payload];
  advance();
  auto* literal = make<StringLiteral>(start);
  literal->value = value;
  return literal;
}

// ---- interpolation
// -------------------------------------------------------------------------------------------------------------

Expr* Parser::parseInterpolatedString() {
  const std::uint32_t start = begin();
  const Brackets brackets(*this);
  List<InterpolationPart> parts(*this);
  addText(parts); // StringHead
  for (;;) {
    parseInterpolatedValue(parts);
    // The lexer pairs every StringHead with a StringTail, unless the text ended.
    const bool goesOn = at(TokenKind::StringMiddle);
    if (!goesOn && !at(TokenKind::StringTail)) break;
    addText(parts);
    if (!goesOn) break;
  }
  auto* string = make<InterpolatedString>(start);
  string->parts = parts.take();
  return string;
}

// Consumes the token of a text; an empty one adds no part.
void Parser::addText(List<InterpolationPart>& parts) {
  const SourceRange range = here();
  const std::string_view text = stream_.texts[token().payload];
  advance();
  if (text.empty()) return;
  auto* part = make<InterpolationPart>(range);
  part->text = text;
  parts.add(part);
}

// The value and its format, up to the StringMiddle or StringTail.
void Parser::parseInterpolatedValue(List<InterpolationPart>& parts) {
  const std::uint32_t start = begin();
  Expr* value = parseExpression();
  auto* part = make<InterpolationPart>(start);
  part->value = value;
  if (at(TokenKind::FormatSpec)) {
    part->format = stream_.texts[token().payload];
    part->formatRange = here();
    advance();
  }
  parts.add(part);
  if (at(TokenKind::StringMiddle) || at(TokenKind::StringTail)) return;
  Index end = at_;
  for (unsigned nested = 0; kindAt(end) != TokenKind::EndOfFile; ++end) {
    const TokenKind k = kindAt(end);
    if (nested == 0 && (k == TokenKind::StringMiddle || k == TokenKind::StringTail)) break;
    nested += k == TokenKind::StringHead ? 1 : 0;
    nested -= k == TokenKind::StringTail ? 1 : 0;
  }
  if ((tokens_[end].flags & kBroken) == 0) errorExpected("`}`"); // else the lexer has missed it too
  at_ = end;
}

// ---- parentheses and lambdas
// ---------------------------------------------------------------------------------------------------

Expr* Parser::parseParen() {
  const std::uint32_t start = begin();
  const Index open = at_;
  const Brackets brackets(*this);
  advance();
  if (startsType(kind()) && !at(TokenKind::Identifier)) {
    if (const Index end = skipType(at_); end != 0 && kindAt(end) == TokenKind::RightParen) {
      Type* type = parseType(VoidRule::Allowed);
      reportForeignCast();
      advance(); // `)`
      if (!startsExpression(kind())) return make<ErrorExpr>(behind());
      const Nest nest(*this);
      return foreignCast(start, type, parseUnary());
    }
  }
  Expr* inner = parseExpression();
  closeBracket(TokenKind::RightParen, open, "`)`");
  auto* paren = make<ParenExpr>(start);
  paren->inner = inner;
  return paren;
}

// `x => value`, `(int x, y) => { … }`; `{` behind `=>` opens a block (rule L3.6).
Expr* Parser::parseLambda() {
  const std::uint32_t start = begin();
  std::span<Parameter*> parameters;
  if (at(TokenKind::Identifier)) {
    const Ident name = takeIdent();
    auto* parameter = make<Parameter>(start);
    parameter->name = name;
    parameters = arena_.copyList(&parameter, 1);
  } else {
    const Index open = at_;
    advance();
    List<Parameter> list(*this);
    while (!at(TokenKind::RightParen) && !atEnd()) {
      const Index before = at_;
      list.add(parseLambdaParameter());
      if (at_ == before || !continueList(TokenKind::RightParen, "`,` or `)`")) break;
    }
    closeBracket(TokenKind::RightParen, open, "`,` or `)`");
    parameters = list.take();
  }
  if (atForeignArrow(at_)) {
    error(DiagId::ExpectedToken, {file_.id(), begin(), tokens_[at_ + 1].end}, "`=>`");
    at_ += 2;
  } else {
    expect(TokenKind::Arrow);
  }
  BlockStmt* block = nullptr;
  Expr* expression = nullptr;
  if (at(TokenKind::LeftBrace)) {
    block = parseBlock();
  } else {
    expression = misplacedStatement(parseValue(), "a statement needs a block: `=> { … }`");
  }
  auto* lambda = make<LambdaExpr>(start);
  lambda->parameters = parameters;
  lambda->block = block;
  lambda->expression = expression;
  return lambda;
}

// `x`, `int x`, `out int x`, `out x`
Parameter* Parser::parseLambdaParameter() {
  const std::uint32_t start = begin();
  const bool isOut = atContextual(at_, out_) && startsType(next());
  if (isOut) advance();
  Type* type = nullptr;
  const bool isBare = at(TokenKind::Identifier) && (next() == TokenKind::Comma || next() == TokenKind::RightParen);
  if (!isBare) type = parseType();
  const Ident name = expectName("the name of a parameter");
  auto* parameter = make<Parameter>(start);
  parameter->type = type;
  parameter->name = name;
  parameter->isOut = isOut;
  return parameter;
}

// ---- brackets and braces
// -------------------------------------------------------------------------------------------------------

Expr* Parser::parseBracket() {
  const std::uint32_t start = begin();
  const Index open = at_;
  const Brackets brackets(*this);
  advance();
  List<Expr> list(*this);
  while (!at(TokenKind::RightBracket) && !atEnd()) {
    const Index before = at_;
    list.add(parseExpression());
    if (at_ == before || !continueList(TokenKind::RightBracket, "`,` or `]`")) break;
  }
  closeBracket(TokenKind::RightBracket, open, "`,` or `]`");
  auto* bracket = make<BracketExpr>(start);
  bracket->elements = list.take();
  return bracket;
}

Expr* Parser::parseBrace(std::uint32_t begin, Type* type) {
  const Brackets brackets(*this);
  const Index open = at_;
  advance();
  List<BraceEntry> list(*this);
  while (!at(TokenKind::RightBrace) && !atEnd()) {
    const Index before = at_;
    list.add(parseBraceEntry());
    if (at_ == before || !continueList(TokenKind::RightBrace, "`,` or `}`")) break;
  }
  closeBracket(TokenKind::RightBrace, open, "`,` or `}`");
  auto* brace = make<BraceExpr>(begin);
  brace->type = type;
  brace->entries = list.take();
  return brace;
}

BraceEntry* Parser::parseBraceEntry() {
  const std::uint32_t start = begin();
  Expr* key = nullptr;
  Expr* value = parseExpression();
  if (accept(TokenKind::Colon)) {
    key = value;
    value = parseExpression();
  }
  auto* entry = make<BraceEntry>(start);
  entry->key = key;
  entry->value = value;
  return entry;
}

// ---- new
// -----------------------------------------------------------------------------------------------------------------------

// `new T(…)`, `new T{…}`, `new T[n]`, `new T[n][]`
Expr* Parser::parseNew() {
  const std::uint32_t start = begin();
  advance();
  Type* type = parseType();
  if (at(TokenKind::LeftBrace)) return parseBrace(start, type);
  if (at(TokenKind::LeftBracket)) return parseNewArray(start, type);
  if (at(TokenKind::LeftParen) && !is<ArrayType>(type)) return parseCall(nameOfType(type), true, start);
  if (!is<ErrorType>(type)) error(DiagId::NewNeedsBracket, behind());
  return make<ErrorExpr>(start);
}

Expr* Parser::parseNewArray(std::uint32_t begin, Type* element) {
  const Index open = at_;
  advance();
  Expr* length = parseExpression();
  closeBracket(TokenKind::RightBracket, open, "`]`");
  element = parseArraySuffixes(element, element->range.begin);
  auto* array = make<NewArrayExpr>(begin);
  array->element = element;
  array->length = length;
  while (at(TokenKind::LeftBracket)) {
    error(DiagId::NewArraySecondLength, here());
    const Index second = at_;
    advance();
    parseExpression();
    closeBracket(TokenKind::RightBracket, second, "`]`");
  }
  return array;
}

// The expression that names the type: what stands before the parentheses of a construction.
Expr* Parser::nameOfType(Type* type) {
  auto* named = dyn<NamedType>(type);
  if (named == nullptr) {
    auto* expression = make<TypeExpr>(type->range);
    expression->type = type;
    return expression;
  }
  Expr* expression = nullptr;
  for (std::size_t i = 0; i < named->path.size(); ++i) {
    const Ident& part = named->path[i];
    const bool isLast = i + 1 == named->path.size();
    const SourceRange range{file_.id(), type->range.begin, isLast ? type->range.end : part.range.end};
    if (expression == nullptr) {
      auto* name = make<NameExpr>(range);
      name->name = part;
      if (isLast) {
        name->typeArguments = named->arguments;
        name->hasTypeArguments = named->hasArguments;
      }
      expression = name;
    } else {
      auto* member = make<MemberExpr>(range);
      member->target = expression;
      member->name = part;
      if (isLast) {
        member->typeArguments = named->arguments;
        member->hasTypeArguments = named->hasArguments;
      }
      expression = member;
    }
  }
  return expression;
}

} // namespace nlang::syntax
