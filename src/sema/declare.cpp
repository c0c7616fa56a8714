// Declaring: makes a symbol for every top-level name and every member, and gives them their types.
//
// Symbols come first, for all modules, so that declarations may mention each other in any order and across cyclic
// imports; types of signatures follow when every class is known. Names that clash are reported here and the first
// declaration wins.
#include "sema/program.h"

namespace nlang::sema {

using syntax::DiagId;
using syntax::Modifier;

namespace {

// What a call can pass. Parameters that are structs count by their fields, which code generation sees.
constexpr size_t kMaxParameters = 255;

Visibility visibilityOf(const syntax::Decl& declaration, Visibility unmarked) {
  if (declaration.has(Modifier::kPublic)) return Visibility::kPublic;
  if (declaration.has(Modifier::kProtected)) return Visibility::kProtected;
  if (declaration.has(Modifier::kPrivate)) return Visibility::kPrivate;
  return unmarked;
}

// Rule L7.3: members of classes are visible in their module; constructors, struct members and enum methods where their
// type is.
Visibility memberVisibility(const ClassInfo& owner, const syntax::Decl& declaration) {
  if (owner.kind == ClassKind::kInterface) return Visibility::kPublic;
  bool asType = owner.kind != ClassKind::kClass || declaration.kind == syntax::NodeKind::ConstructorDecl;
  bool typeIsPublic = owner.visibility == Visibility::kPublic;
  return visibilityOf(declaration, asType && typeIsPublic ? Visibility::kPublic : Visibility::kModule);
}

// Parameters and type parameters of one list.
template <class Symbol> void reportDuplicates(const std::vector<Symbol*>& symbols, syntax::DiagnosticSink& sink) {
  if (symbols.size() < 2) return;
  absl::flat_hash_map<std::string_view, const Symbol*> first;
  for (const Symbol* symbol : symbols) {
    if (symbol->name.empty()) continue;
    auto [at, isNew] = first.try_emplace(symbol->name, symbol);
    if (isNew) continue;
    sink.report(DiagId::DuplicateName, symbol->range, symbol->name).note(at->second->range, "the other one is here");
  }
}

} // namespace

bool TopLevel::isPrivate() const {
  auto isHidden = [](const Symbol* symbol) { return symbol->visibility != Visibility::kPublic; };
  if (type != nullptr) return isHidden(type);
  if (variable != nullptr) return isHidden(variable);
  if (alias != nullptr) return alias->declaration->has(Modifier::kPrivate);
  for (const FunctionInfo* f = functions; f != nullptr; f = f->nextOverload) {
    if (!isHidden(f)) return false;
  }
  return true;
}

syntax::SourceRange TopLevel::range() const {
  if (type != nullptr) return type->range;
  if (variable != nullptr) return variable->range;
  if (alias != nullptr) return alias->declaration->name.range;
  return functions->range;
}

void Program::makeTypeParameters(std::span<syntax::TypeParameter* const> syntax, ModuleInfo& module,
                                 std::vector<TypeParameterSymbol*>& symbols) {
  symbols.reserve(syntax.size());
  for (const syntax::TypeParameter* parameter : syntax) {
    TypeParameterSymbol* symbol = newTypeParameter();
    symbol->name = parameter->name.text;
    symbol->range = parameter->name.range;
    symbol->module = &module;
    symbol->index = static_cast<uint32_t>(symbols.size());
    symbol->type = types.parameter(symbol);
    symbols.push_back(symbol);
  }
  reportDuplicates(symbols, *diagnostics);
}

FunctionInfo* Program::declareFunction(ModuleInfo& module, ClassInfo* owner, const syntax::Decl& declaration) {
  FunctionInfo* function = newFunction();
  function->declaration = &declaration;
  function->syntax = &declaration;
  function->name = declaration.name.text;
  function->range = declaration.name.range;
  function->module = &module;
  function->owner = owner;
  Visibility topLevel = module.isPrelude ? Visibility::kModule : Visibility::kPublic;
  function->visibility = owner != nullptr ? memberVisibility(*owner, declaration) : visibilityOf(declaration, topLevel);
  function->isNative = declaration.has(Modifier::kNative);
  function->isBlocking = declaration.has(Modifier::kBlocking);
  function->overrideWritten = declaration.has(Modifier::kOverride);
  function->isAbstract = declaration.has(Modifier::kAbstract);
  function->isVirtual = function->isAbstract || declaration.has(Modifier::kVirtual);

  std::span<syntax::Parameter* const> parameters;
  const syntax::NativeSpec* native = nullptr;
  if (const auto* constructor = syntax::dyn<syntax::ConstructorDecl>(&declaration)) {
    function->kind = FunctionKind::kConstructor;
    parameters = constructor->parameters;
    native = constructor->native;
  } else {
    const auto* method = syntax::as<syntax::FunctionDecl>(&declaration);
    bool isStatic = declaration.has(Modifier::kStatic);
    function->kind = owner == nullptr ? FunctionKind::kFunction
                     : isStatic       ? FunctionKind::kStaticMethod
                                      : FunctionKind::kMethod;
    parameters = method->parameters;
    native = method->native;
    makeTypeParameters(method->typeParameters, module, function->typeParameters);
    if (owner != nullptr && owner->kind == ClassKind::kInterface) function->isAbstract = function->isVirtual = true;
    if (!function->typeParameters.empty() && function->isVirtual) {
      diagnostics->report(DiagId::GenericVirtual, function->range, function->name);
    }
  }
  if (native != nullptr && module.isStandard && native->library == "property" && native->function.empty()) {
    function->isProperty = true;
  } else if (native != nullptr) {
    function->nativeLibrary = native->library;
    function->nativeName = native->function;
  }

  function->parameters.reserve(parameters.size());
  function->defaults.resize(parameters.size());
  for (const syntax::Parameter* parameter : parameters) {
    VariableSymbol* symbol = newVariable();
    symbol->name = parameter->name.text;
    symbol->range = parameter->name.range;
    symbol->owner = function;
    symbol->isParameter = true;
    symbol->isOut = parameter->isOut;
    symbol->index = static_cast<uint32_t>(function->parameters.size());
    if (parameter->defaultValue == nullptr && !parameter->isOut &&
        function->requiredParameters < function->parameters.size()) {
      diagnostics->report(DiagId::DefaultBeforeRequired, symbol->range, symbol->name);
    }
    function->parameters.push_back(symbol);
    if (parameter->defaultValue == nullptr)
      function->requiredParameters = static_cast<uint32_t>(function->parameters.size());
  }
  reportDuplicates(function->parameters, *diagnostics);
  return function;
}

void Program::declareMembers(ClassInfo& type, std::span<syntax::Decl* const> members) {
  ModuleInfo& module = *info(type.module);
  type.entries.reserve(members.size());
  auto append = [](FunctionInfo*& first, FunctionInfo* function) {
    FunctionInfo** end = &first;
    while (*end != nullptr) end = &(*end)->nextOverload;
    *end = function;
  };
  FunctionInfo* constructors = nullptr;
  for (const syntax::Decl* member : members) {
    if (member->kind == syntax::NodeKind::ErrorDecl || member->name.empty()) continue;
    if (member->kind == syntax::NodeKind::ConstructorDecl && type.kind == ClassKind::kStruct) {
      diagnostics->report(DiagId::StructConstructor, member->name.range, type.name);
      continue;
    }
    if (member->kind == syntax::NodeKind::ConstructorDecl) {
      FunctionInfo* constructor = declareFunction(module, &type, *member);
      append(constructors, constructor);
      type.constructors.push_back(constructor);
      continue;
    }
    MemberEntry& entry = type.entries[member->name.text];
    if (const auto* variable = syntax::dyn<syntax::VariableDecl>(member)) {
      if (entry.field != nullptr || entry.functions != nullptr || entry.enumMember >= 0) {
        syntax::SourceRange other = entry.field != nullptr       ? entry.field->range
                                    : entry.functions != nullptr ? entry.functions->range
                                                                 : type.range;
        diagnostics->report(DiagId::DuplicateName, member->name.range, member->name.text)
            .note(other, "the other one is here");
        continue;
      }
      FieldInfo* field = newField();
      field->declaration = variable;
      field->name = member->name.text;
      field->range = member->name.range;
      field->module = &module;
      field->owner = &type;
      field->visibility = memberVisibility(type, *member);
      field->isConst = member->has(Modifier::kConst);
      bool isStatic = member->has(Modifier::kStatic);
      field->storage = isStatic ? FieldStorage::kStatic : FieldStorage::kInstance;
      auto& list = isStatic ? type.staticFields : type.fields;
      field->index = static_cast<uint32_t>(list.size());
      list.push_back(field);
      entry.field = field;
      continue;
    }
    FunctionInfo* function = declareFunction(module, &type, *member);
    if (entry.field != nullptr || entry.enumMember >= 0) {
      diagnostics->report(DiagId::DuplicateName, member->name.range, member->name.text)
          .note(entry.field != nullptr ? entry.field->range : type.range, "the other one is here");
      continue;
    }
    append(entry.functions, function);
    type.methods.push_back(function);
    if (function->isAbstract && type.kind == ClassKind::kClass && !type.isAbstract) {
      diagnostics->report(DiagId::AbstractInConcrete, function->range, function->name, type.name);
    }
  }
}

// Members of an enum stand beside its methods; `values()` is a static method the checker makes.
void Program::declareEnumValues(ClassInfo& type) {
  const auto& declaration = *syntax::as<syntax::EnumDecl>(type.declaration);
  type.members.reserve(declaration.values.size());
  for (const syntax::EnumMemberDecl* value : declaration.values) {
    if (value->name.empty()) continue;
    MemberEntry& entry = type.entries[value->name.text];
    if (entry.enumMember >= 0) {
      diagnostics->report(DiagId::DuplicateName, value->name.range, value->name.text);
      continue;
    }
    entry.enumMember = static_cast<int>(type.members.size());
    type.members.push_back({value->name.text, 0});
  }
}

// Made with the signatures, when List is known.
void Program::declareEnumValuesMethod(ClassInfo& type) {
  MemberEntry& entry = type.entries["values"];
  if (entry.field != nullptr || entry.functions != nullptr || entry.enumMember >= 0) return;
  FunctionInfo* function = newFunction();
  function->kind = FunctionKind::kStaticMethod;
  function->name = "values";
  function->range = type.range;
  function->module = type.module;
  function->owner = &type;
  function->visibility = Visibility::kPublic;
  function->resultType = types.named(known.list, {&type.selfType, 1});
  entry.functions = function;
  type.methods.push_back(function);
}

void Program::declareClass(ModuleInfo& module, const syntax::Decl& declaration) {
  TopLevel& place = module.names[declaration.name.text];
  if (place.type != nullptr || place.functions != nullptr || place.variable != nullptr || place.alias != nullptr) {
    diagnostics->report(DiagId::DuplicateName, declaration.name.range, declaration.name.text)
        .note(place.range(), "the other one is here");
    return;
  }
  ClassInfo* type = newClass();
  place.type = type;
  type->declaration = &declaration;
  type->name = declaration.name.text;
  type->range = declaration.name.range;
  type->module = &module;
  type->visibility = visibilityOf(declaration, module.isPrelude ? Visibility::kModule : Visibility::kPublic);
  type->isAbstract = declaration.has(Modifier::kAbstract);
  type->isBuiltin = module.isPrelude;
  module.classes.push_back(type);
  if (const auto* enumeration = syntax::dyn<syntax::EnumDecl>(&declaration)) {
    type->kind = ClassKind::kEnum;
    type->selfType = types.enumType(type);
    declareEnumValues(*type);
    declareMembers(*type, enumeration->members);
    return;
  }
  const auto& body = *syntax::as<syntax::TypeDecl>(&declaration);
  type->kind = declaration.kind == syntax::NodeKind::StructDecl      ? ClassKind::kStruct
               : declaration.kind == syntax::NodeKind::InterfaceDecl ? ClassKind::kInterface
                                                                     : ClassKind::kClass;
  makeTypeParameters(body.typeParameters, module, type->typeParameters);
  std::vector<const Type*> own;
  own.reserve(type->typeParameters.size());
  for (const TypeParameterSymbol* parameter : type->typeParameters) own.push_back(parameter->type);
  // The members of T[] and string are written as the classes Array<T> and String; `this` is the array or string itself
  // there.
  if (module.isPrelude && type->name == "Array") {
    type->selfType = types.array(own[0]);
  } else if (module.isPrelude && type->name == "String") {
    type->selfType = simple(TypeKind::kString);
  } else {
    type->selfType = types.named(type, own);
  }
  declareMembers(*type, body.members);
}

void Program::declareModule(ModuleInfo& module) {
  module.names.reserve(module.tree->declarations.size());
  for (const syntax::Decl* declaration : module.tree->declarations) {
    if (declaration->name.empty()) continue;
    switch (declaration->kind) {
    case syntax::NodeKind::ClassDecl:
    case syntax::NodeKind::StructDecl:
    case syntax::NodeKind::InterfaceDecl:
    case syntax::NodeKind::EnumDecl: declareClass(module, *declaration); break;
    case syntax::NodeKind::FunctionDecl: {
      FunctionInfo* function = declareFunction(module, nullptr, *declaration);
      TopLevel& place = module.names[function->name];
      if (place.type != nullptr || place.variable != nullptr || place.alias != nullptr) {
        diagnostics->report(DiagId::DuplicateName, function->range, function->name)
            .note(place.range(), "the other one is here");
        break;
      }
      FunctionInfo** end = &place.functions;
      while (*end != nullptr) end = &(*end)->nextOverload;
      *end = function;
      module.functions.push_back(function);
      break;
    }
    case syntax::NodeKind::VariableDecl:
    case syntax::NodeKind::AliasDecl: {
      TopLevel& place = module.names[declaration->name.text];
      if (place.type != nullptr || place.functions != nullptr || place.variable != nullptr || place.alias != nullptr) {
        diagnostics->report(DiagId::DuplicateName, declaration->name.range, declaration->name.text)
            .note(place.range(), "the other one is here");
        break;
      }
      if (const auto* alias = syntax::dyn<syntax::AliasDecl>(declaration)) {
        place.alias = newAlias();
        place.alias->declaration = alias;
        break;
      }
      FieldInfo* field = newField();
      place.variable = field;
      field->declaration = syntax::as<syntax::VariableDecl>(declaration);
      field->name = declaration->name.text;
      field->range = declaration->name.range;
      field->module = &module;
      field->visibility = visibilityOf(*declaration, module.isPrelude ? Visibility::kModule : Visibility::kPublic);
      field->isConst = declaration->has(Modifier::kConst);
      field->storage = FieldStorage::kStatic;
      field->index = static_cast<uint32_t>(module.variables.size());
      module.variables.push_back(field);
      break;
    }
    default: break;
    }
  }
}

void Program::findWellKnown() {
  auto find = [&](std::string_view name) -> ClassSymbol* {
    auto at = prelude->names.find(name);
    return at == prelude->names.end() ? nullptr : at->second.type;
  };
  known = {.object = find("Object"),
           .string = find("String"),
           .array = find("Array"),
           .iterable = find("Iterable"),
           .iterator = find("Iterator"),
           .comparable = find("Comparable"),
           .closeable = find("Closeable"),
           .exception = find("Exception"),
           .list = find("List"),
           .dict = find("Dict"),
           .set = find("Set"),
           .thread = find("Thread"),
           .future = find("Future"),
           .channel = find("Channel"),
           .mutex = find("Mutex")};
}

void Program::resolveTypeParameters(std::span<syntax::TypeParameter* const> syntax,
                                    const std::vector<TypeParameterSymbol*>& symbols, const TypeScope& scope) {
  for (size_t i = 0; i < syntax.size(); ++i) {
    if (syntax[i]->bound == nullptr) continue;
    const Type* bound = resolve(syntax[i]->bound, scope);
    if (bound->kind == TypeKind::kInterface) {
      symbols[i]->bound = bound;
      continue;
    }
    symbols[i]->hasUnknownBound = true;
    if (!bound->isError()) {
      diagnostics->report(DiagId::BoundNotInterface, syntax[i]->bound->range, typeName(bound));
    }
  }
}

void Program::resolveHeaders(ModuleInfo& module) {
  for (const syntax::Decl* declaration : module.tree->declarations) {
    if (declaration->kind != syntax::NodeKind::AliasDecl || declaration->name.empty()) continue;
    AliasInfo* alias = module.names[declaration->name.text].alias;
    if (alias != nullptr) aliasType(*alias, module);
  }
  for (ClassSymbol* symbol : module.classes) {
    ClassInfo& type = *info(symbol);
    TypeScope scope{&module, &type, nullptr, false};
    if (type.kind == ClassKind::kClass && &type != known.object) type.superType = objectType();
    const auto* body = syntax::dyn<syntax::TypeDecl>(type.declaration);
    if (body == nullptr) continue;
    resolveTypeParameters(body->typeParameters, type.typeParameters, scope);
    if (body->base != nullptr) {
      const Type* base = resolve(body->base, scope);
      if (base->kind == TypeKind::kClass) {
        const ClassInfo* baseClass = info(base->declaration);
        bool isOpen = !baseClass->isBuiltin || module.isStandard || baseClass == known.object ||
                      derivesFrom(baseClass, known.exception);
        if (isOpen) {
          type.superType = base;
        } else {
          type.hasUnknownBase = true;
          diagnostics->report(DiagId::SealedBase, body->base->range, typeName(base));
        }
      } else if (base->kind == TypeKind::kInterface) {
        diagnostics->report(DiagId::BaseIsInterface, body->base->range, typeName(base))
            .suggest("write `implements " + typeName(base) + "`");
        type.interfaces.push_back(base); // as it was meant
      } else {
        type.hasUnknownBase = true;
        if (!base->isError()) diagnostics->report(DiagId::BaseNotClass, body->base->range, typeName(base));
      }
    }
    for (const syntax::Type* written : body->interfaces) {
      const Type* interface = resolve(written, scope);
      if (interface->kind != TypeKind::kInterface) {
        type.hasUnknownBase = true;
        if (!interface->isError()) diagnostics->report(DiagId::NotAnInterface, written->range, typeName(interface));
        continue;
      }
      bool isTwice = false;
      for (const Type* other : type.interfaces) isTwice |= other->declaration == interface->declaration;
      if (isTwice) {
        diagnostics->report(DiagId::DuplicateInterface, written->range, typeName(interface));
        continue;
      }
      type.interfaces.push_back(interface);
    }
  }
}

void Program::resolveFunction(FunctionInfo& function) {
  bool isStatic = function.kind == FunctionKind::kStaticMethod;
  TypeScope scope{info(function.module), info(function.owner), &function, isStatic};
  std::span<syntax::Parameter* const> parameters;
  if (const auto* constructor = syntax::dyn<syntax::ConstructorDecl>(function.declaration)) {
    parameters = constructor->parameters;
    function.resultType = simple(TypeKind::kVoid);
  } else {
    const auto* declaration = syntax::as<syntax::FunctionDecl>(function.declaration);
    parameters = declaration->parameters;
    // One bound may mention a parameter whose own bound follows.
    if (!declaration->typeParameters.empty()) {
      headersResolved_ = false;
      resolveTypeParameters(declaration->typeParameters, function.typeParameters, scope);
      checkPendingBounds();
    }
    function.resultType = resolve(declaration->returnType, scope);
  }
  if (parameters.size() > kMaxParameters) {
    diagnostics->report(DiagId::TooManyParameters, function.range, function.name, kMaxParameters);
    function.requiredParameters = static_cast<uint32_t>(parameters.size()); // its default values are not looked at
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    function.parameters[i]->type = parameters[i]->type != nullptr ? resolve(parameters[i]->type, scope) : errorType();
  }
}

void Program::resolveSignatures(ModuleInfo& module) {
  for (FunctionSymbol* function : module.functions) resolveFunction(*info(function));
  for (FieldSymbol* field : module.variables)
    field->type = resolve(info(field)->declaration->type, {&module, nullptr, nullptr, true});
  for (ClassSymbol* symbol : module.classes) {
    ClassInfo& type = *info(symbol);
    for (FieldSymbol* field : type.fields)
      field->type = resolve(info(field)->declaration->type, {&module, &type, nullptr, false});
    for (FieldSymbol* field : type.staticFields)
      field->type = resolve(info(field)->declaration->type, {&module, &type, nullptr, true});
    for (FunctionSymbol* method : type.methods) resolveFunction(*info(method));
    if (type.kind == ClassKind::kEnum) declareEnumValuesMethod(type);
    for (FunctionSymbol* constructor : type.constructors) resolveFunction(*info(constructor));
  }
}

} // namespace nlang::sema
