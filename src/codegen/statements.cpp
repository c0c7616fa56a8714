// Statements other than loops, assignments and those that protect a region.
#include <algorithm>

#include "base/coverage.h"
#include "codegen/function_generator.h"

namespace nlang::codegen {

using sema::StatementKind;
using sema::TypeKind;
using sema::VariableSymbol;

namespace {

// A jump table pays from this many constants on, if at most this share of it leads to the default.
constexpr size_t kMinTableCases = 4;
constexpr int64_t kTableWordsPerCase = 3;
constexpr int64_t kMaxTable = 0xffff;

template <class T> const T& as(const sema::Statement& statement) { return static_cast<const T&>(statement); }

} // namespace

void FunctionGenerator::generate(const sema::Statement& statement) {
  range_ = statement.range;
  // A local's registers outlive its statement; blocks release theirs.
  if (statement.kind == StatementKind::kLocal) return generateLocal(as<sema::LocalStatement>(statement));
  if (statement.kind == StatementKind::kBlock) return generateBlock(as<sema::Block>(statement));
  mark(statement.range);
  bytecode::RegisterScope scope(builder_.registers());
  switch (statement.kind) {
  case StatementKind::kExpression: evaluate(*as<sema::ExpressionStatement>(statement).expression); return;
  case StatementKind::kAssign: return generateAssign(as<sema::AssignStatement>(statement));
  case StatementKind::kIf: return generateIf(as<sema::IfStatement>(statement));
  case StatementKind::kWhile: return generateWhile(as<sema::WhileStatement>(statement));
  case StatementKind::kDoWhile: return generateDoWhile(as<sema::DoWhileStatement>(statement));
  case StatementKind::kFor: return generateFor(as<sema::ForStatement>(statement));
  case StatementKind::kForEach: return generateForEach(as<sema::ForEachStatement>(statement));
  case StatementKind::kSwitch: return generateSwitch(as<sema::SwitchStatement>(statement));
  case StatementKind::kBreak: return leave({Exit::Kind::kBreak, as<sema::BreakStatement>(statement).target});
  case StatementKind::kContinue: return leave({Exit::Kind::kContinue, as<sema::ContinueStatement>(statement).target});
  case StatementKind::kReturn: return generateReturn(as<sema::ReturnStatement>(statement));
  case StatementKind::kThrow: return generateThrow(as<sema::ThrowStatement>(statement));
  case StatementKind::kTry: return generateTry(as<sema::TryStatement>(statement));
  case StatementKind::kLock: return generateLock(as<sema::LockStatement>(statement));
  case StatementKind::kUsing: return generateUsing(as<sema::UsingStatement>(statement));
  case StatementKind::kAssert: return generateAssert(as<sema::AssertStatement>(statement));
  case StatementKind::kSelect: return generateSelect(as<sema::SelectStatement>(statement));
  case StatementKind::kLocal:
  case StatementKind::kBlock: return;
  }
}

void FunctionGenerator::generateBlock(const sema::Block& block) {
  bytecode::RegisterScope scope(builder_.registers());
  for (const sema::Statement* statement : block.statements) {
    if (program_.failed()) return;
    generate(*statement);
  }
}

// ---------------------------------------------------------------- variables

FunctionGenerator::Storage FunctionGenerator::declare(const VariableSymbol& variable) {
  Storage storage{.type = concrete(variable.type)};
  storage.isCell = variable.assignedAfterCapture;
  storage.reg = storage.isCell ? builder_.newRegister(true) : allocate(storage.type).reg;
  if (storage.isCell) makeCell(storage.reg, storage.type);
  variables_[&variable] = storage;
  return storage;
}

void FunctionGenerator::makeCell(uint16_t reg, const Type* type) {
  builder_.emitWide(Op::new_object, reg, program_.cellOf(type).index);
}

void FunctionGenerator::initialize(const VariableSymbol& variable, Value value) {
  Storage storage = variables_.at(&variable);
  if (storage.isCell)
    store(cellPlace(storage), value);
  else
    move(storage.reg, value);
}

void FunctionGenerator::generateLocal(const sema::LocalStatement& statement) {
  mark(statement.range);
  Storage storage = declare(*statement.variable);
  bytecode::RegisterScope scope(builder_.registers());
  if (!statement.initializer) {
    // Some way to a use may lead through code that is shared with ways on which nothing was assigned (a `finally`).
    if (!storage.isCell) {
      const TypeLayout& shape = layout(storage.type);
      for (uint16_t i = 0; i < shape.count(); ++i)
        if (shape.isReference[i]) loadNull(storage.reg + i);
    }
    return;
  }
  if (storage.isCell)
    store(cellPlace(storage), evaluate(*statement.initializer));
  else
    evaluateInto(*statement.initializer, storage.reg);
}

// ---------------------------------------------------------------- if, return, throw, assert

void FunctionGenerator::generateIf(const sema::IfStatement& statement) {
  Label end = builder_.newLabel();
  for (const sema::IfBranch& branch : statement.branches) {
    bool isLast = &branch == &statement.branches.back() && !statement.otherwise;
    Label otherwise = isLast ? end : builder_.newLabel();
    {
      bytecode::RegisterScope scope(builder_.registers());
      mark(branch.range);
      jumpIf(*branch.condition, false, otherwise);
    }
    generate(*branch.body);
    if (isLast) break;
    builder_.emitJump(end);
    builder_.bind(otherwise);
  }
  if (statement.otherwise) generate(*statement.otherwise);
  builder_.bind(end);
}

void FunctionGenerator::generateReturn(const sema::ReturnStatement& statement) {
  if (!regions_.empty()) {
    if (statement.value) evaluateInto(*statement.value, returnValue_.reg);
    return leave({Exit::Kind::kReturn, nullptr});
  }
  if (!statement.value) return emitReturn({});
  if (statement.value->kind != sema::ExpressionKind::kConditional) return emitReturn(evaluate(*statement.value));
  // Each side returns by itself.
  auto& choice = static_cast<const sema::ConditionalExpression&>(*statement.value);
  Label otherwise = builder_.newLabel();
  jumpIf(*choice.condition, false, otherwise);
  emitReturn(evaluate(*choice.whenTrue));
  builder_.bind(otherwise);
  emitReturn(evaluate(*choice.whenFalse));
}

void FunctionGenerator::generateThrow(const sema::ThrowStatement& statement) {
  if (statement.value) {
    builder_.emit(Op::throw_, evaluate(*statement.value).reg);
    return;
  }
  if (auto found = caught_.find(statement.catchVariable); found != caught_.end()) {
    NLANG_COVER("exception-shape", "rethrow");
    builder_.emit(Op::throw_, found->second);
    return;
  }
  // Inside a lambda in the catch clause: what it captured.
  NLANG_COVER("exception-shape", "rethrow_captured");
  Storage storage = variables_.at(statement.catchVariable);
  Value value = storage.isCell ? load(cellPlace(storage), {}) : Value{storage.reg, 1, false};
  builder_.emit(Op::throw_, value.reg);
}

void FunctionGenerator::generateAssert(const sema::AssertStatement& statement) {
  Label holds = builder_.newLabel();
  jumpIf(*statement.condition, true, holds);
  if (statement.message)
    throwNew(bytecode::WellKnown::kAssertionException, evaluate(*statement.message));
  else
    throwNew(bytecode::WellKnown::kAssertionException, "assertion failed: " + std::string(statement.text));
  builder_.bind(holds);
}

void FunctionGenerator::throwNew(bytecode::WellKnown which, Value message) {
  ClassRecord& type = program_.wellKnown(which);
  uint16_t exception = builder_.newRegister(true);
  builder_.emitWide(Op::new_object, exception, type.index);
  const sema::FieldSymbol* field = program_.known().classes.exception->fields.front();
  builder_.emit(Op::set_ref, message.reg, exception, static_cast<uint16_t>(program_.fieldOffset(type, field)));
  builder_.emit(Op::throw_, exception);
}

void FunctionGenerator::throwNew(bytecode::WellKnown which, std::string_view message) {
  Value text = allocateOne(true);
  loadString(text.reg, message);
  throwNew(which, text);
}

// ---------------------------------------------------------------- switch

void FunctionGenerator::generateSwitch(const sema::SwitchStatement& statement) {
  Label end = builder_.newLabel();
  jumpTargets_[&statement] = {end, {}, regions_.size()};
  const Type* type = concrete(statement.subject->type);
  Label otherwise = end;
  std::vector<Label> labels;
  size_t count = 0;
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (const sema::SwitchCase& branch : statement.cases) {
    labels.push_back(builder_.newLabel());
    if (branch.isDefault) otherwise = labels.back();
    for (const sema::ConstantValue& value : branch.values) {
      low = std::min(low, static_cast<int64_t>(value.bits));
      high = std::max(high, static_cast<int64_t>(value.bits));
      ++count;
    }
  }
  {
    bytecode::RegisterScope scope(builder_.registers());
    Value subject = evaluate(*statement.subject);
    bool isInt = familyOf(type) == Family::kI32;
    int64_t span = count > 0 && isInt ? high - low + 1 : kMaxTable + 1;
    bool isDense =
        count >= kMinTableCases && span <= kTableWordsPerCase * static_cast<int64_t>(count) && span <= kMaxTable;
    if (isDense)
      switchByTable(statement, subject, labels, otherwise, low, high);
    else
      switchByTests(statement, type, subject, labels);
    builder_.emitJump(otherwise);
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    builder_.bind(labels[i]);
    generateBlock(*statement.cases[i].body);
    builder_.emitJump(end);
  }
  builder_.bind(end);
}

void FunctionGenerator::switchByTable(const sema::SwitchStatement& statement, Value subject,
                                      std::span<const Label> labels, Label otherwise, int64_t low, int64_t high) {
  Value index = subject;
  if (low != 0) {
    index = allocateOne(false);
    if (low > INT16_MIN && low <= INT16_MAX) {
      builder_.emit(Op::addi_i32, index.reg, subject.reg, static_cast<uint16_t>(-low));
    } else {
      Value base = integerRegister(static_cast<uint64_t>(low), Family::kI32);
      builder_.emit(Op::sub_i32, index.reg, subject.reg, base.reg);
    }
  }
  std::vector<Label> table(static_cast<size_t>(high - low + 1), otherwise);
  for (size_t i = 0; i < labels.size(); ++i)
    for (const sema::ConstantValue& value : statement.cases[i].values)
      table[static_cast<size_t>(static_cast<int64_t>(value.bits) - low)] = labels[i];
  builder_.emitJumpTable(index.reg, table);
}

void FunctionGenerator::switchByTests(const sema::SwitchStatement& statement, const Type* type, Value subject,
                                      std::span<const Label> labels) {
  Family family = familyOf(type);
  for (size_t i = 0; i < labels.size(); ++i) {
    for (const sema::ConstantValue& value : statement.cases[i].values) {
      auto number = static_cast<int64_t>(value.bits);
      if (family == Family::kI32 && number >= INT16_MIN && number <= INT16_MAX) {
        builder_.emitJump(Op::jeqi_i32, labels[i], subject.reg, static_cast<uint16_t>(number));
        continue;
      }
      Value constant = allocate(type);
      loadConstant(constant.reg, value, type);
      compareAndJump(sema::BinaryOp::kEqual, type, subject, constant, true, labels[i]);
      release(constant);
    }
  }
}

} // namespace nlang::codegen
