// The parser's class, shared by its files: parser.cpp (tokens, reports, recovery, looking ahead), parse_types.cpp,
// parse_declarations.cpp, parse_members.cpp, parse_statements.cpp, parse_blocks.cpp, parse_expressions.cpp,
// parse_primary.cpp.
//
// Rules that hold in all of them
// - A `parse…` function begins at the first token of what it parses and leaves `at_` behind its last one. It gives a
// node also after a
//   report; it need not have consumed anything then, so every loop checks that it moves on.
// - `error` is for syntax errors (silent where one was reported already), `complain` for faults of well-formed text.
// - `Nest` guards each recursion, `Subtree` and `grow` count the height of what is built without recursion. Beyond
// either limit the
//   parser gives up: it reports once and moves to the end of the file, so that all loops end.
#pragma once

#include "base/arena.h"
#include "base/intern.h"
#include "syntax/diagnostic.h"
#include "syntax/parser.h"
#include "syntax/source.h"
#include "syntax/token.h"
#include "syntax/tree.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nlang::syntax {

class Parser {
 public:
  Parser(const SourceFile& file, TokenStream stream, base::Arena& arena, base::Interner& names, DiagnosticSink& sink);
  Module* parse();

 private:
  using Index = std::uint32_t; // of a token

  // ---- guards and lists

  // One level of recursion. The subtree built inside counts as one higher.
  class Nest {
   public:
    explicit Nest(Parser& parser) : parser_(parser), outer_(parser.height_) {
      parser.height_ = 0;
      if (++parser.depth_ > kMaxNesting) parser.giveUp(kMaxNesting);
    }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;
    ~Nest() {
      --parser_.depth_;
      parser_.grow();
      parser_.height_ = std::max(outer_, parser_.height_);
    }

   private:
    Parser& parser_;
    unsigned outer_;
  };

  // Measures the height of what is built in its scope apart from its siblings.
  class Subtree {
   public:
    explicit Subtree(Parser& parser) : parser_(parser), outer_(parser.height_) { parser.height_ = 0; }
    Subtree(const Subtree&) = delete;
    Subtree& operator=(const Subtree&) = delete;
    ~Subtree() { parser_.height_ = std::max(outer_, parser_.height_); }

   private:
    Parser& parser_;
    unsigned outer_;
  };

  // Inside brackets `{` is a value again, see `braceEndsExpression_`.
  class Brackets {
   public:
    explicit Brackets(Parser& parser) : parser_(parser), outer_(parser.braceEndsExpression_) {
      parser.braceEndsExpression_ = false;
    }
    Brackets(const Brackets&) = delete;
    Brackets& operator=(const Brackets&) = delete;
    ~Brackets() { parser_.braceEndsExpression_ = outer_; }

   private:
    Parser& parser_;
    bool outer_;
  };

  // Collects children on the parser's scratch stack; `take` copies them to the arena. Only the list made last may be
  // added to, so inner ones end before an outer one grows.
  template <class T> class List {
   public:
    explicit List(Parser& parser) : parser_(parser), mark_(parser.scratch_.size()) {}
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    ~List() { parser_.scratch_.resize(mark_); }
    void add(T* node) { parser_.scratch_.push_back(node); }
    std::size_t size() const { return parser_.scratch_.size() - mark_; }
    std::span<T*> take() {
      const std::size_t count = size();
      if (count == 0) return {};
      auto** to = static_cast<T**>(parser_.arena_.allocate(sizeof(T*) * count, alignof(T*)));
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T*>(parser_.scratch_[mark_ + i]);
      return {to, count};
    }

   private:
    Parser& parser_;
    std::size_t mark_;
  };

  struct Modifiers {
    std::uint16_t bits = 0;
    std::array<SourceRange, 10> ranges{}; // of each modifier, by bit number
    NativeSpec* native = nullptr;
  };

  // What a declaration's parts have in common; made before its kind is known.
  struct Head {
    Index start;         // the first token
    std::uint32_t begin; // its offset; of a second variable in one declaration, that of its name
    std::string_view doc;
    Modifiers modifiers;
  };

