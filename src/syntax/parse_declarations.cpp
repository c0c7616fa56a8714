// The top level: imports, aliases, and the headers of classes, structs, interfaces and enums; modifiers of every
// declaration.
#include "syntax/parser_impl.h"

#include <bit>

namespace nlang::syntax {

namespace {

constexpr std::uint16_t kVisibility = kPublic | kProtected | kPrivate;
// Of each set at most one may be written.
constexpr std::uint16_t kExclusive[] = {kVisibility,         kStatic | kAbstract, kStatic | kVirtual,
                                        kStatic | kOverride, kAbstract | kNative, kPrivate | kAbstract};

// `modifier` is one bit. (A table of sixteen: any bit of its type has a place, so that no compiler sees one outside.)
const char* nameOfModifier(std::uint16_t modifier) {
  constexpr const char* kNames[16] = {"public",  "protected", "private", "static", "abstract",
                                      "virtual", "override",  "const",   "native", "blocking"};
  return kNames[std::countr_zero(modifier) % 16];
}

// The offset of a modifier in `Modifiers::ranges`.
std::size_t indexOf(std::uint16_t modifier) { return static_cast<std::size_t>(std::countr_zero(modifier)); }

std::uint16_t modifierOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::Public: return kPublic;
  case TokenKind::Protected: return kProtected;
  case TokenKind::Private: return kPrivate;
  case TokenKind::Static: return kStatic;
  case TokenKind::Abstract: return kAbstract;
  case TokenKind::Virtual: return kVirtual;
  case TokenKind::Override: return kOverride;
  case TokenKind::Const: return kConst;
  default: return 0;
  }
}

bool isTypeWord(TokenKind kind) {
  return kind == TokenKind::Class || kind == TokenKind::Struct || kind == TokenKind::Interface ||
         kind == TokenKind::Enum;
}

} // namespace

const char* Parser::describeOwner(TokenKind owner) {
  switch (owner) {
  case TokenKind::Class: return "a class";
  case TokenKind::Struct: return "a struct";
  case TokenKind::Interface: return "an interface";
  case TokenKind::Enum: return "an enum";
  default: return "a module";
  }
}

void Parser::parseTopLevel(List<Decl>& declarations) {
  const Index start = at_;
  declarationStart_ = start;
  if (accept(TokenKind::Semicolon)) return; // behind a `}`, as some are used to write it
  if (at(TokenKind::RightBrace)) {
    error(DiagId::UnmatchedClose, here(), describe(kind()));
    while (accept(TokenKind::RightBrace)) strayBraces_ -= strayBraces_ > 0 ? 1 : 0; // one report for a row of them
    return;
  }
  Head head = parseHead();
  repairDeclarationWord();
  switch (kind()) {
  case TokenKind::Import: return declarations.add(parseImport(head));
  case TokenKind::Using: return declarations.add(parseAlias(head));
  case TokenKind::Enum: return declarations.add(parseEnum(head));
  case TokenKind::Class:
  case TokenKind::Struct:
  case TokenKind::Interface: return declarations.add(parseTypeDecl(head, kind()));
  default: break;
  }
  if (startsType(kind()) || at(TokenKind::Var))
    return parseFunctionOrVariable(declarations, head, TokenKind::EndOfFile);
  error(DiagId::ExpectedDeclaration, here(), found());
  if (at_ == start) skipBalanced();
  skipToBoundary();
  declarations.add(finishDecl<ErrorDecl>(head, {{}, behind()}));
}

// ---- modifiers
// -----------------------------------------------------------------------------------------------------------------

Parser::Head Parser::parseHead() {
  Head head{at_, begin(), documentationOf(at_), {}};
  while (parseModifier(head.modifiers)) {
  }
  return head;
}

bool Parser::parseModifier(Modifiers& modifiers) {
  if (const std::uint16_t modifier = modifierOf(kind()); modifier != 0) {
    addModifier(modifiers, static_cast<Modifier>(modifier));
    return true;
  }
  if (!at(TokenKind::Identifier)) return false;
  if (atContextual(at_, blocking_) && atContextual(at_ + 1, native_)) {
    addModifier(modifiers, kBlocking);
    return true;
  }
  if (atContextual(at_, native_) && atNativeModifier(at_)) {
    addModifier(modifiers, kNative);
    if (at(TokenKind::LeftParen) && next() == TokenKind::StringLiteral) modifiers.native = parseNativeSpec();
    return true;
  }
  // Two names and a third, or a name before a word that begins a declaration: the first is no type.
  const TokenKind second = next();
  const bool isNoType =
      modifierOf(second) != 0 || isTypeWord(second) || (startsType(second) && second != TokenKind::Identifier) ||
      (second == TokenKind::Identifier && next(2) == TokenKind::Identifier && !atContextual(at_ + 2, in_));
  if (!isNoType || (tokens_[at_ + 1].flags & kStartsLine) != 0) return false;
  if (misspelled({TokenKind::Public, TokenKind::Protected, TokenKind::Private, TokenKind::Static, TokenKind::Abstract,
                  TokenKind::Virtual, TokenKind::Override, TokenKind::Const})) {
    return true; // it is a modifier now
  }
  error(DiagId::MisspelledWord, here(), wordAt(at_));
  advance();
  return true;
}

