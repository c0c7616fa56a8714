// Checking bodies and initialisers: syntax → typed tree.
//
// Checking is bidirectional: `check(node, expected)` may be told which type is wanted; only brace and bracket values,
// lambdas, function names and `?:` listen to it, and nobody relies on the result having that type — `checkAs` converts
// and reports. A value of the error type was reported already and is silently accepted everywhere.
//
// One BodyChecker serves one function, with the lambdas in it, or one initialiser. The methods are spread over files by
// family:
//   body_checker.cpp  entry points, scopes, conversions        names.cpp       what a name or member denotes
//   operators.cpp     operators, literals, interpolation       calls.cpp, candidates.cpp  arguments, overloads
//   lambdas.cpp       lambdas and function values              aggregates.cpp  brace and bracket values
//   statements.cpp    simple statements, places                control.cpp     loops, switch, try, select, lock, using
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "sema/inference.h"
#include "sema/overloads.h"
#include "sema/program.h"

namespace nlang::sema {

// What a name, a member access or a type in an expression stands for.
struct Denotation {
  enum class Kind : uint8_t { kError, kValue, kType, kModule, kModulePath, kFunctions };
  Kind kind = Kind::kError;
  Expression* value = nullptr;            // kValue
  const Type* type = nullptr;             // kType: null for a generic class named without arguments
  ClassInfo* declaration = nullptr;       // kType: null for types that are not declared (int, T)
  ModuleInfo* module = nullptr;           // kModule
  std::vector<std::string_view> path;     // kModule, kModulePath: as written so far
  std::vector<FoundFunction> functions;   // kFunctions: the visible ones
  Expression* receiver = nullptr;         // kFunctions: of methods
  bool isSuper = false;                   // kFunctions: super.m, which does not dispatch
  std::vector<const Type*> typeArguments; // kFunctions: written ones
  bool hasTypeArguments = false;
  syntax::SourceRange range; // the name itself
  std::string_view name;
};

// A lambda whose body is checked but whose result may still be converted to what its target wants.
struct LambdaDraft {
  const syntax::LambdaExpr* syntax = nullptr;
  FunctionInfo* function = nullptr;
  std::vector<const Type*> parameterTypes;
  uint64_t outMask = 0;
  std::vector<ReturnStatement*> returns; // with values, not yet converted if `resultType` was inferred
  Statement** bodyStatement = nullptr;   // the one statement of an expression lambda
  const Type* resultType = nullptr; // kVoid without values; the common type of the returns; kError if there is none
  const ConstantValue* constant = nullptr; // of an expression lambda
};

// An argument on its way into a call.
struct CallArgument {
  enum class State : uint8_t {
    kChecked,  // `value` is final but for its conversion
    kLambda,   // a lambda with written parameter types: `draft`
    kDeferred, // needs its parameter's type: an unwritten lambda, a brace or bracket value, a conditional of such
    kGroup,    // the name of several functions or of a generic one: `group`
  };
  const syntax::Argument* syntax = nullptr;
  State state = State::kChecked;
  Expression* value = nullptr;
  std::unique_ptr<LambdaDraft> draft;
  std::unique_ptr<Denotation> group;
};

// What a call wants beside its arguments.
struct CallRequest {
  const std::vector<const Type*>* writtenTypes = nullptr; // `f<int>(…)`, or null
  const ClassInfo* constructed = nullptr; // a generic class named without arguments, which are to be inferred
  syntax::SourceRange range;              // the whole call
  syntax::SourceRange nameRange;          // what is called
  std::string_view name;
};

// Why a candidate does not fit: a row of the table of diagnostics and its arguments.
struct Rejection {
  syntax::DiagId id{};
  syntax::SourceRange range;
  std::string first, second, third;
};

// A candidate of a call and how it fits.
struct CallCandidate {
  FoundFunction function;
  bool isSole = false; // no other one was there from the start: mismatches are reported in detail, one by one
  bool isApplicable = false;
  Rejection rejection;                              // if it is not
  std::vector<uint32_t> parameterOf;                // argument → parameter
  std::vector<const Type*> parameterTypes;          // by parameter, after substitution
  std::vector<const Type*> typeArguments;           // of the function, or of the class that is constructed
  std::vector<Expression*> values;                  // by argument: deferred ones, checked for this candidate
  std::vector<std::unique_ptr<LambdaDraft>> drafts; // by argument: deferred lambdas, checked for this candidate
  std::vector<ArgumentMatch> matches;               // by argument
  std::unique_ptr<syntax::DiagnosticSink> messages; // of deferred arguments on trial; reported if this one is chosen
  bool usesDefaults = false;
};

// Where `break` and `continue` can go.
struct JumpTarget {
  Statement* statement = nullptr;
  std::string_view label;
  bool isLoop = false;
};

// A function or lambda whose body is being checked.
struct FunctionFrame {
  FunctionInfo* function = nullptr; // null in an initialiser
  FunctionFrame* outer = nullptr;
  const Type* resultType = nullptr;                 // null: to be inferred from the returns of a lambda
  std::vector<ReturnStatement*>* returns = nullptr; // lambdas: collects them
  std::vector<JumpTarget> targets;                  // innermost last
  syntax::SourceRange bareReturn;                   // the first `return;`, if there is one
  std::vector<VariableSymbol*> caught;              // variables of the catch clauses around, innermost last
};

class BodyChecker {
 public:
  BodyChecker(Program& program, ModuleInfo* module, ClassInfo* owner, bool hasThis);