  enum class VoidRule : std::uint8_t { Forbidden, Allowed };
  enum class ArgumentsRule : std::uint8_t {
    Always,
    IfTypes
  }; // is `<` behind a type's name always the start of arguments?

  struct Operator {
    BinaryOp op = BinaryOp::Mul;
    unsigned precedence = 0; // 0: no operator
    unsigned tokens = 1;     // `>>` and `>>>` have several
  };
  struct Assignment {
    AssignOp op = AssignOp::Set;
    unsigned tokens = 0; // 0: no assignment
  };

  // ---- parser.cpp: tokens
  const Token& token() const { return tokens_[at_]; }
  TokenKind kind() const { return tokens_[at_].kind; }
  TokenKind kindAt(Index i) const { return tokens_[std::min(i, last_)].kind; }
  TokenKind next(Index ahead = 1) const { return kindAt(at_ + ahead); }
  bool at(TokenKind k) const { return kind() == k; }
  bool atEnd() const { return at(TokenKind::EndOfFile); }
  bool startsLine() const { return (token().flags & kStartsLine) != 0 || atEnd(); }
  void advance() {
    if (at_ < last_) ++at_;
  }
  bool accept(TokenKind k) {
    if (kind() != k) return false;
    advance();
    return true;
  }
  std::string_view wordAt(Index i) const { return names_.textOf(tokens_[i].payload); }
  bool atContextual(Index i, std::string_view word) const {
    return kindAt(i) == TokenKind::Identifier && wordAt(i).data() == word.data();
  }
  std::uint32_t begin() const { return token().begin; }
  std::uint32_t previousEnd() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }
  SourceRange rangeOf(Index i) const { return {file_.id(), tokens_[i].begin, tokens_[i].end}; }
  SourceRange here() const { return rangeOf(at_); }
  SourceRange behind() const { return {file_.id(), previousEnd(), previousEnd()}; }
  std::uint32_t column(Index i) const;
  std::uint32_t indentation(Index i) const;
  Ident identAt(Index i) const { return {wordAt(i), rangeOf(i)}; }
  Ident takeIdent() {
    const Ident ident = identAt(at_);
    advance();
    return ident;
  }

  // A node that reaches from `begin` to the end of the last consumed token.
  template <class T> T* make(std::uint32_t begin) {
    T* made = arena_.make<T>();
    made->kind = T::kKind;
    made->range = {file_.id(), begin, std::max(begin, previousEnd())};
    return made;
  }
  template <class T> T* make(SourceRange range) {
    T* made = arena_.make<T>();
    made->kind = T::kKind;
    made->range = range;
    return made;
  }
  void stretch(Node* node) const { node->range.end = std::max(node->range.end, previousEnd()); }

  // ---- parser.cpp: reports and recovery
  void giveUp(unsigned limit);
  void grow() {
    if (++height_ > kMaxTreeHeight) giveUp(kMaxTreeHeight);
  }
  bool mayReport(SourceRange range) const;
  template <class... Args> Diagnostic& error(DiagId id, SourceRange range, const Args&... args) {
    if (!mayReport(range)) return muted();
    errorAt_ = at_;
    return sink_.report(id, range, args...);
  }
  template <class... Args> Diagnostic& complain(DiagId id, SourceRange range, const Args&... args) {
    return gaveUp_ ? muted() : sink_.report(id, range, args...);
  }
  Diagnostic& muted();
  std::string found() const;
  SourceRange foundRange() const;
  Diagnostic& errorExpected(const char* what);
  bool expect(TokenKind k);
  bool expectSemicolon();
  bool closeBracket(TokenKind close, Index open, const char* what);
  void skipBalanced();
  void skipToBoundary();
  Ident expectName(const char* what);
  void useAsName();
  Ident memberName(const char* what);
  bool misspelled(std::initializer_list<TokenKind> words);
  std::string_view documentationOf(Index i);

  // ---- parser.cpp: looking ahead; each gives the index behind what it found, or 0
  Index skipType(Index i, unsigned depth = 0);
  Index skipTypeArguments(Index i, unsigned depth);
  bool startsType(TokenKind k) const;
  bool nestsAtOnce(Index i) const;
  bool atTypeArguments();
  bool atLambda() const;
  bool atForeignArrow(Index i) const;
  bool atLocalDeclaration();

  // ---- parse_types.cpp
  Type* parseType(VoidRule voidRule = VoidRule::Forbidden, ArgumentsRule arguments = ArgumentsRule::Always);
  Type* parseTypeWithoutArray(VoidRule voidRule, ArgumentsRule arguments);
  Type* parseNamedType(ArgumentsRule arguments);
  Type* parseFuncType();
  Type* parseArraySuffixes(Type* element, std::uint32_t begin);
  std::span<Type*> parseTypeArguments();
  std::span<TypeParameter*> parseTypeParameters();
  Type* missingType();

  // ---- parse_declarations.cpp
  void parseTopLevel(List<Decl>& declarations);
  Head parseHead();
  static const char* describeOwner(TokenKind owner);
  bool parseModifier(Modifiers& modifiers);
  void addModifier(Modifiers& modifiers, Modifier modifier);
  bool atNativeModifier(Index i);
  NativeSpec* parseNativeSpec();
  void checkModifiers(Modifiers& modifiers, std::uint16_t allowed, const char* what);
  template <class T> T* finishDecl(const Head& head, Ident name) {
    T* decl = make<T>(head.begin);
    decl->modifiers = head.modifiers.bits;
    decl->name = name;
    decl->doc = head.doc;
    return decl;
  }
  ImportDecl* parseImport(Head& head);
  Decl* parseAlias(Head& head);
  Decl* parseEnum(Head& head);
  EnumMemberDecl* parseEnumMember();
  Decl* parseTypeDecl(Head& head, TokenKind what);
  void parseBases(TypeDecl* decl, TokenKind what);
  std::span<Type*> parseTypeList();
  Decl* parseNestedType();
  bool repairDeclarationWord();

  // ---- parse_members.cpp; `owner` is the word of the enclosing type's declaration, EndOfFile at the top level
  std::span<Decl*> parseMembers(TokenKind owner, Ident ownerName, Index open);
  void parseMember(List<Decl>& members, TokenKind owner, Ident ownerName);
  void parseFunctionOrVariable(List<Decl>& declarations, Head& head, TokenKind owner);
  void parseVariables(List<Decl>& declarations, Head& head, TokenKind owner, Type* type, Ident name);
  FunctionDecl* parseFunction(Head& head, TokenKind owner, Type* type, Ident name);
  bool atCallStatement();
  Decl* parseConstructor(Head& head, TokenKind owner, Ident ownerName);
  std::span<Parameter*> parseParameters();
  Parameter* parseParameter();
  BlockStmt* parseFunctionBody(const char* bodiless, Ident name);
  bool atStrayBrace();
  bool atForgottenBrace() const;
  void closeBraces(Index open);

  // ---- parse_statements.cpp and parse_blocks.cpp
  BlockStmt* parseBlock();
  std::span<Stmt*> parseStatements(bool inCase);
  bool atEndOfStatements(bool inCase);
  void parseStatementInto(List<Stmt>& statements);
  Stmt* parseStatement();
  Stmt* parseStatementInner();
  void parseLocals(List<Stmt>& statements);
  LocalStmt* parseLocalList(List<Stmt>& statements);
  LocalStmt* parseLocal(std::uint32_t begin, Type* type, bool isConst);
  Type* parseLocalType();
  void skipSteps();
  Stmt* parseSimple();
  Stmt* parseSimpleStatement();
  Stmt* parseLabeled();
  Stmt* parseIf();
  IfBranch* parseIfBranch();
  bool acceptElse();
  Expr* parseCondition();
  Stmt* parseWhile();
  Stmt* parseDo();
  Stmt* parseFor();
  bool atForeachHeader();
  Stmt* parseForeach();
  ForeachVariable* parseForeachVariable();
  Stmt* parseSwitch();
  SwitchCase* parseSwitchCase(bool& hasDefault);
  Stmt* parseSelect();
  SelectCase* parseSelectCase(bool& hasDefault);
  void parseSelectOperation(SelectCase* branch);
  template <class Case> void parseCases(List<Case>& cases, Index open, Case* (Parser::*parseCase)(bool&));
  Stmt* parseJump();
  Stmt* parseReturn();
  Stmt* parseThrow();
  Stmt* parseTry();
  CatchClause* parseCatch();
  Stmt* parseAssert();
  bool atLockStatement() const;
  Stmt* parseLock();
  Stmt* parseUsing();
  Stmt* parseSuperCall();
  Stmt* parseMisplaced();
  Stmt* parseNestedFunction();
  bool atNestedFunction();
  bool repairStatementWord();

  // ---- parse_expressions.cpp
  Expr* parseExpression();
  Expr* parseValue();
  Expr* parseConditional();
  Expr* parseConditionalFrom(Expr* first);
  Expr* parseForeachIterable();
  Expr* misplacedStatement(Expr* value, const char* hint = nullptr);
  Operator operatorHere() const;
  Assignment assignmentHere() const;
  Expr* parseBinary(unsigned lowest);
  Expr* skipOperators(Expr* missing, unsigned precedence);
  Expr* parseCast();
  Expr* parseUnary();
  Expr* parsePostfix();
  Expr* parseMember(Expr* target);
  Expr* parseCall(Expr* callee, bool isNew, std::uint32_t begin);
  Expr* parseIndex(Expr* target);
  std::span<Argument*> parseArguments();
  Argument* parseArgument();
  Expr* parseOutPlace();
  bool atTypedBrace(const Expr* type) const;
  bool looksLikeBlock(Index brace) const;
  Expr* parseTypedBrace(Expr* type);
  Type* typeOf(Expr* name);

  // ---- parse_primary.cpp
  Expr* parsePrimary();
  Expr* parseName();
  Expr* parseInteger(std::uint32_t begin, bool negative);
  Expr* parseFloat();
  Expr* parseChar();
  Expr* parseString();
  Expr* parseInterpolatedString();
  void parseInterpolatedValue(List<InterpolationPart>& parts);
  void addText(List<InterpolationPart>& parts);
  Expr* parseParen();
  void reportForeignCast();
  Expr* foreignCast(std::uint32_t start, Type* type, Expr* value);
  Expr* parseLambda();
  Parameter* parseLambdaParameter();
  Expr* parseBracket();
  Expr* parseBrace(std::uint32_t begin, Type* type);
  BraceEntry* parseBraceEntry();
  Expr* parseNew();
  Expr* parseNewArray(std::uint32_t begin, Type* element);
  Expr* nameOfType(Type* type);
  Expr* parsePrimitive();
  Expr* parseSuper();
  Expr* missingExpression();
  static bool startsExpression(TokenKind k);
  bool continueList(TokenKind close, const char* what);

  const SourceFile& file_;
  TokenStream stream_;
  std::vector<Token>& tokens_; // of `stream_`; misspelled words are corrected in it
  base::Arena& arena_;
  base::Interner& names_;
  DiagnosticSink& sink_;

  Index at_ = 0;                     // the token to parse next
  Index last_;                       // index of EndOfFile
  Index errorAt_;                    // `at_` of the last report; `last_ + 1`: none yet
  Index declarationStart_ = 0;       // first token of the innermost function or type being parsed
  unsigned depth_ = 0;               // live `Nest`s
  unsigned height_ = 0;              // of the highest subtree built in the current scope
  unsigned strayBraces_;             // `}` that close nothing and are not yet found
  unsigned openBraces_;              // `{` without their `}` that are not yet found
  Index innermostBrace_ = 0;         // of the statements or branches being parsed
  bool gaveUp_ = false;              // nested too deeply: nothing more is parsed or reported
  bool skipTooDeep_ = false;         // the last look ahead met types nested too deeply
  bool braceEndsExpression_ = false; // in a condition without parentheses `{` opens the body
  bool inNestedType_ = false;        // in a type declared where none may be, which was reported
  std::vector<Node*> scratch_;       // unfinished lists, see `List`
  Diagnostic muted_;                 // where suppressed reports go
  std::string_view in_, out_, native_, blocking_, timeout_; // interned words with a meaning in some places only
};

} // namespace nlang::syntax
