// The syntax tree: what the parser saw, nothing about what it means.
//
// Invariants
// - Nodes are plain structs in the arena of their compilation; they are never destroyed one by one and hold no owners.
// A node is
//   recognised by `kind`; `as<T>` casts (checked by assert), `dyn<T>` casts or gives null.
// - Every node has the range of its source text. Identifiers are interned: equal names have equal `data()`.
// - A broken file has a tree too: where something could not be parsed stands an `ErrorType`, `ErrorExpr`, `ErrorStmt`
// or
//   `ErrorDecl`, and a missing name is an `Ident` with empty text. Each of them was reported already, so later passes
//   are silent about them. Pointers that are not marked "or null" are never null.
// - The height of a tree is at most `kMaxTreeHeight`, so passes may recurse. Long chains of binary operators are flat
// for that
//   reason: `a + b - c` is one `BinaryExpr` with two further operands, evaluated from the left.
// - Assignments and `++`/`--` are statements. A chain of `else if` is one `IfStmt`, however long.
#pragma once

#include "syntax/source.h"

#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>

namespace nlang::syntax {

/// Largest distance from a declaration, statement or expression to its deepest part.
inline constexpr unsigned kMaxTreeHeight = 1000;

enum class NodeKind : std::uint8_t {
#define NL_NODE(name) name,
#include "syntax/node_kinds.def"
#undef NL_NODE
};

/// The constant's name, for printers and messages of our own faults.
const char* nameOf(NodeKind kind);

/// A name in the source. Empty text: not written (where it is optional) or missing (reported).
struct Ident {
  std::string_view text;
  SourceRange range;

  bool empty() const { return text.empty(); }
};

struct Node {
  NodeKind kind;
  SourceRange range;
};

struct Type : Node {};
struct Expr : Node {};
struct Stmt : Node {};

template <class T> bool is(const Node* node) { return T::accepts(node->kind); }
template <class T> T* as(Node* node) {
  assert(node != nullptr && T::accepts(node->kind));
  return static_cast<T*>(node);
}
template <class T> const T* as(const Node* node) {
  assert(node != nullptr && T::accepts(node->kind));
  return static_cast<const T*>(node);
}
/// Null when `node` is null or of another kind.
template <class T> T* dyn(Node* node) {
  return node != nullptr && T::accepts(node->kind) ? static_cast<T*>(node) : nullptr;
}
template <class T> const T* dyn(const Node* node) {
  return node != nullptr && T::accepts(node->kind) ? static_cast<const T*>(node) : nullptr;
}

#define NL_NODE_KIND(name)                                                                                             \
  static constexpr NodeKind kKind = NodeKind::name;                                                                    \
  static constexpr bool accepts(NodeKind k) { return k == kKind; }

struct BlockStmt;
struct Parameter;

// ---- types
// ---------------------------------------------------------------------------------------------------------------------

enum class Primitive : std::uint8_t {
  Void,
  Bool,
  Byte,
  UByte,
  Short,
  UShort,
  Int,
  UInt,
  Long,
  ULong,
  Float,
  Double,
  Char,
  String
};
const char* nameOf(Primitive primitive);

struct PrimitiveType : Type {
  NL_NODE_KIND(PrimitiveType)
  Primitive primitive;
};

/// `Name`, `module.Name`, `Name<int, T>`.
struct NamedType : Type {
  NL_NODE_KIND(NamedType)
  std::span<Ident> path; // at least one; the last is the type's name, those before it name a module
  std::span<Type*> arguments;
  bool hasArguments; // `<…>` was written
};

struct ArrayType : Type {
  NL_NODE_KIND(ArrayType)
  Type* element;
};

struct FuncTypeParameter : Node {
  NL_NODE_KIND(FuncTypeParameter)
  Type* type;
  bool isOut;
};

/// `func<R, P1, out P2>`
struct FuncType : Type {
  NL_NODE_KIND(FuncType)
  Type* result;
  std::span<FuncTypeParameter*> parameters;
};

struct ErrorType : Type {
  NL_NODE_KIND(ErrorType)
};

// ---- declarations
// --------------------------------------------------------------------------------------------------------------

enum Modifier : std::uint16_t {
  kPublic = 1,
  kProtected = 2,
  kPrivate = 4,
  kStatic = 8,
  kAbstract = 16,
  kVirtual = 32,
  kOverride = 64,
  kConst = 128,
  kNative = 256,
  kBlocking = 512,
};

struct Decl : Node {
  std::uint16_t
      modifiers; // set of `Modifier`; those that do not fit the kind of declaration were reported and left out
  Ident name;
  std::string_view
      doc;      // text of the `///` lines before it, without the slashes and one space, joined by line feeds; or ""
  void* symbol; // null from the parser; semantic analysis may note its symbol here

