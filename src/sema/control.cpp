// Statements that hold others: branches, loops, switch, try, lock, using, select (rules L5, C3.7).
#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "sema/body_checker.h"
#include "sema/suggestions.h"

namespace nlang::sema {

Statement* BodyChecker::checkIf(const syntax::IfStmt& node) {
  std::vector<IfBranch> branches;
  branches.reserve(node.branches.size());
  for (const syntax::IfBranch* branch : node.branches) {
    Expression* condition = checkCondition(branch->condition);
    branches.push_back({condition, checkBody(branch->body), branch->range});
  }
  Statement* otherwise = node.elseBody != nullptr ? checkBody(node.elseBody) : nullptr;
  std::span<const IfBranch> all = p_.arena.copyList(branches);
  return makeStatement<IfStatement>(StatementKind::kIf, node.range, all, otherwise);
}

// ---------------------------------------------------------------- loops and jumps

Statement* BodyChecker::checkLoopBody(Statement* loop, const syntax::Ident& label, const syntax::Stmt* body) {
  frame_->targets.push_back({loop, label.text, true});
  Statement* result = checkBody(body);
  frame_->targets.pop_back();
  return result;
}

Statement* BodyChecker::checkWhile(const syntax::WhileStmt& node) {
  auto* loop = makeStatement<WhileStatement>(StatementKind::kWhile, node.range, checkCondition(node.condition),
                                             static_cast<Statement*>(nullptr));
  loop->body = checkLoopBody(loop, node.label, node.body);
  return loop;
}

Statement* BodyChecker::checkDo(const syntax::DoStmt& node) {
  auto* loop = startStatement<DoWhileStatement>(StatementKind::kDoWhile, node.range);
  loop->body = checkLoopBody(loop, node.label, node.body);
  loop->condition = checkCondition(node.condition);
  return loop;
}

Statement* BodyChecker::checkFor(const syntax::ForStmt& node) {
  pushScope();
  auto* loop = startStatement<ForStatement>(StatementKind::kFor, node.range);
  std::vector<Statement*> initializer;
  std::vector<VariableSymbol*> variables;
  for (const syntax::Stmt* statement : node.init) {
    initializer.push_back(checkStatement(statement));
    if (initializer.back()->kind == StatementKind::kLocal)
      variables.push_back(static_cast<LocalStatement*>(initializer.back())->variable);
  }
  loop->initializer = p_.arena.copyList(initializer);
  loop->variables = p_.arena.copyList(variables);
  loop->condition = node.condition != nullptr ? checkCondition(node.condition) : nullptr;
  std::vector<Statement*> update;
  for (const syntax::Stmt* statement : node.update) update.push_back(checkStatement(statement));
  loop->update = p_.arena.copyList(update);
  loop->body = checkLoopBody(loop, node.label, node.body);
  popScope();
  return loop;
}

// A bracket value in the header is a List of its common type; where there is none, the type of the variable helps.
Expression* BodyChecker::checkSequence(const syntax::Expr* node, const Type* wanted) {
  bool mayHelp = node->kind == syntax::NodeKind::BracketExpr && wanted != nullptr && !wanted->isError() &&
                 p_.known.list != nullptr;
  if (!mayHelp || !mayTry()) return checkValue(node);
  syntax::DiagnosticSink messages;
  Expression* sequence = nullptr;
  {
    TrialScope trial(p_, messages);
    sequence = checkValue(node);
  }
  if (messages.hasErrors()) return checkValue(node, p_.types.named(p_.known.list, {&wanted, 1}));
  p_.diagnostics->append(messages);
  return sequence;
}

// What the loop walks; leaves elementType null, after a report, if that cannot be walked.
void BodyChecker::findSequence(ForEachStatement& loop, const syntax::ForeachStmt& node, const Type* wanted,
                               const Type*& valueType) {
  using Source = ForEachStatement::Source;
  if (const auto* range = syntax::dyn<syntax::RangeExpr>(node.iterable)) {
    loop.source = Source::kRange;
    loop.sequence = checkValue(range->from);
    loop.upper = checkValue(range->to);
    if (loop.sequence->type->isError() || loop.upper->type->isError()) return;
    const Type* type = nullptr;
    if (loop.sequence->type->isInteger() && loop.upper->type->isInteger()) {
      type = p_.conversions.binaryOperation(BinaryOp::kAdd, operandOf(loop.sequence), operandOf(loop.upper)).operand;
      if (type != nullptr && type->kind == TypeKind::kUInt) type = p_.simple(TypeKind::kLong);
    }
    if (type == nullptr || type->kind == TypeKind::kULong) {
      report(DiagId::RangeNotInteger, node.iterable->range, typeName(loop.sequence->type), typeName(loop.upper->type));
      return;
    }
    loop.sequence = convert(loop.sequence, type);
    loop.upper = convert(loop.upper, type);
    loop.elementType = type;
    return;
  }
  loop.sequence = checkSequence(node.iterable, wanted);
  const Type* type = loop.sequence->type;
  if (type->isError()) return;
  auto is = [&](const ClassSymbol* declaration) { return declaration != nullptr && type->declaration == declaration; };
  if (type->kind == TypeKind::kArray) {
    loop.source = Source::kArray;
    loop.elementType = type->element();
  } else if (type->kind == TypeKind::kString) {
    loop.source = Source::kString;
    loop.elementType = p_.simple(TypeKind::kChar);
  } else if (is(p_.known.list) || is(p_.known.set) || is(p_.known.channel)) {
    loop.source = is(p_.known.list) ? Source::kList : is(p_.known.set) ? Source::kSet : Source::kChannel;
    loop.elementType = type->arguments[0];
  } else if (is(p_.known.dict)) {
    loop.source = Source::kDict;
    loop.elementType = type->arguments[0];
    valueType = type->arguments[1];
  } else if (const Type* iterable =
                 p_.known.iterable != nullptr ? p_.conversions.asSuper(type, p_.known.iterable) : nullptr;
             iterable != nullptr) {
    loop.source = Source::kIterable;
    loop.elementType = iterable->arguments[0];
  } else if (!Conversions::hasUnknownBase(type)) {
    report(DiagId::NotIterable, node.iterable->range, typeName(type));
  }
}

Statement* BodyChecker::checkForeach(const syntax::ForeachStmt& node) {
  auto* loop = startStatement<ForEachStatement>(StatementKind::kForEach, node.range);
  pushScope();
  const syntax::ForeachVariable missing{}; // stands for what a syntax error left out
  const syntax::ForeachVariable& first = node.variables.empty() ? missing : *node.variables.front();
  const Type* wanted = first.type != nullptr ? resolveType(first.type) : nullptr;
  const Type* valueType = nullptr;
  findSequence(*loop, node, wanted, valueType);
  bool lacksPairs = node.variables.size() > 1 && valueType == nullptr && loop->elementType != nullptr &&
                    !loop->elementType->isError();
  if (lacksPairs) report(DiagId::PairsOnlyOfDict, node.iterable->range, typeName(loop->sequence->type));
  const Type* elementType = loop->elementType != nullptr && !lacksPairs ? loop->elementType : p_.errorType();
  loop->elementType = elementType;

  loop->variable = declare(first.name, wanted != nullptr ? wanted : elementType);
  Expression* element = make<ChainReceiverExpression>(ExpressionKind::kChainReceiver, first.range, elementType);
  Expression* converted = convert(element, loop->variable->type);
  loop->elementConversion = converted != element ? converted : nullptr;
  if (node.variables.size() > 1) {
    const syntax::ForeachVariable& second = *node.variables[1];
    const Type* written = second.type != nullptr ? resolveType(second.type) : nullptr;
    if (valueType == nullptr) valueType = p_.errorType();
    loop->valueVariable = declare(second.name, written != nullptr ? written : valueType);
    if (written != nullptr && written != valueType && !written->isError() && !valueType->isError()) {
      report(DiagId::CannotConvert, second.range, typeName(valueType), typeName(written));
    }
  }
  loop->body = checkLoopBody(loop, node.label, node.body);
  popScope();
  return loop;
}

Statement* BodyChecker::checkJump(const syntax::Stmt& node, const syntax::Ident& label, bool isBreak) {
  const JumpTarget* found = nullptr;
  std::vector<std::string_view> labels;
  for (size_t i = frame_->targets.size(); i-- > 0 && found == nullptr;) {
    const JumpTarget& target = frame_->targets[i];
    if (!target.label.empty()) labels.push_back(target.label);
    bool matches = label.empty() ? isBreak || target.isLoop : target.isLoop && target.label == label.text;
    if (matches) found = &target;
  }
  if (found == nullptr) {
    if (label.empty()) {
      report(DiagId::JumpOutside, node.range, isBreak ? "break" : "continue",
             isBreak ? "a loop, `switch` or `select`" : "a loop");
    } else {
      report(DiagId::UnknownLabel, label.range, label.text).suggest(didYouMean(label.text, labels));
    }
    return emptyStatement(node.range);
  }
  if (isBreak) return makeStatement<BreakStatement>(StatementKind::kBreak, node.range, found->statement);
  return makeStatement<ContinueStatement>(StatementKind::kContinue, node.range, found->statement);
}

// ---------------------------------------------------------------- switch

Statement* BodyChecker::checkSwitch(const syntax::SwitchStmt& node) {
  Expression* subject = checkValue(node.subject);
  const Type* type = subject->type;
  bool isAllowed = type->isNumeric() || type->kind == TypeKind::kChar || type->kind == TypeKind::kString ||
                   type->kind == TypeKind::kEnum;
  if (!isAllowed && !type->isError()) {
    report(DiagId::SwitchSubject, node.subject->range, typeName(type));
    type = p_.errorType();
  }
  auto* statement =
      makeStatement<SwitchStatement>(StatementKind::kSwitch, node.range, subject, std::span<const SwitchCase>{});
  frame_->targets.push_back({statement, {}, false});
  absl::flat_hash_set<uint64_t> integers;
  absl::flat_hash_set<std::string_view> texts;
  std::vector<ConstantValue> numbers;
  auto isRepeated = [&](const ConstantValue& value) {
    switch (value.kind) {
    case ConstantValue::Kind::kInteger: return !integers.insert(value.bits).second;
    case ConstantValue::Kind::kString: return !texts.insert(value.text).second;
    default: break;
    }
    bool isKnown = std::any_of(numbers.begin(), numbers.end(),
                               [&](const ConstantValue& other) { return sameConstant(other, value); });
    numbers.push_back(value);
    return isKnown;
  };
  std::vector<SwitchCase> cases;
  bool hasDefault = false;
  bool isBroken = false; // some case could not be understood: it may be the one that seems to be missing
  for (const syntax::SwitchCase* one : node.cases) {
    hasDefault |= one->isDefault;
    std::vector<ConstantValue> values;
    for (const syntax::Expr* written : one->values) {
      Expression* value = type->isError() ? poisoned(written) : checkAs(written, type);
      isBroken |= value->type->isError();
      if (value->type->isError()) continue;
      const ConstantValue* known = constantOf(value);
      if (known == nullptr) {
        report(DiagId::CaseNotConstant, written->range);
      } else if (isRepeated(*known)) {
        report(DiagId::DuplicateCase, written->range, sourceText(written->range));
      } else {
        values.push_back(*known);
      }
    }
    pushScope();
    Block* body = checkStatements(one->body, one->range);
    popScope();
    cases.push_back({p_.arena.copyList(values), one->isDefault, body});
  }
  frame_->targets.pop_back();
  statement->cases = p_.arena.copyList(cases);
  if (!hasDefault && type->kind == TypeKind::kEnum) {
    std::string missing;
    for (const EnumMember& member : type->declaration->members) {
      if (integers.contains(integerConstant(static_cast<uint64_t>(int64_t{member.value}), type).bits)) continue;
      missing += (missing.empty() ? "`" : ", `") + std::string(member.name) + "`";
    }
    if (!missing.empty() && !isBroken) report(DiagId::MissingEnumCase, node.subject->range, typeName(type), missing);
  }
  return statement;
}

// ---------------------------------------------------------------- try

Statement* BodyChecker::checkTry(const syntax::TryStmt& node) {
  auto* statement = startStatement<TryStatement>(StatementKind::kTry, node.range);
  statement->body = checkBlock(*node.body);
  std::vector<CatchClause> clauses;
  for (const syntax::CatchClause* clause : node.catches) {
    const Type* type = resolveType(clause->type);
    if (!p_.conversions.converts(type, p_.known.exception->selfType)) {
      report(DiagId::NotAnException, clause->type->range, typeName(type));
      type = p_.errorType();
    }
    for (const CatchClause& earlier : clauses) {
      if (type->isError() || earlier.type->isError() || !p_.derivesFrom(type->declaration, earlier.type->declaration))
        continue;
      // `Exception` leaves CancelledException to a clause that names it (L5.7).
      bool isCancellation = earlier.type->declaration == p_.known.exception && isCancelled(type->declaration);
      if (!isCancellation) {
        report(DiagId::UnreachableCatch, clause->type->range, typeName(type), typeName(earlier.type));
        break;
      }
    }
    pushScope();
    VariableSymbol* variable = declare(clause->name, type);
    frame_->caught.push_back(variable);
    Block* body = checkBlock(*clause->body, false);
    frame_->caught.pop_back();
    popScope();
    clauses.push_back({type, variable, body});
  }
  statement->catches = p_.arena.copyList(clauses);
  if (node.finallyBody != nullptr) statement->finallyBody = checkBlock(*node.finallyBody);
  return statement;
}

bool BodyChecker::isCancelled(const ClassSymbol* type) const {
  auto at = p_.prelude->names.find("CancelledException");
  return at != p_.prelude->names.end() && at->second.type != nullptr && p_.derivesFrom(type, at->second.type);
}

// ---------------------------------------------------------------- lock, using

// A method `name` without parameters that may be called on `type` here.
FunctionInfo* BodyChecker::findPlainMethod(const Type* type, std::string_view name) {
  for (const FoundFunction& found : p_.findMembers(type, name).functions) {
    FunctionInfo* function = found.function;
    bool isPlain = function->kind == FunctionKind::kMethod && function->parameters.empty() && !function->isProperty;
    if (isPlain && isVisible(*function, function->owner)) return function;
  }
  return nullptr;
}

Statement* BodyChecker::checkLock(const syntax::LockStmt& node) {
  Expression* mutex = checkValue(node.mutex);
  FunctionInfo* lock = nullptr;
  FunctionInfo* unlock = nullptr;
  if (!mutex->type->isError()) {
    lock = findPlainMethod(mutex->type, "lock");
    unlock = findPlainMethod(mutex->type, "unlock");
    if ((lock == nullptr || unlock == nullptr) && !Conversions::hasUnknownBase(mutex->type))
      report(DiagId::NotLockable, node.mutex->range, typeName(mutex->type));
  }
  Block* body = checkBlock(*node.body);
  return makeStatement<LockStatement>(StatementKind::kLock, node.range, mutex, static_cast<FunctionSymbol*>(lock),
                                      static_cast<FunctionSymbol*>(unlock), body);
}

Statement* BodyChecker::checkUsing(const syntax::UsingStmt& node) {
  pushScope();
  const syntax::LocalStmt& local = *node.variable;
  const Type* written = local.type != nullptr ? resolveType(local.type) : nullptr;
  Expression* value = local.initializer == nullptr ? errorExpression(local.range)
                      : written != nullptr         ? checkAs(local.initializer, written)
                                                   : checkValue(local.initializer);
  VariableSymbol* variable = declare(local.name, written != nullptr ? written : value->type);
  variable->isConst = true;
  variable->isUsed = true; // closing it is its use
  FunctionInfo* close = nullptr;
  if (!variable->type->isError()) {
    bool isCloseable =
        p_.known.closeable != nullptr && p_.conversions.asSuper(variable->type, p_.known.closeable) != nullptr;
    if (isCloseable) close = findPlainMethod(variable->type, "close");
    if (close == nullptr && !Conversions::hasUnknownBase(variable->type))
      report(DiagId::NotCloseable, local.range, typeName(variable->type));
  }
  Dispatch dispatch = close != nullptr ? dispatchOf(*close, false) : Dispatch::kStatic;
  Statement* inner = checkBody(node.body);
  std::span<Statement* const> statements = p_.arena.copyList(&inner, 1);
  Block* body = inner->kind == StatementKind::kBlock
                    ? static_cast<Block*>(inner)
                    : makeStatement<Block>(StatementKind::kBlock, inner->range, statements);
  popScope();
  return makeStatement<UsingStatement>(StatementKind::kUsing, node.range, variable, value,
                                       static_cast<FunctionSymbol*>(close), dispatch, body);
}

// ---------------------------------------------------------------- select

Statement* BodyChecker::checkSelect(const syntax::SelectStmt& node) {
  if (node.cases.empty()) {
    report(DiagId::EmptySelect, node.range);
    return emptyStatement(node.range);
  }
  auto* statement = makeStatement<SelectStatement>(StatementKind::kSelect, node.range, std::span<const SelectBranch>{});
  frame_->targets.push_back({statement, {}, false});
  std::vector<SelectBranch> branches;
  const syntax::SelectCase* timeout = nullptr;
  for (const syntax::SelectCase* one : node.cases) {
    if (one->selectKind == syntax::SelectKind::Timeout) {
      if (timeout != nullptr)
        report(DiagId::DuplicateTimeout, one->range).note(timeout->range, "the other one is here");
      timeout = one;
    }
    branches.push_back(checkSelectCase(*one));
  }
  frame_->targets.pop_back();
  statement->branches = p_.arena.copyList(branches);
  return statement;
}

SelectBranch BodyChecker::checkSelectCase(const syntax::SelectCase& node) {
  using Operation = SelectBranch::Operation;
  SelectBranch branch{};
  pushScope();
  const Type* received = nullptr;
  if (node.selectKind == syntax::SelectKind::Default) {
    branch.operation = Operation::kDefault;
  } else if (node.selectKind == syntax::SelectKind::Timeout) {
    branch.operation = Operation::kTimeout;
    branch.object = checkAs(node.operation, p_.simple(TypeKind::kLong));
  } else {
    received = checkSelectOperation(node, branch);
  }
  Statement* first = nullptr;
  if (node.declares) {
    const Type* written = node.type != nullptr ? resolveType(node.type) : nullptr;
    if (received != nullptr && received->isVoid()) {
      report(DiagId::SelectGivesNothing, node.name.range);
      received = p_.errorType();
    }
    if (received == nullptr) received = p_.errorType();
    const Type* type = written != nullptr ? written : received;
    VariableSymbol* variable = declare(node.name, type);
    branch.variable = variable;
    if (type != received && !type->isError() && !received->isError()) {
      // The operation stores what it received; a wider variable is filled from that at the start of the branch.
      VariableSymbol* raw = p_.newVariable();
      raw->type = received;
      raw->owner = frame_->function;
      raw->range = node.name.range;
      raw->isUsed = true;
      branch.variable = raw;
      Expression* value = convert(make<LocalExpression>(ExpressionKind::kLocal, node.name.range, received, raw), type);
      first = makeStatement<LocalStatement>(StatementKind::kLocal, node.name.range, variable, value);
    }
  }
  Block* body = checkStatements(node.body, node.range);
  if (first != nullptr) {
    std::vector<Statement*> statements{first};
    statements.insert(statements.end(), body->statements.begin(), body->statements.end());
    body->statements = p_.arena.copyList(statements);
  }
  branch.body = body;
  popScope();
  return branch;
}

// `ch.recv()`, `ch.send(v)` or `f.get()`. The type of what it gives; null if it was reported.
const Type* BodyChecker::checkSelectOperation(const syntax::SelectCase& node, SelectBranch& branch) {
  using Operation = SelectBranch::Operation;
  const auto* call = syntax::dyn<syntax::CallExpr>(node.operation);
  const auto* member = call != nullptr ? syntax::dyn<syntax::MemberExpr>(call->callee) : nullptr;
  auto refuse = [&]() -> const Type* {
    report(DiagId::SelectOperation, node.operation->range);
    return nullptr;
  };
  if (member == nullptr || member->isNullSafe || member->hasTypeArguments ||
      member->target->kind == syntax::NodeKind::SuperExpr) {
    if (node.operation->kind == syntax::NodeKind::ErrorExpr) return nullptr;
    checkPoisoned(node.operation);
    return refuse();
  }
  branch.object = checkValue(member->target);
  const Type* type = branch.object->type;
  if (type->isError()) {
    for (const syntax::Argument* argument : call->arguments) checkPoisoned(argument->value);
    return nullptr;
  }
  const Type* channel = p_.known.channel != nullptr ? p_.conversions.asSuper(type, p_.known.channel) : nullptr;
  const Type* future = p_.known.future != nullptr ? p_.conversions.asSuper(type, p_.known.future) : nullptr;
  std::string_view name = member->name.text;
  if (channel != nullptr && name == "recv" && call->arguments.empty()) {
    branch.operation = Operation::kReceive;
    return channel->arguments[0];
  }
  if (channel != nullptr && name == "send" && call->arguments.size() == 1 && call->arguments[0]->name.empty() &&
      !call->arguments[0]->isOut) {
    branch.operation = Operation::kSend;
    branch.value = checkAs(call->arguments[0]->value, channel->arguments[0]);
    return p_.simple(TypeKind::kVoid);
  }
  if (future != nullptr && name == "get" && call->arguments.empty()) {
    branch.operation = Operation::kGet;
    return future->arguments[0];
  }
  for (const syntax::Argument* argument : call->arguments) checkPoisoned(argument->value);
  return refuse();
}

} // namespace nlang::sema
