// Resolving: what the types written in a program stand for.
//
// A name is a type parameter of the function, then of the class, then a declaration of the module, then a public one of
// the prelude. Bounds of type arguments are checked as soon as all class headers are known, so that `class A : B<A>`
// may be written.
#include "sema/program.h"
#include "sema/suggestions.h"

namespace nlang::sema {

using syntax::DiagId;

namespace {

constexpr TypeKind kPrimitiveKinds[] = {TypeKind::kVoid,  TypeKind::kBool,   TypeKind::kByte,  TypeKind::kUByte,
                                        TypeKind::kShort, TypeKind::kUShort, TypeKind::kInt,   TypeKind::kUInt,
                                        TypeKind::kLong,  TypeKind::kULong,  TypeKind::kFloat, TypeKind::kDouble,
                                        TypeKind::kChar,  TypeKind::kString};

// String, Array and Format hold the members of built-in types and what the compiler calls; a program never names them.
bool isHiddenPreludeName(std::string_view name) { return name == "String" || name == "Array" || name == "Format"; }

} // namespace

const TopLevel* Program::findTopLevel(ModuleInfo& module, std::string_view name) {
  if (auto at = module.names.find(name); at != module.names.end()) return &at->second;
  if (&module == prelude) return nullptr;
  auto at = prelude->names.find(name);
  if (at == prelude->names.end() || at->second.isPrivate()) return nullptr;
  if (!module.isStandard && isHiddenPreludeName(name)) return nullptr;
  return &at->second;
}

const Type* Program::aliasType(AliasInfo& alias, ModuleInfo& module) {
  if (alias.progress == Progress::kRunning) {
    diagnostics->report(DiagId::AliasCycle, alias.declaration->name.range, alias.declaration->name.text);
    alias.progress = Progress::kDone;
    alias.type = errorType();
  }
  if (alias.progress == Progress::kNone &&
      isChainTooLong(alias.declaration->name.range, alias.declaration->name.text)) {
    alias.progress = Progress::kDone;
    alias.type = errorType();
  }
  if (alias.progress == Progress::kNone) {
    alias.progress = Progress::kRunning;
    const Type* type = resolve(alias.declaration->target, {&module, nullptr, nullptr, true});
    if (alias.progress == Progress::kRunning) alias.type = type;
    alias.progress = Progress::kDone;
  }
  return alias.type;
}

const Type* Program::resolve(const syntax::Type* type, const TypeScope& scope) {
  const Type* resolved = resolveWritten(type, scope);
  if (resolved->depth <= kMaxTypeDepth) return resolved;
  diagnostics->report(DiagId::InstantiationTooDeep, type->range,
                      resolved->declaration != nullptr ? resolved->declaration->name : "a type", kMaxTypeDepth);
  return errorType();
}

const Type* Program::resolveWritten(const syntax::Type* type, const TypeScope& scope) {
  switch (type->kind) {
  case syntax::NodeKind::PrimitiveType:
    return simple(kPrimitiveKinds[static_cast<size_t>(syntax::as<syntax::PrimitiveType>(type)->primitive)]);
  case syntax::NodeKind::NamedType: return resolveNamed(*syntax::as<syntax::NamedType>(type), scope);
  case syntax::NodeKind::ArrayType: {
    const Type* element = resolve(syntax::as<syntax::ArrayType>(type)->element, scope);
    return element->isError() ? element : types.array(element);
  }
  case syntax::NodeKind::FuncType: {
    const auto& function = *syntax::as<syntax::FuncType>(type);
    const Type* result = resolve(function.result, scope);
    bool isBroken = result->isError();
    std::vector<const Type*> parameters;
    uint64_t outMask = 0;
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      parameters.push_back(resolve(function.parameters[i]->type, scope));
      isBroken |= parameters.back()->isError();
      if (!function.parameters[i]->isOut) continue;
      if (i >= 64) {
        diagnostics->report(DiagId::TooManyOutParameters, function.parameters[i]->range);
        isBroken = true;
      } else {
        outMask |= uint64_t{1} << i;
      }
    }
    return isBroken ? errorType() : types.function(result, parameters, outMask);
  }
  default: return errorType();
  }
}

