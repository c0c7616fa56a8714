// Statements without inner statements, and places: what can be assigned to (rule L4.11).
#include <fmt/format.h>

#include "sema/body_checker.h"

namespace nlang::sema {

Statement* BodyChecker::emptyStatement(syntax::SourceRange range) {
  return makeStatement<Block>(StatementKind::kBlock, range, std::span<Statement* const>{});
}

Block* BodyChecker::checkStatements(std::span<syntax::Stmt* const> statements, syntax::SourceRange range) {
  std::vector<Statement*> list;
  list.reserve(statements.size());
  for (const syntax::Stmt* statement : statements) list.push_back(checkStatement(statement));
  std::span<Statement* const> copied = p_.arena.copyList(list);
  return makeStatement<Block>(StatementKind::kBlock, range, copied);
}

Block* BodyChecker::checkBlock(const syntax::BlockStmt& block, bool ownScope) {
  if (ownScope) pushScope();
  Block* result = checkStatements(block.statements, block.range);
  if (ownScope) popScope();
  return result;
}

Statement* BodyChecker::checkBody(const syntax::Stmt* statement) {
  pushScope();
  Statement* result = statement->kind == syntax::NodeKind::BlockStmt
                          ? checkBlock(*syntax::as<syntax::BlockStmt>(statement), false)
                          : checkStatement(statement);
  popScope();
  return result;
}

Statement* BodyChecker::checkStatement(const syntax::Stmt* node) {
  using syntax::NodeKind;
  switch (node->kind) {
  case NodeKind::BlockStmt: return checkBlock(*syntax::as<syntax::BlockStmt>(node));
  case NodeKind::LocalStmt: return checkLocal(*syntax::as<syntax::LocalStmt>(node));
  case NodeKind::ExprStmt: return checkExpressionStatement(*syntax::as<syntax::ExprStmt>(node));
  case NodeKind::AssignStmt: return checkAssign(*syntax::as<syntax::AssignStmt>(node));
  case NodeKind::StepStmt: return checkStep(*syntax::as<syntax::StepStmt>(node));
  case NodeKind::IfStmt: return checkIf(*syntax::as<syntax::IfStmt>(node));
  case NodeKind::WhileStmt: return checkWhile(*syntax::as<syntax::WhileStmt>(node));
  case NodeKind::DoStmt: return checkDo(*syntax::as<syntax::DoStmt>(node));
  case NodeKind::ForStmt: return checkFor(*syntax::as<syntax::ForStmt>(node));
  case NodeKind::ForeachStmt: return checkForeach(*syntax::as<syntax::ForeachStmt>(node));
  case NodeKind::SwitchStmt: return checkSwitch(*syntax::as<syntax::SwitchStmt>(node));
  case NodeKind::BreakStmt: return checkJump(*node, syntax::as<syntax::BreakStmt>(node)->label, true);
  case NodeKind::ContinueStmt: return checkJump(*node, syntax::as<syntax::ContinueStmt>(node)->label, false);
  case NodeKind::ReturnStmt: return checkReturn(*syntax::as<syntax::ReturnStmt>(node));
  case NodeKind::ThrowStmt: return checkThrow(*syntax::as<syntax::ThrowStmt>(node));
  case NodeKind::TryStmt: return checkTry(*syntax::as<syntax::TryStmt>(node));
  case NodeKind::AssertStmt: return checkAssert(*syntax::as<syntax::AssertStmt>(node));
  case NodeKind::LockStmt: return checkLock(*syntax::as<syntax::LockStmt>(node));
  case NodeKind::SelectStmt: return checkSelect(*syntax::as<syntax::SelectStmt>(node));
  case NodeKind::UsingStmt: return checkUsing(*syntax::as<syntax::UsingStmt>(node));
  case NodeKind::SuperCallStmt: {
    report(DiagId::SuperCallNotFirst, node->range);
    std::vector<CallArgument> arguments = checkArguments(syntax::as<syntax::SuperCallStmt>(node)->arguments);
    dropArguments(arguments);
    return emptyStatement(node->range);
  }
  default: return emptyStatement(node->range); // empty, or reported by the parser
  }
}

Statement* BodyChecker::checkLocal(const syntax::LocalStmt& node) {
  if (node.type == nullptr) {
    Expression* value = node.initializer != nullptr ? check(node.initializer) : errorExpression(node.range);
    if (value->type->isVoid() || value->type->kind == TypeKind::kNull) {
      report(DiagId::VarWithoutType, node.initializer->range, node.name.text,
             value->type->isVoid() ? "nothing" : "`null`");
      value = errorExpression(node.range);
    }
    VariableSymbol* variable = declare(node.name, value->type);
    variable->isConst = node.isConst;
    rememberConstant(variable, value);
    return makeStatement<LocalStatement>(StatementKind::kLocal, node.range, variable, value);
  }
  const Type* type = resolveType(node.type);
  // The variable is visible in its own initialiser, so that a lambda may call itself; reading it too early is found by
  // flow.
  VariableSymbol* variable = declare(node.name, type);
  variable->isConst = node.isConst;
  Expression* value = nullptr;
  if (node.initializer != nullptr)
    value =
        type->isError() && needsTarget(node.initializer) ? poisoned(node.initializer) : checkAs(node.initializer, type);
  if (value != nullptr) rememberConstant(variable, value);
  if (value != nullptr && value->type->isError())
    variable->isUsed = true; // there is more to say than that it is unused
  return makeStatement<LocalStatement>(StatementKind::kLocal, node.range, variable, value);
}

Expression* BodyChecker::poisoned(const syntax::Expr* node) {
  checkPoisoned(node);
  return errorExpression(node->range);
}

void BodyChecker::rememberConstant(VariableSymbol* variable, const Expression* value) {
  const ConstantValue* known = constantOf(value);
  if (variable->isConst && known != nullptr && known->kind != ConstantValue::Kind::kNull &&
      value->type == variable->type) {
    localConstants_[variable] = *known;
  }
}

namespace {

// Is there a point in evaluating it for its effect?
bool hasEffect(const Expression* expression) {
  switch (expression->kind) {
  case ExpressionKind::kCall:
  case ExpressionKind::kCallValue:
  case ExpressionKind::kNew: return true;
  case ExpressionKind::kChain: return hasEffect(static_cast<const ChainExpression*>(expression)->rest);
  default: return expression->type->isError();
  }
}

} // namespace

Statement* BodyChecker::checkExpressionStatement(const syntax::ExprStmt& node) {
  Expression* value = check(node.expression);
  if (!hasEffect(value)) {
    if (!module_->isBrokenIn(node.range)) report(DiagId::UnusedResult, node.expression->range);
  } else if (value->type->declaration != nullptr && value->type->declaration == p_.known.future &&
             value->kind != ExpressionKind::kNew) {
    report(DiagId::DroppedFuture, node.expression->range, typeName(value->type))
        .suggest("call `get()`, or keep it in a variable");
  }
  return makeStatement<ExpressionStatement>(StatementKind::kExpression, node.range, value);
}

// ---------------------------------------------------------------- assignment

Statement* BodyChecker::checkAssign(const syntax::AssignStmt& node) {
  Expression* place = checkPlace(node.target, false);
  if (node.op == syntax::AssignOp::Set) {
    Expression* value =
        place->type->isError() && needsTarget(node.value) ? poisoned(node.value) : checkAs(node.value, place->type);
    return makeStatement<AssignStatement>(StatementKind::kAssign, node.range, place, value, false, BinaryOp::kAdd,
                                          static_cast<const Type*>(nullptr));
  }
  static constexpr BinaryOp kOps[] = {BinaryOp::kAdd,       BinaryOp::kAdd,        BinaryOp::kSubtract,
                                      BinaryOp::kMultiply,  BinaryOp::kDivide,     BinaryOp::kRemainder,
                                      BinaryOp::kAnd,       BinaryOp::kOr,         BinaryOp::kXor,
                                      BinaryOp::kShiftLeft, BinaryOp::kShiftRight, BinaryOp::kShiftRightUnsigned};
  Expression* value = checkValue(node.value);
  return compoundAssign(place, kOps[static_cast<size_t>(node.op)], value, node.range, syntax::textOf(node.op));
}

Statement* BodyChecker::checkStep(const syntax::StepStmt& node) {
  Expression* place = checkPlace(node.target, false);
  const char* text = node.isIncrement ? "++" : "--";
  if (!place->type->isNumeric() && !place->type->isError()) {
    report(DiagId::UnaryMismatch, node.range, text, typeName(place->type));
    place = errorExpression(node.target->range);
  }
  const Type* type = p_.simple(TypeKind::kInt);
  Expression* one = constant(integerConstant(1, type), type, node.range);
  return compoundAssign(place, node.isIncrement ? BinaryOp::kAdd : BinaryOp::kSubtract, one, node.range, text);
}

Statement* BodyChecker::compoundAssign(Expression* place, BinaryOp op, Expression* value, syntax::SourceRange range,
                                       std::string_view text) {
  auto statement = [&](Expression* converted, const Type* type) {
    return makeStatement<AssignStatement>(StatementKind::kAssign, range, place, converted, true, op, type);
  };
  if (place->kind == ExpressionKind::kLocal)
    static_cast<LocalExpression*>(place)->variable->isUsed = true; // it is read, too
  if (place->type->isError() || value->type->isError()) return statement(value, p_.errorType());
  OperationTypes operation = p_.conversions.binaryOperation(op, {place->type, nullptr}, operandOf(value));
  bool fits = operation.error == OperationError::kNone;
  if (fits) {
    const Type* result = operation.result;
    fits = result == place->type || (result->isNumeric() && place->type->isNumeric());
  }
  if (operation.error == OperationError::kSignedWithULong) {
    report(DiagId::SignedWithULong, range, text, typeName(place->type), typeName(value->type))
        .suggest("convert one side with `as`");
    return statement(errorExpression(value->range), p_.errorType());
  }
  if (!fits) {
    report(DiagId::BinaryMismatch, range, text, typeName(place->type), typeName(value->type));
    return statement(errorExpression(value->range), p_.errorType());
  }
  if (operation.isText) return statement(toText(value), operation.operand);
  value = operation.isShift ? convertByAs(value, operation.right, value->range) : tryConvert(value, operation.right);
  return statement(value, operation.operand);
}

// ---------------------------------------------------------------- places

Expression* BodyChecker::checkPlace(const syntax::Expr* node, bool isOut) {
  if (const auto* paren = syntax::dyn<syntax::ParenExpr>(node)) return checkPlace(paren->inner, isOut);
  if (const auto* broken = syntax::dyn<syntax::ErrorExpr>(node); broken != nullptr && isOut) {
    declareBroken(broken->partial);
    return errorExpression(node->range);
  }
  Expression* place = nullptr;
  if (const auto* name = syntax::dyn<syntax::NameExpr>(node); name != nullptr && !name->hasTypeArguments) {
    // Assigning is no use of a variable, and a constant's name stands for the variable here, not for its value.
    if (auto at = visible_.find(name->name.text); at != visible_.end()) {
      VariableSymbol* variable = at->second.variable;
      return make<LocalExpression>(ExpressionKind::kLocal, node->range, variable->type, variable);
    }
  }
  if (node->kind == syntax::NodeKind::NameExpr || node->kind == syntax::NodeKind::MemberExpr) {
    Denotation denotation = denote(node);
    if (denotation.kind == Denotation::Kind::kError) return errorExpression(node->range);
    if (denotation.kind != Denotation::Kind::kValue) {
      report(DiagId::NotAPlace, node->range);
      return errorExpression(node->range);
    }
    place = denotation.value;
  } else {
    place = check(node);
  }
  if (place->type->isError()) return place;
  return isAssignable(place, node->range) ? place : errorExpression(node->range);
}

// `f(out int x)`, which the parser has reported: what uses `x` afterwards is no further mistake.
void BodyChecker::declareBroken(const syntax::Expr* node) {
  const auto* name = node != nullptr ? syntax::dyn<syntax::NameExpr>(node) : nullptr;
  if (name != nullptr && !visible_.contains(name->name.text)) declare(name->name, p_.errorType());
}

bool BodyChecker::isAssignable(const Expression* place, syntax::SourceRange range) {
  switch (place->kind) {
  case ExpressionKind::kLocal: return true; // constants are found by flow
  case ExpressionKind::kStaticField: {
    const FieldSymbol* field = static_cast<const StaticFieldExpression*>(place)->field;
    if (!field->isConst) return true;
    report(DiagId::ConstField, range, field->name).note(field->range, "declared here");
    return false;
  }
  case ExpressionKind::kField: {
    const auto& access = *static_cast<const FieldExpression*>(place);
    const FieldSymbol* field = access.field;
    bool isInConstructor = function_ != nullptr && function_->kind == FunctionKind::kConstructor &&
                           frame_->outer == nullptr && field->owner == owner_ &&
                           access.object->kind == ExpressionKind::kThis &&
                           info(access.field)->declaration->initializer == nullptr;
    if (field->isConst && !isInConstructor) {
      report(DiagId::ConstField, range, field->name).note(field->range, "declared here");
      return false;
    }
    if (access.object->type->kind != TypeKind::kStruct) return true;
    return isStructPlace(access.object, range);
  }
  case ExpressionKind::kElement:
    if (static_cast<const ElementExpression*>(place)->container != ElementExpression::Container::kString) return true;
    report(DiagId::StringElement, range);
    return false;
  default: report(DiagId::NotAPlace, range); return false;
  }
}

// May a field of the struct that `object` yields be assigned, and would that change something that lasts?
bool BodyChecker::isStructPlace(const Expression* object, syntax::SourceRange range) {
  switch (object->kind) {
  case ExpressionKind::kThis: report(DiagId::StructThis, range); return false;
  case ExpressionKind::kElement:
    if (static_cast<const ElementExpression*>(object)->container != ElementExpression::Container::kDict) return true;
    report(DiagId::StructInDict, range);
    return false;
  case ExpressionKind::kLocal:
  case ExpressionKind::kStaticField:
  case ExpressionKind::kField: return isAssignable(object, range);
  default: report(DiagId::StructCopy, range); return false;
  }
}

// ---------------------------------------------------------------- return, throw, assert

Statement* BodyChecker::checkReturn(const syntax::ReturnStmt& node) {
  const Type* wanted = frame_->resultType;
  Expression* value = nullptr;
  if (node.value == nullptr) {
    if (wanted != nullptr && !wanted->isVoid() && !wanted->isError())
      report(DiagId::ReturnWithoutValue, node.range, typeName(wanted));
    if (!frame_->bareReturn.valid()) frame_->bareReturn = node.range;
  } else if (wanted == nullptr) {
    value = checkValue(node.value);
  } else if (wanted->isVoid()) {
    value = check(node.value);
    report(DiagId::ReturnValueInVoid, node.range);
  } else {
    value = wanted->isError() && needsTarget(node.value) ? poisoned(node.value) : checkAs(node.value, wanted);
  }
  auto* statement = makeStatement<ReturnStatement>(StatementKind::kReturn, node.range, value);
  if (value != nullptr && frame_->returns != nullptr && (wanted == nullptr || !wanted->isVoid()))
    frame_->returns->push_back(statement);
  return statement;
}

Statement* BodyChecker::checkThrow(const syntax::ThrowStmt& node) {
  if (node.value == nullptr) {
    VariableSymbol* caught = nullptr;
    for (FunctionFrame* frame = frame_; frame != nullptr && caught == nullptr; frame = frame->outer) {
      if (!frame->caught.empty()) caught = frame->caught.back();
    }
    if (caught == nullptr) report(DiagId::RethrowOutsideCatch, node.range);
    if (caught != nullptr) caught->isUsed = true;
    return makeStatement<ThrowStatement>(StatementKind::kThrow, node.range, static_cast<Expression*>(nullptr), caught);
  }
  const Type* root = p_.known.exception->selfType;
  Expression* value = checkValue(node.value);
  if (value->type->kind == TypeKind::kNull) {
    value = constant(nullConstant(), root, value->range);
  } else if (!value->type->isError() && !p_.conversions.converts(value->type, root)) {
    report(DiagId::NotAnException, node.value->range, typeName(value->type));
    value = errorExpression(node.value->range);
  }
  return makeStatement<ThrowStatement>(StatementKind::kThrow, node.range, value, static_cast<VariableSymbol*>(nullptr));
}

Statement* BodyChecker::checkAssert(const syntax::AssertStmt& node) {
  Expression* condition = checkCondition(node.condition);
  Expression* message = node.message != nullptr ? checkAs(node.message, p_.simple(TypeKind::kString)) : nullptr;
  return makeStatement<AssertStatement>(StatementKind::kAssert, node.range, condition, message,
                                        sourceText(node.condition->range));
}

} // namespace nlang::sema
