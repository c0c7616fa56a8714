// Entry and exit of a function, its registers and constants.
#include "codegen/function_generator.h"

#include "syntax/diagnostic.h"

namespace nlang::codegen {

using bytecode::Op;
using sema::FunctionKind;
using sema::FunctionSymbol;
using sema::Type;
using sema::TypeKind;
using sema::VariableSymbol;
using syntax::DiagId;

namespace {

bool takesSelf(const FunctionSymbol& function) {
  return function.kind == FunctionKind::kMethod || function.kind == FunctionKind::kConstructor;
}

const FunctionSymbol* outermost(const FunctionSymbol* function) {
  while (function->enclosing) function = function->enclosing;
  return function;
}

void appendKinds(const TypeLayout& layout, std::vector<bool>& to) {
  to.insert(to.end(), layout.isReference.begin(), layout.isReference.end());
}

// What a type parameter stands for in a function of this owner with these type arguments.
struct Mapping {
  sema::Substitution outer, own;
  Mapping(ProgramGenerator& program, const Type* owner, const Type* arguments, const FunctionSymbol* function) {
    outer = {program.typeParametersOf(owner), argumentsOf(owner)};
    own = {outermost(function)->typeParameters, arguments ? arguments->parameters() : std::span<const Type* const>(),
           &outer};
  }
};

// The functions of package test: what fails is the line that calls them, so that is where a backtrace begins.
bool isAssertion(const FunctionSymbol* function) {
  return function && function->module && function->module->isStandard && function->module->name == "test";
}

} // namespace

Signature signatureOf(ProgramGenerator& program, const Instance& instance) {
  const FunctionSymbol& function = *instance.function;
  Mapping mapping(program, instance.owner, instance.arguments, &function);
  auto concrete = [&](const Type* type) { return program.canonical(type, mapping.own); };
  Signature signature;
  if (instance.kind == InstanceKind::kLambda)
    signature.parameters.push_back(true);
  else if (takesSelf(function))
    appendKinds(program.layout(instance.owner), signature.parameters);
  signature.resultType = concrete(function.resultType);
  appendKinds(program.layout(signature.resultType), signature.results);
  for (const VariableSymbol* parameter : function.parameters)
    appendKinds(program.layout(concrete(parameter->type)), parameter->isOut ? signature.results : signature.parameters);
  return signature;
}

FunctionGenerator::FunctionGenerator(ProgramGenerator& program, const Instance& instance)
    : program_(program), instance_(instance) {
  function_ = instance.function;
  resultType_ = program.simple(TypeKind::kVoid);
}

void FunctionGenerator::generate(bytecode::Function& out) {
  out.name = program_.functionName(instance_);
  syntax::SourceRange place = function_ ? function_->range : program_.typed().entries.front()->range;
  if (instance_.kind == InstanceKind::kInitializers)
    place = program_.initializerStretch(instance_.number).front()->range;
  range_ = place;
  out.file = program_.fileIndex(place.file);
  out.line = program_.lineOf(place);
  builder_.setLine(out.line);
  switch (instance_.kind) {
  case InstanceKind::kDeclared:
  case InstanceKind::kLambda: generateDeclared(); break;
  case InstanceKind::kFunctionThunk: generateFunctionThunk(); break;
  case InstanceKind::kBoundThunk: generateBoundThunk(); break;
  case InstanceKind::kBoundHash: generateBoundHash(); break;
  case InstanceKind::kBoxMethod: generateBoxMethod(); break;
  case InstanceKind::kEqualObjects: {
    parameterCount_ = 2;
    uint16_t left = builder_.newRegister(true), right = builder_.newRegister(true),
             result = builder_.newRegister(false);
    builder_.emit(Op::eq_object, result, left, right);
    builder_.emit(Op::ret, result);
    resultCount_ = 1;
    break;
  }
  case InstanceKind::kText: generateStructText(); break;
  case InstanceKind::kInitializers: generateInitializers(); break;
  case InstanceKind::kEntry: generateEntry(); break;
  }
  bool isShown = instance_.kind == InstanceKind::kDeclared || instance_.kind == InstanceKind::kLambda ||
                 instance_.kind == InstanceKind::kInitializers;
  if (!isShown || isAssertion(function_)) out.flags |= bytecode::kFunctionHidden;
  if (builder_.isReachable()) {
    // The checker has proved that this is never reached; the instruction keeps control inside the function all the
    // same.
    uint16_t nothing = builder_.newRegister(true);
    loadNull(nothing);
    builder_.emit(Op::throw_, nothing);
  }
  out.parameterCount = static_cast<uint16_t>(parameterCount_);
  out.resultCount = static_cast<uint16_t>(resultCount_);
  if (program_.failed()) return;
  if (parameterCount_ > kMaxCallSlots || resultCount_ > kMaxCallSlots)
    program_.fail(DiagId::TooManyParameters, place, out.name, kMaxCallSlots);
  else if (!builder_.finish(out))
    program_.fail(DiagId::FunctionTooLarge, place, out.name);
}

// ---------------------------------------------------------------- contexts

void FunctionGenerator::setContext(const Type* owner, const Type* arguments, FunctionSymbol* function) {
  context_.owner = owner;
  context_.arguments = arguments;
  context_.outer = {program_.typeParametersOf(owner), argumentsOf(owner)};
  context_.own = {};
  if (function && arguments) {
    context_.own.parameters = outermost(function)->typeParameters;
    context_.own.arguments = arguments->parameters();
  }
  context_.own.outer = &context_.outer;
}

const Type* FunctionGenerator::concrete(const Type* type) { return program_.canonical(type, context_.own); }

const Type* FunctionGenerator::resultTypeOf(const FunctionSymbol& function, const Type* owner, const Type* arguments) {
  Mapping mapping(program_, owner, arguments, &function);
  return program_.canonical(function.resultType, mapping.own);
}

// ---------------------------------------------------------------- entry and exit

void FunctionGenerator::generateDeclared() {
  setContext(instance_.owner, instance_.arguments, function_);
  Signature signature = signatureOf(program_, instance_);
  parameterCount_ = signature.parameters.size();
  resultCount_ = signature.results.size();
  resultType_ = signature.resultType;
  if (instance_.kind == InstanceKind::kLambda) {
    builder_.newRegister(true);
    context_.selfType = instance_.owner;
  } else if (takesSelf(*function_)) {
    context_.selfType = instance_.owner;
    context_.self = parameter(instance_.owner);
  }
  declareParameters(*function_);
  if (instance_.kind == InstanceKind::kLambda) enterCaptures();
  if (function_->kind == FunctionKind::kConstructor) generateConstructorPrologue();
  if (function_->body) generateBlock(*function_->body);
  if (builder_.isReachable() && resultType_->isVoid()) emitReturn({});
}

Value FunctionGenerator::parameter(const Type* type) {
  Value value = allocate(type);
  value.isTemporary = false;
  return value;
}

// All registers of parameters come first, then whatever the parameters need besides.
void FunctionGenerator::declareParameters(FunctionSymbol& function) {
  std::vector<Value> values;
  for (const VariableSymbol* variable : function.parameters)
    values.push_back(variable->isOut ? Value{} : parameter(concrete(variable->type)));
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const VariableSymbol* variable = function.parameters[i];
    if (!variable->isOut) {
      bindParameter(*variable, values[i]);
      continue;
    }
    outs_.push_back(variable);
    Storage storage = declare(*variable);
    loadZero({storage.reg, layout(storage.type).count(), false}, storage.type);
  }
}

