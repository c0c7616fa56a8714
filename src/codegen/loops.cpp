// Loops. The test stands at the bottom, where it is the back-edge itself; a test in front of the loop guards the first
// iteration. A test that is more than a few instructions is not worth having twice and stands at the top.
#include "codegen/function_generator.h"

namespace nlang::codegen {

using sema::BinaryOp;
using sema::ExpressionKind;
using sema::TypeKind;
using sema::VariableSymbol;

namespace {

template <class T> const T& as(const sema::Expression& expression) { return static_cast<const T&>(expression); }

bool isTrue(const sema::Expression* condition) {
  return !condition ||
         (condition->kind == ExpressionKind::kConstant && as<sema::ConstantExpression>(*condition).value.bits != 0);
}

const VariableSymbol* variableOf(const sema::Expression& expression) {
  return expression.kind == ExpressionKind::kLocal ? as<sema::LocalExpression>(expression).variable : nullptr;
}

bool isConstant(const sema::Expression& expression, int64_t* value = nullptr) {
  if (expression.kind != ExpressionKind::kConstant) return false;
  const sema::ConstantValue& constant = as<sema::ConstantExpression>(expression).value;
  if (constant.kind != sema::ConstantValue::Kind::kInteger) return false;
  if (value) *value = static_cast<int64_t>(constant.bits);
  return true;
}

// A variable that stays as it is while the loop runs, so that its register can be used in place.
bool isStable(const sema::Expression& expression) {
  const VariableSymbol* variable = variableOf(expression);
  return variable && !variable->isAssigned;
}

} // namespace

struct FunctionGenerator::LoopScope {
  FunctionGenerator& generator;
  Label breakLabel, continueLabel;

