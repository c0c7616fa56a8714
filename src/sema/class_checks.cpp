// Class checks: inheritance, virtual tables, overriding, interfaces, constructors that are inherited (rules L7.1 to
// L7.6).
//
// Tables are built bases first and on demand. The three methods of Object have slots 0, 1 and 2; an overriding method
// takes over its slot; a method that implements an interface is virtual whether or not it says so.
#include <algorithm>
#include <utility>

#include "sema/program.h"

namespace nlang::sema {

using syntax::DiagId;

namespace {

// How many may see it; what stands for the module and what for subclasses cannot be compared and counts the same.
int reach(Visibility visibility) {
  switch (visibility) {
  case Visibility::kPublic: return 2;
  case Visibility::kModule:
  case Visibility::kProtected: return 1;
  case Visibility::kPrivate: return 0;
  }
  return 0;
}

} // namespace

bool Program::sameParameters(const FoundFunction& left, const FoundFunction& right) {
  const FunctionInfo& a = *left.function;
  const FunctionInfo& b = *right.function;
  if (a.parameters.size() != b.parameters.size() || a.typeParameters.size() != b.typeParameters.size()) return false;
  std::vector<const Type*> ownTypes;
  for (const TypeParameterSymbol* parameter : a.typeParameters) ownTypes.push_back(parameter->type);
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    const Type* theirs = substitute(b.parameters[i]->type, b.owner, right.ownerArguments);
    if (!ownTypes.empty()) theirs = types.substitute(theirs, {b.typeParameters, ownTypes});
    if (substitute(a.parameters[i]->type, a.owner, left.ownerArguments) != theirs) return false;
    if (a.parameters[i]->isOut != b.parameters[i]->isOut) return false;
  }
  return true;
}

// Depth first through bases and interfaces; what closes a cycle or makes a chain too long is cut. Afterwards every walk
// to the bases ends, and is short enough for recursion.
void Program::checkInheritance() {
  for (ClassInfo* type : classes) {
    if (!baseDepths_.contains(type)) checkBases(*type, 0);
  }
  baseDepths_.clear();
}

// False if the type is being gone through already, so that what leads here closes a cycle.
bool Program::checkBases(ClassInfo& type, unsigned depth) {
  constexpr unsigned kMostBases = 500;
  constexpr unsigned kRunning = UINT32_MAX;
  auto [known, isNew] = baseDepths_.try_emplace(&type, kRunning);
  if (!isNew) return known->second != kRunning;
  unsigned longest = 0;
  auto mayStay = [&](const Type* base) {
    ClassInfo& next = *info(base->declaration);
    if (depth < kMostBases && !checkBases(next, depth + 1)) {
      const ClassInfo& named = type.kind == ClassKind::kClass ? next : type;
      diagnostics->report(DiagId::InheritanceCycle, named.range, named.name);
      return false;
    }
    unsigned own = depth < kMostBases ? baseDepths_[&next] + 1 : kMostBases + 1;
    if (own > kMostBases) {
      diagnostics->report(DiagId::InheritanceTooDeep, type.range, type.name, kMostBases);
      return false;
    }
    longest = std::max(longest, own);
    return true;
  };
  if (type.superType != nullptr && !mayStay(type.superType)) type.superType = objectType();
  std::erase_if(type.interfaces, [&](const Type* interface) { return !mayStay(interface); });
  baseDepths_[&type] = longest;
  return true;
}

const std::vector<const Type*>& Program::allInterfaces(const Type* type) {
  auto [known, isNew] = interfaces_.try_emplace(type);
  if (!isNew) return *known->second;
  auto* all = new std::vector<const Type*>;
  known->second.reset(all);
  absl::flat_hash_set<const Type*> seen;
  auto add = [&](auto& self, const Type* from) -> void {
    for (const Type* interface : interfacesOf(from)) {
      if (!seen.insert(interface).second) continue;
      all->push_back(interface);
      self(self, interface);
    }
  };
  if (type->kind == TypeKind::kClass) {
    for (const Type* current = type; current != nullptr; current = conversions.superType(current)) add(add, current);
  } else {
    add(add, type);
  }
  return *all;
}

// The methods of all its interfaces.
Program::MethodsByName Program::interfaceMethods(const Type* type) {
  MethodsByName methods;
  for (const Type* interface : allInterfaces(type)) {
    for (FunctionSymbol* method : interface->declaration->methods) {
      methods[method->name].push_back({info(method), interface->arguments});
    }
  }
  return methods;
}