void FunctionGenerator::bindParameter(const VariableSymbol& variable, Value value) {
  if (!variable.assignedAfterCapture) {
    variables_[&variable] = {value.reg, false, concrete(variable.type)};
    return;
  }
  declare(variable);
  initialize(variable, value);
}

// Captured values are read once, at the start: a closure never changes.
void FunctionGenerator::enterCaptures() {
  ClassRecord& closure = program_.closureOf(instance_);
  size_t next = 0;
  auto take = [&](const Type* type) {
    const CaptureSlice& slice = closure.captures[next++];
    Value to = slice.isCell ? allocateOne(true) : allocate(type);
    Place from{.kind = Place::Kind::kField,
               .type = type,
               .object = {0, 1, false},
               .base = slice.offset,
               .whole = slice.layout};
    if (slice.isCell) from.type = program_.objectType();
    load(from, {to.reg, true});
    to.isTemporary = false;
    return to;
  };
  if (function_->capturesThis) context_.self = take(context_.selfType);
  for (const VariableSymbol* variable : function_->captures) {
    const Type* type = concrete(variable->type);
    bool isCell = variable->assignedAfterCapture;
    variables_[variable] = {take(type).reg, isCell, type};
  }
}

void FunctionGenerator::generateConstructorPrologue() {
  if (function_->superCall) {
    auto* call = static_cast<const sema::CallExpression*>(function_->superCall);
    bool isEmpty = call->kind == sema::ExpressionKind::kCall && call->arguments.empty() &&
                   program_.isTrivialConstructor(call->function);
    bytecode::RegisterScope scope(builder_.registers());
    if (!isEmpty) evaluate(*function_->superCall);
  }
  for (const sema::FieldSymbol* field : function_->owner->fields) {
    if (!field->initializer) continue;
    bytecode::RegisterScope scope(builder_.registers());
    range_ = field->range;
    mark(field->range);
    Place to = fieldOfObject(context_.self, context_.selfType, *field);
    store(to, evaluate(*field->initializer));
  }
}

