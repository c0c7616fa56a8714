// The code of one function.
//
// A value of n leaves stands in n consecutive registers. `evaluate` answers where a value came to stand: a local
// variable is used where it is, anything else is in temporaries or in the registers that the caller proposed (Target).
// Rules that hold everywhere:
//
// - Registers of a value may be read until the statement ends, unless the caller releases them. Only `out` arguments
// change a variable in
//   the middle of a statement (after their call); such variables are copied when they are read
//   (VariableSymbol::isPassedOut).
// - A proposed target that is not fresh is a variable that other operands or an exception handler may still read. It is
// written by one
//   last instruction that cannot be interrupted by a throw, never piece by piece. Fresh targets may be written early
//   and in pieces.
// - Every register that a merge of control may read has been written on every way into it, because frames are not
// zeroed: references that
//   are declared without a value are set to null.
//
// The methods are spread over files by family; see the headings below.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "bytecode/builder.h"
#include "codegen/instance.h"
#include "codegen/program_generator.h"
#include "codegen/representation.h"
#include "codegen/type_layout.h"
#include "sema/typed_tree.h"

namespace nlang::codegen {

constexpr uint16_t kNoRegister = 0xffff;
// Argument and result counts of a call have eight bits each.
constexpr size_t kMaxCallSlots = 255;

// The registers of a function's arguments and results, for each whether it holds a reference.
struct Signature {
  std::vector<bool> parameters;
  std::vector<bool> results; // the result, then `out` parameters
  const sema::Type* resultType = nullptr;
};
Signature signatureOf(ProgramGenerator& program, const Instance& instance);

// Consecutive registers that hold a value.
struct Value {
  uint16_t reg = 0;
  uint16_t count = 0;
  bool isTemporary = false; // taken from the allocator for this value alone

  Value part(uint32_t first, uint32_t length) const {
    return {static_cast<uint16_t>(reg + first), static_cast<uint16_t>(length), false};
  }
};

// Where a value should go if that is convenient.
struct Target {
  uint16_t reg = kNoRegister;
  bool isFresh = true; // nothing else reads these registers before the value is complete

  bool isGiven() const { return reg != kNoRegister; }
};

// A place whose parts have been evaluated once: a variable, a field, an element, or some leaves of one.
struct Place {
  enum class Kind : uint8_t { kRegisters, kField, kGlobal, kArray, kList, kDict } kind = Kind::kRegisters;
  const sema::Type* type = nullptr; // of the value there
  Value object = {};                // kField: the object; elements: the container
  Value index = {};                 // elements: the index or key
  uint32_t base = 0; // kRegisters: the first register; kField: byte offset of `whole`; kGlobal: the first global
  const TypeLayout* whole = nullptr;         // what stands at `base` or is the element
  uint32_t firstLeaf = 0;                    // of the value in `whole`
  const sema::Type* containerType = nullptr; // kDict
  syntax::SourceRange range = {};
};

class FunctionGenerator {
 public:
  FunctionGenerator(ProgramGenerator& program, const Instance& instance);
  void generate(bytecode::Function& out);

 private:
  using Op = bytecode::Op;
  using Label = bytecode::Label;
  using Type = sema::Type;
  using Expression = sema::Expression;
  using TypeList = std::span<const Type* const>;