  // The body of `function`, its superCall included.
  void checkFunction(FunctionInfo& function);
  // `node` as a value of type `target`, in the scope of the module or class. For a default value, `function` is the one
  // it belongs to and `parameters` those before it.
  Expression* checkInitializer(const syntax::Expr* node, const Type* target, FunctionInfo* function,
                               std::span<VariableSymbol* const> parameters);

 private:
  using DiagId = syntax::DiagId;

  // ---- body_checker.cpp
  template <class T, class... Args>
  T* make(ExpressionKind kind, syntax::SourceRange range, const Type* type, Args... args) {
    return p_.arena.make<T>(Expression{kind, range, type}, args...);
  }
  template <class T, class... Args> T* makeStatement(StatementKind kind, syntax::SourceRange range, Args... args) {
    return p_.arena.make<T>(Statement{kind, range}, args...);
  }
  // A statement whose other fields are filled in afterwards.
  template <class T> T* startStatement(StatementKind kind, syntax::SourceRange range) {
    T* statement = p_.arena.make<T>();
    statement->kind = kind;
    statement->range = range;
    return statement;
  }
  // Warnings are for whoever wrote the program, so those about the standard library go nowhere.
  template <class... Args> syntax::Diagnostic& report(DiagId id, syntax::SourceRange range, const Args&... args) {
    bool isDropped = module_->isStandard && syntax::infoOf(id).severity == syntax::Severity::Warning;
    return (isDropped ? p_.dropped : *p_.diagnostics).report(id, range, args...);
  }
  void checkSuperCall(FunctionInfo& function, const syntax::SuperCallStmt* call);
  Expression* errorExpression(syntax::SourceRange range);
  Expression* constant(const ConstantValue& value, const Type* type, syntax::SourceRange range);
  static const ConstantValue* constantOf(const Expression* expression);
  static Operand operandOf(const Expression* expression) { return {expression->type, constantOf(expression)}; }

  Expression* check(const syntax::Expr* node, const Type* expected = nullptr);
  Expression* checkValue(const syntax::Expr* node, const Type* expected = nullptr); // void is an error
  Expression* checkAs(const syntax::Expr* node, const Type* target);
  Expression* checkCondition(const syntax::Expr* node);
  bool mayTry() const { return p_.trialCount < Program::kMostTrials; }
  void checkPoisoned(const syntax::Expr* node); // when the call around it has failed: only to mark what it uses
  Expression* convert(Expression* value, const Type* target);    // implicit; reports
  Expression* tryConvert(Expression* value, const Type* target); // null if there is no implicit conversion
  Expression* toText(Expression* value);
  void explainConversion(syntax::Diagnostic& diagnostic, const Expression* value, const Type* target);
  bool needsTarget(const syntax::Expr* node);
  bool returnNeedsTarget(const syntax::Stmt* statement);

  struct Visible {
    VariableSymbol* variable;
    uint32_t depth;
  };
  void pushScope();
  void popScope();
  VariableSymbol* declare(const syntax::Ident& name, const Type* type);
  void bringIntoScope(VariableSymbol* variable);
  TypeScope typeScope() const;
  const Type* resolveType(const syntax::Type* type) { return p_.resolve(type, typeScope()); }
  std::string_view sourceText(syntax::SourceRange range) const;

