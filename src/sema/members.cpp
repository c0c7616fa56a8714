// Looking up members: what `value.name` and `Type.name` can mean, before visibility and overloads are considered.
//
// Classes are searched from the derived to the base, so an overriding method hides the one it overrides, and other
// overloads of bases stay visible. Interfaces, structs, enums, scalars and type parameters have the methods of Object
// too. Static members are found with empty owner arguments, because they cannot use the type parameters of their class.
#include "sema/program.h"

namespace nlang::sema {

ClassInfo* Program::memberClass(const Type* type, std::span<const Type* const>& arguments) {
  arguments = {};
  switch (type->kind) {
  case TypeKind::kString: return info(known.string);
  case TypeKind::kArray: arguments = type->arguments; return info(known.array);
  case TypeKind::kStruct:
  case TypeKind::kClass:
  case TypeKind::kInterface: arguments = type->arguments; return info(type->declaration);
  case TypeKind::kEnum: return info(type->declaration);
  case TypeKind::kError:
  case TypeKind::kVoid:
  case TypeKind::kNull: return nullptr;
  default: return info(known.object);
  }
}

void Program::collectMembers(const Type* type, std::string_view name, FoundMembers& found) {
  std::span<const Type* const> arguments;
  ClassInfo* owner = memberClass(type, arguments);
  if (owner == nullptr) return;
  auto at = owner->entries.find(name);
  if (at == owner->entries.end()) return;
  const MemberEntry& entry = at->second;
  if (entry.enumMember >= 0) {
    if (found.functions.empty()) found.enumOwner = owner, found.enumMember = entry.enumMember;
    return;
  }
  if (entry.field != nullptr) {
    if (!found.empty()) return;
    found.field = entry.field;
    if (entry.field->storage == FieldStorage::kInstance) found.fieldOwnerArguments = arguments;
    return;
  }
  if (found.field != nullptr || found.enumMember >= 0) return;
  size_t before = found.functions.size();
  for (FunctionInfo* function = entry.functions; function != nullptr; function = function->nextOverload) {
    bool isStatic = function->kind == FunctionKind::kStaticMethod;
    FoundFunction candidate{function, isStatic ? std::span<const Type* const>{} : arguments};
    bool isHidden = false;
    for (size_t i = 0; i < before && !isHidden; ++i) isHidden = sameParameters(found.functions[i], candidate);
    if (!isHidden) found.functions.push_back(candidate);
  }
}

FoundMembers Program::findMembers(const Type* type, std::string_view name) {
  FoundMembers found;
  auto collectInterfaces = [&](const Type* from) {
    for (const Type* interface : allInterfaces(from)) collectMembers(interface, name, found);
  };
  switch (type->kind) {
  case TypeKind::kError:
  case TypeKind::kVoid:
  case TypeKind::kNull: return found;
  case TypeKind::kClass:
    for (const Type* current = type; current != nullptr; current = conversions.superType(current))
      collectMembers(current, name, found);
    if (found.empty()) {
      // An abstract class may leave methods of its interfaces to its subclasses and call them.
      collectInterfaces(type);
    }
    return found;
  case TypeKind::kInterface:
    collectMembers(type, name, found);
    collectInterfaces(type);
    break;
  case TypeKind::kParameter:
    if (const Type* bound = type->parameter->bound; bound != nullptr) {
      collectMembers(bound, name, found);
      collectInterfaces(bound);
    }
    break;
  default: collectMembers(type, name, found); break;
  }
  collectMembers(objectType(), name, found);
  bool comparesWithItself = type->isScalar() || type->kind == TypeKind::kString;
  if (comparesWithItself && found.empty() && known.comparable != nullptr) {
    collectMembers(types.named(known.comparable, {&type, 1}), name, found);
  }
  return found;
}

std::vector<const Type*> Program::interfacesOf(const Type* type) {
  std::vector<const Type*> result;
  std::span<const Type* const> arguments;
  ClassInfo* owner = type->kind == TypeKind::kParameter ? nullptr : memberClass(type, arguments);
  if (owner == nullptr) return result;
  result.reserve(owner->interfaces.size());
  for (const Type* interface : owner->interfaces) result.push_back(substitute(interface, owner, arguments));
  return result;
}

void Program::memberNames(const Type* type, std::vector<std::string_view>& names) {
  auto add = [&](const ClassInfo* owner) {
    for (const auto& [name, entry] : owner->entries) names.push_back(name);
  };
  if (type->kind == TypeKind::kClass) {
    for (const Type* current = type; current != nullptr; current = conversions.superType(current))
      add(info(current->declaration));
  } else {
    const Type* from = type->kind == TypeKind::kParameter ? type->parameter->bound : type;
    std::span<const Type* const> arguments;
    if (ClassInfo* owner = from != nullptr ? memberClass(from, arguments) : nullptr; owner != nullptr) add(owner);
    if (from != nullptr && from->kind == TypeKind::kInterface) {
      for (const Type* interface : allInterfaces(from)) add(info(interface->declaration));
    }
    add(info(known.object));
  }
}

bool Program::derivesFrom(const ClassSymbol* type, const ClassSymbol* base) {
  // Inheritance cycles are reported and cut before anything asks, but headers are resolved one by one: the walk is
  // bounded.
  for (size_t steps = 0; type != nullptr && steps <= classes.size(); ++steps) {
    if (type == base) return true;
    type = type->superType != nullptr ? type->superType->declaration : nullptr;
  }
  return false;
}

} // namespace nlang::sema