void Program::placeMethod(ClassInfo& type, FunctionInfo& method, const MethodsByName& promised) {
  if (method.kind != FunctionKind::kMethod) {
    if (method.overrideWritten) diagnostics->report(DiagId::OverridesNothing, method.range, method.name);
    return;
  }
  FoundFunction own{&method, {}};
  for (const Type* base = type.superType; base != nullptr; base = conversions.superType(base)) {
    ClassInfo* owner = info(base->declaration);
    auto at = owner->entries.find(method.name);
    if (at == owner->entries.end()) continue;
    for (FunctionInfo* other = at->second.functions; other != nullptr; other = other->nextOverload) {
      FoundFunction inherited{other, base->arguments};
      if (other->visibility == Visibility::kPrivate || !sameParameters(own, inherited)) continue;
      if (!other->isVirtual || other->kind != FunctionKind::kMethod) {
        diagnostics->report(DiagId::RedeclaresNonVirtual, method.range, method.name, owner->name)
            .note(other->range, "declare it `virtual` to let subclasses override it");
        return;
      }
      const Type* result = substitute(other->resultType, owner, base->arguments);
      bool isCovariant = method.resultType->isReference() && result->isReference() &&
                         conversions.implicit(method.resultType, result) == ImplicitKind::kUpcast;
      if (method.resultType != result && !isCovariant && !method.resultType->isError() && !result->isError()) {
        diagnostics
            ->report(DiagId::OverrideResult, method.range, method.name, typeName(method.resultType), typeName(result))
            .note(other->range, "the overridden method is here");
      }
      if (method.visibility == Visibility::kModule) method.visibility = other->visibility;
      if (reach(method.visibility) < reach(other->visibility)) {
        diagnostics->report(DiagId::WeakerAccess, method.range, method.name)
            .note(other->range, "the overridden method is here");
      }
      method.overridden = other;
      method.isVirtual = true;
      method.slot = other->slot;
      type.virtualTable[other->slot] = &method;
      return;
    }
  }
  bool implements = markImplementation(type, method, promised);
  if (method.overrideWritten && !implements && !Conversions::hasUnknownBase(type.selfType)) {
    diagnostics->report(DiagId::OverridesNothing, method.range, method.name);
  }
  if (!method.isVirtual) return;
  method.slot = static_cast<uint32_t>(type.virtualTable.size());
  type.virtualTable.push_back(&method);
}

// Does `method` implement a method of an interface of its class? Then it is virtual (classes) and as public as that.
bool Program::markImplementation(ClassInfo& type, FunctionInfo& method, const MethodsByName& promised) {
  if (!method.typeParameters.empty()) return false;
  auto at = promised.find(method.name);
  if (at == promised.end()) return false;
  for (const FoundFunction& other : at->second) {
    if (!sameParameters({&method, {}}, other)) continue;
    if (method.visibility == Visibility::kModule) method.visibility = Visibility::kPublic;
    if (method.visibility != Visibility::kPublic) {
      diagnostics->report(DiagId::WeakerAccess, method.range, method.name)
          .note(other.function->range, "methods of interfaces are public");
    }
    if (type.kind == ClassKind::kClass) method.isVirtual = true;
    return true;
  }
  return false;
}

void Program::buildConstructors(ClassInfo& type) {
  if (!type.constructors.empty() || type.superType == nullptr) return;
  ClassInfo* base = info(type.superType->declaration);
  std::span<const Type* const> arguments = type.superType->arguments;
  for (FunctionSymbol* symbol : base->constructors) {
    FunctionInfo* inherited = info(symbol);
    bool isHidden =
        inherited->visibility == Visibility::kPrivate && !(base->module == type.module && type.module->isStandard);
    if (isHidden) continue;
    FunctionInfo* constructor = newFunction();
    constructor->kind = FunctionKind::kConstructor;
    constructor->name = type.name;
    constructor->range = type.range;
    constructor->module = type.module;
    constructor->owner = &type;
    constructor->visibility = inherited->visibility == Visibility::kPrivate ? Visibility::kPrivate
                              : type.visibility == Visibility::kPublic      ? Visibility::kPublic
                                                                            : Visibility::kModule;
    constructor->resultType = simple(TypeKind::kVoid);
    constructor->isDefaultConstructor = true;
    constructor->inheritedFrom = inherited;
    constructor->requiredParameters = inherited->requiredParameters;
    constructor->defaults.resize(inherited->parameters.size());
    // Default values refer to the parameters they were written beside, so a constructor with some shares those, which
    // it can as long as their types are the same; otherwise it asks for all arguments.
    bool hasDefaults = inherited->requiredParameters < inherited->parameters.size();
    bool isGeneric = !arguments.empty();
    if (hasDefaults && !isGeneric) {
      constructor->parameters = inherited->parameters;
    } else {
      constructor->requiredParameters = static_cast<uint32_t>(inherited->parameters.size());
      for (const VariableSymbol* parameter : inherited->parameters) {
        VariableSymbol* copy = newVariable();
        *copy = *parameter;
        copy->owner = constructor;
        copy->type = substitute(parameter->type, base, arguments);
        constructor->parameters.push_back(copy);
      }
    }
    if (!type.constructors.empty()) info(type.constructors.back())->nextOverload = constructor;
    type.constructors.push_back(constructor);
  }
}

