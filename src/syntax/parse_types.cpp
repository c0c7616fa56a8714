#include "syntax/parser_impl.h"

namespace nlang::syntax {

namespace {

constexpr bool isPrimitive(TokenKind kind, Primitive& primitive) {
  switch (kind) {
  case TokenKind::Void: primitive = Primitive::Void; return true;
  case TokenKind::Bool: primitive = Primitive::Bool; return true;
  case TokenKind::Byte: primitive = Primitive::Byte; return true;
  case TokenKind::UByte: primitive = Primitive::UByte; return true;
  case TokenKind::Short: primitive = Primitive::Short; return true;
  case TokenKind::UShort: primitive = Primitive::UShort; return true;
  case TokenKind::Int: primitive = Primitive::Int; return true;
  case TokenKind::UInt: primitive = Primitive::UInt; return true;
  case TokenKind::Long: primitive = Primitive::Long; return true;
  case TokenKind::ULong: primitive = Primitive::ULong; return true;
  case TokenKind::Float: primitive = Primitive::Float; return true;
  case TokenKind::Double: primitive = Primitive::Double; return true;
  case TokenKind::Char: primitive = Primitive::Char; return true;
  case TokenKind::String: primitive = Primitive::String; return true;
  default: return false;
  }
}

} // namespace

Type* Parser::parseType(VoidRule voidRule, ArgumentsRule arguments) {
  const Nest nest(*this);
  const std::uint32_t start = begin();
  Type* type = parseTypeWithoutArray(voidRule, arguments);
  return parseArraySuffixes(type, start);
}

Type* Parser::parseTypeWithoutArray(VoidRule voidRule, ArgumentsRule arguments) {
  Primitive primitive{};
  if (isPrimitive(kind(), primitive)) {
    const std::uint32_t start = begin();
    advance();
    if (primitive == Primitive::Void && (voidRule == VoidRule::Forbidden || at(TokenKind::LeftBracket))) {
      complain(DiagId::VoidNotAllowed, {file_.id(), start, previousEnd()});
      return make<ErrorType>(start);
    }
    auto* type = make<PrimitiveType>(start);
    type->primitive = primitive;
    return type;
  }
  if (at(TokenKind::Identifier)) return parseNamedType(arguments);
  if (at(TokenKind::Func)) return parseFuncType();
  if (at(TokenKind::Var)) {
    const std::uint32_t start = begin();
    complain(DiagId::VarNotAllowed, here());
    advance();
    return make<ErrorType>(start);
  }
  return missingType();
}

Type* Parser::missingType() {
  error(DiagId::ExpectedType, foundRange(), found());
  return make<ErrorType>(behind());
}

// Empty brackets only: `[n]` belongs to whoever asked for the type.
Type* Parser::parseArraySuffixes(Type* element, std::uint32_t begin) {
  while (at(TokenKind::LeftBracket) && next() == TokenKind::RightBracket) {
    advance();
    advance();
    auto* array = make<ArrayType>(begin);
    array->element = element;
    element = array;
    grow();
  }
  return element;
}

Type* Parser::parseNamedType(ArgumentsRule arguments) {
  const std::uint32_t start = begin();
  const Ident first = takeIdent();
  std::span<Ident> path;
  if (at(TokenKind::Dot)) {
    std::vector<Ident> names = {first};
    while (accept(TokenKind::Dot)) names.push_back(memberName("the name of a type"));
    path = arena_.copyList(names);
  } else {
    path = arena_.copyList(&first, 1);
  }
  std::span<Type*> typeArguments;
  bool hasArguments = false;
  if (at(TokenKind::Less) && (arguments == ArgumentsRule::Always || skipTypeArguments(at_, 0) != 0)) {
    typeArguments = parseTypeArguments();
    hasArguments = true;
  }
  auto* type = make<NamedType>(start);
  type->path = path;
  type->arguments = typeArguments;
  type->hasArguments = hasArguments;
  return type;
}

std::span<Type*> Parser::parseTypeArguments() {
  const std::uint32_t start = begin();
  advance(); // `<`
  List<Type> list(*this);
  if (at(TokenKind::Greater)) {
    complain(DiagId::EmptyTypeArguments, {file_.id(), start, token().end});
    advance();
    list.add(make<ErrorType>(behind())); // nobody counts them then
    return list.take();
  }
  do {
    list.add(parseType());
  } while (accept(TokenKind::Comma));
  expect(TokenKind::Greater);
  return list.take();
}

Type* Parser::parseFuncType() {
  const std::uint32_t start = begin();
  advance(); // `func`
  auto* type = make<FuncType>(start);
  if (!expect(TokenKind::Less)) {
    type->result = make<ErrorType>(behind());
    return type;
  }
  type->result = parseType(VoidRule::Allowed);
  List<FuncTypeParameter> parameters(*this);
  while (accept(TokenKind::Comma)) {
    const std::uint32_t parameterStart = begin();
    const bool isOut = atContextual(at_, out_) && startsType(next());
    if (isOut) advance();
    Type* parameterType = parseType();
    auto* parameter = make<FuncTypeParameter>(parameterStart);
    parameter->type = parameterType;
    parameter->isOut = isOut;
    parameters.add(parameter);
  }
  expect(TokenKind::Greater);
  type->parameters = parameters.take();
  stretch(type);
  return type;
}

// `<T, U : Bound>`, or nothing.
std::span<TypeParameter*> Parser::parseTypeParameters() {
  if (!at(TokenKind::Less)) return {};
  const std::uint32_t start = begin();
  advance();
  List<TypeParameter> list(*this);
  if (at(TokenKind::Greater)) complain(DiagId::EmptyTypeArguments, {file_.id(), start, token().end});
  while (!at(TokenKind::Greater)) {
    const std::uint32_t parameterStart = begin();
    const Ident name = expectName("the name of a type parameter");
    Type* bound = accept(TokenKind::Colon) ? parseType() : nullptr;
    auto* parameter = make<TypeParameter>(parameterStart);
    parameter->name = name;
    parameter->bound = bound;
    list.add(parameter);
    if (!accept(TokenKind::Comma)) break;
  }
  expect(TokenKind::Greater);
  return list.take();
}

} // namespace nlang::syntax
