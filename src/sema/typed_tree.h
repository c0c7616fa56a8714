// The typed tree: what the checker makes of a body and the code generator walks.
//
// Everything the source leaves open is decided here: every expression has its type, every conversion is a node, every
// call names its function, its dispatch and one argument for each parameter (defaults filled in), every `break` names
// its target. In the body of a generic function types may mention type parameters; the code generator substitutes them
// as it goes, and decides then what ==, equals, hashCode, toString and the methods of a bound mean for the actual type.
//
// Nodes are arena-allocated and immutable once the body is checked. Order of evaluation is the order of the fields of a
// node unless said.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sema/symbols.h"
#include "sema/types.h"
#include "syntax/source.h"

namespace nlang::sema {

// ---------------------------------------------------------------- expressions

enum class ExpressionKind : uint8_t {
  kConstant,
  kDefault,
  kLocal,
  kStaticField,
  kThis,
  kField,
  kElement,
  kUnary,
  kBinary,
  kLogical,
  kConditional,
  kCoalesce,
  kConvert,
  kTypeTest,
  kCall,
  kCallValue,
  kNew,
  kNewArray,
  kListValue,
  kDictValue,
  kFieldsValue,
  kInterpolation,
  kLambda,
  kFunctionValue,
  kChain,
  kChainReceiver,
};

struct Expression {
  ExpressionKind kind;
  syntax::SourceRange range;
  const Type* type;
};

// A value known at compile time: scalars, enums, strings, null.
struct ConstantExpression : Expression {
  ConstantValue value;
};

// The default value of `type` (all-zero slots): `{}` for a scalar, string, struct, type parameter; an omitted field.
struct DefaultExpression : Expression {};

struct LocalExpression : Expression {
  VariableSymbol* variable;
};

// A module variable or static field (storage kStatic; constants are ConstantExpression already).
struct StaticFieldExpression : Expression {
  FieldSymbol* field;
};

// `this` of the enclosing method, also inside its lambdas.
struct ThisExpression : Expression {};

// object.field. The object may be of class type (null check) or a struct value or place.
struct FieldExpression : Expression {
  Expression* object;
  FieldSymbol* field;
};

// object[index]: arrays and List by int, Dict by key, string by byte offset (giving ubyte; not a place).
struct ElementExpression : Expression {
  enum class Container : uint8_t { kArray, kList, kDict, kString } container;
  Expression* object;
  Expression* index;
};

// Operand already has the operation's type, which is the expression's type.
struct UnaryExpression : Expression {
  enum class Op : uint8_t { kNegate, kNot /* bool */, kComplement } op;
  Expression* operand;
};

enum class BinaryOp : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
  kAnd,
  kXor,
  kOr,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
};

// Both operands have the same type (shifts: the right one is int or long), except that == and != compare references of
// related types and Object. kAdd of strings is concatenation (both operands are strings by then). For kEqual/kNotEqual
// the operands' type decides the meaning (L4.3): scalars, strings, enums by value; structs field by field; Object-typed
// operands may be boxed values; references by identity; function values by target and receiver. Comparisons have type
// bool; kLess … on strings compare bytes.
struct BinaryExpression : Expression {
  BinaryOp op;
  Expression* left;
  Expression* right;
};

// && and ||
struct LogicalExpression : Expression {
  bool isAnd;
  Expression* left;
  Expression* right;
};

// condition ? whenTrue : whenFalse, both already of the expression's type.
struct ConditionalExpression : Expression {
  Expression* condition;
  Expression* whenTrue;
  Expression* whenFalse;
};

// value ?? fallback. `value` is a reference (null gives the fallback), a ChainExpression (also when the chain met a
// null, L4.6), or a CoalesceExpression whose fallback is one.
struct CoalesceExpression : Expression {
  Expression* value;
  Expression* fallback; // both already of the expression's type
};

enum class Conversion : uint8_t {
  kNumeric, // between numbers, char → number, enum → number; truncates and saturates per L2.5, never throws
  kToChar,  // integer → char, checked: CastException
  kToEnum,  // integer → enum, checked: CastException
  kBox,     // scalar, string, enum or struct → Object or an interface it implements. (A string is already an object: no
            // box.)
  kUnbox,  // Object or interface → scalar, string, enum, struct; exact type or CastException; null throws CastException
  kUpcast, // reference to a base class or interface: no code
  kDowncast, // reference to a class, interface, array or function type, checked: CastException; null passes
  kToText,   // any value → string by its toString (L2.6); may call user code
  kGeneric,  // `as` where source or target mentions a type parameter: decided after substitution
};

