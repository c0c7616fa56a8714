// How the analyses of flow walk the typed tree.
//
// Some chains grow without nesting in the source (a + b + c, x.f().g()): each node's first operand is the next link.
// `firstOperand` gives that link, so that a walk follows it in a loop and recurses only into the other operands, whose
// depth the parser limits.
#pragma once

#include "sema/typed_tree.h"

namespace nlang::sema {

// The operand that is evaluated first, for the kinds of expressions that form chains; null for others.
inline Expression* firstOperand(const Expression* e) {
  switch (e->kind) {
  case ExpressionKind::kUnary: return static_cast<const UnaryExpression*>(e)->operand;
  case ExpressionKind::kBinary: return static_cast<const BinaryExpression*>(e)->left;
  case ExpressionKind::kLogical: return static_cast<const LogicalExpression*>(e)->left;
  case ExpressionKind::kConditional: return static_cast<const ConditionalExpression*>(e)->condition;
  case ExpressionKind::kCoalesce: return static_cast<const CoalesceExpression*>(e)->value;
  case ExpressionKind::kConvert: return static_cast<const ConvertExpression*>(e)->operand;
  case ExpressionKind::kTypeTest: return static_cast<const TypeTestExpression*>(e)->operand;
  case ExpressionKind::kField: return static_cast<const FieldExpression*>(e)->object;
  case ExpressionKind::kElement: return static_cast<const ElementExpression*>(e)->object;
  case ExpressionKind::kCall: return static_cast<const CallExpression*>(e)->receiver;
  case ExpressionKind::kCallValue: return static_cast<const CallValueExpression*>(e)->callee;
  case ExpressionKind::kFunctionValue: return static_cast<const FunctionValueExpression*>(e)->receiver;
  case ExpressionKind::kChain: return static_cast<const ChainExpression*>(e)->receiver;
  default: return nullptr;
  }
}

// A default value that the checker filled in: its tree belongs to the callee and is analysed with it.
inline bool isFilledIn(const FunctionSymbol* callee, const Argument& argument) {
  return callee != nullptr && argument.parameter < callee->defaults.size() &&
         callee->defaults[argument.parameter].value == argument.value;
}

// Calls `onOperand(expression)` for the operands of `e` but firstOperand(e), in order of evaluation, and `onOut(place)`
// for `out` arguments. The body of a lambda is no operand.
template <class OnOperand, class OnOut>
void forEachFurtherOperand(const Expression* e, OnOperand onOperand, OnOut onOut) {
  auto visit = [&](Expression* operand) {
    if (operand != nullptr) onOperand(operand);
  };
  auto visitArguments = [&](const FunctionSymbol* callee, std::span<const Argument> arguments) {
    for (const Argument& argument : arguments) {
      if (argument.value == nullptr || isFilledIn(callee, argument)) continue;
      if (argument.isOut) {
        onOut(argument.value);
      } else {
        onOperand(argument.value);
      }
    }
  };
  switch (e->kind) {
  case ExpressionKind::kElement: return visit(static_cast<const ElementExpression*>(e)->index);
  case ExpressionKind::kBinary: return visit(static_cast<const BinaryExpression*>(e)->right);
  case ExpressionKind::kLogical: return visit(static_cast<const LogicalExpression*>(e)->right);
  case ExpressionKind::kConditional:
    visit(static_cast<const ConditionalExpression*>(e)->whenTrue);
    return visit(static_cast<const ConditionalExpression*>(e)->whenFalse);
  case ExpressionKind::kCoalesce: return visit(static_cast<const CoalesceExpression*>(e)->fallback);
  case ExpressionKind::kChain: return visit(static_cast<const ChainExpression*>(e)->rest);
  case ExpressionKind::kCall: {
    auto* call = static_cast<const CallExpression*>(e);
    return visitArguments(call->function, call->arguments);
  }
  case ExpressionKind::kCallValue:
    return visitArguments(nullptr, static_cast<const CallValueExpression*>(e)->arguments);
  case ExpressionKind::kNew: {
    auto* call = static_cast<const NewExpression*>(e);
    return visitArguments(call->constructor, call->arguments);
  }
  case ExpressionKind::kNewArray: return visit(static_cast<const NewArrayExpression*>(e)->length);
  case ExpressionKind::kListValue:
    for (Expression* element : static_cast<const ListValueExpression*>(e)->elements) visit(element);
    return;
  case ExpressionKind::kDictValue:
    for (const DictEntry& entry : static_cast<const DictValueExpression*>(e)->entries) {
      visit(entry.key);
      visit(entry.value);
    }
    return;
  case ExpressionKind::kFieldsValue:
    for (const FieldValue& field : static_cast<const FieldsValueExpression*>(e)->fields) visit(field.value);
    return;
  case ExpressionKind::kInterpolation:
    for (const InterpolationPart& part : static_cast<const InterpolationExpression*>(e)->parts) visit(part.value);
    return;
  default: return;
  }
}

// The local variable that an assignment to `place` changes: the place itself, or the one that holds the struct of which
// a field is assigned. Null if it changes something else.
inline VariableSymbol* variableOfPlace(const Expression* place) {
  while (place->kind == ExpressionKind::kField) {
    place = static_cast<const FieldExpression*>(place)->object;
    if (place == nullptr || place->type->kind != TypeKind::kStruct) return nullptr;
  }
  return place->kind == ExpressionKind::kLocal ? static_cast<const LocalExpression*>(place)->variable : nullptr;
}

} // namespace nlang::sema
