// Function values: lambdas with what they capture, functions and methods as values, and the hidden functions behind
// them.
#include "codegen/function_generator.h"

namespace nlang::codegen {

using sema::FunctionSymbol;
using sema::TypeKind;
using sema::VariableSymbol;

namespace {

constexpr uint32_t kBoundReceiverOffset = 16; // the only captured value of a method value

// The declaration that a virtual method goes back to, so that a.m and b.m are the same target whatever the static types
// of a and b are.
FunctionSymbol* declarationOf(FunctionSymbol* method) {
  while (method->overridden) method = method->overridden;
  return method;
}

} // namespace

Value FunctionGenerator::evaluateLambda(const sema::LambdaExpression& expression, Target target) {
  FunctionSymbol& lambda = *expression.function;
  Instance instance{
      .kind = InstanceKind::kLambda, .function = &lambda, .owner = context_.owner, .arguments = context_.arguments};
  std::vector<CaptureSlice> slices;
  std::vector<Value> captured;
  const TypeLayout* reference = &layout(program_.objectType());
  if (lambda.capturesThis) {
    slices.push_back({0, &layout(context_.selfType), false});
    captured.push_back(context_.self);
  }
  for (const VariableSymbol* variable : lambda.captures) {
    Storage storage = variables_.at(variable);
    bool wantsCell = variable->assignedAfterCapture;
    if (wantsCell && !storage.isCell) {
      // A parameter seen by a lambda in another parameter's default value.
      Storage cell{builder_.newRegister(true), true, storage.type};
      makeCell(cell.reg, cell.type);
      store(cellPlace(cell), {storage.reg, layout(storage.type).count(), false});
      storage = cell;
    }
    slices.push_back({0, wantsCell ? reference : &layout(storage.type), wantsCell});
    captured.push_back({storage.reg, slices.back().layout->count(), false});
  }
  return makeClosure(program_.closureOf(instance, concrete(expression.type), slices), captured, target);
}

Value FunctionGenerator::makeClosure(ClassRecord& closure, std::span<const Value> captured, Target target) {
  if (captured.empty()) {
    Value value = destinationOne(target, true);
    builder_.emitWide(Op::const_pool, value.reg, program_.closureConstant(closure));
    return value;
  }
  Value value = scratch(target, program_.objectType());
  builder_.emitWide(Op::new_closure, value.reg, closure.index);
  for (size_t i = 0; i < captured.size(); ++i) {
    const CaptureSlice& slice = closure.captures[i];
    store({.kind = Place::Kind::kField,
           .type = slice.layout->type,
           .object = value,
           .base = slice.offset,
           .whole = slice.layout,
           .range = range_},
          captured[i]);
  }
  return value;
}

Value FunctionGenerator::evaluateFunctionValue(const sema::FunctionValueExpression& expression, Target target) {
  FunctionSymbol* function = expression.function;
  absl::InlinedVector<const Type*, 4> own;
  for (const Type* type : expression.typeArguments) own.push_back(concrete(type));
  const Type* arguments = program_.listOf(own);
  const Type* type = concrete(expression.type);
  bool dropsResult = type->result()->isVoid() && !function->resultType->isVoid();
  if (!expression.receiver) {
    Instance instance{
        .kind = InstanceKind::kFunctionThunk, .function = function, .arguments = arguments, .dropsResult = dropsResult};
    return makeClosure(program_.closureOf(instance, type, {}), {}, target);
  }
  const Type* receiverType = concrete(expression.receiver->type);
  Value receiver = evaluate(*expression.receiver);
  bool dispatches = expression.dispatch != sema::Dispatch::kStatic && function->isVirtual;
  bool isClassMethod = function->owner->kind == sema::ClassKind::kClass;
  if (dispatches && isClassMethod && receiverType->isReference()) function = declarationOf(function);
  const Type* owner = program_.asSuper(receiverType, function->owner);
  mark(expression.range);
  if (receiverType->isReference()) {
    if (mayBeNull(*expression.receiver)) builder_.emit(Op::check_null, receiver.reg);
  } else if (receiverType->kind != TypeKind::kString || owner->kind != TypeKind::kString) {
    receiver = box(receiverType, receiver, {});
  }
  // Methods of Object and of interfaces work on the box, others on what is in it.
  Instance instance{.kind = InstanceKind::kBoundThunk,
                    .function = function,
                    .owner = owner,
                    .arguments = arguments,
                    .type = owner,
                    .number = dispatches ? 0u : 1u,
                    .dropsResult = dropsResult};
  CaptureSlice slice{0, &layout(program_.objectType()), false};
  return makeClosure(program_.closureOf(instance, type, {&slice, 1}), {&receiver, 1}, target);
}

// ---------------------------------------------------------------- hidden functions

void FunctionGenerator::appendKinds(const Type* type, std::vector<bool>& kinds) {
  const TypeLayout& shape = layout(type);
  kinds.insert(kinds.end(), shape.isReference.begin(), shape.isReference.end());
}

// Calls and returns the results, without the first `dropped`.
void FunctionGenerator::forward(const Callee& callee, CallArguments& arguments, const std::vector<bool>& results,
                                unsigned dropped) {
  auto count = static_cast<unsigned>(results.size());
  absl::InlinedVector<bool, 8> kinds(results.begin(), results.end());
  uint16_t run = count == 0 ? 0 : builder_.registers().allocate(kinds);
  builder_.emitCall(callee.op, callee.target, arguments.registers, run, count);
  auto first = static_cast<uint16_t>(run + dropped);
  if (count - dropped == 0)
    builder_.emit(Op::ret_void);
  else if (count - dropped == 1)
    builder_.emit(Op::ret, first);
  else
    builder_.emit(Op::ret_n, first, static_cast<uint16_t>(count - dropped));
}

// The parameters of `function_`, as the closure's function takes them; its results' kinds.
std::vector<Value> FunctionGenerator::takeParameters(std::vector<bool>& results) {
  setContext(instance_.owner, instance_.arguments, function_);
  std::vector<Value> parameters;
  resultType_ = concrete(function_->resultType);
  appendKinds(resultType_, results);
  for (const VariableSymbol* variable : function_->parameters) {
    const Type* type = concrete(variable->type);
    if (variable->isOut)
      appendKinds(type, results);
    else
      parameters.push_back(parameter(type));
  }
  parameterCount_ = builder_.registers().count();
  resultCount_ = results.size() - droppedResults();
  return parameters;
}

// So many of the first results the thunk does not return.
unsigned FunctionGenerator::droppedResults() {
  return instance_.dropsResult ? static_cast<unsigned>(layout(resultType_).count()) : 0;
}

void FunctionGenerator::generateFunctionThunk() {
  builder_.newRegister(true);
  std::vector<bool> results;
  CallArguments arguments;
  for (Value value : takeParameters(results)) addArgument(arguments, value);
  TypeList own = instance_.arguments ? instance_.arguments->parameters() : TypeList();
  forward({.op = Op::call,
           .target = program_.function(function_, nullptr, own, function_->range),
           .resultType = resultType_,
           .range = {}},
          arguments, results, droppedResults());
}

void FunctionGenerator::generateBoundThunk() {
  const Type* type = instance_.type;
  Value closure{builder_.newRegister(true), 1, false};
  std::vector<bool> results;
  std::vector<Value> parameters = takeParameters(results);
  Value receiver = allocateOne(true);
  builder_.emit(Op::get_ref, receiver.reg, closure.reg, kBoundReceiverOffset);
  receiver = boxedValue(type, receiver);
  Value result;
  if (callIntrinsic(program_.known().intrinsic(function_), type, receiver, parameters, {}, result))
    return emitReturn(instance_.dropsResult ? Value{} : result);
  CallArguments arguments;
  addArgument(arguments, receiver);
  for (Value value : parameters) addArgument(arguments, value);
  MethodCall call{.function = function_,
                  .own = instance_.arguments ? instance_.arguments->parameters() : TypeList(),
                  .dispatches = instance_.number == 0,
                  .receiverType = type,
                  .mayBeNull = false,
                  .range = function_->range};
  forward(resolveMethod(call, arguments), arguments, results, droppedResults());
}

// Equal method values have equal receivers.
void FunctionGenerator::generateBoundHash() {
  Value closure{builder_.newRegister(true), 1, false};
  parameterCount_ = resultCount_ = 1;
  Value receiver = allocateOne(true);
  builder_.emit(Op::get_ref, receiver.reg, closure.reg, kBoundReceiverOffset);
  emitReturn(hashOf(program_.objectType(), receiver, {}));
}

} // namespace nlang::codegen