void Program::buildTable(ClassInfo& type) {
  if (type.table != Progress::kNone) return;
  type.table = Progress::kRunning;
  if (type.kind == ClassKind::kInterface) {
    for (size_t i = 0; i < type.methods.size(); ++i) type.methods[i]->slot = static_cast<uint32_t>(i);
  } else if (type.kind == ClassKind::kClass) {
    if (type.superType != nullptr) {
      ClassInfo* base = info(type.superType->declaration);
      buildTable(*base);
      type.virtualTable = base->virtualTable;
    }
    MethodsByName promised = interfaceMethods(type.selfType);
    for (FunctionSymbol* method : type.methods) placeMethod(type, *info(method), promised);
    buildConstructors(type);
  } else {
    MethodsByName promised = interfaceMethods(type.selfType);
    for (FunctionSymbol* method : type.methods) {
      bool implements = markImplementation(type, *info(method), promised);
      bool isObjectMethod = info(known.object)->entries.contains(method->name);
      if (info(method)->overrideWritten && !implements && !isObjectMethod) {
        diagnostics->report(DiagId::OverridesNothing, method->range, method->name);
      }
    }
  }
  type.table = Progress::kDone;
}

FunctionInfo* Program::findImplementation(const Type* type, const Type* interfaceType, FunctionSymbol* method) {
  FoundFunction wanted{info(method), interfaceType->arguments};
  auto search = [&](const Type* at) -> FunctionInfo* {
    std::span<const Type* const> arguments;
    ClassInfo* owner = memberClass(at, arguments);
    if (owner == nullptr) return nullptr;
    auto entry = owner->entries.find(method->name);
    if (entry == owner->entries.end()) return nullptr;
    for (FunctionInfo* candidate = entry->second.functions; candidate != nullptr; candidate = candidate->nextOverload) {
      if (candidate->kind == FunctionKind::kMethod && sameParameters({candidate, arguments}, wanted)) return candidate;
    }
    return nullptr;
  };
  if (type->kind != TypeKind::kClass) {
    FunctionInfo* found = search(type);
    return found != nullptr || type->isScalar() ? found : search(objectType());
  }
  for (const Type* current = type; current != nullptr; current = conversions.superType(current)) {
    FunctionInfo* found = search(current);
    if (found == nullptr) continue;
    return found->isVirtual ? info(info(type->declaration)->virtualTable[found->slot]) : found;
  }
  return nullptr;
}

void Program::checkInterfaces(ClassInfo& type) {
  std::string missing;
  syntax::SourceRange firstMissing;
  for (const Type* interface : allInterfaces(type.selfType)) {
    for (FunctionSymbol* method : interface->declaration->methods) {
      FunctionInfo* found = findImplementation(type.selfType, interface, method);
      if (found == nullptr) {
        if (type.isAbstract) continue;
        if (missing.empty()) firstMissing = method->range;
        missing += (missing.empty() ? "`" : ", `") + typeName(interface) + "." + std::string(method->name) + "`";
        continue;
      }
      if (found->owner != &type && found->owner != known.object) continue; // a base's own check has seen it
      const Type* result = substitute(method->resultType, interface->declaration, interface->arguments);
      bool isCovariant = found->resultType->isReference() && result->isReference() &&
                         conversions.implicit(found->resultType, result) == ImplicitKind::kUpcast;
      if (found->resultType != result && !isCovariant && !found->resultType->isError() && !result->isError()) {
        diagnostics
            ->report(DiagId::OverrideResult, found->owner == &type ? found->range : type.range, found->name,
                     typeName(found->resultType), typeName(result))
            .note(method->range, "the method of the interface is here");
      }
    }
  }
  if (!missing.empty() && !Conversions::hasUnknownBase(type.selfType)) {
    diagnostics->report(DiagId::MissingImplementation, type.range, type.name, missing)
        .note(firstMissing, "declared here");
  }
}

void Program::checkAbstract(ClassInfo& type) {
  if (type.isAbstract || type.kind != ClassKind::kClass) return;
  std::string missing;
  syntax::SourceRange firstMissing;
  for (const FunctionSymbol* method : type.virtualTable) {
    if (!method->isAbstract || method->owner == &type) continue; // its own ones were reported when they were declared
    if (missing.empty()) firstMissing = method->range;
    missing +=
        (missing.empty() ? "`" : ", `") + std::string(method->owner->name) + "." + std::string(method->name) + "`";
  }
  if (!missing.empty()) {
    diagnostics->report(DiagId::AbstractNotImplemented, type.range, type.name, missing)
        .note(firstMissing, "declared here");
  }
}

