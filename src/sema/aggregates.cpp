// Brace and bracket values (rules L3.4, L3.5): what `{…}` and `[…]` mean depends on the type that is wanted.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body_checker.h"

namespace nlang::sema {

Expression* BodyChecker::checkBracket(const syntax::BracketExpr& node, const Type* expected) {
  std::vector<const syntax::Expr*> elements(node.elements.begin(), node.elements.end());
  return elementsValue(elements, expected, node.range);
}

Expression* BodyChecker::checkBrace(const syntax::BraceExpr& node, const Type* expected) {
  if (node.type != nullptr) {
    expected = resolveType(node.type);
    if (expected->isError()) {
      for (const syntax::BraceEntry* entry : node.entries) checkPoisoned(entry->value);
      return errorExpression(node.range);
    }
  }
  bool isOpen = expected == nullptr || p_.conversions.isObject(expected);
  if (node.entries.empty()) {
    if (!isOpen || node.type != nullptr) return emptyValue(expected, node.range);
    report(DiagId::EmptyWithoutType, node.range);
    return errorExpression(node.range);
  }
  size_t keys = 0;
  for (const syntax::BraceEntry* entry : node.entries) keys += entry->key != nullptr ? 1 : 0;
  if (keys != 0 && keys != node.entries.size()) {
    report(DiagId::MixedEntries, node.range);
    for (const syntax::BraceEntry* entry : node.entries) checkPoisoned(entry->value);
    return errorExpression(node.range);
  }
  if (keys == 0) {
    std::vector<const syntax::Expr*> elements;
    for (const syntax::BraceEntry* entry : node.entries) elements.push_back(entry->value);
    return elementsValue(elements, expected, node.range);
  }
  if (expected != nullptr && expected->isError()) {
    for (const syntax::BraceEntry* entry : node.entries) checkPoisoned(entry->value);
    return errorExpression(node.range);
  }
  if (isOpen && node.type == nullptr) return dictOfCommonType(node.entries, node.range);
  if (p_.isDictType(expected)) return dictValue(node.entries, expected, node.range);
  bool hasFields =
      expected->kind == TypeKind::kStruct || (expected->kind == TypeKind::kClass && !expected->declaration->isBuiltin);
  if (expected->kind == TypeKind::kClass && p_.derivesFrom(expected->declaration, p_.known.exception)) hasFields = true;
  if (hasFields) return fieldsValue(node.entries, expected, node.range);
  report(DiagId::NoKeysFor, node.range, typeName(expected));
  for (const syntax::BraceEntry* entry : node.entries) checkPoisoned(entry->value);
  return errorExpression(node.range);
}

// ---------------------------------------------------------------- elements

// The element type of what `[…]` makes for `target`, and that type itself; null if `target` has no elements.
const Type* BodyChecker::elementOf(const Type* target, const Type*& made) {
  made = target;
  if (target->kind == TypeKind::kArray) return target->element();
  if (p_.isListType(target) || p_.isSetType(target)) return target->arguments[0];
  if (target->declaration != nullptr && target->declaration == p_.known.iterable) {
    made = p_.types.named(p_.known.list, target->arguments);
    return target->arguments[0];
  }
  return nullptr;
}

Expression* BodyChecker::elementsValue(std::span<const syntax::Expr* const> elements, const Type* expected,
                                       syntax::SourceRange range) {
  if (expected != nullptr && expected->isError()) {
    for (const syntax::Expr* element : elements) checkPoisoned(element);
    return errorExpression(range);
  }
  bool isOpen = expected == nullptr || p_.conversions.isObject(expected) || expected->kind == TypeKind::kParameter;
  const Type* made = nullptr;
  const Type* elementType = isOpen ? nullptr : elementOf(expected, made);
  if (elementType == nullptr && !isOpen) {
    report(DiagId::NoElementsFor, range, typeName(expected));
    for (const syntax::Expr* element : elements) checkPoisoned(element);
    return errorExpression(range);
  }
  std::vector<Expression*> values;
  if (elementType == nullptr) {
    if (elements.empty()) {
      report(DiagId::EmptyWithoutType, range);
      return errorExpression(range);
    }
    elementType = commonElementType(elements, values, range);
    if (elementType->isError()) return errorExpression(range);
    made = p_.types.named(p_.known.list, {&elementType, 1});
    for (Expression*& value : values) value = convert(value, elementType);
  } else {
    for (const syntax::Expr* element : elements) values.push_back(checkAs(element, elementType));
  }
  std::span<Expression* const> list = p_.arena.copyList(values);
  return make<ListValueExpression>(ExpressionKind::kListValue, range, made, list);
}

// Values that need a target, such as empty lists and unwritten lambdas, take the common type of the others.
const Type* BodyChecker::commonElementType(std::span<const syntax::Expr* const> elements,
                                           std::vector<Expression*>& values, syntax::SourceRange range) {
  auto waits = [&](const syntax::Expr* element) {
    if (const auto* bracket = syntax::dyn<syntax::BracketExpr>(element)) return bracket->elements.empty();
    if (const auto* brace = syntax::dyn<syntax::BraceExpr>(element))
      return brace->type == nullptr && brace->entries.empty();
    return element->kind == syntax::NodeKind::LambdaExpr && needsTarget(element);
  };
  values.assign(elements.size(), nullptr);
  std::vector<Expression*> known;
  bool isBroken = false;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (waits(elements[i])) continue;
    values[i] = checkValue(elements[i]);
    isBroken |= values[i]->type->isError();
    known.push_back(values[i]);
  }
  const Type* common = known.empty() ? nullptr : meet(known, nullptr);
  if (common == nullptr && !isBroken) common = nestedElementType(elements, values);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (values[i] != nullptr) continue;
    values[i] = checkValue(elements[i], common);
    isBroken |= values[i]->type->isError();
  }
  if (isBroken) return p_.errorType();
  if (common == nullptr || common->kind == TypeKind::kNull) {
    report(DiagId::NoCommonElement, range);
    return p_.errorType();
  }
  return common;
}