  // ---- names.cpp
  // How a member is reached: through a value, a type, or by its plain name inside its class.
  struct Access {
    enum Kind : uint8_t { kImplicit, kType, kValue } kind;
    Expression* receiver; // kValue
    const Type* type;
  };
  Denotation denote(const syntax::Expr* node);
  Denotation valueDenotation(Expression* value);
  Denotation denoteName(const syntax::NameExpr& node);
  Denotation denoteMember(const syntax::MemberExpr& node);
  Denotation denoteSuperMember(const syntax::MemberExpr& node);
  Denotation denoteTopLevel(const TopLevel& place, ModuleInfo& home, const syntax::Ident& name,
                            std::span<syntax::Type* const> arguments, bool hasArguments, syntax::SourceRange range);
  Denotation denoteType(const Type* type, syntax::SourceRange range);
  Denotation memberOfModule(const Denotation& target, const syntax::MemberExpr& node);
  Denotation memberOfType(const Denotation& target, const syntax::MemberExpr& node);
  Denotation memberOfValue(Expression* target, const syntax::MemberExpr& node);
  Denotation membersToDenotation(FoundMembers found, const Access& access, const syntax::Ident& name,
                                 std::span<syntax::Type* const> arguments, bool hasArguments,
                                 syntax::SourceRange range);
  Expression* valueOf(Denotation&& denotation, const Type* expected);
  Expression* fieldValue(FieldInfo* field, std::span<const Type* const> ownerArguments, Expression* receiver,
                         syntax::SourceRange range);
  Expression* variableValue(VariableSymbol* variable, syntax::SourceRange range);
  Expression* thisValue(syntax::SourceRange range);
  bool isVisible(const Symbol& symbol, const ClassSymbol* owner) const;
  bool isStaticFunction(const FunctionInfo& function) const;
  void suggestName(syntax::Diagnostic& diagnostic, std::string_view name);
  void suggestMember(syntax::Diagnostic& diagnostic, const Type* type, std::string_view name);
  Expression* checkNullChain(const syntax::NullChainExpr& node);
  Expression* checkChainFrom(const syntax::Expr* chain);
  Denotation failed() { return {}; }

  // ---- operators.cpp
  Expression* checkUnary(const syntax::UnaryExpr& node);
  Expression* checkBinary(const syntax::BinaryExpr& node, const Type* expected);
  Expression* binary(BinaryOp op, Expression* left, Expression* right, syntax::SourceRange range,
                     syntax::SourceRange opRange);
  Expression* logical(bool isAnd, Expression* left, Expression* right, syntax::SourceRange range);
  const Type* meet(std::span<Expression* const> values, const Type* expected);
  static bool mayMeetNull(const Expression* value);
  Expression* convertCoalesced(Expression* value, const Type* type);
  Expression* coalesce(Expression* value, const syntax::Expr* fallback, const Type* expected);
  Expression* checkConditional(const syntax::ConditionalExpr& node, const Type* expected);
  Expression* checkCast(const syntax::CastExpr& node);
  Expression* checkTypeTest(const syntax::TypeTestExpr& node);
  Expression* checkInterpolation(const syntax::InterpolatedString& node);
  Expression* checkIndex(const syntax::IndexExpr& node);
  Expression* convertByAs(Expression* value, const Type* target, syntax::SourceRange range);

  // ---- calls.cpp
  Expression* checkCall(const syntax::CallExpr& node);
  Expression* callFunctions(Denotation&& callee, std::span<syntax::Argument* const> arguments,
                            syntax::SourceRange range);
  Expression* callValue(Expression* callee, std::span<syntax::Argument* const> arguments, syntax::SourceRange range);
  Expression* construct(const Denotation& type, std::span<syntax::Argument* const> arguments,
                        syntax::SourceRange range);
  bool canConstruct(const Type* type, const ClassInfo* declaration, syntax::SourceRange range);
  std::vector<CallArgument> checkArguments(std::span<syntax::Argument* const> arguments);
  void dropArguments(std::vector<CallArgument>& arguments);
  Expression* failedCall(std::vector<CallArgument>& arguments, syntax::SourceRange range);
  std::span<const Argument> finishArguments(CallCandidate& candidate, std::vector<CallArgument>& arguments);
  static Dispatch dispatchOf(const FunctionInfo& function, bool isSuper);
  Expression* asInterface(Expression* receiver, const FunctionInfo& function,
                          std::span<const Type* const> ownerArguments);
  Expression* makeCall(FunctionInfo* function, std::span<const Type* const> ownerArguments,
                       std::span<const Type* const> typeArguments, Expression* receiver, bool isSuper,
                       std::span<const Argument> arguments, syntax::SourceRange range);