  // How a body sees types and `this`: changes while a default argument is evaluated in its callee's scope.
  struct Context {
    const Type* owner = nullptr;     // concrete class whose member the code is
    const Type* arguments = nullptr; // of the outermost function, as Instance::arguments
    sema::Substitution outer, own;   // of the class, of the function
    Value self;                      // `this`
    const Type* selfType = nullptr;
  };
  // Where a variable is kept.
  struct Storage {
    uint16_t reg = 0; // of the value, or of the cell
    bool isCell = false;
    const Type* type = nullptr;
  };
  // A way out of a protected region.
  struct Exit {
    enum class Kind : uint8_t { kReturn, kBreak, kContinue } kind;
    const sema::Statement* target; // kBreak, kContinue
    friend bool operator==(const Exit&, const Exit&) = default;
  };
  // A statement whose clean-up code must run on every way out, while its body is generated.
  struct Region {
    Label cleanup;             // the copy for exits
    uint16_t continuation = 0; // says which exit is under way: 0 is the normal end, k is exits[k - 1]
    uint16_t exception = 0;    // the exception under way; null on other ways if the copy is shared
    bool isShared = false;     // one copy of the clean-up serves exits and exceptions
    absl::InlinedVector<Exit, 4> exits;
    Label failed;             // where an exception that the clean-up throws arrives
    uint16_t replacement = 0; // that exception
  };
  struct JumpTarget {
    Label breakLabel, continueLabel;
    size_t regionDepth = 0; // regions_ around the statement
  };
  // A call being prepared. Registers are in the order of the callee's parameters.
  struct CallArguments {
    absl::InlinedVector<uint16_t, 8> registers;
    absl::InlinedVector<Value, 8> values; // to be released before the results are placed
    absl::InlinedVector<Place, 1> outs;   // places of `out` arguments, in the order of the parameters
    absl::InlinedVector<const Type*, 1> outTypes;
  };
  // Which registers a call's results take and what of them is the value.
  struct Callee {
    Op op;
    uint32_t target;
    const Type* resultType;
    syntax::SourceRange range = {}; // the call
    uint32_t line = 0;              // 0: the line of `range`
  };
  enum class Equality : uint8_t {
    kOperator,
    kMethod
  }; // == or equals (which a type may define, and for which NaN equals NaN)

  // ---- function_generator.cpp: contexts, registers, constants, entry and exit of the function
  void setContext(const Type* owner, const Type* arguments, sema::FunctionSymbol* function);
  const Type* concrete(const Type* type);
  void generateDeclared();
  void generateConstructorPrologue();
  void generateInitializers();
  void generateEntry();
  void declareParameters(sema::FunctionSymbol& function);
  void enterCaptures();
  Value parameter(const Type* type);
  void bindParameter(const sema::VariableSymbol& variable, Value value);
  void emitReturn(Value value);

  const TypeLayout& layout(const Type* type) { return program_.layout(type, range_); }
  Value allocate(const Type* type);
  Value allocateOne(bool isReference) { return {builder_.newRegister(isReference), 1, true}; }
  void release(Value value);
  Value destination(Target target, const Type* type); // where the last instruction writes
  Value scratch(Target target, const Type* type);     // where code may write early
  Value destinationOne(Target target, bool isReference);
  void move(uint16_t to, Value value);
  Value settle(Value value, uint16_t reg); // moves it there if it stands elsewhere
  Value copy(Value value, const Type* type);
  void loadZero(Value value, const Type* type);
  void loadInteger(uint16_t reg, uint64_t bits, Family family);
  void loadNull(uint16_t reg) { builder_.emit(Op::null, reg); }
  void loadString(uint16_t reg, std::string_view text);
  void loadConstant(uint16_t reg, const sema::ConstantValue& value, const Type* type);
  Value integerRegister(uint64_t bits, Family family);
  void mark(syntax::SourceRange range);

  // ---- statements.cpp
  void generate(const sema::Statement& statement);
  void generateBlock(const sema::Block& block);
  void generateLocal(const sema::LocalStatement& statement);
  void generateIf(const sema::IfStatement& statement);
  void generateReturn(const sema::ReturnStatement& statement);
  void generateThrow(const sema::ThrowStatement& statement);
  void generateAssert(const sema::AssertStatement& statement);
  void throwNew(bytecode::WellKnown which, Value message);
  void throwNew(bytecode::WellKnown which, std::string_view message);
  Storage declare(const sema::VariableSymbol& variable);
  void initialize(const sema::VariableSymbol& variable, Value value);
  void makeCell(uint16_t reg, const Type* type);
  void generateSwitch(const sema::SwitchStatement& statement);
  void switchByTable(const sema::SwitchStatement& statement, Value subject, std::span<const Label> labels,
                     Label otherwise, int64_t low, int64_t high);
  void switchByTests(const sema::SwitchStatement& statement, const Type* type, Value subject,
                     std::span<const Label> labels);

