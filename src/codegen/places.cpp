// Places: variables, fields, elements, and fields of structs inside them; loads, stores, assignments.
#include "codegen/function_generator.h"

namespace nlang::codegen {

using sema::ExpressionKind;
using sema::FunctionSymbol;
using sema::TypeKind;
using Container = sema::ElementExpression::Container;

namespace {

template <class T> const T& as(const sema::Expression& expression) { return static_cast<const T&>(expression); }

constexpr uint32_t kCellValueOffset = 8;

} // namespace

Place FunctionGenerator::place(const Expression& expression) {
  switch (expression.kind) {
  case ExpressionKind::kLocal: return placeOfLocal(as<sema::LocalExpression>(expression));
  case ExpressionKind::kField: return placeOfField(as<sema::FieldExpression>(expression));
  case ExpressionKind::kElement: return placeOfElement(as<sema::ElementExpression>(expression));
  case ExpressionKind::kStaticField: {
    const sema::FieldSymbol* field = as<sema::StaticFieldExpression>(expression).field;
    const Type* type = concrete(field->type);
    return {.kind = Place::Kind::kGlobal,
            .type = type,
            .base = program_.global(field),
            .whole = &layout(type),
            .range = expression.range};
  }
  default: break;
  }
  // The fields of a struct value that is no place.
  Value value = evaluate(expression);
  const Type* type = concrete(expression.type);
  return {.kind = Place::Kind::kRegisters,
          .type = type,
          .base = value.reg,
          .whole = &layout(type),
          .range = expression.range};
}

Place FunctionGenerator::cellPlace(const Storage& storage) {
  return {.kind = Place::Kind::kField,
          .type = storage.type,
          .object = {storage.reg, 1, false},
          .base = kCellValueOffset,
          .whole = &layout(storage.type),
          .range = range_};
}

Place FunctionGenerator::placeOfLocal(const sema::LocalExpression& expression) {
  Storage storage = variables_.at(expression.variable);
  if (storage.isCell) return cellPlace(storage);
  return {.kind = Place::Kind::kRegisters,
          .type = storage.type,
          .base = storage.reg,
          .whole = &layout(storage.type),
          .range = expression.range};
}

Place FunctionGenerator::fieldOfObject(Value object, const Type* type, const sema::FieldSymbol& field) {
  if (type->kind == TypeKind::kStruct) {
    const TypeLayout& shape = layout(type);
    const FieldSlice& slice = shape.fields[field.index];
    return {.kind = Place::Kind::kRegisters,
            .type = slice.type,
            .base = object.reg,
            .whole = &shape,
            .firstLeaf = slice.firstLeaf,
            .range = range_};
  }
  ClassRecord& record = program_.classOf(type);
  for (ClassRecord* base = &record; base; base = base->super) {
    if (base->symbol != field.owner) continue;
    const TypeLayout* shape = base->fieldLayouts[field.index];
    return {.kind = Place::Kind::kField,
            .type = shape->type,
            .object = object,
            .base = base->fieldOffsets[field.index],
            .whole = shape,
            .range = range_};
  }
  return {};
}

Place FunctionGenerator::placeOfField(const sema::FieldExpression& expression) {
  const Type* objectType = concrete(expression.object->type);
  if (objectType->kind == TypeKind::kStruct) {
    Place inner = place(*expression.object);
    const FieldSlice& slice = layout(objectType).fields[expression.field->index];
    inner.firstLeaf += slice.firstLeaf;
    inner.type = slice.type;
    inner.range = expression.range;
    return inner;
  }
  Value object = evaluate(*expression.object);
  Place field = fieldOfObject(object, objectType, *expression.field);
  field.range = expression.range;
  return field;
}

Place FunctionGenerator::placeOfElement(const sema::ElementExpression& expression) {
  const Type* containerType = concrete(expression.object->type);
  Place element{.range = expression.range};
  element.containerType = containerType;
  element.object = evaluate(*expression.object);
  element.index = evaluate(*expression.index);
  element.type = concrete(expression.type);
  element.whole = &layout(element.type);
  element.kind = expression.container == Container::kArray  ? Place::Kind::kArray
                 : expression.container == Container::kList ? Place::Kind::kList
                                                            : Place::Kind::kDict;
  return element;
}

// ---------------------------------------------------------------- loads and stores

Value FunctionGenerator::take(const Place& place, Target target) {
  // One instruction may overwrite what it reads; several may not.
  bool isSingle = layout(place.type).isSingle() && place.kind != Place::Kind::kDict;
  if (isSingle) {
    release(place.object);
    release(place.index);
    return load(place, target);
  }
  Value value = load(place, target);
  release(place.object);
  release(place.index);
  return value;
}

Value FunctionGenerator::load(const Place& place, Target target) {
  const TypeLayout& shape = layout(place.type);
  uint16_t count = shape.count();
  if (place.kind == Place::Kind::kRegisters) return {static_cast<uint16_t>(place.base + place.firstLeaf), count, false};
  if (place.kind != Place::Kind::kGlobal) mark(place.range);
  if (place.kind == Place::Kind::kDict) return loadFromDict(place);
  Value value = destination(target, place.type);
  for (uint16_t i = 0; i < count; ++i) {
    uint32_t leafIndex = place.firstLeaf + i;
    const bytecode::Leaf& leaf = place.whole->element.leaves[leafIndex];
    auto to = static_cast<uint16_t>(value.reg + i);
    switch (place.kind) {
    case Place::Kind::kField:
      builder_.emit(fieldLoad(leaf.kind), to, place.object.reg, static_cast<uint16_t>(place.base + leaf.offset));
      break;
    case Place::Kind::kGlobal: builder_.emitWide(Op::get_global, to, place.base + leafIndex); break;
    case Place::Kind::kArray:
      if (place.whole->isSingle())
        builder_.emit(arrayLoad(leaf.kind), to, place.object.reg, place.index.reg);
      else
        builder_.emitLeaf(Op::array_get_leaf, to, place.object.reg, place.index.reg, static_cast<uint16_t>(leafIndex));
      break;
    case Place::Kind::kList:
      if (place.whole->isSingle())
        builder_.emit(listLoad(leaf.kind), to, place.object.reg, place.index.reg);
      else
        builder_.emitLeaf(Op::list_get_leaf, to, place.object.reg, place.index.reg, static_cast<uint16_t>(leafIndex));
      break;
    case Place::Kind::kRegisters:
    case Place::Kind::kDict: break;
    }
  }
  return value;
}

// d[k]. A missing key is an exception of the place itself, as an index out of range is.
Value FunctionGenerator::loadFromDict(const Place& place) {
  const sema::ClassSymbol* dict = program_.known().classes.dict;
  FunctionSymbol* tryGet = libraryMethod(dict, "tryGet", 2);
  FunctionSymbol* missing = libraryMethod(dict, "missing", 1);
  const Type* owner = program_.asSuper(place.containerType, tryGet->owner);
  absl::InlinedVector<uint16_t, 8> arguments{place.object.reg};
  for (uint16_t i = 0; i < place.index.count; ++i) arguments.push_back(static_cast<uint16_t>(place.index.reg + i));
  // The results: whether it is there, and the whole value, of which a field may be wanted.
  const auto& valueKinds = place.whole->isReference;
  absl::InlinedVector<bool, 8> kinds{false};
  kinds.insert(kinds.end(), valueKinds.begin(), valueKinds.end());
  uint16_t results = builder_.registers().allocate(kinds);
  Label found = builder_.newLabel();
  uint32_t lookUp = program_.function(tryGet, owner, {}, place.range);
  Op call = program_.callOf(lookUp);
  if (call == Op::call) builder_.emit(Op::check_null, place.object.reg);
  builder_.emitCall(call, lookUp, arguments, results, static_cast<unsigned>(kinds.size()));
  builder_.emitJump(Op::jump_true, found, results);
  Value exception = allocateOne(true);
  builder_.emitCall(Op::call, program_.function(missing, owner, {}, place.range), arguments, exception.reg, 1);
  builder_.emit(Op::throw_, exception.reg);
  release(exception);
  builder_.bind(found);
  return {static_cast<uint16_t>(results + 1 + place.firstLeaf), layout(place.type).count(), false};
}

void FunctionGenerator::store(const Place& place, Value value) {
  if (place.kind == Place::Kind::kRegisters) return move(static_cast<uint16_t>(place.base + place.firstLeaf), value);
  if (place.kind != Place::Kind::kGlobal) mark(place.range);
  if (place.kind == Place::Kind::kDict) {
    Value arguments[] = {place.object, place.index, value};
    for (Value& argument : arguments) argument.isTemporary = false;
    release(callByName("set", place.containerType, arguments, place.range, {}));
    return;
  }
  for (uint16_t i = 0; i < value.count; ++i) {
    uint32_t leafIndex = place.firstLeaf + i;
    const bytecode::Leaf& leaf = place.whole->element.leaves[leafIndex];
    auto from = static_cast<uint16_t>(value.reg + i);
    switch (place.kind) {
    case Place::Kind::kField:
      builder_.emit(fieldStore(leaf.kind), from, place.object.reg, static_cast<uint16_t>(place.base + leaf.offset));
      break;
    case Place::Kind::kGlobal: builder_.emitWide(Op::set_global, from, place.base + leafIndex); break;
    case Place::Kind::kArray:
      if (place.whole->isSingle())
        builder_.emit(arrayStore(leaf.kind), from, place.object.reg, place.index.reg);
      else
        builder_.emitLeaf(Op::array_set_leaf, from, place.object.reg, place.index.reg,
                          static_cast<uint16_t>(leafIndex));
      break;
    case Place::Kind::kList:
      if (place.whole->isSingle())
        builder_.emit(listStore(leaf.kind), from, place.object.reg, place.index.reg);
      else
        builder_.emitLeaf(Op::list_set_leaf, from, place.object.reg, place.index.reg, static_cast<uint16_t>(leafIndex));
      break;
    case Place::Kind::kRegisters:
    case Place::Kind::kDict: break;
    }
  }
}

// ---------------------------------------------------------------- assignment

namespace {

// Whether `value` is `x + …` for the very x that is assigned, so that appending in place pays.
bool extendsPlace(const sema::Expression& place, const sema::Expression& value) {
  const sema::Expression* first = &value;
  if (first->kind == ExpressionKind::kInterpolation) {
    auto& parts = as<sema::InterpolationExpression>(*first).parts;
    if (parts.empty() || !parts[0].text.empty() || !parts[0].value || !parts[0].format.empty()) return false;
    first = parts[0].value;
  }
  while (first->kind == ExpressionKind::kBinary) first = as<sema::BinaryExpression>(*first).left;
  if (first == &value || first->kind != place.kind) return false;
  switch (place.kind) {
  case ExpressionKind::kLocal:
    return as<sema::LocalExpression>(*first).variable == as<sema::LocalExpression>(place).variable;
  case ExpressionKind::kStaticField:
    return as<sema::StaticFieldExpression>(*first).field == as<sema::StaticFieldExpression>(place).field;
  case ExpressionKind::kField: return as<sema::FieldExpression>(*first).field == as<sema::FieldExpression>(place).field;
  default: return false;
  }
}

} // namespace

// The value of a simple assignment. A string that grows at its end is built so that it can be appended to in place.
Value FunctionGenerator::evaluateAssigned(const sema::AssignStatement& statement, Target target) {
  const Expression& value = *statement.value;
  if (familyOf(concrete(value.type)) == Family::kString && extendsPlace(*statement.place, value)) {
    if (value.kind == ExpressionKind::kBinary)
      return evaluateConcatenation(as<sema::BinaryExpression>(value), target, true);
    return evaluateInterpolation(as<sema::InterpolationExpression>(value), target, true);
  }
  return evaluate(value, target);
}

void FunctionGenerator::generateAssign(const sema::AssignStatement& statement) {
  if (statement.compound) return assignCompound(statement);
  Place to = place(*statement.place);
  if (to.kind == Place::Kind::kRegisters) {
    auto reg = static_cast<uint16_t>(to.base + to.firstLeaf);
    settle(evaluateAssigned(statement, {reg, false}), reg);
    return;
  }
  store(to, evaluateAssigned(statement, {}));
}

void FunctionGenerator::assignCompound(const sema::AssignStatement& statement) {
  Place to = place(*statement.place);
  const Type* operationType = concrete(statement.operationType);
  bool isText = familyOf(operationType) == Family::kString;
  if (to.kind == Place::Kind::kRegisters && to.type == operationType) {
    // x op= y on a local is one instruction.
    auto reg = static_cast<uint16_t>(to.base + to.firstLeaf);
    Value old{reg, 1, false};
    if (isPassedOut(*statement.place)) old = copy(old, to.type);
    if (isText) {
      Value addition = evaluate(*statement.value);
      builder_.emit(Op::concat, reg, old.reg, addition.reg);
    } else {
      mark(statement.range);
      settle(operate(statement.op, operationType, old, *statement.value, {reg, false}), reg);
    }
    return;
  }
  Value old = load(to, {});
  if (to.kind == Place::Kind::kRegisters && isPassedOut(*statement.place)) old = copy(old, to.type);
  Value result;
  if (isText) {
    Value addition = evaluate(*statement.value);
    result = allocateOne(true);
    builder_.emit(Op::concat, result.reg, old.reg, addition.reg);
  } else {
    Value operand = convertNumber(to.type, operationType, old, {});
    result = operate(statement.op, operationType, operand, *statement.value, {});
    result = convertNumber(operationType, to.type, result, {});
  }
  store(to, result);
}

bool FunctionGenerator::isPassedOut(const Expression& place) {
  const Expression* inner = &place;
  while (inner->kind == ExpressionKind::kField) inner = as<sema::FieldExpression>(*inner).object;
  return inner->kind == ExpressionKind::kLocal && as<sema::LocalExpression>(*inner).variable->isPassedOut;
}

} // namespace nlang::codegen