  // ---- candidates.cpp
  enum class Fit : uint8_t { kQuick, kFull };
  CallCandidate* chooseCandidate(std::vector<CallCandidate>& candidates, std::vector<CallArgument>& arguments,
                                 const CallRequest& request);
  CallCandidate* pickCandidate(std::vector<CallCandidate>& candidates, std::vector<CallArgument>& arguments,
                               const CallRequest& request);
  void keepChecked(CallCandidate& candidate, std::vector<CallArgument>& arguments);
  bool matchArguments(CallCandidate& candidate, std::span<const CallArgument> arguments, const CallRequest& request);
  bool fit(CallCandidate& candidate, std::vector<CallArgument>& arguments, const CallRequest& request, Fit mode);
  bool inferArguments(CallCandidate& candidate, std::vector<CallArgument>& arguments, const CallRequest& request,
                      Inference& inference, Fit mode);
  bool inferDeferred(CallCandidate& candidate, CallArgument& argument, size_t index, const Type* parameter,
                     Inference& inference);
  bool draftDeferred(CallCandidate& candidate, const syntax::LambdaExpr& node, size_t index, const Type* target,
                     const Type* result);
  bool fitArgument(CallCandidate& candidate, CallArgument& argument, size_t index, const Type* target);
  Expression* openAggregate(const syntax::Expr* node, const Type* parameter, bool isSole);
  bool mayFit(const syntax::Expr* node, const Type* parameter);
  bool takesWrittenTypes(CallCandidate& candidate, const CallRequest& request,
                         std::span<TypeParameterSymbol* const> parameters);
  bool reject(CallCandidate& candidate, DiagId id, syntax::SourceRange range, std::string first = {},
              std::string second = {}, std::string third = {});
  bool rejectInference(CallCandidate& candidate, const InferenceFailure& failure, const CallRequest& request);
  void reportRejection(const CallCandidate& candidate);
  void reportNoCandidate(std::vector<CallCandidate>& candidates, std::span<const CallArgument> arguments,
                         const CallRequest& request);
  std::string signatureOf(const FoundFunction& function);
  const Type* typeOfArgument(const CallArgument& argument);

  // ---- lambdas.cpp
  Expression* checkLambda(const syntax::LambdaExpr& node, const Type* expected);
  // Null entries of `types` are left to the written ones. `resultType`: null to infer it.
  LambdaDraft draftLambda(const syntax::LambdaExpr& node, std::span<const Type* const> types, const Type* resultType);
  bool lambdaFits(const syntax::LambdaExpr& node, const Type* target) const; // number and directions of parameters
  std::vector<const Type*> writtenParameters(const syntax::LambdaExpr& node);
  void convertLambdaResult(LambdaDraft& draft, const Type* resultType);
  Expression* finishLambda(LambdaDraft& draft);
  Expression* functionValue(Denotation&& group, const Type* expected);
  // The function of `group` with the parameters of `target`, and its type arguments; null if there is none.
  const FoundFunction* functionFor(const Denotation& group, const Type* target,
                                   std::vector<const Type*>& typeArguments);
  Expression* makeFunctionValue(const FoundFunction& found, std::span<const Type* const> typeArguments,
                                const Denotation& group);
  const Type* typeOfFunction(const FoundFunction& found, std::span<const Type* const> typeArguments);

  // ---- aggregates.cpp
  Expression* checkBrace(const syntax::BraceExpr& node, const Type* expected);
  Expression* checkBracket(const syntax::BracketExpr& node, const Type* expected);
  Expression* elementsValue(std::span<const syntax::Expr* const> elements, const Type* expected,
                            syntax::SourceRange range);
  const Type* commonElementType(std::span<const syntax::Expr* const> elements, std::vector<Expression*>& values,
                                syntax::SourceRange range);
  const Type* nestedElementType(std::span<const syntax::Expr* const> elements, std::vector<Expression*>& values);
  const Type* elementOf(const Type* target, const Type*& made);
  Expression* dictValue(std::span<syntax::BraceEntry* const> entries, const Type* target, syntax::SourceRange range);
  Expression* dictOfCommonType(std::span<syntax::BraceEntry* const> entries, syntax::SourceRange range);
  Expression* fieldsValue(std::span<syntax::BraceEntry* const> entries, const Type* target, syntax::SourceRange range);
  Expression* emptyValue(const Type* target, syntax::SourceRange range);