// A struct is laid out inside what holds it, so it cannot hold itself.
void Program::checkStructLayout(ClassInfo& type) {
  checkStructWithin(type.selfType);
  if (structsWithThemselves_.contains(&type)) diagnostics->report(DiagId::StructHoldsItself, type.range, type.name);
}

// Depth first, every type once; how many structs stand within each other. That is limited, because a generic struct may
// expand for ever.
unsigned Program::checkStructWithin(const Type* type) {
  constexpr unsigned kMaxDepth = 200;
  constexpr unsigned kRunning = 0;
  auto [known, isNew] = structDepths_.try_emplace(type, kRunning);
  if (!isNew && known->second != kRunning) return known->second;
  if (!isNew) {
    for (size_t i = structPath_.size(); i-- > 0;) {
      const ClassSymbol* declaration = structPath_[i]->declaration;
      if (structPath_[i] == declaration->selfType) structsWithThemselves_.insert(declaration);
      if (structPath_[i] == type) break;
    }
    return 1;
  }
  structPath_.push_back(type);
  unsigned depth = 1;
  for (const FieldSymbol* field : type->declaration->fields) {
    if (field->type == nullptr) continue;
    const Type* inner = substitute(field->type, type->declaration, type->arguments);
    if (inner->kind != TypeKind::kStruct) continue;
    depth = std::max(depth, structPath_.size() < kMaxDepth ? checkStructWithin(inner) + 1 : kMaxDepth + 1);
  }
  structPath_.pop_back();
  if (depth > kMaxDepth) {
    auto isSame = [&](const Type* other) { return other->declaration == type->declaration; };
    if (std::any_of(structPath_.begin(), structPath_.end(), isSame)) {
      structsWithThemselves_.insert(type->declaration);
    } else if (!std::exchange(structTooDeepReported_, true)) {
      diagnostics->report(DiagId::StructTooDeep, type->declaration->range, type->declaration->name, kMaxDepth);
    }
    depth = 1;
  }
  return structDepths_[type] = depth;
}

// A struct's or enum's toString, equals and hashCode must have the form that Object gives them.
void Program::checkObjectMethods(ClassInfo& type) {
  for (FunctionSymbol* method : type.methods) {
    auto at = info(known.object)->entries.find(method->name);
    if (at == info(known.object)->entries.end()) continue;
    for (FunctionInfo* other = at->second.functions; other != nullptr; other = other->nextOverload) {
      if (!sameParameters({info(method), {}}, {other, {}})) continue;
      if (method->resultType != other->resultType || method->kind != FunctionKind::kMethod) {
        diagnostics->report(DiagId::OverrideResult, method->range, method->name, typeName(method->resultType),
                            typeName(other->resultType));
      }
    }
  }
}

namespace {

// Equal for functions with the same parameters.
size_t hashOfParameters(const FunctionInfo& function) {
  size_t hash = absl::HashOf(function.parameters.size(), function.typeParameters.size());
  for (const VariableSymbol* parameter : function.parameters) {
    const Type* type = parameter->type->hasParameters ? nullptr : parameter->type;
    hash = absl::HashOf(hash, type, parameter->isOut);
  }
  return hash;
}

} // namespace

void Program::checkDuplicateFunctions(FunctionInfo* first) {
  if (first->nextOverload == nullptr) return;
  absl::flat_hash_map<size_t, std::vector<FunctionInfo*>> alike;
  for (FunctionInfo* function = first; function != nullptr; function = function->nextOverload) {
    std::vector<FunctionInfo*>& others = alike[hashOfParameters(*function)];
    for (FunctionInfo* other : others) {
      if (!sameParameters({function, {}}, {other, {}})) continue;
      diagnostics->report(DiagId::DuplicateFunction, function->range, function->name)
          .note(other->range, "the other one is here");
      break;
    }
    others.push_back(function);
  }
}

void Program::checkClass(ClassInfo& type) {
  if (!type.constructors.empty()) checkDuplicateFunctions(info(type.constructors.front()));
  absl::flat_hash_map<std::string_view, bool> seen;
  for (FunctionSymbol* method : type.methods) {
    if (seen.emplace(method->name, true).second) checkDuplicateFunctions(type.entries[method->name].functions);
  }
  if (type.kind == ClassKind::kInterface) return;
  checkInterfaces(type);
  checkAbstract(type);
  if (type.kind == ClassKind::kStruct) checkStructLayout(type);
  if (type.kind != ClassKind::kClass) checkObjectMethods(type);
}

} // namespace nlang::sema