// [[1.5], [2]]: inner bracket values have no types of their own, so the type of one may do for all.
const Type* BodyChecker::nestedElementType(std::span<const syntax::Expr* const> elements,
                                           std::vector<Expression*>& values) {
  std::vector<const Type*> candidates;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i]->kind != syntax::NodeKind::BracketExpr) return nullptr;
    if (values[i] != nullptr && std::find(candidates.begin(), candidates.end(), values[i]->type) == candidates.end()) {
      candidates.push_back(values[i]->type);
    }
  }
  constexpr size_t kMostTried = 4;
  for (size_t c = 0; c < candidates.size() && c < kMostTried && mayTry(); ++c) {
    std::vector<Expression*> converted(values.size());
    syntax::DiagnosticSink messages;
    TrialScope trial(p_, messages);
    for (size_t i = 0; i < elements.size() && !messages.hasErrors(); ++i) {
      if (values[i] != nullptr) converted[i] = checkValue(elements[i], candidates[c]);
    }
    if (messages.hasErrors()) continue;
    values = std::move(converted);
    return candidates[c];
  }
  return nullptr;
}

// ---------------------------------------------------------------- dictionaries

Expression* BodyChecker::dictValue(std::span<syntax::BraceEntry* const> entries, const Type* target,
                                   syntax::SourceRange range) {
  std::vector<DictEntry> list;
  for (const syntax::BraceEntry* entry : entries) {
    Expression* key = checkAs(entry->key, target->arguments[0]);
    list.push_back({key, checkAs(entry->value, target->arguments[1])});
  }
  std::span<const DictEntry> copied = p_.arena.copyList(list);
  return make<DictValueExpression>(ExpressionKind::kDictValue, range, target, copied);
}

Expression* BodyChecker::dictOfCommonType(std::span<syntax::BraceEntry* const> entries, syntax::SourceRange range) {
  if (p_.known.dict == nullptr) {
    report(DiagId::EmptyWithoutType, range);
    return errorExpression(range);
  }
  std::vector<const syntax::Expr*> keys;
  std::vector<const syntax::Expr*> texts;
  for (const syntax::BraceEntry* entry : entries) {
    keys.push_back(entry->key);
    texts.push_back(entry->value);
  }
  std::vector<Expression*> keyValues;
  std::vector<Expression*> valueValues;
  const Type* arguments[] = {commonElementType(keys, keyValues, range), commonElementType(texts, valueValues, range)};
  if (arguments[0]->isError() || arguments[1]->isError()) return errorExpression(range);
  std::vector<DictEntry> list;
  for (size_t i = 0; i < entries.size(); ++i)
    list.push_back({convert(keyValues[i], arguments[0]), convert(valueValues[i], arguments[1])});
  std::span<const DictEntry> copied = p_.arena.copyList(list);
  return make<DictValueExpression>(ExpressionKind::kDictValue, range, p_.types.named(p_.known.dict, arguments), copied);
}