const Type* Program::resolveNamed(const syntax::NamedType& type, const TypeScope& scope) {
  const syntax::Ident& name = type.path.back();
  if (name.empty()) return errorType();
  std::vector<const Type*> arguments;
  bool isBroken = false;
  for (const syntax::Type* argument : type.arguments) {
    arguments.push_back(resolve(argument, scope));
    isBroken |= arguments.back()->isError() || arguments.back()->isVoid(); // the parser has reported `void`
  }

  const TopLevel* found = nullptr;
  ModuleInfo* home = scope.module;
  if (type.path.size() == 1) {
    auto parameterIn = [&](const std::vector<TypeParameterSymbol*>& parameters) -> const TypeParameterSymbol* {
      for (const TypeParameterSymbol* parameter : parameters) {
        if (parameter->name == name.text) return parameter;
      }
      return nullptr;
    };
    const TypeParameterSymbol* parameter =
        scope.function != nullptr ? parameterIn(scope.function->typeParameters) : nullptr;
    if (parameter == nullptr && scope.owner != nullptr) {
      parameter = parameterIn(scope.owner->typeParameters);
      if (parameter != nullptr && scope.isStatic) {
        diagnostics->report(DiagId::StaticTypeParameter, name.range, name.text, scope.owner->name);
        return errorType();
      }
    }
    if (parameter != nullptr) {
      if (type.hasArguments) {
        diagnostics->report(DiagId::NotGeneric, type.range, name.text);
        return errorType();
      }
      return parameter->type;
    }
    found = findTopLevel(*scope.module, name.text);
    if (found != nullptr && !scope.module->names.contains(name.text)) home = prelude;
  } else {
    std::vector<std::string_view> path;
    std::string dotted;
    for (const syntax::Ident& part : type.path.first(type.path.size() - 1)) {
      path.push_back(part.text);
      if (!dotted.empty()) dotted += '.';
      dotted += part.text;
    }
    bool isAmbiguous = false;
    ImportInfo* import = findImport(*scope.module, path, &isAmbiguous);
    if (import != nullptr && import->module == nullptr) return errorType();
    if (import == nullptr || isAmbiguous) {
      diagnostics->report(isAmbiguous ? DiagId::AmbiguousModule : DiagId::ModuleNotImported,
                          syntax::join(type.path.front().range, name.range), dotted);
      return errorType();
    }
    home = import->module;
    auto at = home->names.find(name.text);
    if (at != home->names.end()) {
      found = &at->second;
      if (found->isPrivate() && home != scope.module) {
        diagnostics->report(DiagId::NotVisible, name.range, name.text, "module `" + home->name + "`")
            .note(found->range(), "declared here");
        return errorType();
      }
    } else {
      std::vector<std::string_view> candidates;
      for (const auto& [candidate, place] : home->names) {
        if (!wantsSuggestions()) break;
        if ((place.type != nullptr || place.alias != nullptr) && !place.isPrivate()) candidates.push_back(candidate);
      }
      diagnostics->report(DiagId::UnknownTypeInModule, name.range, home->name, name.text)
          .suggest(didYouMean(name.text, candidates));
      return errorType();
    }
  }
  if (found == nullptr) {
    diagnostics->report(DiagId::UnknownType, name.range, name.text).suggest(suggestType(name.text, scope));
    return errorType();
  }
  if (found->alias != nullptr) {
    if (type.hasArguments) {
      diagnostics->report(DiagId::NotGeneric, type.range, name.text);
      return errorType();
    }
    return aliasType(*found->alias, *home);
  }
  if (found->type == nullptr) {
    diagnostics->report(DiagId::NotAType, name.range, name.text).note(found->range(), "declared here");
    return errorType();
  }
  ClassInfo* declaration = found->type;
  if (isBroken) return errorType();
  if (arguments.size() != declaration->typeParameters.size()) {
    if (declaration->typeParameters.empty()) {
      diagnostics->report(DiagId::NotGeneric, type.range, name.text);
    } else {
      diagnostics->report(DiagId::TypeArgumentCount, type.range, name.text, declaration->typeParameters.size(),
                          arguments.size());
    }
    return errorType();
  }
  if (declaration->kind == ClassKind::kEnum) return declaration->selfType;
  if (declaration == known.string) return declaration->selfType;
  if (arguments.empty()) return declaration->selfType;
  if (declaration == known.array) return types.array(arguments[0]);
  const Type* result = types.named(declaration, arguments);
  checkBounds(declaration, result->arguments, type.range);
  return result;
}

void Program::checkBounds(ClassInfo* type, std::span<const Type* const> arguments, syntax::SourceRange range) {
  if (!headersResolved_) {
    pendingBounds_.push_back({type, arguments, range});
    return;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type* bound = type->typeParameters[i]->bound;
    if (bound == nullptr) continue;
    bound = substitute(bound, type, arguments);
    if (!arguments[i]->isError() && !conversions.satisfiesBound(arguments[i], bound)) {
      diagnostics->report(DiagId::BoundNotSatisfied, range, typeName(arguments[i]), typeName(bound),
                          type->typeParameters[i]->name);
    }
  }
}

void Program::checkPendingBounds() {
  headersResolved_ = true;
  for (const PendingBounds& pending : pendingBounds_) checkBounds(pending.type, pending.arguments, pending.range);
  pendingBounds_.clear();
}

std::string Program::suggestType(std::string_view name, const TypeScope& scope) {
  static constexpr std::string_view kPrimitives[] = {"void", "bool", "byte",  "ubyte", "short",  "ushort", "int",
                                                     "uint", "long", "ulong", "float", "double", "char",   "string"};
  if (std::string_view ours = typeElsewhere(name); !ours.empty()) return "did you mean `" + std::string(ours) + "`?";
  if (!wantsSuggestions()) return {};
  std::vector<std::string_view> candidates(std::begin(kPrimitives), std::end(kPrimitives));
  auto add = [&](const std::vector<TypeParameterSymbol*>& parameters) {
    for (const TypeParameterSymbol* parameter : parameters) candidates.push_back(parameter->name);
  };
  if (scope.function != nullptr) add(scope.function->typeParameters);
  if (scope.owner != nullptr) add(scope.owner->typeParameters);
  for (const auto& [candidate, place] : scope.module->names) {
    if (place.type != nullptr || place.alias != nullptr) candidates.push_back(candidate);
  }
  for (const auto& [candidate, place] : prelude->names) {
    if (place.type != nullptr && !place.isPrivate() && !isHiddenPreludeName(candidate)) candidates.push_back(candidate);
  }
  return didYouMean(name, candidates);
}

} // namespace nlang::sema
