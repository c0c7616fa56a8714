#include "sema/inference.h"

namespace nlang::sema {

Inference::Inference(const Conversions& conversions, std::span<TypeParameterSymbol* const> parameters)
    : conversions_(conversions), parameters_(parameters), slots_(parameters.size()), result_(parameters.size()) {}

int Inference::indexOf(const Type* type) const {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i] == type->parameter) return static_cast<int>(i);
  }
  return -1;
}

bool Inference::fail(InferenceError error, size_t index, const Type* first, const Type* second) {
  if (failure_.error == InferenceError::kNone) failure_ = {error, parameters_[index], first, second};
  return false;
}

void Inference::set(size_t index, const Type* type) { slots_[index].exact = type; }

bool Inference::learn(const Type* parameter, const Type* argument, const ConstantValue* constant) {
  return learnFrom(parameter, argument, false, constant);
}

bool Inference::learnExactly(const Type* parameter, const Type* argument) {
  return learnFrom(parameter, argument, true, nullptr);
}

bool Inference::learnFrom(const Type* parameter, const Type* argument, bool exact, const ConstantValue* constant) {
  if (!parameter->hasParameters || argument->isError() || argument->kind == TypeKind::kNull) return true;
  if (parameter->kind == TypeKind::kParameter) {
    int index = indexOf(parameter);
    return index < 0 || learnSlot(static_cast<size_t>(index), argument, exact, constant);
  }
  if (parameter->kind == TypeKind::kArray || parameter->kind == TypeKind::kFunction) {
    if (argument->kind != parameter->kind || argument->outMask != parameter->outMask) return true;
  } else {
    argument = exact ? argument : conversions_.asSuper(argument, parameter->declaration);
    if (argument == nullptr || argument->declaration != parameter->declaration) return true;
  }
  if (argument->arguments.size() != parameter->arguments.size()) return true;
  for (size_t i = 0; i < parameter->arguments.size(); ++i) {
    if (!learnFrom(parameter->arguments[i], argument->arguments[i], true, nullptr)) return false;
  }
  return true;
}

bool Inference::learnSlot(size_t index, const Type* argument, bool exact, const ConstantValue* constant) {
  if (argument->isVoid()) return fail(InferenceError::kVoid, index, argument, nullptr);
  Slot& slot = slots_[index];
  if (slot.exact != nullptr) {
    bool fits = exact ? slot.exact == argument : conversions_.converts(argument, slot.exact, constant);
    return fits || fail(InferenceError::kConflict, index, slot.exact, argument);
  }
  if (!exact && slot.lower != nullptr && conversions_.converts(argument, slot.lower, constant)) {
    slot.bounds.push_back({argument, constant});
    return true;
  }
  for (const Operand& bound : slot.bounds) {
    if (!conversions_.converts(bound.type, argument, bound.constant))
      return fail(InferenceError::kConflict, index, slot.lower, argument);
  }
  if (exact) {
    slot.exact = argument;
  } else {
    slot.lower = argument;
    slot.bounds.push_back({argument, constant});
  }
  return true;
}

bool Inference::learnLambdaParameters(const Type* functionType, std::span<const Type* const> written) {
  auto parameters = functionType->parameters();
  for (size_t i = 0; i < parameters.size() && i < written.size(); ++i) {
    if (written[i] != nullptr && !learnExactly(parameters[i], written[i])) return false;
  }
  return true;
}

bool Inference::fixForLambda(const Type* functionType) {
  auto fix = [&](auto& self, const Type* type) -> bool {
    if (!type->hasParameters) return true;
    if (type->kind == TypeKind::kParameter) {
      int index = indexOf(type);
      if (index < 0) return true;
      Slot& slot = slots_[static_cast<size_t>(index)];
      if (slot.exact == nullptr) slot.exact = slot.lower;
      return slot.exact != nullptr || fail(InferenceError::kUnknown, static_cast<size_t>(index), nullptr, nullptr);
    }
    for (const Type* argument : type->arguments) {
      if (!self(self, argument)) return false;
    }
    return true;
  };
  for (const Type* parameter : functionType->parameters()) {
    if (!fix(fix, parameter)) return false;
  }
  return true;
}

bool Inference::learnResult(const Type* functionType, const Type* result, const ConstantValue* constant) {
  return learn(functionType->result(), result, constant);
}

bool Inference::finish() {
  if (failure_.error != InferenceError::kNone) return false;
  for (size_t i = 0; i < slots_.size(); ++i) {
    result_[i] = argument(i);
    if (result_[i] == nullptr) return fail(InferenceError::kUnknown, i, nullptr, nullptr);
  }
  Substitution substitution{parameters_, result_};
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Type* bound = parameters_[i]->bound;
    if (bound == nullptr) continue;
    bound = conversions_.types().substitute(bound, substitution);
    if (!conversions_.satisfiesBound(result_[i], bound)) return fail(InferenceError::kBound, i, result_[i], bound);
  }
  return true;
}

const Type* Inference::argument(size_t index) const {
  const Slot& slot = slots_[index];
  return slot.exact != nullptr ? slot.exact : slot.lower;
}

Substitution Inference::current() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Type* known = argument(i);
    result_[i] = known != nullptr ? known : parameters_[i]->type;
  }
  return {parameters_, result_};
}

const Type* Inference::apply(const Type* type) {
  return type->hasParameters ? conversions_.types().substitute(type, current()) : type;
}

bool Inference::isOpen(const Type* type) const {
  if (!type->hasParameters) return false;
  if (type->kind == TypeKind::kParameter) {
    int index = indexOf(type);
    return index >= 0 && argument(static_cast<size_t>(index)) == nullptr;
  }
  for (const Type* argument : type->arguments) {
    if (isOpen(argument)) return true;
  }
  return false;
}

} // namespace nlang::sema