void FunctionGenerator::generateInitializers() {
  setContext(nullptr, nullptr, nullptr);
  for (sema::FieldSymbol* field : program_.initializerStretch(instance_.number)) {
    if (!field->initializer) continue;
    bytecode::RegisterScope scope(builder_.registers());
    range_ = field->range;
    mark(field->range);
    Place to{.kind = Place::Kind::kGlobal,
             .type = field->type,
             .base = program_.global(field),
             .whole = &layout(field->type)};
    store(to, evaluate(*field->initializer));
  }
  emitReturn({});
}

void FunctionGenerator::generateEntry() {
  resultCount_ = 1;
  for (uint32_t i = 0; i < program_.stretchCount(); ++i)
    builder_.emitCall(Op::call, program_.function({.kind = InstanceKind::kInitializers, .number = i}), {}, 0, 0);
  Value status = allocateOne(false);
  loadInteger(status.reg, 0, Family::kI32);
  std::vector<uint16_t> arguments;
  if (!function_->parameters.empty()) {
    FunctionSymbol* method = libraryFunction(program_.known().find("Program"), "arguments");
    arguments.push_back(builder_.newRegister(true));
    builder_.emitCall(Op::call, program_.function(method, nullptr, {}, range_), {}, arguments.back(), 1);
  }
  unsigned results = function_->resultType->isVoid() ? 0 : 1;
  builder_.emitCall(Op::call, program_.function(function_, nullptr, {}, range_), arguments, status.reg, results);
  builder_.emit(Op::ret, status.reg);
}

void FunctionGenerator::emitReturn(Value value) {
  if (outs_.empty()) {
    if (value.count == 0)
      builder_.emit(Op::ret_void);
    else if (value.count == 1)
      builder_.emit(Op::ret, value.reg);
    else
      builder_.emit(Op::ret_n, value.reg, value.count);
    return;
  }
  bytecode::RegisterScope scope(builder_.registers());
  std::vector<Value> parts;
  if (value.count > 0) parts.push_back(value);
  for (const VariableSymbol* variable : outs_) {
    const Storage& storage = variables_.at(variable);
    parts.push_back({storage.reg, layout(storage.type).count(), false});
  }
  if (parts.size() == 1) {
    if (parts[0].count == 1)
      builder_.emit(Op::ret, parts[0].reg);
    else
      builder_.emit(Op::ret_n, parts[0].reg, parts[0].count);
    return;
  }
  absl::InlinedVector<bool, 8> kinds;
  for (const Value& part : parts)
    for (uint16_t i = 0; i < part.count; ++i) kinds.push_back(builder_.registers().isReference(part.reg + i));
  uint16_t first = builder_.registers().allocate(kinds);
  uint16_t next = first;
  for (const Value& part : parts) {
    move(next, part);
    next += part.count;
  }
  builder_.emit(Op::ret_n, first, static_cast<uint16_t>(kinds.size()));
}

// ---------------------------------------------------------------- registers

