// What toString, equals, hashCode and compareTo mean for each type, for values of any kind.
#include "codegen/function_generator.h"

namespace nlang::codegen {

using sema::BinaryOp;
using sema::FunctionSymbol;
using sema::TypeKind;

namespace {

constexpr uint32_t kBoxedValueOffset = 8;
constexpr uint64_t kHashFactor = 31;

} // namespace

// The method by which a struct, an enum or String replaces a method of Object, or null.
FunctionSymbol* FunctionGenerator::ownMethod(const Type* type, FunctionSymbol* objectMethod) {
  const sema::ClassSymbol* declaration =
      type->kind == TypeKind::kString ? program_.known().classes.string : type->declaration;
  if (!declaration || !objectMethod) return nullptr;
  FunctionSymbol* own = findMethod(declaration, objectMethod->name, objectMethod->parameters.size());
  return own && (own->parameters.empty() || own->parameters[0]->type == program_.objectType()) ? own : nullptr;
}

Value FunctionGenerator::callOwn(FunctionSymbol* method, const Type* type, Value value,
                                 std::span<const Value> arguments, Target target) {
  return callNamed(method, type, value, arguments, {}, target);
}

// ---------------------------------------------------------------- toString

Value FunctionGenerator::toText(const Type* type, Value value, Target target) {
  if (type->kind == TypeKind::kString) return value;
  const KnownSymbols& known = program_.known();
  if (type->kind == TypeKind::kEnum || type->kind == TypeKind::kStruct) {
    if (FunctionSymbol* own = ownMethod(type, known.objectToString)) return callOwn(own, type, value, {}, target);
  }
  if (type->kind == TypeKind::kStruct) {
    CallArguments arguments;
    addArgument(arguments, value);
    return finishCall({.op = Op::call,
                       .target = program_.function({.kind = InstanceKind::kText, .type = type}),
                       .resultType = program_.simple(TypeKind::kString),
                       .range = {}},
                      arguments, target);
  }
  if (type->isReference()) return referenceToText(type, value, target);
  release(value);
  Value text = destinationOne(target, true);
  switch (type->kind) {
  case TypeKind::kBool: builder_.emit(Op::bool_to_text, text.reg, value.reg); break;
  case TypeKind::kChar: builder_.emit(Op::char_to_text, text.reg, value.reg); break;
  case TypeKind::kEnum:
    builder_.emit(Op::enum_to_text, text.reg, value.reg, static_cast<uint16_t>(program_.classOf(type).index));
    break;
  case TypeKind::kUInt:
  case TypeKind::kLong: builder_.emit(Op::i64_to_text, text.reg, value.reg); break;
  case TypeKind::kULong: builder_.emit(Op::u64_to_text, text.reg, value.reg); break;
  case TypeKind::kFloat: builder_.emit(Op::f32_to_text, text.reg, value.reg); break;
  case TypeKind::kDouble: builder_.emit(Op::f64_to_text, text.reg, value.reg); break;
  default: builder_.emit(Op::i32_to_text, text.reg, value.reg); break;
  }
  return text;
}

Value FunctionGenerator::referenceToText(const Type* type, Value value, Target target) {
  Value text = destinationOne(target, true);
  if (type->kind == TypeKind::kNull) {
    loadString(text.reg, "null");
    return text;
  }
  Label isNull = builder_.newLabel(), end = builder_.newLabel();
  builder_.emitJump(Op::jump_null, isNull, value.reg);
  move(text.reg, callNamed(program_.known().objectToString, type, value, {}, {}, {text.reg, true}));
  builder_.emitJump(end);
  builder_.bind(isNull);
  loadString(text.reg, "null");
  builder_.bind(end);
  return text;
}

// Name{f: v, g: w}
void FunctionGenerator::generateStructText() {
  const Type* type = instance_.type;
  const TypeLayout& shape = layout(type);
  Value self = parameter(type);
  parameterCount_ = self.count;
  resultCount_ = 1;
  resultType_ = program_.simple(TypeKind::kString);
  size_t pieces = shape.fields.size() * 2 + 1;
  absl::InlinedVector<bool, 8> kinds(pieces, true);
  uint16_t run = builder_.registers().allocate(kinds);
  uint16_t next = run;
  std::string text = std::string(type->declaration->name) + "{";
  for (size_t i = 0; i < shape.fields.size(); ++i) {
    const FieldSlice& slice = shape.fields[i];
    loadString(next, text + std::string(type->declaration->fields[i]->name) + ": ");
    text = ", ";
    bytecode::RegisterScope scope(builder_.registers());
    Value field = self.part(slice.firstLeaf, layout(slice.type).count());
    settle(toText(slice.type, field, {static_cast<uint16_t>(next + 1), true}), next + 1);
    next += 2;
  }
  loadString(next, shape.fields.empty() ? text + "}" : "}");
  uint16_t result = builder_.newRegister(true);
  builder_.emit(Op::concat_n, result, run, static_cast<uint16_t>(pieces));
  builder_.emit(Op::ret, result);
}

// ---------------------------------------------------------------- equals

Value FunctionGenerator::equals(const Type* type, Value left, Value right, Target target) {
  const Type* boolType = program_.simple(TypeKind::kBool);
  Family family = familyOf(type);
  if (isFloatingFamily(family)) {
    // NaN equals NaN.
    Value result = scratch(target, boolType);
    Label end = builder_.newLabel();
    Op differs = family == Family::kF64 ? Op::ne_f64 : Op::ne_f32;
    builder_.emit(family == Family::kF64 ? Op::eq_f64 : Op::eq_f32, result.reg, left.reg, right.reg);
    builder_.emitJump(Op::jump_true, end, result.reg);
    Value other = allocateOne(false);
    builder_.emit(differs, result.reg, left.reg, left.reg);
    builder_.emit(differs, other.reg, right.reg, right.reg);
    builder_.emit(Op::and_i32, result.reg, result.reg, other.reg);
    release(other);
    builder_.bind(end);
    return result;
  }
  if (family == Family::kStruct) {
    if (FunctionSymbol* own = ownMethod(type, program_.known().objectEquals)) {
      Value object = box(type, right, {});
      return callOwn(own, type, left, {&object, 1}, target);
    }
    Value result = scratch(target, boolType);
    Label end = builder_.newLabel();
    loadInteger(result.reg, 0, Family::kI32);
    jumpIfDifferent(type, left, right, Equality::kMethod, end);
    loadInteger(result.reg, 1, Family::kI32);
    builder_.bind(end);
    return result;
  }
  if (family == Family::kReference) {
    Value result = scratch(target, boolType);
    Label isObject = builder_.newLabel(), end = builder_.newLabel();
    builder_.emitJump(Op::jump_not_null, isObject, left.reg);
    builder_.emit(Op::eq_ref, result.reg, left.reg, right.reg);
    builder_.emitJump(end);
    builder_.bind(isObject);
    move(result.reg, callNamed(program_.known().objectEquals, type, left, {&right, 1}, {}, {result.reg, true}));
    builder_.bind(end);
    return result;
  }
  return compare(BinaryOp::kEqual, type, left, right, target);
}

// value.equals(object), where the object may be anything.
Value FunctionGenerator::equalsObject(const Type* type, Value left, Value object, Target target) {
  if (type->isReference()) return equals(type, left, object, target);
  if (type->kind == TypeKind::kStruct)
    if (FunctionSymbol* own = ownMethod(type, program_.known().objectEquals))
      return callOwn(own, type, left, {&object, 1}, target);
  Value result = scratch(target, program_.simple(TypeKind::kBool));
  Label end = builder_.newLabel();
  builder_.emit(Op::is_exact, result.reg, object.reg, static_cast<uint16_t>(program_.boxOf(type).index));
  builder_.emitJump(Op::jump_false, end, result.reg);
  Value right = boxedValue(type, object);
  settle(equals(type, left, right, {result.reg, true}), result.reg);
  builder_.bind(end);
  return result;
}

// What is in a box that is known to be of the type.
Value FunctionGenerator::boxedValue(const Type* type, Value box) {
  if (!type->isScalar() && type->kind != TypeKind::kStruct) return {box.reg, 1, false};
  Place place{.kind = Place::Kind::kField,
              .type = type,
              .object = {box.reg, 1, false},
              .base = kBoxedValueOffset,
              .whole = &layout(type),
              .range = range_};
  return load(place, {});
}

// ---------------------------------------------------------------- hashCode, compareTo

Value FunctionGenerator::hashOf(const Type* type, Value value, Target target) {
  const KnownSymbols& known = program_.known();
  if (type->kind == TypeKind::kStruct || type->kind == TypeKind::kEnum || type->kind == TypeKind::kString)
    if (FunctionSymbol* own = ownMethod(type, known.objectHashCode)) return callOwn(own, type, value, {}, target);
  switch (familyOf(type)) {
  case Family::kI64:
  case Family::kU64: {
    Value shift = integerRegister(32, Family::kI32), mixed = allocateOne(false);
    builder_.emit(Op::ushr_i64, mixed.reg, value.reg, shift.reg);
    builder_.emit(Op::xor_i64, mixed.reg, mixed.reg, value.reg);
    release(shift);
    release(mixed);
    Value result = destinationOne(target, false);
    builder_.emit(Op::i64_to_i32, result.reg, mixed.reg);
    return result;
  }
  case Family::kF32:
  case Family::kF64: {
    sema::ClassSymbol* hash = known.find("Hash");
    if (!hash || hash->methods.empty()) break;
    Value number =
        familyOf(type) == Family::kF32 ? convertNumber(type, program_.simple(TypeKind::kDouble), value, {}) : value;
    CallArguments arguments;
    addArgument(arguments, number);
    return finishCall({.op = Op::call,
                       .target = program_.function(hash->methods.front(), nullptr, {}, range_),
                       .resultType = program_.simple(TypeKind::kInt),
                       .range = {}},
                      arguments, target);
  }
  case Family::kStruct: {
    const TypeLayout& shape = layout(type);
    Value result = scratch(target, program_.simple(TypeKind::kInt));
    loadInteger(result.reg, 0, Family::kI32);
    for (const FieldSlice& slice : shape.fields) {
      bytecode::RegisterScope scope(builder_.registers());
      Value part = hashOf(slice.type, value.part(slice.firstLeaf, layout(slice.type).count()), {});
      builder_.emit(Op::muli_i32, result.reg, result.reg, kHashFactor);
      builder_.emit(Op::add_i32, result.reg, result.reg, part.reg);
    }
    return result;
  }
  case Family::kReference: {
    Value result = scratch(target, program_.simple(TypeKind::kInt));
    Label end = builder_.newLabel();
    loadInteger(result.reg, 0, Family::kI32);
    builder_.emitJump(Op::jump_null, end, value.reg);
    move(result.reg, callNamed(known.objectHashCode, type, value, {}, {}, {result.reg, true}));
    builder_.bind(end);
    return result;
  }
  default: break;
  }
  return value;
}

// -1, 0 or 1
Value FunctionGenerator::compareTo(const Type* type, Value left, Value right, Target target) {
  if (type->kind == TypeKind::kString) {
    Value result = destinationOne(target, false);
    builder_.emit(Op::cmp_string, result.reg, left.reg, right.reg);
    return result;
  }
  Value less = compare(BinaryOp::kLess, type, left, right, {});
  Value greater = compare(BinaryOp::kGreater, type, left, right, {});
  release(less);
  release(greater);
  Value result = destinationOne(target, false);
  builder_.emit(Op::sub_i32, result.reg, greater.reg, less.reg);
  return result;
}

// ---------------------------------------------------------------- methods of boxes

// A method of Object or of an interface, called on a boxed value: takes the value out and does what the type does.
void FunctionGenerator::generateBoxMethod() {
  const Type* type = instance_.type;
  FunctionSymbol* method = instance_.function;
  const KnownSymbols& known = program_.known();
  setContext(instance_.owner, nullptr, method);
  CalleeScope scope{.function = method, .owner = instance_.owner};
  std::vector<const Type*> types = parameterTypesOf(scope);
  Value self{builder_.newRegister(true), 1, false};
  std::vector<Value> parameters;
  std::vector<bool> results;
  resultType_ = concrete(method->resultType);
  appendKinds(resultType_, results);
  for (size_t i = 0; i < types.size(); ++i) {
    if (method->parameters[i]->isOut)
      appendKinds(types[i], results);
    else
      parameters.push_back(parameter(types[i]));
  }
  parameterCount_ = builder_.registers().count();
  resultCount_ = results.size();
  Value value = boxedValue(type, self);
  if (method == known.objectToString) return emitReturn(toText(type, value, {}));
  if (method == known.objectHashCode) return emitReturn(hashOf(type, value, {}));
  if (method == known.objectEquals) return emitReturn(equalsObject(type, value, parameters[0], {}));
  if (!program_.checker().implementation(type, instance_.owner, method))
    return emitReturn(compareTo(type, value, parameters[0], {}));
  CallArguments arguments;
  addArgument(arguments, value);
  for (Value each : parameters) addArgument(arguments, each);
  MethodCall call{.function = method, .receiverType = type, .mayBeNull = false, .range = method->range};
  forward(resolveMethod(call, arguments), arguments, results, 0);
}

} // namespace nlang::codegen