  bool has(Modifier m) const { return (modifiers & m) != 0; }
};

/// `import a.b;`, `import a.b as c;`. `name` is the last of the path, or the alias.
struct ImportDecl : Decl {
  NL_NODE_KIND(ImportDecl)
  std::span<Ident> path; // at least one
  bool hasAlias;
};

/// `using Name = Type;`
struct AliasDecl : Decl {
  NL_NODE_KIND(AliasDecl)
  Type* target;
};

/// A module variable or constant, or a field. `int a, b;` gives two declarations that share the node of the type.
struct VariableDecl : Decl {
  NL_NODE_KIND(VariableDecl)
  Type* type;
  Expr* initializer; // or null
};

/// `T`, `T : Bound`
struct TypeParameter : Node {
  NL_NODE_KIND(TypeParameter)
  Ident name;
  Type* bound; // or null
  void* symbol;
};

struct Parameter : Node {
  NL_NODE_KIND(Parameter)
  Type* type; // null only in a lambda that leaves it to its target
  Ident name;
  Expr* defaultValue; // or null
  bool isOut;
  void* symbol;
};

/// The optional strings of `native("libm.so.6", "cos")`.
struct NativeSpec : Node {
  NL_NODE_KIND(NativeSpec)
  std::string_view library;
  std::string_view function; // "": the declared name
};

/// A function of the module or a method.
struct FunctionDecl : Decl {
  NL_NODE_KIND(FunctionDecl)
  std::span<TypeParameter*> typeParameters;
  Type* returnType;
  std::span<Parameter*> parameters;
  BlockStmt* body;    // null when it ends in `;`: native, abstract, or in an interface
  NativeSpec* native; // null unless `native(…)` has arguments
};

struct ConstructorDecl : Decl {
  NL_NODE_KIND(ConstructorDecl)
  std::span<Parameter*> parameters;
  BlockStmt* body;    // null only when native
  NativeSpec* native; // null unless `native(…)` has arguments
};

/// What classes, structs and interfaces have in common.
struct TypeDecl : Decl {
  static constexpr bool accepts(NodeKind k) {
    return k == NodeKind::ClassDecl || k == NodeKind::StructDecl || k == NodeKind::InterfaceDecl;
  }
  std::span<TypeParameter*> typeParameters;
  Type* base;                  // class: after `:`, or null; else null
  std::span<Type*> interfaces; // after `implements`; of an interface, those after `:`
  std::span<Decl*> members;    // VariableDecl, FunctionDecl, ConstructorDecl, ErrorDecl, in textual order
};
struct ClassDecl : TypeDecl {
  NL_NODE_KIND(ClassDecl)
};
struct StructDecl : TypeDecl {
  NL_NODE_KIND(StructDecl)
};
struct InterfaceDecl : TypeDecl {
  NL_NODE_KIND(InterfaceDecl)
};

struct EnumMemberDecl : Decl {
  NL_NODE_KIND(EnumMemberDecl)
  Expr* value; // or null
};

struct EnumDecl : Decl {
  NL_NODE_KIND(EnumDecl)
  std::span<EnumMemberDecl*> values;
  std::span<Decl*> members; // FunctionDecl, ErrorDecl
};

struct ErrorDecl : Decl {
  NL_NODE_KIND(ErrorDecl)
};

/// A whole file.
struct Module : Node {
  NL_NODE_KIND(Module)
  std::span<ImportDecl*> imports;
  std::span<Decl*> declarations; // everything else, in textual order
};

// ---- statements
// ----------------------------------------------------------------------------------------------------------------

struct BlockStmt : Stmt {
  NL_NODE_KIND(BlockStmt)
  std::span<Stmt*> statements;
};

/// `int x = 1;`, `var x = 1;`, `const int k = 1;`. `int a, b;` gives two statements that share the node of the type.
struct LocalStmt : Stmt {
  NL_NODE_KIND(LocalStmt)
  Type* type; // null: `var`
  Ident name;
  Expr* initializer; // or null
  bool isConst;
  void* symbol;
};

struct ExprStmt : Stmt {
  NL_NODE_KIND(ExprStmt)
  Expr* expression;
};

enum class AssignOp : std::uint8_t { Set, Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, UShr };
const char* textOf(AssignOp op);

struct AssignStmt : Stmt {
  NL_NODE_KIND(AssignStmt)
  AssignOp op;
  Expr* target;
  Expr* value;
};

/// `x++;`, `x--;`
struct StepStmt : Stmt {
  NL_NODE_KIND(StepStmt)
  Expr* target;
  bool isIncrement;
};

/// `if (condition) body`, also behind `else`
struct IfBranch : Node {
  NL_NODE_KIND(IfBranch)
  Expr* condition;
  Stmt* body;
};

struct IfStmt : Stmt {
  NL_NODE_KIND(IfStmt)
  std::span<IfBranch*> branches; // at least one
  Stmt* elseBody;                // or null
};

struct LoopStmt : Stmt {
  static constexpr bool accepts(NodeKind k) {
    return k == NodeKind::WhileStmt || k == NodeKind::DoStmt || k == NodeKind::ForStmt || k == NodeKind::ForeachStmt;
  }
  Ident label; // empty: none
};

struct WhileStmt : LoopStmt {
  NL_NODE_KIND(WhileStmt)
  Expr* condition;
  Stmt* body;
};

struct DoStmt : LoopStmt {
  NL_NODE_KIND(DoStmt)
  Stmt* body;
  Expr* condition;
};

struct ForStmt : LoopStmt {
  NL_NODE_KIND(ForStmt)
  std::span<Stmt*> init;   // LocalStmt, or AssignStmt, StepStmt and ExprStmt
  Expr* condition;         // null: endless
  std::span<Stmt*> update; // AssignStmt, StepStmt, ExprStmt
  Stmt* body;
};

struct ForeachVariable : Node {
  NL_NODE_KIND(ForeachVariable)
  Type* type; // null: `var`
  Ident name;
  void* symbol;
};

struct ForeachStmt : LoopStmt {
  NL_NODE_KIND(ForeachStmt)
  std::span<ForeachVariable*> variables; // one, or two for key and value
  Expr* iterable;                        // the only place where a RangeExpr may stand
  Stmt* body;
};

struct SwitchCase : Node {
  NL_NODE_KIND(SwitchCase)
  std::span<Expr*> values; // empty for `default`
  std::span<Stmt*> body;
  bool isDefault;
};

struct SwitchStmt : Stmt {
  NL_NODE_KIND(SwitchStmt)
  Expr* subject;
  std::span<SwitchCase*> cases;
};

struct BreakStmt : Stmt {
  NL_NODE_KIND(BreakStmt)
  Ident label; // empty: the innermost
};

struct ContinueStmt : Stmt {
  NL_NODE_KIND(ContinueStmt)
  Ident label; // empty: the innermost
};

struct ReturnStmt : Stmt {
  NL_NODE_KIND(ReturnStmt)
  Expr* value; // or null
};

struct ThrowStmt : Stmt {
  NL_NODE_KIND(ThrowStmt)
  Expr* value; // null: `throw;`, which rethrows the caught exception
};

struct CatchClause : Node {
  NL_NODE_KIND(CatchClause)
  Type* type;
  Ident name;
  BlockStmt* body;
  void* symbol;
};

struct TryStmt : Stmt {
  NL_NODE_KIND(TryStmt)
  BlockStmt* body;
  std::span<CatchClause*> catches;
  BlockStmt* finallyBody; // or null
};

struct AssertStmt : Stmt {
  NL_NODE_KIND(AssertStmt)
  Expr* condition;
  Expr* message; // or null
};

struct LockStmt : Stmt {
  NL_NODE_KIND(LockStmt)
  Expr* mutex;
  BlockStmt* body;
};

enum class SelectKind : std::uint8_t { Operation, Timeout, Default };

struct SelectCase : Node {
  NL_NODE_KIND(SelectCase)
  SelectKind selectKind;
  bool declares;   // `case T name = operation:`
  Type* type;      // of the variable; null for `var` or when none is declared
  Ident name;      // of the variable
  Expr* operation; // the call, for Timeout the milliseconds; null for Default
  std::span<Stmt*> body;
  void* symbol;
};

struct SelectStmt : Stmt {
  NL_NODE_KIND(SelectStmt)
  std::span<SelectCase*> cases;
};

struct UsingStmt : Stmt {
  NL_NODE_KIND(UsingStmt)
  LocalStmt* variable; // has an initializer
  Stmt* body;
};

struct Argument : Node {
  NL_NODE_KIND(Argument)
  Ident name; // empty: positional
  Expr* value;
  bool isOut;
};

/// `super(args);`
struct SuperCallStmt : Stmt {
  NL_NODE_KIND(SuperCallStmt)
  std::span<Argument*> arguments;
};

struct EmptyStmt : Stmt {
  NL_NODE_KIND(EmptyStmt)
};

struct ErrorStmt : Stmt {
  NL_NODE_KIND(ErrorStmt)
};

// ---- expressions
// ---------------------------------------------------------------------------------------------------------------

enum class IntKind : std::uint8_t { Int, UInt, Long, ULong };

/// A minus directly before the digits is part of the literal (`-2147483648` is an `int`).
struct IntLiteral : Expr {
  NL_NODE_KIND(IntLiteral)
  std::uint64_t bits; // two's complement, sign-extended to 64 bits
  IntKind intKind;
};

struct FloatLiteral : Expr {
  NL_NODE_KIND(FloatLiteral)
  double value;
  bool isFloat; // suffix `f`; then `value` was rounded to binary32
};

struct CharLiteral : Expr {
  NL_NODE_KIND(CharLiteral)
  char32_t value;
};

struct StringLiteral : Expr {
  NL_NODE_KIND(StringLiteral)
  std::string_view value; // escapes replaced
};

struct BoolLiteral : Expr {
  NL_NODE_KIND(BoolLiteral)
  bool value;
};

struct NullLiteral : Expr {
  NL_NODE_KIND(NullLiteral)
};

/// Either a piece of text or `${value:format}`.
struct InterpolationPart : Node {
  NL_NODE_KIND(InterpolationPart)
  std::string_view text;   // when `value` is null; escapes replaced
  Expr* value;             // or null
  std::string_view format; // "" when none
  SourceRange formatRange; // valid when `:` was written
};

struct InterpolatedString : Expr {
  NL_NODE_KIND(InterpolatedString)
  std::span<InterpolationPart*> parts; // at least one has a value; empty texts are left out
};

/// A name that may turn out to be a variable, function, type or module: `x`, `List<int>`, `f<int>`.
struct NameExpr : Expr {
  NL_NODE_KIND(NameExpr)
  Ident name;
  std::span<Type*> typeArguments;
  bool hasTypeArguments;
};

/// A type that can be nothing else, used as a value's qualifier: `int` in `int.max`.
struct TypeExpr : Expr {
  NL_NODE_KIND(TypeExpr)
  Type* type;
};

/// `a.b`, `a?.b`, `a.b<int>`
struct MemberExpr : Expr {
  NL_NODE_KIND(MemberExpr)
  Expr* target;
  Ident name;
  std::span<Type*> typeArguments;
  bool hasTypeArguments;
  bool isNullSafe; // `?.`: a null target ends the enclosing NullChainExpr
};

/// Encloses a whole chain of postfix operations with at least one `?.` in it.
struct NullChainExpr : Expr {
  NL_NODE_KIND(NullChainExpr)
  Expr* chain;
};

/// A call of a function or a construction; which of them is for semantic analysis to find out.
struct CallExpr : Expr {
  NL_NODE_KIND(CallExpr)
  Expr* callee;
  std::span<Argument*> arguments;
  bool isNew; // a leading `new` was written: the callee is a NameExpr, MemberExpr or TypeExpr that must name a type
};

struct IndexExpr : Expr {
  NL_NODE_KIND(IndexExpr)
  Expr* target;
  Expr* index;
};

enum class UnaryOp : std::uint8_t { Minus, Not, BitNot };
const char* textOf(UnaryOp op);

struct UnaryExpr : Expr {
  NL_NODE_KIND(UnaryExpr)
  UnaryOp op;
  Expr* operand;
};

enum class BinaryOp : std::uint8_t {
  Mul,
  Div,
  Rem,
  Add,
  Sub,
  Shl,
  Shr,
  UShr,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Xor,
  Or,
  AndAlso,
  OrElse,
  Coalesce,
};
const char* textOf(BinaryOp op);

struct BinaryOperand : Node {
  NL_NODE_KIND(BinaryOperand)
  BinaryOp op;
  SourceRange opRange;
  Expr* value;
};

/// `first op value op value …`, all operators of one precedence, to be taken from the left. (For `??` taking them from
/// the left or from the right is the same.)
struct BinaryExpr : Expr {
  NL_NODE_KIND(BinaryExpr)
  Expr* first;
  std::span<BinaryOperand*> rest; // at least one
};

/// `value as type`
struct CastExpr : Expr {
  NL_NODE_KIND(CastExpr)
  Expr* value;
  Type* type;
};

/// `value is type`
struct TypeTestExpr : Expr {
  NL_NODE_KIND(TypeTestExpr)
  Expr* value;
  Type* type;
};

struct ConditionalExpr : Expr {
  NL_NODE_KIND(ConditionalExpr)
  Expr* condition;
  Expr* thenValue;
  Expr* elseValue;
};

/// Exactly one of `block` and `expression` is set.
struct LambdaExpr : Expr {
  NL_NODE_KIND(LambdaExpr)
  std::span<Parameter*> parameters;
  BlockStmt* block;
  Expr* expression;
};

/// `new T[length]`; for `new int[n][]` the element is `int[]`.
struct NewArrayExpr : Expr {
  NL_NODE_KIND(NewArrayExpr)
  Type* element;
  Expr* length;
};

/// `value` or `key: value`. A key that is a NameExpr without type arguments may be the name of a field (rule L3.4).
struct BraceEntry : Node {
  NL_NODE_KIND(BraceEntry)
  Expr* key; // or null
  Expr* value;
};

/// `{…}`, `Type{…}`
struct BraceExpr : Expr {
  NL_NODE_KIND(BraceExpr)
  Type* type; // or null: from where it stands
  std::span<BraceEntry*> entries;
};

/// `[a, b]`
struct BracketExpr : Expr {
  NL_NODE_KIND(BracketExpr)
  std::span<Expr*> elements;
};

struct ThisExpr : Expr {
  NL_NODE_KIND(ThisExpr)
};

/// Only as the target of a MemberExpr.
struct SuperExpr : Expr {
  NL_NODE_KIND(SuperExpr)
};

/// `(inner)`; ends a `?.` chain.
struct ParenExpr : Expr {
  NL_NODE_KIND(ParenExpr)
  Expr* inner;
};

/// `from..to`, only as the `iterable` of a ForeachStmt.
struct RangeExpr : Expr {
  NL_NODE_KIND(RangeExpr)
  Expr* from;
  Expr* to;
};

/// What was parsed of a faulty expression is kept for editors.
struct ErrorExpr : Expr {
  NL_NODE_KIND(ErrorExpr)
  Expr* partial; // or null
};

#undef NL_NODE_KIND

inline bool isType(const Node* node) { return node->kind <= NodeKind::ErrorType; }
inline bool isDecl(const Node* node) { return node->kind >= NodeKind::ImportDecl && node->kind <= NodeKind::ErrorDecl; }
inline bool isStmt(const Node* node) { return node->kind >= NodeKind::BlockStmt && node->kind <= NodeKind::ErrorStmt; }
inline bool isExpr(const Node* node) { return node->kind >= NodeKind::IntLiteral && node->kind <= NodeKind::ErrorExpr; }

} // namespace nlang::syntax