Value FunctionGenerator::allocate(const Type* type) {
  const TypeLayout& shape = layout(type);
  if (shape.isSingle()) return allocateOne(shape.isReference[0]);
  return {builder_.registers().allocate(shape.isReference), shape.count(), true};
}

void FunctionGenerator::release(Value value) {
  if (value.isTemporary && value.count > 0) builder_.registers().release(value.reg, value.count);
}

Value FunctionGenerator::destination(Target target, const Type* type) {
  uint16_t count = layout(type).count();
  if (target.isGiven() && (target.isFresh || count == 1)) return {target.reg, count, false};
  return allocate(type);
}

Value FunctionGenerator::scratch(Target target, const Type* type) {
  if (target.isGiven() && target.isFresh) return {target.reg, layout(type).count(), false};
  return allocate(type);
}

Value FunctionGenerator::destinationOne(Target target, bool isReference) {
  if (target.isGiven()) return {target.reg, 1, false};
  return allocateOne(isReference);
}

void FunctionGenerator::move(uint16_t to, Value value) {
  if (to == value.reg) return;
  // A value may overlap with where it goes if it is a part of it.
  if (to < value.reg) {
    for (uint16_t i = 0; i < value.count; ++i) builder_.emit(Op::move, to + i, value.reg + i);
  } else {
    for (uint16_t i = value.count; i-- > 0;) builder_.emit(Op::move, to + i, value.reg + i);
  }
}

Value FunctionGenerator::settle(Value value, uint16_t reg) {
  move(reg, value);
  if (reg != value.reg) release(value);
  return {reg, value.count, false};
}

Value FunctionGenerator::copy(Value value, const Type* type) {
  Value made = allocate(type);
  move(made.reg, value);
  return made;
}

// ---------------------------------------------------------------- constants

void FunctionGenerator::loadZero(Value value, const Type* type) {
  const TypeLayout& shape = layout(type);
  for (uint16_t i = 0; i < value.count; ++i) {
    auto reg = static_cast<uint16_t>(value.reg + i);
    if (shape.isReference[i])
      loadNull(reg);
    else
      builder_.emitWide(Op::const_u32, reg, 0);
  }
}

void FunctionGenerator::loadInteger(uint16_t reg, uint64_t bits, Family family) {
  if (family == Family::kI32 || family == Family::kU32) {
    builder_.emitWide(Op::const_u32, reg, static_cast<uint32_t>(bits));
  } else if (bits <= UINT32_MAX) {
    builder_.emitWide(Op::const_u32, reg, static_cast<uint32_t>(bits));
  } else if (static_cast<int64_t>(bits) >= INT32_MIN && static_cast<int64_t>(bits) < 0) {
    builder_.emitWide(Op::const_i64, reg, static_cast<uint32_t>(bits));
  } else {
    builder_.emitWide(Op::const_pool, reg, program_.bitsConstant(bits));
  }
}

void FunctionGenerator::loadString(uint16_t reg, std::string_view text) {
  if (text.empty())
    loadNull(reg);
  else
    builder_.emitWide(Op::const_pool, reg, program_.stringConstant(text));
}

void FunctionGenerator::loadConstant(uint16_t reg, const sema::ConstantValue& value, const Type* type) {
  Family family = familyOf(type);
  switch (value.kind) {
  case sema::ConstantValue::Kind::kString: loadString(reg, value.text); return;
  case sema::ConstantValue::Kind::kFloating:
    if (family == Family::kF32)
      loadInteger(reg, std::bit_cast<uint32_t>(static_cast<float>(value.number)), Family::kU32);
    else
      loadInteger(reg, std::bit_cast<uint64_t>(value.number), Family::kU64);
    return;
  case sema::ConstantValue::Kind::kInteger: loadInteger(reg, value.bits, family); return;
  default: loadNull(reg); return;
  }
}

Value FunctionGenerator::integerRegister(uint64_t bits, Family family) {
  Value value = allocateOne(false);
  loadInteger(value.reg, bits, family);
  return value;
}

void FunctionGenerator::mark(syntax::SourceRange range) {
  if (range.valid()) builder_.setLine(program_.lineOf(range));
}

} // namespace nlang::codegen