void Parser::addModifier(Modifiers& modifiers, Modifier modifier) {
  const SourceRange range = here();
  advance();
  if ((modifiers.bits & modifier) != 0) {
    complain(DiagId::DuplicateModifier, range, nameOfModifier(modifier));
    return;
  }
  for (const std::uint16_t set : kExclusive) {
    const std::uint16_t other = modifiers.bits & set;
    if ((set & modifier) == 0 || other == 0) continue;
    complain(DiagId::ConflictingModifiers, range, nameOfModifier(other), nameOfModifier(modifier));
    return;
  }
  modifiers.bits |= modifier;
  modifiers.ranges[indexOf(modifier)] = range;
}

// Whether the name `native` at `i` is the modifier: a function's declaration, or another modifier, must follow.
bool Parser::atNativeModifier(Index i) {
  const TokenKind second = kindAt(i + 1);
  if (modifierOf(second) != 0) return true;
  if (second == TokenKind::LeftParen) return kindAt(i + 2) == TokenKind::StringLiteral;
  if (second == TokenKind::Identifier && kindAt(i + 2) == TokenKind::LeftParen) return true; // a constructor
  const Index end = skipType(i + 1);
  return end != 0 && (kindAt(end) == TokenKind::Identifier || isWord(kindAt(end)));
}

NativeSpec* Parser::parseNativeSpec() {
  const Index open = at_;
  const std::uint32_t start = begin();
  advance();
  const std::string_view library = stream_.texts[token().payload];
  std::string_view function;
  advance();
  if (accept(TokenKind::Comma)) {
    if (at(TokenKind::StringLiteral)) {
      function = stream_.texts[token().payload];
      advance();
    } else {
      errorExpected("the name of the library's function, as a string");
    }
  }
  closeBracket(TokenKind::RightParen, open, "`)`");
  auto* spec = make<NativeSpec>(start);
  spec->library = library;
  spec->function = function;
  return spec;
}

void Parser::checkModifiers(Modifiers& modifiers, std::uint16_t allowed, const char* what) {
  for (std::uint16_t rest = modifiers.bits & ~allowed; rest != 0; rest &= rest - 1) {
    const auto modifier = static_cast<std::uint16_t>(rest & -rest);
    complain(DiagId::ModifierNotAllowed, modifiers.ranges[indexOf(modifier)], nameOfModifier(modifier), what);
    modifiers.bits &= ~modifier;
  }
}

// ---- imports and aliases
// -------------------------------------------------------------------------------------------------------

ImportDecl* Parser::parseImport(Head& head) {
  checkModifiers(head.modifiers, 0, "an import");
  advance();
  std::vector<Ident> path;
  path.push_back(expectName("the name of a module"));
  while (accept(TokenKind::Dot)) path.push_back(memberName("the name of a module"));
  Ident name = path.back();
  const bool hasAlias = accept(TokenKind::As);
  if (hasAlias) name = expectName("a name for the module");
  expectSemicolon();
  auto* import = finishDecl<ImportDecl>(head, name);
  import->path = arena_.copyList(path);
  import->hasAlias = hasAlias;
  return import;
}

Decl* Parser::parseAlias(Head& head) {
  checkModifiers(head.modifiers, kPublic | kPrivate, "an alias");
  advance();
  const Ident name = expectName("the name of an alias");
  Type* target = nullptr;
  if (expect(TokenKind::Equal)) {
    target = parseType();
  } else {
    target = make<ErrorType>(behind());
  }
  expectSemicolon();
  auto* alias = finishDecl<AliasDecl>(head, name);
  alias->target = target;
  return alias;
}

// ---- types
// ---------------------------------------------------------------------------------------------------------------------

// `clas Foo {`: a name where only the word of a type's declaration makes sense.
bool Parser::repairDeclarationWord() {
  if (!at(TokenKind::Identifier) || next() != TokenKind::Identifier) return false;
  const TokenKind third = next(2);
  if (third != TokenKind::LeftBrace && third != TokenKind::Colon && third != TokenKind::Implements) return false;
  return misspelled({TokenKind::Class, TokenKind::Struct, TokenKind::Interface, TokenKind::Enum});
}

