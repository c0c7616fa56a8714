// Functions, variables and constructors, at the top level and as members of types.
#include "syntax/parser_impl.h"

namespace nlang::syntax {

namespace {

std::uint16_t functionModifiers(TokenKind owner) {
  switch (owner) {
  case TokenKind::Class:
    return kPublic | kProtected | kPrivate | kStatic | kAbstract | kVirtual | kOverride | kNative | kBlocking;
  case TokenKind::Struct:
  case TokenKind::Enum: return kPublic | kPrivate | kStatic | kOverride | kNative | kBlocking;
  case TokenKind::Interface: return kPublic;
  default: return kPublic | kPrivate | kNative | kBlocking;
  }
}

const char* describeFunction(TokenKind owner) {
  switch (owner) {
  case TokenKind::Class: return "a method";
  case TokenKind::Struct: return "a method of a struct";
  case TokenKind::Enum: return "a method of an enum";
  case TokenKind::Interface: return "a method of an interface";
  default: return "a function";
  }
}

} // namespace

// Up to and including the closing brace of `open`.
std::span<Decl*> Parser::parseMembers(TokenKind owner, Ident ownerName, Index open) {
  List<Decl> members(*this);
  for (;;) {
    if (at(TokenKind::RightBrace)) {
      if (!atStrayBrace()) break;
      continue;
    }
    if (atEnd() || atForgottenBrace()) break;
    const Index before = at_;
    parseMember(members, owner, ownerName);
    if (at_ == before) advance();
  }
  closeBraces(open);
  return members.take();
}

void Parser::closeBraces(Index open) {
  if (accept(TokenKind::RightBrace)) return;
  if (openBraces_ > 0) --openBraces_;
  // An unfinished string, which was reported, has swallowed what follows it on its line.
  const auto from = tokens_.begin() + open;
  const auto isUnfinished = [](const Token& t) {
    return t.kind >= TokenKind::StringLiteral && t.kind <= TokenKind::StringTail && (t.flags & kBroken) != 0;
  };
  if (std::none_of(from, tokens_.begin() + at_, isUnfinished)) closeBracket(TokenKind::RightBrace, open, "`}`");
}

// Whether the closing brace of the innermost declaration must have been forgotten before this token: it starts what can
// only be the next declaration, or, in a file with too few closing braces, it is not indented deeper than the
// declaration.
bool Parser::atForgottenBrace() const {
  if (!startsLine() || column(at_) > column(declarationStart_)) return false;
  switch (kind()) {
  case TokenKind::Import:
  case TokenKind::Class:
  case TokenKind::Struct:
  case TokenKind::Interface:
  case TokenKind::Enum: return true;
  case TokenKind::RightBrace: return false;
  default: return openBraces_ > 0;
  }
}

// A `}` too many, in a file that has one too many: the text that follows it is indented as the inside of the
// declaration. It is reported and skipped.
bool Parser::atStrayBrace() {
  if (strayBraces_ == 0 || !at(TokenKind::RightBrace) || !startsLine()) return false;
  const Index follows = std::min(at_ + 1, last_);
  const std::uint32_t outer = column(declarationStart_);
  const TokenKind what = kindAt(follows);
  if (innermostBrace_ > declarationStart_ && column(at_) == indentation(innermostBrace_)) return false;
  if (what == TokenKind::EndOfFile || (tokens_[follows].flags & kStartsLine) == 0) return false;
  if (what == TokenKind::RightBrace) {
    // Two in a row: the second one closes the declaration if it stands where the declaration does.
    if (column(follows) != outer || column(at_) <= outer) return false;
  } else if (column(at_) <= outer || column(follows) <= outer) {
    return false;
  }
  error(DiagId::UnmatchedClose, here(), describe(kind()));
  --strayBraces_;
  advance();
  return true;
}

void Parser::parseMember(List<Decl>& members, TokenKind owner, Ident ownerName) {
  const Index start = at_;
  if (accept(TokenKind::Semicolon)) return;
  Head head = parseHead();
  switch (kind()) {
  case TokenKind::Class:
  case TokenKind::Struct:
  case TokenKind::Interface:
  case TokenKind::Enum: return members.add(parseNestedType());
  default: break;
  }
  const bool isCall = atCallStatement() && wordAt(at_) != ownerName.text;
  if (!isCall && at(TokenKind::Identifier) && next() == TokenKind::LeftParen) {
    return members.add(parseConstructor(head, owner, ownerName));
  }
  if (!isCall && (startsType(kind()) || at(TokenKind::Var))) return parseFunctionOrVariable(members, head, owner);
  error(DiagId::ExpectedMember, here(), ownerName.text, found());
  if (at_ == start && !at(TokenKind::RightBrace)) skipBalanced();
  skipToBoundary();
  members.add(finishDecl<ErrorDecl>(head, {{}, behind()}));
}

// `name(…);`, `io.print(…);`: a call where a declaration should stand.
bool Parser::atCallStatement() {
  const Index open = at(TokenKind::Identifier) ? skipType(at_) : 0;
  if (open == 0 || kindAt(open) != TokenKind::LeftParen) return false;
  const Index close = tokens_[open].payload;
  return close > open && kindAt(close + 1) == TokenKind::Semicolon;
}

void Parser::parseFunctionOrVariable(List<Decl>& declarations, Head& head, TokenKind owner) {
  if (owner == TokenKind::EndOfFile && atCallStatement()) {
    error(DiagId::ExpectedDeclaration, here(), found());
    skipToBoundary();
    return declarations.add(finishDecl<ErrorDecl>(head, {{}, behind()}));
  }
  // Without a type in front; only at the top level, elsewhere it was taken for a constructor.
  if (at(TokenKind::Identifier) && next() == TokenKind::LeftParen) {
    error(DiagId::MissingReturnType, here(), wordAt(at_));
    const Ident name = takeIdent();
    return declarations.add(parseFunction(head, owner, make<ErrorType>(name.range), name));
  }
  Type* type = parseType(VoidRule::Allowed);
  // `lock` may be the name of a method; the built-in mutexes have one.
  const bool isLockMethod = at(TokenKind::Lock) && next() == TokenKind::LeftParen && owner != TokenKind::EndOfFile;
  const Ident name = isLockMethod ? takeIdent() : expectName("a name");
  if (at(TokenKind::LeftParen) || at(TokenKind::Less)) return declarations.add(parseFunction(head, owner, type, name));
  if (name.empty()) {
    // Neither a name nor anything that could follow one.
    if (!startsLine()) skipToBoundary();
    return declarations.add(finishDecl<ErrorDecl>(head, name));
  }
  parseVariables(declarations, head, owner, type, name);
}

// From behind the first name: `= value, name = value;`
void Parser::parseVariables(List<Decl>& declarations, Head& head, TokenKind owner, Type* type, Ident name) {
  const bool isModule = owner == TokenKind::EndOfFile;
  if (isModule) {
    checkModifiers(head.modifiers, kPublic | kPrivate | kConst, "a variable of a module");
  } else {
    checkModifiers(head.modifiers, kPublic | kProtected | kPrivate | kStatic | kConst, "a field");
  }
  if (auto* primitive = dyn<PrimitiveType>(type); primitive != nullptr && primitive->primitive == Primitive::Void) {
    complain(DiagId::VoidNotAllowed, type->range);
    type = make<ErrorType>(type->range);
  }
  if (owner == TokenKind::Interface || owner == TokenKind::Enum) {
    complain(DiagId::MemberNotAllowed, name.range, describeOwner(owner), "fields");
  }
  Head each = head;
  for (;;) {
    const SourceRange equals = here();
    Expr* initializer = accept(TokenKind::Equal) ? parseExpression() : nullptr;
    if (initializer != nullptr && owner == TokenKind::Struct && (each.modifiers.bits & kStatic) == 0) {
      complain(DiagId::StructInitializer, equals, name.text);
    }
    auto* variable = finishDecl<VariableDecl>(each, name);
    variable->type = type;
    variable->initializer = initializer;
    if (isModule && initializer == nullptr && variable->has(kConst)) {
      complain(DiagId::ConstNeedsInitializer, name.range, name.text);
    }
    declarations.add(variable);
    if (!accept(TokenKind::Comma)) break;
    each.begin = begin();
    name = expectName("a name");
  }
  expectSemicolon();
}

// From behind the name.
FunctionDecl* Parser::parseFunction(Head& head, TokenKind owner, Type* type, Ident name) {
  const std::uint16_t written = head.modifiers.bits; // those that do not fit still excuse a missing body
  checkModifiers(head.modifiers, functionModifiers(owner), describeFunction(owner));
  auto* function = finishDecl<FunctionDecl>(head, name);
  function->returnType = type;
  function->native = head.modifiers.native;
  function->typeParameters = parseTypeParameters();
  function->parameters = parseParameters();
  const char* bodiless = owner == TokenKind::Interface ? "a method of an interface"
                         : (written & kNative) != 0    ? "a native function"
                         : (written & kAbstract) != 0  ? "an abstract method"
                                                       : nullptr;
  const Index outerStart = declarationStart_;
  declarationStart_ = head.start;
  function->body = parseFunctionBody(bodiless, name);
  declarationStart_ = outerStart;
  stretch(function);
  return function;
}

Decl* Parser::parseConstructor(Head& head, TokenKind owner, Ident ownerName) {
  const bool isNamed = wordAt(at_) == ownerName.text;
  if (!isNamed || owner == TokenKind::Enum || owner == TokenKind::Interface) {
    if (isNamed) {
      complain(DiagId::MemberNotAllowed, here(), describeOwner(owner), "constructors");
    } else {
      Diagnostic& report = error(DiagId::MissingReturnType, here(), wordAt(at_));
      if (owner == TokenKind::Class)
        report.suggest(fmt::format("a constructor bears the name of its class, `{}`", ownerName.text));
    }
    const Ident name = takeIdent();
    return parseFunction(head, owner, make<ErrorType>(name.range), name);
  }
  checkModifiers(head.modifiers, kPublic | kProtected | kPrivate | kNative | kBlocking, "a constructor");
  const Index outerStart = declarationStart_;
  declarationStart_ = head.start;
  const Ident name = takeIdent();
  auto* constructor = finishDecl<ConstructorDecl>(head, name);
  constructor->native = head.modifiers.native;
  constructor->parameters = parseParameters();
  constructor->body = parseFunctionBody(constructor->has(kNative) ? "a native constructor" : nullptr, name);
  declarationStart_ = outerStart;
  stretch(constructor);
  return constructor;
}

std::span<Parameter*> Parser::parseParameters() {
  const Index open = at_;
  if (!expect(TokenKind::LeftParen)) return {};
  List<Parameter> list(*this);
  while (!at(TokenKind::RightParen) && !atEnd()) {
    const Index before = at_;
    list.add(parseParameter());
    if (at_ == before || !continueList(TokenKind::RightParen, "`,` or `)`")) break;
  }
  closeBracket(TokenKind::RightParen, open, "`,` or `)`");
  return list.take();
}

Parameter* Parser::parseParameter() {
  const std::uint32_t start = begin();
  const bool isOut = atContextual(at_, out_) && startsType(next());
  if (isOut) advance();
  Type* type = parseType();
  const Ident name = expectName("the name of a parameter");
  Expr* defaultValue = accept(TokenKind::Equal) ? parseExpression() : nullptr;
  auto* parameter = make<Parameter>(start);
  if (isOut && defaultValue != nullptr) {
    complain(DiagId::OutDefault, defaultValue->range);
    defaultValue = nullptr;
  }
  parameter->type = type;
  parameter->name = name;
  parameter->defaultValue = defaultValue;
  parameter->isOut = isOut;
  return parameter;
}

// `bodiless` says what has no body; null: one is needed.
BlockStmt* Parser::parseFunctionBody(const char* bodiless, Ident name) {
  if (at(TokenKind::LeftBrace)) {
    if (bodiless != nullptr) complain(DiagId::UnexpectedBody, here(), bodiless);
    return parseBlock();
  }
  if (bodiless != nullptr) {
    expectSemicolon();
    return nullptr;
  }
  if (at(TokenKind::Semicolon)) {
    error(DiagId::MissingBody, behind(), name.text);
    advance();
    return make<BlockStmt>(behind());
  }
  expect(TokenKind::LeftBrace);
  if (!startsLine()) skipToBoundary();
  return make<BlockStmt>(behind());
}

} // namespace nlang::syntax
