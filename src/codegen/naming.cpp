// Names of functions in backtraces and in the table of natives, and texts of types in names of classes.
#include "codegen/program_generator.h"

namespace nlang::codegen {

using sema::FunctionSymbol;
using sema::Type;
using sema::TypeKind;

namespace {

// The text of a type whose arguments double at each level is cut here; it is only for people.
constexpr size_t kMaxTypeText = 2000;

void appendSimple(std::string_view from, std::string& to) {
  for (char c : from)
    if (c != ' ') to += c;
}

// The functions among which a native's name must be unique.
std::vector<FunctionSymbol*> siblings(const FunctionSymbol* function) {
  std::vector<FunctionSymbol*> all;
  if (function->owner) {
    all = function->owner->methods;
    all.insert(all.end(), function->owner->constructors.begin(), function->owner->constructors.end());
  } else {
    all = function->module->functions;
  }
  return all;
}

} // namespace

std::string ProgramGenerator::nativeName(const FunctionSymbol* function) {
  std::string name = function->module->name + ".";
  if (function->owner) (name += function->owner->name) += ".";
  name += function->kind == sema::FunctionKind::kConstructor ? function->owner->name : function->name;
  unsigned overloads = 0;
  for (const FunctionSymbol* other : siblings(function))
    if (other->isNative && other->name == function->name &&
        (other->kind == sema::FunctionKind::kConstructor) == (function->kind == sema::FunctionKind::kConstructor))
      ++overloads;
  if (overloads < 2) return name;
  name += "(";
  for (const sema::VariableSymbol* parameter : function->parameters) {
    if (name.back() != '(') name += ",";
    appendSimple(sema::typeName(parameter->type), name);
  }
  return name + ")";
}

std::string ProgramGenerator::functionName(const Instance& instance) {
  const FunctionSymbol* function = instance.function;
  switch (instance.kind) {
  case InstanceKind::kEntry: return "entry";
  case InstanceKind::kInitializers: return stretches_[instance.number].front()->module->name + ".static";
  case InstanceKind::kBoundHash: return "func.hashCode";
  case InstanceKind::kEqualObjects: return "Object.equals";
  case InstanceKind::kText: return typeText(instance.type) + ".toString";
  default: break;
  }
  std::string_view suffix;
  if (instance.kind == InstanceKind::kLambda) {
    suffix = ".lambda";
    while (function->enclosing) function = function->enclosing;
  }
  std::string name = function->module ? function->module->name : typed_.entries.front()->module->name;
  if (function->owner) (name += ".") += function->owner->name;
  if (function->kind == sema::FunctionKind::kConstructor)
    (name += ".") += function->owner->name;
  else if (function->kind != sema::FunctionKind::kLambda)
    (name += ".") += function->name;
  return name += suffix;
}

std::string ProgramGenerator::calleeName(bytecode::Op call, uint32_t target) {
  if (call == bytecode::Op::call) {
    for (const auto& [instance, index] : functions_)
      if (index == target) return functionName(instance);
  }
  return "what is called here";
}

std::string ProgramGenerator::typeText(const Type* type) {
  std::string text;
  appendTypeText(type, text);
  return text;
}

void ProgramGenerator::appendTypeText(const Type* type, std::string& text) {
  if (text.size() > kMaxTypeText) {
    if (!text.ends_with("…")) text += "…";
    return;
  }
  switch (type->kind) {
  case TypeKind::kEnum:
  case TypeKind::kStruct:
  case TypeKind::kClass:
  case TypeKind::kInterface:
    text += type->declaration->name;
    if (type->arguments.empty()) return;
    text += "<";
    break;
  case TypeKind::kArray:
    appendTypeText(type->element(), text);
    text += "[]";
    return;
  case TypeKind::kFunction: text += "func<"; break;
  default: text += sema::typeName(type); return;
  }
  for (size_t i = 0; i < type->arguments.size(); ++i) {
    if (i > 0) text += ", ";
    if (type->kind == TypeKind::kFunction && i > 0 && type->isOut(i - 1)) text += "out ";
    appendTypeText(type->arguments[i], text);
  }
  text += ">";
}

} // namespace nlang::codegen