// ---------------------------------------------------------------- fields

Expression* BodyChecker::fieldsValue(std::span<syntax::BraceEntry* const> entries, const Type* target,
                                     syntax::SourceRange range) {
  FunctionInfo* constructor = nullptr;
  bool isBroken = false;
  if (target->kind == TypeKind::kClass) {
    if (!canConstruct(target, info(target->declaration), range)) {
      isBroken = true;
    } else {
      for (FunctionSymbol* candidate : target->declaration->constructors) {
        if (candidate->parameters.empty() && isVisible(*candidate, target->declaration)) constructor = info(candidate);
      }
      if (constructor == nullptr) {
        report(DiagId::NoPlainConstructor, range, typeName(target));
        isBroken = true;
      }
    }
  }
  std::vector<FieldValue> list;
  for (const syntax::BraceEntry* entry : entries) {
    const auto* name = syntax::dyn<syntax::NameExpr>(entry->key);
    if (name == nullptr || name->hasTypeArguments) {
      report(DiagId::FieldNameExpected, entry->key->range, typeName(target));
      checkPoisoned(entry->value);
      isBroken = true;
      continue;
    }
    FoundMembers found = p_.findMembers(target, name->name.text);
    FieldInfo* field =
        found.field != nullptr && found.field->storage == FieldStorage::kInstance ? found.field : nullptr;
    if (field == nullptr) {
      suggestMember(report(DiagId::UnknownField, name->range, typeName(target), name->name.text), target,
                    name->name.text);
    } else if (!isVisible(*field, field->owner)) {
      report(DiagId::NotVisible, name->range, field->name, fmt::format("`{}`", field->owner->name))
          .note(field->range, "declared here");
      field = nullptr;
    } else if (field->isConst && target->kind == TypeKind::kClass) {
      report(DiagId::ConstField, name->range, field->name).note(field->range, "declared here");
      field = nullptr;
    } else if (std::any_of(list.begin(), list.end(), [&](const FieldValue& other) { return other.field == field; })) {
      report(DiagId::FieldTwice, name->range, field->name);
      field = nullptr;
    }
    if (field == nullptr) {
      checkPoisoned(entry->value);
      isBroken = true;
      continue;
    }
    list.push_back({field, checkAs(entry->value, p_.substitute(field->type, field->owner, found.fieldOwnerArguments))});
  }
  if (isBroken) return errorExpression(range);
  std::span<const FieldValue> copied = p_.arena.copyList(list);
  return make<FieldsValueExpression>(ExpressionKind::kFieldsValue, range, target,
                                     static_cast<FunctionSymbol*>(constructor), copied);
}

// ---------------------------------------------------------------- {}

Expression* BodyChecker::emptyValue(const Type* target, syntax::SourceRange range) {
  const Type* made = nullptr;
  switch (target->kind) {
  case TypeKind::kError: return errorExpression(range);
  case TypeKind::kArray:
    return make<ListValueExpression>(ExpressionKind::kListValue, range, target, std::span<Expression* const>{});
  case TypeKind::kClass: {
    if (elementOf(target, made) != nullptr)
      return make<ListValueExpression>(ExpressionKind::kListValue, range, target, std::span<Expression* const>{});
    if (p_.isDictType(target))
      return make<DictValueExpression>(ExpressionKind::kDictValue, range, target, std::span<const DictEntry>{});
    return construct(denoteType(target, range), {}, range);
  }
  case TypeKind::kInterface:
    if (elementOf(target, made) != nullptr)
      return make<ListValueExpression>(ExpressionKind::kListValue, range, made, std::span<Expression* const>{});
    [[fallthrough]];
  case TypeKind::kFunction:
  case TypeKind::kVoid: report(DiagId::NoEmptyValue, range, typeName(target)); return errorExpression(range);
  default: break;
  }
  ConstantValue value = defaultConstant(target);
  if (value.kind != ConstantValue::Kind::kNone) return constant(value, target, range);
  return make<DefaultExpression>(ExpressionKind::kDefault, range, target);
}

} // namespace nlang::sema