  // ---- statements.cpp
  Block* checkBlock(const syntax::BlockStmt& block, bool ownScope = true);
  Block* checkStatements(std::span<syntax::Stmt* const> statements, syntax::SourceRange range);
  Statement* checkStatement(const syntax::Stmt* statement);
  Statement* checkBody(const syntax::Stmt* statement); // of a branch or loop: a scope of its own
  Statement* checkLocal(const syntax::LocalStmt& node);
  Expression* poisoned(const syntax::Expr* node); // checkPoisoned, and an expression to stand for it
  void rememberConstant(VariableSymbol* variable, const Expression* value);
  Statement* checkExpressionStatement(const syntax::ExprStmt& node);
  Statement* checkAssign(const syntax::AssignStmt& node);
  Statement* checkStep(const syntax::StepStmt& node);
  Statement* compoundAssign(Expression* place, BinaryOp op, Expression* value, syntax::SourceRange range,
                            std::string_view text);
  Statement* checkReturn(const syntax::ReturnStmt& node);
  Statement* checkThrow(const syntax::ThrowStmt& node);
  Statement* checkAssert(const syntax::AssertStmt& node);
  Expression* checkPlace(const syntax::Expr* node, bool isOut);
  void declareBroken(const syntax::Expr* node);
  bool isAssignable(const Expression* place, syntax::SourceRange range);
  bool isStructPlace(const Expression* object, syntax::SourceRange range);
  Statement* emptyStatement(syntax::SourceRange range);

  // ---- control.cpp
  Statement* checkIf(const syntax::IfStmt& node);
  Statement* checkLoopBody(Statement* loop, const syntax::Ident& label, const syntax::Stmt* body);
  Statement* checkWhile(const syntax::WhileStmt& node);
  Statement* checkDo(const syntax::DoStmt& node);
  Statement* checkFor(const syntax::ForStmt& node);
  Statement* checkForeach(const syntax::ForeachStmt& node);
  Expression* checkSequence(const syntax::Expr* node, const Type* wanted);
  void findSequence(ForEachStatement& loop, const syntax::ForeachStmt& node, const Type* wanted,
                    const Type*& valueType);
  Statement* checkJump(const syntax::Stmt& node, const syntax::Ident& label, bool isBreak);
  Statement* checkSwitch(const syntax::SwitchStmt& node);
  Statement* checkTry(const syntax::TryStmt& node);
  bool isCancelled(const ClassSymbol* type) const;
  FunctionInfo* findPlainMethod(const Type* type, std::string_view name);
  Statement* checkLock(const syntax::LockStmt& node);
  Statement* checkUsing(const syntax::UsingStmt& node);
  Statement* checkSelect(const syntax::SelectStmt& node);
  SelectBranch checkSelectCase(const syntax::SelectCase& node);
  const Type* checkSelectOperation(const syntax::SelectCase& node, SelectBranch& branch);

  Program& p_;
  ModuleInfo* module_;
  ClassInfo* owner_;                 // null at top level
  FunctionInfo* function_ = nullptr; // the declared function around everything; null in an initialiser
  bool hasThis_;
  bool isInSuperCall_ = false;     // `this` may not be used yet
  FunctionFrame* frame_ = nullptr; // the innermost function or lambda
  absl::flat_hash_map<std::string_view, Visible> visible_;
  std::vector<std::pair<std::string_view, Visible>> hidden_; // what to restore when scopes end; null variable: nothing
  std::vector<size_t> scopes_;                               // sizes of hidden_ at the starts of the open scopes
  absl::flat_hash_map<const VariableSymbol*, ConstantValue> localConstants_;
  bool isUncertain_ = false; // the call being resolved has an argument of the error type
  bool isSilenced_ = false;  // the call being resolved cannot be decided because of such an argument
  std::vector<std::pair<const syntax::Expr*, Expression*>>
      chainReceivers_; // `?.` accesses being checked and their receivers
};

// Collects diagnostics apart while something is checked on trial.
class TrialScope {
 public:
  TrialScope(Program& program, syntax::DiagnosticSink& sink) : program_(program), saved_(program.diagnostics) {
    program.diagnostics = &sink;
    ++program.trialDepth;
    ++program.trialCount;
  }
  ~TrialScope() {
    program_.diagnostics = saved_;
    if (--program_.trialDepth == 0) program_.trialCount = 0;
  }
  TrialScope(const TrialScope&) = delete;
  TrialScope& operator=(const TrialScope&) = delete;

 private:
  Program& program_;
  syntax::DiagnosticSink* saved_;
};

} // namespace nlang::sema