  LoopScope(FunctionGenerator& owner, const sema::Statement& loop)
      : generator(owner), breakLabel(owner.builder_.newLabel()), continueLabel(owner.builder_.newLabel()) {
    generator.jumpTargets_[&loop] = {breakLabel, continueLabel, generator.regions_.size()};
    ++generator.loopDepth_;
  }
  ~LoopScope() { --generator.loopDepth_; }
  LoopScope(const LoopScope&) = delete;
  LoopScope& operator=(const LoopScope&) = delete;
};

bool FunctionGenerator::isCheapCondition(const Expression& condition) {
  switch (condition.kind) {
  case ExpressionKind::kConstant:
  case ExpressionKind::kLocal:
  case ExpressionKind::kThis: return true;
  case ExpressionKind::kUnary: return isCheapCondition(*as<sema::UnaryExpression>(condition).operand);
  case ExpressionKind::kField: return isCheapCondition(*as<sema::FieldExpression>(condition).object);
  case ExpressionKind::kStaticField: return true;
  case ExpressionKind::kCall: {
    auto& call = as<sema::CallExpression>(condition);
    return program_.known().intrinsic(call.function) != Intrinsic::kNone && call.arguments.empty() &&
           isCheapCondition(*call.receiver);
  }
  case ExpressionKind::kBinary: {
    auto& binary = as<sema::BinaryExpression>(condition);
    return binary.op >= BinaryOp::kLess && familyOf(concrete(binary.left->type)) != Family::kStruct &&
           isCheapCondition(*binary.left) && isCheapCondition(*binary.right);
  }
  default: return false;
  }
}

void FunctionGenerator::generateWhile(const sema::WhileStatement& loop) {
  LoopScope scope(*this, loop);
  bool isEndless = isTrue(loop.condition);
  bool testsAtBottom = !isEndless && isCheapCondition(*loop.condition);
  if (testsAtBottom) jumpIf(*loop.condition, false, scope.breakLabel);
  Label top = builder_.newBoundLabel();
  if (!testsAtBottom && !isEndless) {
    bytecode::RegisterScope registers(builder_.registers());
    jumpIf(*loop.condition, false, scope.breakLabel);
  }
  generate(*loop.body);
  builder_.bind(scope.continueLabel);
  mark(loop.range);
  if (testsAtBottom)
    jumpIf(*loop.condition, true, top);
  else
    builder_.emitJump(top);
  builder_.bind(scope.breakLabel);
}

void FunctionGenerator::generateDoWhile(const sema::DoWhileStatement& loop) {
  LoopScope scope(*this, loop);
  Label top = builder_.newBoundLabel();
  generate(*loop.body);
  builder_.bind(scope.continueLabel);
  mark(loop.condition->range);
  jumpIf(*loop.condition, true, top);
  builder_.bind(scope.breakLabel);
}

// ---------------------------------------------------------------- for

// The loop's own int variable that its update clause counts up by one and its condition compares (`i < limit`), or
// null.
const VariableSymbol* FunctionGenerator::countedVariable(const sema::ForStatement& loop) {
  if (!loop.condition || loop.condition->kind != ExpressionKind::kBinary || loop.update.size() != 1) return nullptr;
  auto& condition = as<sema::BinaryExpression>(*loop.condition);
  const VariableSymbol* variable = variableOf(*condition.left);
  if (condition.op != BinaryOp::kLess || !variable || variable->assignedAfterCapture ||
      variable->type->kind != TypeKind::kInt)
    return nullptr;
  bool isOwn = false;
  for (const VariableSymbol* own : loop.variables) isOwn |= own == variable;
  if (!isOwn || loop.update[0]->kind != sema::StatementKind::kAssign) return nullptr;
  auto& update = static_cast<const sema::AssignStatement&>(*loop.update[0]);
  if (variableOf(*update.place) != variable) return nullptr;
  int64_t step = 0;
  if (update.compound) {
    bool isPlain = update.op == BinaryOp::kAdd && update.operationType->kind == TypeKind::kInt;
    return isPlain && isConstant(*update.value, &step) && step == 1 ? variable : nullptr;
  }
  if (update.value->kind != ExpressionKind::kBinary) return nullptr;
  auto& sum = as<sema::BinaryExpression>(*update.value);
  bool isPlain = sum.op == BinaryOp::kAdd && variableOf(*sum.left) == variable;
  return isPlain && isConstant(*sum.right, &step) && step == 1 ? variable : nullptr;
}

// Whether the limit can be read before the variable is counted up, although the source reads it after: nothing but its
// value matters.
static bool isPlainLimit(const sema::Expression& limit, const VariableSymbol* variable, const KnownSymbols& known) {
  switch (limit.kind) {
  case ExpressionKind::kConstant:
  case ExpressionKind::kThis: return true;
  case ExpressionKind::kLocal: return variableOf(limit) != variable;
  case ExpressionKind::kField: return isPlainLimit(*as<sema::FieldExpression>(limit).object, variable, known);
  case ExpressionKind::kCall: {
    auto& call = as<sema::CallExpression>(limit);
    return known.intrinsic(call.function) != Intrinsic::kNone && call.arguments.empty() &&
           isPlainLimit(*call.receiver, variable, known);
  }
  default: return false;
  }
}

void FunctionGenerator::generateFor(const sema::ForStatement& loop) {
  bytecode::RegisterScope variables(builder_.registers());
  for (const sema::Statement* statement : loop.initializer) generate(*statement);
  LoopScope scope(*this, loop);
  mark(loop.range);
  const VariableSymbol* counted = countedVariable(loop);
  const Expression* limit = counted ? as<sema::BinaryExpression>(*loop.condition).right : nullptr;
  bool counts = counted && isPlainLimit(*limit, counted, program_.known());
  bool isEndless = isTrue(loop.condition);
  bool testsAtBottom = !isEndless && (counts || isCheapCondition(*loop.condition));

  // A limit that does not fit into the instruction stays in a register while the loop runs.
  Value limitRegister;
  int64_t constant = 0;
  bool isImmediate = counts && isConstant(*limit, &constant) && constant >= INT16_MIN && constant <= INT16_MAX;
  if (counts && !isImmediate && isConstant(*limit)) limitRegister = evaluate(*limit);

  if (testsAtBottom && limitRegister.count == 1) {
    compareAndJump(BinaryOp::kLess, limit->type, {variables_.at(counted).reg, 1, false}, limitRegister, false,
                   scope.breakLabel);
  } else if (testsAtBottom && !startsBelow(loop, counted, constant, isImmediate)) {
    bytecode::RegisterScope registers(builder_.registers());
    jumpIf(*loop.condition, false, scope.breakLabel);
  }
  Label top = builder_.newBoundLabel();
  if (!testsAtBottom && !isEndless) {
    bytecode::RegisterScope registers(builder_.registers());
    jumpIf(*loop.condition, false, scope.breakLabel);
  }
  generate(*loop.body);
  builder_.bind(scope.continueLabel);
  mark(loop.range);
  bytecode::RegisterScope registers(builder_.registers());
  if (counts) {
    uint16_t counter = variables_.at(counted).reg;
    if (isImmediate) {
      builder_.emitJump(Op::for_lti_i32, top, counter, static_cast<uint16_t>(constant));
    } else {
      Value bound = limitRegister.count == 1 ? limitRegister : evaluate(*limit);
      builder_.emitJump(Op::for_lt_i32, top, counter, bound.reg);
    }
  } else {
    renewCells(loop);
    for (const sema::Statement* statement : loop.update) generate(*statement);
    mark(loop.range);
    if (testsAtBottom)
      jumpIf(*loop.condition, true, top);
    else
      builder_.emitJump(top);
  }
  builder_.bind(scope.breakLabel);
}

// Whether the first test is known to hold: the counter starts at a constant below the constant limit.
bool FunctionGenerator::startsBelow(const sema::ForStatement& loop, const VariableSymbol* counted, int64_t limit,
                                    bool hasLimit) {
  if (!hasLimit || loop.initializer.size() != 1 || loop.initializer[0]->kind != sema::StatementKind::kLocal)
    return false;
  auto& local = static_cast<const sema::LocalStatement&>(*loop.initializer[0]);
  int64_t start = 0;
  return local.variable == counted && local.initializer && isConstant(*local.initializer, &start) && start < limit;
}

// The variables of the next iteration start with the values of this one.
void FunctionGenerator::renewCells(const sema::ForStatement& loop) {
  for (const VariableSymbol* variable : loop.variables) {
    Storage storage = variables_.at(variable);
    if (!storage.isCell) continue;
    Value value = load(cellPlace(storage), {});
    makeCell(storage.reg, storage.type);
    store(cellPlace(storage), value);
    release(value);
  }
}

// ---------------------------------------------------------------- foreach

void FunctionGenerator::generateForEach(const sema::ForEachStatement& loop) {
  using Source = sema::ForEachStatement::Source;
  bytecode::RegisterScope scope(builder_.registers());
  switch (loop.source) {
  case Source::kRange: return forEachRange(loop);
  case Source::kArray:
  case Source::kList: return forEachIndexed(loop);
  case Source::kString: return forEachString(loop);
  case Source::kChannel: return forEachChannel(loop);
  case Source::kSet:
  case Source::kDict: return forEachEntry(loop);
  case Source::kIterable: return forEachIterable(loop);
  }
}

// Gives the loop's variable its value for this iteration: `element`, converted.
void FunctionGenerator::bindElement(const sema::ForEachStatement& loop, Value element) {
  Storage storage = declare(*loop.variable);
  bytecode::RegisterScope scope(builder_.registers());
  Value value = element;
  if (loop.elementConversion) {
    chainReceivers_.push_back(element);
    value = evaluate(*loop.elementConversion, storage.isCell ? Target{} : Target{storage.reg, true});
    chainReceivers_.pop_back();
  }
  if (storage.isCell)
    store(cellPlace(storage), value);
  else
    move(storage.reg, value);
}

void FunctionGenerator::bindElement(const sema::ForEachStatement& loop, const Place& element) {
  if (loop.elementConversion || loop.variable->assignedAfterCapture) {
    Value value = load(element, {});
    bindElement(loop, value);
    return;
  }
  Storage storage = declare(*loop.variable);
  move(storage.reg, load(element, {storage.reg, true}));
}

// A sequence or limit that the loop reads again and again: in place if nothing changes it, else a copy.
Value FunctionGenerator::evaluateOnce(const Expression& expression) {
  if (isStable(expression)) return evaluate(expression);
  return evaluateFresh(expression);
}

void FunctionGenerator::forEachRange(const sema::ForEachStatement& loop) {
  LoopScope scope(*this, loop);
  const Type* type = concrete(loop.elementType);
  bool isInt = familyOf(type) == Family::kI32;
  // The counter is the variable itself if the body leaves it alone.
  bool isDirect = !loop.elementConversion && !loop.variable->assignedAfterCapture && !loop.variable->isAssigned;
  uint16_t counter = isDirect ? declare(*loop.variable).reg : builder_.newRegister(false);
  evaluateInto(*loop.sequence, counter);
  int64_t constant = 0;
  bool isImmediate = isInt && isConstant(*loop.upper, &constant) && constant >= INT16_MIN && constant <= INT16_MAX;
  Value limit = isImmediate ? Value{} : evaluateOnce(*loop.upper);
  int64_t start = 0;
  bool startsInside = isImmediate && isConstant(*loop.sequence, &start) && start < constant;
  if (startsInside) {
  } else if (isImmediate) {
    builder_.emitJump(Op::jgei_i32, scope.breakLabel, counter, static_cast<uint16_t>(constant));
  } else {
    compareAndJump(BinaryOp::kLess, type, {counter, 1, false}, limit, false, scope.breakLabel);
  }
  Label top = builder_.newBoundLabel();
  if (!isDirect) bindElement(loop, Value{counter, 1, false});
  generate(*loop.body);
  builder_.bind(scope.continueLabel);
  mark(loop.range);
  if (isImmediate) {
    builder_.emitJump(Op::for_lti_i32, top, counter, static_cast<uint16_t>(constant));
  } else if (isInt) {
    builder_.emitJump(Op::for_lt_i32, top, counter, limit.reg);
  } else {
    builder_.emit(Op::addi_i64, counter, counter, 1);
    compareAndJump(BinaryOp::kLess, type, {counter, 1, false}, limit, true, top);
  }
  builder_.bind(scope.breakLabel);
}

// Arrays and lists. A list's length is fixed as long as its version is.
void FunctionGenerator::forEachIndexed(const sema::ForEachStatement& loop) {
  LoopScope scope(*this, loop);
  bool isList = loop.source == sema::ForEachStatement::Source::kList;
  mark(loop.sequence->range);
  Value sequence = evaluateOnce(*loop.sequence);
  Value index = allocateOne(false), length = allocateOne(false), version;
  if (isList) {
    version = allocateOne(false);
    builder_.emit(Op::list_version, version.reg, sequence.reg);
  }
  builder_.emit(isList ? Op::list_length : Op::array_length, length.reg, sequence.reg);
  loadInteger(index.reg, 0, Family::kI32);
  builder_.emitJump(Op::jlei_i32, scope.breakLabel, length.reg, 0);
  Label top = builder_.newBoundLabel(), changed = builder_.newLabel();
  const Type* type = concrete(loop.elementType);
  Place element{.kind = isList ? Place::Kind::kList : Place::Kind::kArray,
                .type = type,
                .object = sequence,
                .index = index,
                .whole = &layout(type),
                .range = loop.sequence->range};
  bindElement(loop, element);
  generate(*loop.body);
  builder_.bind(scope.continueLabel);
  mark(loop.sequence->range);
  if (isList) {
    bytecode::RegisterScope registers(builder_.registers());
    Value now = allocateOne(false);
    builder_.emit(Op::list_version, now.reg, sequence.reg);
    builder_.emitJump(Op::jne_i32, changed, now.reg, version.reg);
  }
  builder_.emitJump(Op::for_lt_i32, top, index.reg, length.reg);
  if (isList) {
    builder_.emitJump(scope.breakLabel);
    builder_.bind(changed);
    throwNew(bytecode::WellKnown::kConcurrentModificationException, "the list was changed during iteration");
  }
  builder_.bind(scope.breakLabel);
}

void FunctionGenerator::forEachString(const sema::ForEachStatement& loop) {
  LoopScope scope(*this, loop);
  Value text = evaluateOnce(*loop.sequence);
  Value offset = allocateOne(false), length = allocateOne(false);
  builder_.emit(Op::string_length, length.reg, text.reg);
  loadInteger(offset.reg, 0, Family::kI32);
  builder_.emitJump(Op::jlei_i32, scope.breakLabel, length.reg, 0);
  Label top = builder_.newBoundLabel();
  Value character = allocateOne(false);
  builder_.emit(Op::string_next, character.reg, text.reg, offset.reg);
  bindElement(loop, character);
  generate(*loop.body);
  builder_.bind(scope.continueLabel);
  mark(loop.range);
  builder_.emitJump(Op::jlt_i32, top, offset.reg, length.reg);
  builder_.bind(scope.breakLabel);
}

void FunctionGenerator::forEachChannel(const sema::ForEachStatement& loop) {
  LoopScope scope(*this, loop);
  sema::FunctionSymbol* next = libraryMethod(program_.known().classes.channel, "next", 1);
  mark(loop.sequence->range);
  Value channel = evaluateOnce(*loop.sequence);
  builder_.emit(Op::check_null, channel.reg);
  const Type* type = concrete(loop.elementType);
  const Type* owner = program_.asSuper(concrete(loop.sequence->type), next->owner);
  uint32_t function = program_.function(next, owner, {}, loop.sequence->range);
  // The results: whether there is a value, and the value.
  absl::InlinedVector<bool, 8> kinds{false};
  const TypeLayout& shape = layout(type);
  kinds.insert(kinds.end(), shape.isReference.begin(), shape.isReference.end());
  uint16_t results = builder_.registers().allocate(kinds);
  Label top = builder_.newBoundLabel();
  builder_.emitCall(Op::call, function, {&channel.reg, 1}, results, static_cast<unsigned>(kinds.size()));
  builder_.emitJump(Op::jump_false, scope.breakLabel, results);
  bindElement(loop, Value{static_cast<uint16_t>(results + 1), shape.count(), false});
  generate(*loop.body);
  builder_.bind(scope.continueLabel);
  mark(loop.sequence->range);
  builder_.emitJump(top);
  builder_.bind(scope.breakLabel);
}

// Sets and dictionaries: a native walks from position to position and throws when the structure is no longer that of
// the start.
void FunctionGenerator::forEachEntry(const sema::ForEachStatement& loop) {
  LoopScope scope(*this, loop);
  const Type* tableType = concrete(loop.sequence->type);
  bool hasPairs = loop.valueVariable != nullptr;
  sema::ClassSymbol* declaration = hasPairs ? program_.known().classes.dict : program_.known().find("HashTable");
  sema::FunctionSymbol* next = libraryMethod(declaration, hasPairs ? "nextEntry" : "nextKey", hasPairs ? 4 : 3);
  mark(loop.sequence->range);
  Value table = evaluateOnce(*loop.sequence);
  Value version = allocateOne(false);
  builder_.emit(Op::list_version, version.reg, table.reg);
  uint32_t function = program_.function(next, program_.asSuper(tableType, declaration), {}, loop.sequence->range);
  // The results: the position behind the entry, its key, its value.
  absl::InlinedVector<bool, 8> kinds{false};
  const TypeLayout& key = layout(concrete(loop.elementType));
  kinds.insert(kinds.end(), key.isReference.begin(), key.isReference.end());
  if (hasPairs) {
    const TypeLayout& value = layout(concrete(loop.valueVariable->type));
    kinds.insert(kinds.end(), value.isReference.begin(), value.isReference.end());
  }
  uint16_t results = builder_.registers().allocate(kinds);
  loadInteger(results, 0, Family::kI32);
  Label top = builder_.newBoundLabel();
  uint16_t arguments[] = {table.reg, results, version.reg};
  builder_.emitCall(Op::call, function, arguments, results, static_cast<unsigned>(kinds.size()));
  builder_.emitJump(Op::jlti_i32, scope.breakLabel, results, 0);
  Value found{static_cast<uint16_t>(results + 1), key.count(), false};
  bindElement(loop, found);
  if (hasPairs) {
    declare(*loop.valueVariable);
    auto valueSlots = static_cast<uint16_t>(kinds.size() - 1 - found.count);
    initialize(*loop.valueVariable, {static_cast<uint16_t>(found.reg + found.count), valueSlots, false});
  }
  generate(*loop.body);
  builder_.bind(scope.continueLabel);
  mark(loop.sequence->range);
  builder_.emitJump(top);
  builder_.bind(scope.breakLabel);
}

void FunctionGenerator::forEachIterable(const sema::ForEachStatement& loop) {
  LoopScope scope(*this, loop);
  const sema::KnownClasses& known = program_.known().classes;
  const Type* element = concrete(loop.elementType);
  const Type* self[] = {element};
  const Type* iteratorType = program_.types().named(known.iterator, self);
  mark(loop.sequence->range);
  Value sequence = evaluate(*loop.sequence);
  Value iterator = allocateOne(true);
  move(iterator.reg, callNamed(libraryMethod(known.iterable, "iterator", 0), concrete(loop.sequence->type), sequence,
                               {}, loop.sequence->range, {iterator.reg, true}));
  release(sequence);
  Label top = builder_.newBoundLabel();
  Value more =
      callNamed(libraryMethod(known.iterator, "hasNext", 0), iteratorType, iterator, {}, loop.sequence->range, {});
  builder_.emitJump(Op::jump_false, scope.breakLabel, more.reg);
  release(more);
  Value next =
      callNamed(libraryMethod(known.iterator, "next", 0), iteratorType, iterator, {}, loop.sequence->range, {});
  bindElement(loop, next);
  generate(*loop.body);
  builder_.bind(scope.continueLabel);
  mark(loop.sequence->range);
  builder_.emitJump(top);
  builder_.bind(scope.breakLabel);
}

} // namespace nlang::codegen