struct ConvertExpression : Expression {
  Conversion conversion;
  Expression* operand;
};

struct TypeTestExpression : Expression { // operand is testedType
  Expression* operand;
  const Type* testedType;
};

enum class Dispatch : uint8_t { kStatic, kVirtual, kInterface };

// One argument of a call. For an `out` parameter `value` is the place: its parts (object, index) are evaluated in
// argument order, the store happens after the call returned normally. `parameter` maps evaluation order (textual) to
// the callee's parameter.
struct Argument {
  Expression* value;
  uint32_t parameter;
  bool isOut;
};

// A call of a known function. Arguments stand in the order of evaluation (textual order, then defaults in parameter
// order). A default value that reads earlier parameters refers to their VariableSymbols: the code generator binds those
// to the argument registers.
struct CallExpression : Expression {
  FunctionSymbol* function;
  Dispatch dispatch;    // kStatic also for super.m() and for methods that do not dispatch
  Expression* receiver; // null for functions, static methods; struct methods take the struct's value
  std::span<const Type* const>
      ownerArguments; // type arguments of function->owner as seen at this call, if it is generic
  std::span<const Type* const> typeArguments; // of the function itself
  std::span<const Argument> arguments;
};

// A call of a function value. A null one throws NullPointerException.
struct CallValueExpression : Expression {
  Expression* callee;
  std::span<const Argument> arguments;
};

// C(args): allocation and constructor call. type is the class type. Built-in classes too (Channel<int>(3)).
struct NewExpression : Expression {
  FunctionSymbol* constructor;
  std::span<const Argument> arguments;
};

// new T[length]: type is T[]; elements are defaults.
struct NewArrayExpression : Expression {
  Expression* length;
};

// [a, b] or {a, b}: type is an array, List or Set type; elements already have the element type. Evaluated in order.
struct ListValueExpression : Expression {
  std::span<Expression* const> elements;
};

struct DictEntry {
  Expression* key;
  Expression* value;
};
struct DictValueExpression : Expression {
  std::span<const DictEntry> entries;
}; // type is a Dict type

struct FieldValue {
  FieldSymbol* field;
  Expression* value;
};
// Point{x: 1}: a struct, or a class made by `constructor` (its parameterless one), then the fields set in order.
struct FieldsValueExpression : Expression {
  FunctionSymbol* constructor; // null for structs
  std::span<const FieldValue> fields;
};

struct InterpolationPart {
  std::string_view text;   // literal text before `value`
  Expression* value;       // null for the last part if the string ends in text; a string already unless `format` is set
  std::string_view format; // format specification without the colon; empty if none; then value is a scalar or a string
};
struct InterpolationExpression : Expression {
  std::span<const InterpolationPart> parts;
};

// A lambda: function->captures and capturesThis are known when the enclosing body has been checked.
struct LambdaExpression : Expression {
  FunctionSymbol* function;
};

// f, obj.method, Type.staticMethod without parentheses.
// The value of a name; its type is func<void, …> where the result is dropped.
struct FunctionValueExpression : Expression {
  FunctionSymbol* function;
  Dispatch dispatch;
  Expression* receiver; // null if none
  std::span<const Type* const> ownerArguments;
  std::span<const Type* const> typeArguments;
};

// receiver?.rest: if receiver is null the value is the default of `type`; else `rest`, in which the innermost
// ChainReceiver stands for the receiver's value. Chains nest to the left: a?.b?.c is Chain(Chain(a, .b), .c) with
// outer.skipsWhole when the inner met a null.
struct ChainExpression : Expression {
  Expression* receiver;
  Expression* rest;
};
struct ChainReceiverExpression : Expression {};

// ---------------------------------------------------------------- statements

enum class StatementKind : uint8_t {
  kBlock,
  kExpression,
  kLocal,
  kAssign,
  kIf,
  kWhile,
  kDoWhile,
  kFor,
  kForEach,
  kSwitch,
  kBreak,
  kContinue,
  kReturn,
  kThrow,
  kTry,
  kLock,
  kUsing,
  kSelect,
  kAssert,
};

struct Statement {
  StatementKind kind;
  syntax::SourceRange range;
};

struct Block : Statement {
  std::span<Statement* const> statements;
};

struct ExpressionStatement : Statement {
  Expression* expression;
};

struct LocalStatement : Statement {
  VariableSymbol* variable;
  Expression* initializer; // null: stays unassigned (definite assignment guards it)
};