  // ---- select.cpp
  struct SelectCall;
  void generateSelect(const sema::SelectStatement& statement);
  void prepareBranch(const sema::SelectBranch& branch, SelectCall& call);
  void generateBranches(const sema::SelectStatement& statement, const SelectCall& call, uint16_t results);

  // ---- loops.cpp
  struct LoopScope;
  void generateWhile(const sema::WhileStatement& loop);
  void generateDoWhile(const sema::DoWhileStatement& loop);
  void generateFor(const sema::ForStatement& loop);
  void generateForEach(const sema::ForEachStatement& loop);
  void forEachRange(const sema::ForEachStatement& loop);
  void forEachIndexed(const sema::ForEachStatement& loop);
  void forEachString(const sema::ForEachStatement& loop);
  void forEachChannel(const sema::ForEachStatement& loop);
  void forEachEntry(const sema::ForEachStatement& loop);
  void forEachIterable(const sema::ForEachStatement& loop);
  void bindElement(const sema::ForEachStatement& loop, Value element);
  void bindElement(const sema::ForEachStatement& loop, const Place& element);
  Value evaluateOnce(const Expression& expression);
  bool isCheapCondition(const Expression& condition);
  const sema::VariableSymbol* countedVariable(const sema::ForStatement& loop);
  static bool startsBelow(const sema::ForStatement& loop, const sema::VariableSymbol* counted, int64_t limit,
                          bool hasLimit);
  void renewCells(const sema::ForStatement& loop);

  // ---- protected_regions.cpp
  template <class Body, class Cleanup> void protect(const Body& body, const Cleanup& cleanup);
  template <class Cleanup> void guardCleanup(const Cleanup& cleanup, Region& region);
  void suppressReplaced(Region& region);
  static bool returns(const Region& region);
  void dispatchExits(Region& region, bool endsNormally, Label done);
  void leave(Exit exit);
  void clearReturnValue();
  void generateTry(const sema::TryStatement& statement);
  void generateCatches(const sema::TryStatement& statement);
  void generateLock(const sema::LockStatement& statement);
  void generateUsing(const sema::UsingStatement& statement);

  // ---- expressions.cpp
  Value evaluate(const Expression& expression, Target target = {});
  void evaluateInto(const Expression& expression, uint16_t reg, bool isFresh = true);
  Value evaluateFresh(const Expression& expression); // in registers of its own
  Value evaluateLocal(const sema::LocalExpression& expression, Target target);
  Value evaluateThis(const sema::ThisExpression& expression);
  Value evaluateUnary(const sema::UnaryExpression& expression, Target target);
  Value evaluateBinary(const sema::BinaryExpression& expression, Target target);
  struct Immediate {
    Op op; // kCount: there is no such form
    uint16_t value;
  };
  static Immediate immediateFor(sema::BinaryOp op, Family family, int64_t right);
  Value operate(sema::BinaryOp op, const Type* type, Value left, const Expression& right, Target target);
  bool operateReversed(const sema::BinaryExpression& expression, Target target, Value& result);
  Value evaluateLogical(const sema::LogicalExpression& expression, Target target);
  Value evaluateConditional(const sema::ConditionalExpression& expression, Target target);
  Value evaluateCoalesce(const sema::CoalesceExpression& expression, Target target);
  void coalesceStep(const Expression& value, Value result, Label end);
  Value evaluateChain(const sema::ChainExpression& expression, Target target);
  Value chainValue(const sema::ChainExpression& chain, Target target, Label onNull);
  Value evaluateNewArray(const sema::NewArrayExpression& expression, Target target);
  Value evaluateListValue(const sema::ListValueExpression& expression, Target target);
  Value evaluateDictValue(const sema::DictValueExpression& expression, Target target);
  Value evaluateFieldsValue(const sema::FieldsValueExpression& expression, Target target);
  Value evaluateElementOfString(const sema::ElementExpression& expression, Target target);

