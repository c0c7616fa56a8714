// Calls: arguments, dispatch, results, construction.
#include "codegen/function_generator.h"
#include "sema/typed_walk.h"

#include <cassert>

namespace nlang::codegen {

using sema::ExpressionKind;
using sema::FunctionSymbol;
using sema::TypeKind;
using sema::VariableSymbol;

namespace {

template <class T> const T& as(const sema::Expression& expression) { return static_cast<const T&>(expression); }

const sema::Expression& withoutConversion(const sema::Expression& expression) {
  if (expression.kind != ExpressionKind::kConvert) return expression;
  auto& conversion = as<sema::ConvertExpression>(expression);
  switch (conversion.conversion) {
  case sema::Conversion::kBox:
  case sema::Conversion::kUpcast:
  case sema::Conversion::kGeneric: return *conversion.operand;
  default: return expression;
  }
}

} // namespace

bool FunctionGenerator::mayBeNull(const Expression& receiver) {
  switch (receiver.kind) {
  case ExpressionKind::kThis:
  case ExpressionKind::kNew:
  case ExpressionKind::kNewArray:
  case ExpressionKind::kListValue:
  case ExpressionKind::kDictValue:
  case ExpressionKind::kLambda:
  case ExpressionKind::kFunctionValue:
  case ExpressionKind::kChainReceiver: return false;
  case ExpressionKind::kConvert: return mayBeNull(*as<sema::ConvertExpression>(receiver).operand);
  default: return true;
  }
}

// ---------------------------------------------------------------- arguments

void FunctionGenerator::addArgument(CallArguments& arguments, Value value) {
  for (uint16_t i = 0; i < value.count; ++i) arguments.registers.push_back(static_cast<uint16_t>(value.reg + i));
  arguments.values.push_back(value);
}

// Evaluates in textual order and appends in the order of the parameters. `callee` is null for function values.
void FunctionGenerator::evaluateArguments(std::span<const sema::Argument> arguments, const CalleeScope& callee,
                                          TypeList parameterTypes, CallArguments& result) {
  absl::InlinedVector<Value, 8> values(arguments.size());
  absl::InlinedVector<Place, 1> outs;
  absl::InlinedVector<uint32_t, 8> outOf(arguments.size(), UINT32_MAX);
  for (const sema::Argument& argument : arguments) {
    if (argument.isOut) {
      outOf[argument.parameter] = static_cast<uint32_t>(outs.size());
      outs.push_back(place(*argument.value));
    } else if (sema::isFilledIn(callee.function, argument)) {
      values[argument.parameter] = evaluateDefault(argument, callee, values);
    } else {
      values[argument.parameter] = evaluate(*argument.value);
    }
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (outOf[i] == UINT32_MAX) {
      addArgument(result, values[i]);
    } else {
      result.outs.push_back(outs[outOf[i]]);
      result.outTypes.push_back(parameterTypes[i]);
    }
  }
}

// A default value is evaluated in the callee's scope: its types, its `this`, and the parameters in front of it.
Value FunctionGenerator::evaluateDefault(const sema::Argument& argument, const CalleeScope& callee,
                                         std::span<const Value> values) {
  Context saved = context_;
  std::vector<std::pair<const VariableSymbol*, Storage>> hidden;
  std::vector<const VariableSymbol*> added;
  setContext(callee.owner, callee.own, callee.function);
  context_.self = callee.self;
  context_.selfType = callee.owner;
  for (size_t i = 0; i < values.size() && i < argument.parameter; ++i) {
    const VariableSymbol* parameter = callee.function->parameters[i];
    if (parameter->isOut) continue;
    auto found = variables_.find(parameter);
    if (found != variables_.end())
      hidden.push_back(*found);
    else
      added.push_back(parameter);
    variables_[parameter] = {values[i].reg, false, concrete(parameter->type)};
  }
  Value value = evaluate(*argument.value);
  for (const VariableSymbol* parameter : added) variables_.erase(parameter);
  for (const auto& [parameter, storage] : hidden) variables_[parameter] = storage;
  context_ = saved;
  return value;
}

std::vector<const sema::Type*> FunctionGenerator::parameterTypesOf(const CalleeScope& callee) {
  std::vector<const Type*> types;
  Context saved = context_;
  setContext(callee.owner, callee.own, callee.function);
  for (const VariableSymbol* parameter : callee.function->parameters) types.push_back(concrete(parameter->type));
  context_ = saved;
  return types;
}

// ---------------------------------------------------------------- the call itself

Value FunctionGenerator::finishCall(const Callee& callee, CallArguments& arguments, Target target) {
  Op op = callee.op == Op::call ? program_.callOf(callee.target) : callee.op;
  if (callee.line != 0)
    builder_.setLine(callee.line);
  else
    mark(callee.range);
  const TypeLayout& result = layout(callee.resultType);
  unsigned count = result.count();
  for (const Type* type : arguments.outTypes) count += layout(type).count();
  if (arguments.registers.size() > kMaxCallSlots || count > kMaxCallSlots) {
    program_.fail(syntax::DiagId::TooManyParameters, callee.range, program_.calleeName(callee.op, callee.target),
                  kMaxCallSlots);
    return allocate(callee.resultType);
  }
  for (const Value& value : arguments.values) release(value);
  if (arguments.outs.empty()) {
    if (count == 0) {
      builder_.emitCall(op, callee.target, arguments.registers, 0, 0);
      return {};
    }
    // All results are written at once, when the call returns: any target will do.
    Value value =
        target.isGiven() ? Value{target.reg, static_cast<uint16_t>(count), false} : allocate(callee.resultType);
    builder_.emitCall(op, callee.target, arguments.registers, value.reg, count);
    return value;
  }
  const Place& first = arguments.outs.front();
  if (count == 1 && first.kind == Place::Kind::kRegisters) {
    builder_.emitCall(op, callee.target, arguments.registers, static_cast<uint16_t>(first.base + first.firstLeaf), 1);
    return {};
  }
  absl::InlinedVector<bool, 8> kinds(result.isReference.begin(), result.isReference.end());
  for (const Type* type : arguments.outTypes) {
    const TypeLayout& shape = layout(type);
    kinds.insert(kinds.end(), shape.isReference.begin(), shape.isReference.end());
  }
  uint16_t run = builder_.registers().allocate(kinds);
  builder_.emitCall(op, callee.target, arguments.registers, run, count);
  auto next = static_cast<uint16_t>(run + result.count());
  for (size_t i = 0; i < arguments.outs.size(); ++i) {
    uint16_t slots = layout(arguments.outTypes[i]).count();
    store(arguments.outs[i], {next, slots, false});
    next += slots;
  }
  return {run, result.count(), false};
}

// Calls a method whose receiver's registers are the first arguments.
Value FunctionGenerator::callMethod(const MethodCall& method, CallArguments& arguments, Target target) {
  return finishCall(resolveMethod(method, arguments), arguments, target);
}

// How the method is reached. Checks the receiver for null where the call itself does not.
FunctionGenerator::Callee FunctionGenerator::resolveMethod(const MethodCall& method, CallArguments& arguments) {
  FunctionSymbol* function = method.function;
  const Type* receiver = method.receiverType;
  bool isReference = familyOf(receiver) == Family::kReference;
  const Type* owner = program_.asSuper(receiver, function->owner);
  Callee callee{.op = Op::call,
                .target = 0,
                .resultType = resultTypeOf(*function, owner, program_.listOf(method.own)),
                .range = method.range,
                .line = method.line};
  bool isInterfaceMethod = function->owner->kind == sema::ClassKind::kInterface;
  if (isInterfaceMethod && receiver->kind == TypeKind::kInterface) {
    callee.op = Op::call_interface;
    callee.target = program_.selector(program_.classOf(owner), function);
    return callee;
  }
  if (isInterfaceMethod) {
    // The receiver's class is known better than its interface.
    function = program_.checker().implementation(receiver, owner, function);
    assert(function && "the receiver implements its interface");
    owner = program_.asSuper(receiver, function->owner);
  }
  bool isExact = receiver->kind == TypeKind::kArray && function->owner == program_.known().classes.array;
  if (isReference && method.dispatches && function->isVirtual && !isExact) {
    ClassRecord& record = program_.classOf(receiver->kind == TypeKind::kInterface ? program_.objectType() : receiver);
    program_.useSlot(record, function->slot);
    callee.op = Op::call_virtual;
    callee.target = function->slot;
    return callee;
  }
  if (isReference && method.mayBeNull) {
    if (method.line != 0)
      builder_.setLine(method.line);
    else
      mark(method.range);
    builder_.emit(Op::check_null, arguments.registers.front());
  }
  callee.target = program_.function(function, owner, method.own, method.range);
  return callee;
}

Value FunctionGenerator::callNamed(FunctionSymbol* method, const Type* receiverType, Value receiver,
                                   std::span<const Value> arguments, syntax::SourceRange range, Target target) {
  Value result;
  if (callIntrinsic(program_.known().intrinsic(method), receiverType, receiver, arguments, target, result))
    return result;
  CallArguments prepared;
  receiver.isTemporary = false;
  addArgument(prepared, receiver);
  for (Value argument : arguments) {
    argument.isTemporary = false;
    addArgument(prepared, argument);
  }
  return callMethod({.function = method, .receiverType = receiverType, .range = range}, prepared, target);
}

// A method of a library class by its name; `arguments` start with the receiver.
Value FunctionGenerator::callByName(std::string_view method, const Type* type, std::span<const Value> arguments,
                                    syntax::SourceRange range, Target target) {
  FunctionSymbol* found = libraryMethod(type->declaration, method, arguments.size() - 1);
  return callNamed(found, type, arguments.front(), arguments.subspan(1), range, target);
}

bool FunctionGenerator::callIntrinsic(Intrinsic intrinsic, const Type* receiverType, Value receiver,
                                      std::span<const Value> arguments, Target target, Value& result) {
  auto element = [&](Place::Kind kind) {
    const Type* type = receiverType->arguments[0];
    return Place{.kind = kind, .type = type, .object = receiver, .index = arguments[0], .whole = &layout(type)};
  };
  auto measure = [&](Op op) {
    result = destinationOne(target, false);
    builder_.emit(op, result.reg, receiver.reg);
    return true;
  };
  switch (intrinsic) {
  case Intrinsic::kNone: return false;
  case Intrinsic::kStringLength: return measure(Op::string_length);
  case Intrinsic::kArrayLength: return measure(Op::array_length);
  case Intrinsic::kListLength: return measure(Op::list_length);
  case Intrinsic::kListVersion: return measure(Op::list_version);
  case Intrinsic::kListGet: result = load(element(Place::Kind::kList), target); return true;
  case Intrinsic::kListSet: store(element(Place::Kind::kList), arguments[1]); break;
  case Intrinsic::kListAdd: builder_.emit(Op::list_add, receiver.reg, arguments[0].reg, arguments[0].count); break;
  }
  result = {};
  return true;
}

// ---------------------------------------------------------------- call expressions

Value FunctionGenerator::evaluateCall(const sema::CallExpression& call, Target target) {
  FunctionSymbol* function = call.function;
  absl::InlinedVector<const Type*, 4> own;
  for (const Type* type : call.typeArguments) own.push_back(concrete(type));
  CalleeScope scope{.function = function, .own = program_.listOf(own)};
  const Type* receiverType = nullptr;
  Value receiver;
  if (call.receiver) {
    receiverType = concrete(call.receiver->type);
    receiver = evaluate(*call.receiver);
    if (Value result; callOnValue(call, receiverType, receiver, target, result)) return result;
    scope.owner = program_.asSuper(receiverType, function->owner);
    scope.self = receiver;
    scope.self.isTemporary = false;
  }
  CallArguments arguments;
  if (call.receiver) addArgument(arguments, receiver);
  std::vector<const Type*> parameterTypes;
  for (const sema::Argument& argument : call.arguments)
    if (argument.isOut && parameterTypes.empty()) parameterTypes = parameterTypesOf(scope);
  evaluateArguments(call.arguments, scope, parameterTypes, arguments);
  uint32_t line = program_.lineOfCall(call);

  if (Intrinsic intrinsic = program_.known().intrinsic(function); intrinsic != Intrinsic::kNone && call.receiver) {
    builder_.setLine(line);
    // Operands may share registers with a result of one leaf: the instruction reads before it writes.
    bool isSingle = layout(concrete(call.type)).count() <= 1;
    std::span<const Value> operands(arguments.values);
    if (isSingle)
      for (const Value& value : operands) release(value);
    Value result;
    callIntrinsic(intrinsic, receiverType, receiver, operands.subspan(1), target, result);
    return result;
  }
  if (call.receiver) {
    return callMethod({.function = function,
                       .own = own,
                       .dispatches = call.dispatch != sema::Dispatch::kStatic,
                       .receiverType = receiverType,
                       .mayBeNull = mayBeNull(*call.receiver),
                       .range = call.range,
                       .line = line},
                      arguments, target);
  }
  Callee callee{.op = Op::call,
                .target = program_.function(function, nullptr, own, call.range),
                .resultType = resultTypeOf(*function, nullptr, scope.own),
                .range = call.range,
                .line = line};
  return finishCall(callee, arguments, target);
}

// Methods of Object and of interfaces on values that are no references, or of whatever type a type parameter stands
// for: there, a null has a text, a hash code and equals null.
bool FunctionGenerator::callOnValue(const sema::CallExpression& call, const Type* type, Value receiver, Target target,
                                    Value& result) {
  const KnownSymbols& known = program_.known();
  FunctionSymbol* method = call.function;
  bool isReference = familyOf(type) == Family::kReference;
  bool isGeneric = call.receiver->type->kind == TypeKind::kParameter;
  if (isReference && !isGeneric) return false;
  if (method->owner == known.classes.object) {
    mark(call.range);
    FunctionSymbol* overriding = isReference ? nullptr : ownMethod(type, method);
    if (overriding && call.arguments.empty()) {
      CallArguments arguments;
      addArgument(arguments, receiver);
      result = callMethod({.function = overriding, .dispatches = false, .receiverType = type, .range = call.range},
                          arguments, target);
      return true;
    }
    if (method == known.objectToString)
      result = toText(type, receiver, target);
    else if (method == known.objectHashCode)
      result = hashOf(type, receiver, target);
    else if (method == known.objectEquals) {
      const Expression& other = withoutConversion(*call.arguments[0].value);
      if (concrete(other.type) == type)
        result = equals(type, receiver, evaluate(other), target);
      else
        result = equalsObject(type, receiver, evaluate(*call.arguments[0].value), target);
    } else
      return false;
    return true;
  }
  if (isReference || method->owner->kind != sema::ClassKind::kInterface) return false;
  const Type* interface = program_.asSuper(type, method->owner);
  if (program_.checker().implementation(type, interface, method)) return false;
  // Scalars, strings and enums are Comparable with themselves.
  result = compareTo(type, receiver, evaluate(*call.arguments[0].value), target);
  return true;
}

Value FunctionGenerator::evaluateCallValue(const sema::CallValueExpression& call, Target target) {
  const Type* type = concrete(call.callee->type);
  Value callee = evaluate(*call.callee);
  CallArguments arguments;
  addArgument(arguments, callee);
  TypeList parameterTypes = type->parameters();
  evaluateArguments(call.arguments, {}, parameterTypes, arguments);
  return finishCall({.op = Op::call_closure, .target = 0, .resultType = type->result(), .range = call.range}, arguments,
                    target);
}

// ---------------------------------------------------------------- construction

Value FunctionGenerator::evaluateNew(const sema::NewExpression& expression, Target target) {
  return construct(expression.constructor, concrete(expression.type), expression.arguments, expression.range, target);
}

Value FunctionGenerator::construct(FunctionSymbol* constructor, const Type* type,
                                   std::span<const sema::Argument> arguments, syntax::SourceRange range,
                                   Target target) {
  uint32_t classIndex = program_.classOf(type).index;
  CalleeScope scope{.function = constructor, .owner = type};
  CallArguments prepared;
  prepared.registers.push_back(0);
  std::vector<const Type*> parameterTypes;
  for (const sema::Argument& argument : arguments)
    if (argument.isOut && parameterTypes.empty()) parameterTypes = parameterTypesOf(scope);
  if (!arguments.empty()) evaluateArguments(arguments, scope, parameterTypes, prepared);
  mark(range);
  if (!constructor || program_.isTrivialConstructor(constructor)) {
    for (const Value& value : prepared.values) release(value);
    Value object = destinationOne(target, true);
    builder_.emitWide(Op::new_object, object.reg, classIndex);
    return object;
  }
  Value object = scratch(target, type);
  builder_.emitWide(Op::new_object, object.reg, classIndex);
  prepared.registers[0] = object.reg;
  Callee callee{.op = Op::call,
                .target = program_.function(constructor, type, {}, range),
                .resultType = program_.simple(TypeKind::kVoid),
                .range = range};
  finishCall(callee, prepared, {});
  return object;
}

} // namespace nlang::codegen