Decl* Parser::parseTypeDecl(Head& head, TokenKind what) {
  const Nest nest(*this);
  const Index outerStart = declarationStart_;
  checkModifiers(head.modifiers,
                 static_cast<std::uint16_t>(kPublic | kPrivate | (what == TokenKind::Class ? kAbstract : 0)),
                 describeOwner(what));
  declarationStart_ = head.start;
  advance();
  const Ident name = expectName("the name of the type");
  TypeDecl* decl = what == TokenKind::Class    ? static_cast<TypeDecl*>(finishDecl<ClassDecl>(head, name))
                   : what == TokenKind::Struct ? static_cast<TypeDecl*>(finishDecl<StructDecl>(head, name))
                                               : static_cast<TypeDecl*>(finishDecl<InterfaceDecl>(head, name));
  decl->typeParameters = parseTypeParameters();
  parseBases(decl, what);
  const Index open = at_;
  if (expect(TokenKind::LeftBrace)) decl->members = parseMembers(what, name, open);
  stretch(decl);
  declarationStart_ = outerStart;
  return decl;
}

// `: Base implements I, J`; of an interface `: I, J`.
void Parser::parseBases(TypeDecl* decl, TokenKind what) {
  std::span<Type*> afterColon;
  if (at(TokenKind::Colon)) {
    const SourceRange colon = here();
    advance();
    afterColon = parseTypeList();
    if (what == TokenKind::Struct) complain(DiagId::StructInheritance, colon, describeOwner(what));
  }
  if (what == TokenKind::Class && !afterColon.empty()) {
    decl->base = afterColon[0];
    if (afterColon.size() > 1) complain(DiagId::MultipleInheritance, afterColon[1]->range);
  }
  if (accept(TokenKind::Implements)) decl->interfaces = parseTypeList();
  if (what == TokenKind::Interface && decl->interfaces.empty()) decl->interfaces = afterColon;
}

std::span<Type*> Parser::parseTypeList() {
  List<Type> list(*this);
  do {
    list.add(parseType());
  } while (accept(TokenKind::Comma));
  return list.take();
}

Decl* Parser::parseEnum(Head& head) {
  const Nest nest(*this);
  const Index outerStart = declarationStart_;
  checkModifiers(head.modifiers, kPublic | kPrivate, "an enum");
  declarationStart_ = head.start;
  advance();
  const Ident name = expectName("the name of the enum");
  if (at(TokenKind::Colon) || at(TokenKind::Implements)) {
    complain(DiagId::StructInheritance, here(), "an enum");
    advance();
    parseTypeList();
  }
  auto* decl = finishDecl<EnumDecl>(head, name);
  const Index open = at_;
  if (expect(TokenKind::LeftBrace)) {
    {
      List<EnumMemberDecl> values(*this);
      while (at(TokenKind::Identifier) || (isWord(kind()) && modifierOf(kind()) == 0 && !startsType(kind()))) {
        values.add(parseEnumMember());
        if (accept(TokenKind::Comma)) continue;
        const TokenKind second = next();
        const bool isMember = startsLine() || second == TokenKind::Comma || second == TokenKind::Equal ||
                              second == TokenKind::Semicolon || second == TokenKind::RightBrace;
        if (!at(TokenKind::Identifier) || !isMember) break;
        errorExpected("`,`");
      }
      decl->values = values.take();
    }
    if (accept(TokenKind::Semicolon)) {
      decl->members = parseMembers(TokenKind::Enum, name, open);
    } else {
      if (!at(TokenKind::RightBrace) && !atEnd()) {
        errorExpected("`,`, `;` or `}`");
        decl->members = parseMembers(TokenKind::Enum, name, open);
      } else {
        closeBraces(open);
      }
    }
  }
  stretch(decl);
  declarationStart_ = outerStart;
  return decl;
}

EnumMemberDecl* Parser::parseEnumMember() {
  const Head head{at_, begin(), documentationOf(at_), {}};
  const Ident name = expectName("the name of a member");
  Expr* value = accept(TokenKind::Equal) ? parseExpression() : nullptr;
  auto* member = finishDecl<EnumMemberDecl>(head, name);
  member->value = value;
  return member;
}

// A type inside another or inside a function: parsed, so that it does not disturb what follows, and dropped.
Decl* Parser::parseNestedType() {
  Head head = parseHead();
  if (!inNestedType_) error(DiagId::NestedType, here());
  const bool outer = inNestedType_;
  inNestedType_ = true;
  Decl* decl = at(TokenKind::Enum) ? parseEnum(head) : parseTypeDecl(head, kind());
  inNestedType_ = outer;
  return finishDecl<ErrorDecl>(head, decl->name);
}

} // namespace nlang::syntax