  // ---- conditions.cpp
  void jumpIf(const Expression& condition, bool sense, Label target);
  void jumpIfComparison(const sema::BinaryExpression& comparison, bool sense, Label target);
  bool jumpIfImmediate(sema::BinaryOp op, Family family, const Expression& left, const Expression& right, bool sense,
                       Label target);
  void compareAndJump(sema::BinaryOp op, const Type* type, Value left, Value right, bool sense, Label target);
  Value compare(sema::BinaryOp op, const Type* type, Value left, Value right, Target target);
  Value evaluateComparison(const sema::BinaryExpression& comparison, Target target);
  const Type* comparedType(const sema::BinaryExpression& comparison);
  void jumpIfDifferent(const Type* type, Value left, Value right, Equality equality, Label target);

  // ---- places.cpp
  Place place(const Expression& expression);
  Place placeOfLocal(const sema::LocalExpression& expression);
  Place placeOfField(const sema::FieldExpression& expression);
  Place placeOfElement(const sema::ElementExpression& expression);
  Place fieldOfObject(Value object, const Type* type, const sema::FieldSymbol& field);
  Place cellPlace(const Storage& storage);
  Value load(const Place& place, Target target);
  Value loadFromDict(const Place& place);
  Value take(const Place& place, Target target); // load, and release what the place went through
  void store(const Place& place, Value value);
  void generateAssign(const sema::AssignStatement& statement);
  void assignCompound(const sema::AssignStatement& statement);
  static bool isPassedOut(const Expression& place);
  Value evaluateAssigned(const sema::AssignStatement& statement, Target target);

  // ---- calls.cpp
  // The callee of a call as its default values see it.
  struct CalleeScope {
    sema::FunctionSymbol* function = nullptr;
    const Type* owner = nullptr;
    const Type* own = nullptr; // its own type arguments, as Instance::arguments
    Value self = {};
  };
  struct MethodCall {
    sema::FunctionSymbol* function;
    TypeList own = {};      // its own type arguments
    bool dispatches = true; // on the run-time class, if the method is virtual
    const Type* receiverType;
    bool mayBeNull = true; // the receiver
    syntax::SourceRange range = {};
    uint32_t line = 0; // of the method's name; 0: of `range`
  };
  Value evaluateCall(const sema::CallExpression& call, Target target);
  bool callOnValue(const sema::CallExpression& call, const Type* type, Value receiver, Target target, Value& result);
  Value evaluateCallValue(const sema::CallValueExpression& call, Target target);
  Value evaluateNew(const sema::NewExpression& expression, Target target);
  Value construct(sema::FunctionSymbol* constructor, const Type* type, std::span<const sema::Argument> arguments,
                  syntax::SourceRange range, Target target);
  void evaluateArguments(std::span<const sema::Argument> arguments, const CalleeScope& callee, TypeList parameterTypes,
                         CallArguments& result);
  Value evaluateDefault(const sema::Argument& argument, const CalleeScope& callee, std::span<const Value> values);
  std::vector<const Type*> parameterTypesOf(const CalleeScope& callee);
  void addArgument(CallArguments& arguments, Value value);
  Value finishCall(const Callee& callee, CallArguments& arguments, Target target);
  Value callMethod(const MethodCall& method, CallArguments& arguments, Target target);
  Callee resolveMethod(const MethodCall& method, CallArguments& arguments);
  Value callByName(std::string_view method, const Type* type, std::span<const Value> arguments,
                   syntax::SourceRange range, Target target);
  Value callNamed(sema::FunctionSymbol* method, const Type* receiverType, Value receiver,
                  std::span<const Value> arguments, syntax::SourceRange range, Target target);
  bool callIntrinsic(Intrinsic intrinsic, const Type* receiverType, Value receiver, std::span<const Value> arguments,
                     Target target, Value& result);
  static bool mayBeNull(const Expression& receiver);
  const Type* resultTypeOf(const sema::FunctionSymbol& function, const Type* owner, const Type* arguments);