// place = value, or place op= value. The place is a Local, StaticField, Field or Element expression (or a Field of a
// struct in such a place: list[i].x = v) and is evaluated once. With `compound`, the operation happens in operationType
// (both operands converted to it) and its result is converted back to the place's type; string += takes a value that is
// a string already; x++ is x += 1.
struct AssignStatement : Statement {
  Expression* place;
  Expression* value; // of the place's type, or of operationType (shifts: int or long) if compound
  bool compound;
  BinaryOp op;               // if compound
  const Type* operationType; // if compound
};

struct IfBranch {
  Expression* condition;
  Statement* body;
  syntax::SourceRange range; // from its `if` on
};
struct IfStatement : Statement {
  std::span<const IfBranch> branches; // at least one; more are `else if`
  Statement* otherwise;               // may be null
};

// Loops and the other targets of `break` and `continue` are statements; Break/Continue point at them.
struct WhileStatement : Statement {
  Expression* condition;
  Statement* body;
};
struct DoWhileStatement : Statement {
  Statement* body;
  Expression* condition;
};

// Variables declared in `initializer` are fresh in each iteration, copied before the update clause (L4.8).
struct ForStatement : Statement {
  std::span<Statement* const> initializer;
  std::span<VariableSymbol* const> variables;
  Expression* condition; // may be null
  std::span<Statement* const> update;
  Statement* body;
};

struct ForEachStatement : Statement {
  enum class Source : uint8_t { kRange, kArray, kList, kSet, kDict, kString, kChannel, kIterable } source;
  VariableSymbol* variable;      // the element, key or char; its type may be wider than the element type
  VariableSymbol* valueVariable; // kDict with two variables, else null
  Expression* sequence;          // kRange: the lower bound
  Expression* upper;             // kRange only: exclusive upper bound, of the same type (int or long)
  const Type* elementType;       // what the sequence yields, before conversion to the variable's type
  Expression* elementConversion; // converts ChainReceiver (the element) to the variable's type; null if none is needed
  Statement* body;
};

struct SwitchCase {
  std::span<const ConstantValue> values; // empty for default
  bool isDefault;
  Block* body;
};
struct SwitchStatement : Statement {
  Expression* subject; // integer, char, string, enum, floating
  std::span<const SwitchCase> cases;
};

struct BreakStatement : Statement {
  Statement* target;
};
struct ContinueStatement : Statement {
  Statement* target;
};

struct ReturnStatement : Statement {
  Expression* value; /* null in void functions; already of the result type */
};

struct ThrowStatement : Statement {
  Expression* value; /* null for `throw;`: rethrows catchVariable */
  VariableSymbol* catchVariable;
};

struct CatchClause {
  const Type* type;         // an exception class. Exception itself does not catch CancelledException (L5.7)
  VariableSymbol* variable; // always present (made up if the source has none)
  Block* body;
};
struct TryStatement : Statement {
  Block* body;
  std::span<const CatchClause> catches;
  Block* finallyBody; // may be null
};

// lock (mutex) body: Mutex or ReentrantMutex, or a class with lock()/unlock(): the calls are given.
struct LockStatement : Statement {
  Expression* mutex;
  FunctionSymbol* lockFunction;
  FunctionSymbol* unlockFunction;
  Block* body;
};

// using (var r = expr) body: close() on every way out.
struct UsingStatement : Statement {
  VariableSymbol* variable;
  Expression* value;
  FunctionSymbol* close; // the method to call: of the variable's type; dispatched virtually or by interface
  Dispatch closeDispatch;
  Block* body;
};

struct SelectBranch {
  enum class Operation : uint8_t { kReceive, kSend, kGet, kTimeout, kDefault } operation;
  VariableSymbol* variable; // kReceive, kGet: may be null
  Expression* object;       // the channel or future; kTimeout: milliseconds as long
  Expression* value;        // kSend
  Block* body;
};
struct SelectStatement : Statement {
  std::span<const SelectBranch> branches;
};

struct AssertStatement : Statement {
  Expression* condition;
  Expression* message;   // a string, evaluated only on failure; may be null
  std::string_view text; // the condition's source text, for the message when none is given
};

// ---------------------------------------------------------------- the whole program

// What the checker hands to the code generator if there was no error.
struct TypedProgram {
  std::span<ModuleSymbol* const>
      modules; // dependencies first; initialisation order of module variables is `initialization`
  std::span<FieldSymbol* const> initialization; // static fields and module variables in the order they are initialised
  std::vector<FunctionSymbol*> entries;         // what can be run: main, or the tests of a module; empty for a library
  bool isTests = false;                         // `entries` are tests
  ModuleSymbol* prelude = nullptr;              // std/prelude.n: Object, Exception, List, Thread, … visible everywhere
};

} // namespace nlang::sema