  // ---- value_methods.cpp: what toString, equals, hashCode, compareTo mean for each type
  Value callOwn(sema::FunctionSymbol* method, const Type* type, Value value, std::span<const Value> arguments,
                Target target);
  Value toText(const Type* type, Value value, Target target);
  Value referenceToText(const Type* type, Value value, Target target);
  Value equals(const Type* type, Value left, Value right, Target target);
  Value equalsObject(const Type* type, Value left, Value object, Target target);
  Value hashOf(const Type* type, Value value, Target target);
  Value compareTo(const Type* type, Value left, Value right, Target target);
  sema::FunctionSymbol* ownMethod(const Type* type, sema::FunctionSymbol* objectMethod);
  void generateBoxMethod();
  void generateStructText();
  Value boxedValue(const Type* type, Value box);

  // ---- text.cpp
  Value evaluateInterpolation(const sema::InterpolationExpression& expression, Target target,
                              bool extendsFirst = false);
  Value evaluateConcatenation(const sema::BinaryExpression& expression, Target target, bool extendsFirst);
  struct Piece {
    std::string_view text = {};        // if there is no value
    const Expression* value = nullptr; // a string, or anything with a format
    std::string_view format = {};
  };
  Value evaluatePiece(const Piece& piece, Target target);
  Value formatPiece(const Piece& piece, Target target);
  Value join(std::span<const Piece> pieces, Target target, bool extendsFirst);
  Value joinMany(std::span<const Piece> pieces, Target target);

  // ---- value_conversions.cpp
  Value evaluateConvert(const sema::ConvertExpression& expression, Target target);
  Value convert(sema::Conversion conversion, const Type* from, const Type* to, Value value, Target target);
  Value convertNumber(const Type* from, const Type* to, Value value, Target target);
  Value emitFresh(Op op, Value value);
  Value convertToLong(const Type* from, Value value);
  Value convertGeneric(const Type* from, const Type* to, Value value, Target target);
  Value box(const Type* type, Value value, Target target);
  Value unbox(const Type* type, Value value, Target target);
  Value narrow(const Type* type, Value value, Target target);
  Value evaluateTypeTest(const sema::TypeTestExpression& expression, Target target);

  // ---- closures.cpp
  Value evaluateLambda(const sema::LambdaExpression& expression, Target target);
  Value evaluateFunctionValue(const sema::FunctionValueExpression& expression, Target target);
  Value makeClosure(ClassRecord& closure, std::span<const Value> captured, Target target);
  void generateFunctionThunk();
  void generateBoundThunk();
  void generateBoundHash();
  void appendKinds(const Type* type, std::vector<bool>& kinds);
  std::vector<Value> takeParameters(std::vector<bool>& results);
  unsigned droppedResults();
  void forward(const Callee& callee, CallArguments& arguments, const std::vector<bool>& results, unsigned dropped);

  ProgramGenerator& program_;
  const Instance& instance_;
  bytecode::FunctionBuilder builder_;
  Context context_;
  sema::FunctionSymbol* function_ = nullptr;      // whose body this is, if it has one
  const Type* resultType_ = nullptr;              // concrete
  size_t parameterCount_ = 0;                     // slots
  size_t resultCount_ = 0;                        // slots, `out` parameters included
  std::vector<const sema::VariableSymbol*> outs_; // `out` parameters, in order
  absl::flat_hash_map<const sema::VariableSymbol*, Storage> variables_;
  absl::flat_hash_map<const sema::Statement*, JumpTarget> jumpTargets_;
  absl::flat_hash_map<const sema::VariableSymbol*, uint16_t>
      caught_;                            // catch variables: the exception that `throw;` throws again
  std::vector<Region*> regions_;          // innermost last
  unsigned cleanupDepth_ = 0;             // user `finally` bodies being generated around this point
  unsigned tryDepth_ = 0, loopDepth_ = 0; // statements around this point
  Value returnValue_;                     // where a value waits while clean-up runs before a return
  std::vector<Value> chainReceivers_;     // what ChainReceiver stands for, innermost last
  syntax::SourceRange range_;             // the statement being generated, for errors without a better place
};

} // namespace nlang::codegen
