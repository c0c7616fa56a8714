// Names: what `x`, `a.b` and `Type.m` denote, and who may use it.
//
// A plain name is a local, then a member of the class around it, then a declaration of the module, an import, a
// declaration of the prelude. `a.b` means a member of whatever `a` denotes: a module, a type or a value.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body_checker.h"
#include "sema/suggestions.h"

namespace nlang::sema {

// ---------------------------------------------------------------- visibility

bool BodyChecker::isVisible(const Symbol& symbol, const ClassSymbol* owner) const {
  switch (symbol.visibility) {
  case Visibility::kPublic: return true;
  case Visibility::kModule: return symbol.module == module_;
  case Visibility::kProtected: return owner_ != nullptr && p_.derivesFrom(owner_, owner);
  case Visibility::kPrivate: return owner == nullptr || module_->isPrelude ? symbol.module == module_ : owner == owner_;
  }
  return false;
}

bool BodyChecker::isStaticFunction(const FunctionInfo& function) const {
  return function.kind != FunctionKind::kMethod;
}

// ---------------------------------------------------------------- plain names

Denotation BodyChecker::denote(const syntax::Expr* node) {
  switch (node->kind) {
  case syntax::NodeKind::NameExpr: return denoteName(*syntax::as<syntax::NameExpr>(node));
  case syntax::NodeKind::MemberExpr: return denoteMember(*syntax::as<syntax::MemberExpr>(node));
  case syntax::NodeKind::TypeExpr:
    return denoteType(resolveType(syntax::as<syntax::TypeExpr>(node)->type), node->range);
  default: break;
  }
  return valueDenotation(check(node));
}

Denotation BodyChecker::valueDenotation(Expression* value) {
  Denotation result;
  result.kind = value->type->isError() ? Denotation::Kind::kError : Denotation::Kind::kValue;
  result.value = value;
  result.range = value->range;
  return result;
}

Denotation BodyChecker::denoteType(const Type* type, syntax::SourceRange range) {
  Denotation result;
  if (type->isError()) return result;
  result.kind = Denotation::Kind::kType;
  result.type = type;
  result.declaration = type->declaration != nullptr ? info(type->declaration) : nullptr;
  result.range = range;
  return result;
}

Expression* BodyChecker::variableValue(VariableSymbol* variable, syntax::SourceRange range) {
  variable->isUsed = true;
  if (variable->isConst) {
    if (auto at = localConstants_.find(variable); at != localConstants_.end())
      return constant(at->second, variable->type, range);
  }
  return make<LocalExpression>(ExpressionKind::kLocal, range, variable->type, variable);
}

Expression* BodyChecker::thisValue(syntax::SourceRange range) {
  return make<ThisExpression>(ExpressionKind::kThis, range, owner_->selfType);
}

Denotation BodyChecker::denoteName(const syntax::NameExpr& node) {
  const syntax::Ident& name = node.name;
  if (name.empty()) return failed();
  if (!node.hasTypeArguments) {
    if (auto at = visible_.find(name.text); at != visible_.end())
      return valueDenotation(variableValue(at->second.variable, node.range));
  }
  if (owner_ != nullptr) {
    FoundMembers found = p_.findMembers(owner_->selfType, name.text);
    if (found.field != nullptr || !found.functions.empty()) {
      return membersToDenotation(std::move(found), {Access::kImplicit, nullptr, owner_->selfType}, name,
                                 node.typeArguments, node.hasTypeArguments, node.range);
    }
  }
  auto parameterIn = [&](const std::vector<TypeParameterSymbol*>& parameters) -> const Type* {
    for (const TypeParameterSymbol* parameter : parameters) {
      if (parameter->name == name.text) return parameter->type;
    }
    return nullptr;
  };
  const Type* parameter = function_ != nullptr ? parameterIn(function_->typeParameters) : nullptr;
  if (parameter == nullptr && owner_ != nullptr) parameter = parameterIn(owner_->typeParameters);
  if (parameter != nullptr) return denoteType(parameter, node.range);

  if (auto at = module_->names.find(name.text); at != module_->names.end()) {
    return denoteTopLevel(at->second, *module_, name, node.typeArguments, node.hasTypeArguments, node.range);
  }
  std::string_view path[] = {name.text};
  bool isAmbiguous = false;
  if (ImportInfo* import = p_.findImport(*module_, path, &isAmbiguous); import != nullptr) {
    if (isAmbiguous) report(DiagId::AmbiguousModule, name.range, name.text);
    if (isAmbiguous || import->module == nullptr) return failed();
    Denotation result;
    result.kind = Denotation::Kind::kModule;
    result.module = import->module;
    result.path = {name.text};
    result.range = node.range;
    return result;
  }
  for (const ImportInfo& import : module_->imports) {
    if (import.declaration->hasAlias || import.declaration->path.size() < 2 ||
        import.declaration->path[0].text != name.text)
      continue;
    Denotation result;
    result.kind = Denotation::Kind::kModulePath;
    result.path = {name.text};
    result.range = node.range;
    return result;
  }
  if (const TopLevel* place = p_.findTopLevel(*module_, name.text); place != nullptr) {
    return denoteTopLevel(*place, *p_.prelude, name, node.typeArguments, node.hasTypeArguments, node.range);
  }
  if (owner_ == nullptr || !Conversions::hasUnknownBase(owner_->selfType))
    suggestName(report(DiagId::UnknownName, name.range, name.text), name.text);
  return failed();
}

Denotation BodyChecker::denoteTopLevel(const TopLevel& place, ModuleInfo& home, const syntax::Ident& name,
                                       std::span<syntax::Type* const> arguments, bool hasArguments,
                                       syntax::SourceRange range) {
  Denotation result;
  result.range = range;
  result.name = name.text;
  std::vector<const Type*> types;
  bool isBroken = false;
  for (const syntax::Type* argument : arguments) {
    types.push_back(resolveType(argument));
    isBroken |= types.back()->isError() || types.back()->isVoid(); // the parser has reported `void`
  }
  if (place.alias != nullptr || place.variable != nullptr) {
    if (hasArguments) {
      report(DiagId::NotGeneric, range, name.text);
      return failed();
    }
    if (place.alias != nullptr) return denoteType(p_.aliasType(*place.alias, home), range);
    return valueDenotation(fieldValue(place.variable, {}, nullptr, range));
  }
  if (place.type != nullptr) {
    ClassInfo* declaration = place.type;
    if (isBroken) return failed();
    result.kind = Denotation::Kind::kType;
    result.declaration = declaration;
    if (!hasArguments) {
      result.type = declaration->typeParameters.empty() ? declaration->selfType : nullptr;
      return result;
    }
    if (types.size() != declaration->typeParameters.size()) {
      if (declaration->typeParameters.empty()) {
        report(DiagId::NotGeneric, range, name.text);
      } else {
        report(DiagId::TypeArgumentCount, range, name.text, declaration->typeParameters.size(), types.size());
      }
      return failed();
    }
    result.type = declaration == p_.known.array ? p_.types.array(types[0]) : p_.types.named(declaration, types);
    p_.checkBounds(declaration, result.type->arguments, range);
    return result;
  }
  if (isBroken) return failed();
  result.kind = Denotation::Kind::kFunctions;
  for (FunctionInfo* function = place.functions; function != nullptr; function = function->nextOverload) {
    if (isVisible(*function, nullptr)) result.functions.push_back({function, {}});
  }
  result.typeArguments = std::move(types);
  result.hasTypeArguments = hasArguments;
  return result;
}

// ---------------------------------------------------------------- fields and constants

Expression* BodyChecker::fieldValue(FieldInfo* field, std::span<const Type* const> ownerArguments, Expression* receiver,
                                    syntax::SourceRange range) {
  if (field->storage != FieldStorage::kInstance) {
    if (field->isConst && field->declaration != nullptr) {
      // A lambda in the initialiser itself runs later, so it may name what is being initialised.
      bool runsLater = field->initialized == Progress::kRunning && frame_ != nullptr && frame_->outer != nullptr;
      if (!runsLater) p_.ensureInitializer(*field, range);
    }
    if (field->storage == FieldStorage::kConstant) return constant(field->constant, field->type, range);
    if (field->type->isError()) return errorExpression(range);
    return make<StaticFieldExpression>(ExpressionKind::kStaticField, range, field->type, field);
  }
  const Type* type = p_.substitute(field->type, field->owner, ownerArguments);
  return make<FieldExpression>(ExpressionKind::kField, range, type, receiver, field);
}

// ---------------------------------------------------------------- members

Denotation BodyChecker::denoteMember(const syntax::MemberExpr& node) {
  if (node.target->kind == syntax::NodeKind::SuperExpr) return denoteSuperMember(node);
  if (node.isNullSafe) {
    for (auto& [access, receiver] : chainReceivers_) {
      if (access == &node) return memberOfValue(receiver, node);
    }
  }
  Denotation target = denote(node.target);
  if (target.kind == Denotation::Kind::kFunctions) target = valueDenotation(valueOf(std::move(target), nullptr));
  if (node.name.empty()) return failed();
  switch (target.kind) {
  case Denotation::Kind::kModule:
  case Denotation::Kind::kModulePath: return memberOfModule(target, node);
  case Denotation::Kind::kType: return memberOfType(target, node);
  case Denotation::Kind::kValue: return memberOfValue(target.value, node);
  default: return failed();
  }
}

Denotation BodyChecker::memberOfModule(const Denotation& target, const syntax::MemberExpr& node) {
  const syntax::Ident& name = node.name;
  if (target.module != nullptr) {
    ModuleInfo& module = *target.module;
    auto at = module.names.find(name.text);
    if (at != module.names.end()) {
      if (at->second.isPrivate() && &module != module_) {
        report(DiagId::NotVisible, name.range, name.text, fmt::format("module `{}`", module.name))
            .note(at->second.range(), "declared here");
        return failed();
      }
      return denoteTopLevel(at->second, module, name, node.typeArguments, node.hasTypeArguments, node.range);
    }
  }
  std::vector<std::string_view> path = target.path;
  path.push_back(name.text);
  if (ImportInfo* import = p_.findImport(*module_, path); import != nullptr) {
    if (import->module == nullptr) return failed();
    Denotation result;
    result.kind = Denotation::Kind::kModule;
    result.module = import->module;
    result.path = std::move(path);
    result.range = node.range;
    return result;
  }
  for (const ImportInfo& import : module_->imports) {
    const auto& written = import.declaration->path;
    if (import.declaration->hasAlias || written.size() <= path.size()) continue;
    bool isPrefix = true;
    for (size_t i = 0; i < path.size(); ++i) isPrefix &= written[i].text == path[i];
    if (!isPrefix) continue;
    Denotation result;
    result.kind = Denotation::Kind::kModulePath;
    result.path = std::move(path);
    result.range = node.range;
    return result;
  }
  if (target.module == nullptr) {
    report(DiagId::ModuleNotImported, node.range, sourceText(node.range));
    return failed();
  }
  std::vector<std::string_view> candidates;
  for (const auto& [candidate, place] : target.module->names) {
    if (!p_.wantsSuggestions()) break;
    if (!place.isPrivate()) candidates.push_back(candidate);
  }
  report(DiagId::UnknownInModule, name.range, target.module->name, name.text)
      .suggest(didYouMean(name.text, candidates));
  return failed();
}

Denotation BodyChecker::memberOfType(const Denotation& target, const syntax::MemberExpr& node) {
  const syntax::Ident& name = node.name;
  const Type* type = target.type != nullptr ? target.type : target.declaration->selfType;
  if (type->isNumeric() && (name.text == "min" || name.text == "max")) {
    ConstantValue value = name.text == "min" ? minimumOf(type) : maximumOf(type);
    return valueDenotation(constant(value, type, node.range));
  }
  FoundMembers found;
  bool hasStatics = type->kind == TypeKind::kString || type->declaration != nullptr;
  if (hasStatics) found = p_.findMembers(type, name.text);
  if (found.empty() && Conversions::hasUnknownBase(type)) return failed();
  if (found.empty()) {
    std::vector<std::string_view> candidates;
    if (type->isNumeric()) candidates = {"min", "max"};
    if (hasStatics && p_.wantsSuggestions()) p_.memberNames(type, candidates);
    report(DiagId::UnknownMember, name.range,
           type->declaration != nullptr ? std::string(type->declaration->name) : typeName(type), name.text)
        .suggest(didYouMean(name.text, candidates));
    return failed();
  }
  const auto* written = syntax::dyn<syntax::TypeExpr>(node.target);
  const auto* named = written != nullptr ? syntax::dyn<syntax::NamedType>(written->type) : nullptr;
  const auto* plain = syntax::dyn<syntax::NameExpr>(node.target);
  const auto* member = syntax::dyn<syntax::MemberExpr>(node.target);
  bool hasArguments = (named != nullptr && named->hasArguments) || (plain != nullptr && plain->hasTypeArguments) ||
                      (member != nullptr && member->hasTypeArguments);
  if (hasArguments && type->declaration != nullptr) {
    report(DiagId::StaticWithArguments, node.target->range, type->declaration->name, name.text);
  }
  return membersToDenotation(std::move(found), {Access::kType, nullptr, type}, name, node.typeArguments,
                             node.hasTypeArguments, node.range);
}

Denotation BodyChecker::memberOfValue(Expression* target, const syntax::MemberExpr& node) {
  const syntax::Ident& name = node.name;
  const Type* type = target->type;
  if (type->isError() || name.empty()) return failed();
  if (type->isVoid()) {
    report(DiagId::NoValue, target->range);
    return failed();
  }
  FoundMembers found = p_.findMembers(type, name.text);
  // `sort()` of List<T> and T[] compares elements of any type: its callers answer for their order (NotSortable).
  if (found.empty() && module_->isPrelude && type->kind == TypeKind::kParameter && name.text == "compareTo") {
    found = p_.findMembers(p_.types.named(p_.known.comparable, {&type, 1}), name.text);
  }
  if (found.empty()) {
    if (!Conversions::hasUnknownBase(type))
      suggestMember(report(DiagId::UnknownMember, name.range, typeName(type), name.text), type, name.text);
    return failed();
  }
  return membersToDenotation(std::move(found), {Access::kValue, target, type}, name, node.typeArguments,
                             node.hasTypeArguments, node.range);
}

Denotation BodyChecker::denoteSuperMember(const syntax::MemberExpr& node) {
  const syntax::Ident& name = node.name;
  if (!hasThis_ || owner_->superType == nullptr) {
    report(DiagId::NoSuper, node.target->range);
    return failed();
  }
  if (name.empty()) return failed();
  const Type* base = owner_->superType;
  FoundMembers found = p_.findMembers(base, name.text);
  if (found.empty()) {
    if (!Conversions::hasUnknownBase(owner_->selfType))
      suggestMember(report(DiagId::UnknownMember, name.range, typeName(base), name.text), base, name.text);
    return failed();
  }
  Denotation result = membersToDenotation(std::move(found), {Access::kValue, thisValue(node.target->range), base}, name,
                                          node.typeArguments, node.hasTypeArguments, node.range);
  result.isSuper = true;
  return result;
}

Denotation BodyChecker::membersToDenotation(FoundMembers found, const Access& access, const syntax::Ident& name,
                                            std::span<syntax::Type* const> arguments, bool hasArguments,
                                            syntax::SourceRange range) {
  auto hidden = [&](const Symbol& symbol, const ClassSymbol* owner) {
    report(DiagId::NotVisible, name.range, name.text, fmt::format("`{}`", owner->name))
        .note(symbol.range, "declared here");
    return failed();
  };
  auto needsObject = [&](const ClassSymbol* owner) {
    report(DiagId::NeedsObject, name.range, name.text, owner->name);
    return failed();
  };
  if (found.enumMember >= 0) {
    if (access.kind != Access::kType) {
      report(DiagId::StaticThroughValue, name.range, name.text, found.enumOwner->name);
      return failed();
    }
    p_.ensureEnumValues(*found.enumOwner);
    int64_t value = found.enumOwner->members[static_cast<size_t>(found.enumMember)].value;
    const Type* type = found.enumOwner->selfType;
    return valueDenotation(constant(integerConstant(static_cast<uint64_t>(value), type), type, range));
  }
  if (found.field != nullptr) {
    FieldInfo* field = found.field;
    if (!isVisible(*field, field->owner)) return hidden(*field, field->owner);
    if (hasArguments) {
      report(DiagId::NotGeneric, range, name.text);
      return failed();
    }
    Expression* receiver = access.receiver;
    if (field->storage == FieldStorage::kInstance) {
      bool hasObject = access.kind == Access::kValue || (access.kind == Access::kImplicit && hasThis_);
      if (!hasObject) return needsObject(field->owner);
      if (access.kind == Access::kImplicit) receiver = thisValue(range);
    } else if (access.kind == Access::kValue) {
      report(DiagId::StaticThroughValue, name.range, name.text, field->owner->name);
      return failed();
    }
    return valueDenotation(fieldValue(field, found.fieldOwnerArguments, receiver, range));
  }

  Denotation result;
  result.kind = Denotation::Kind::kFunctions;
  result.range = range;
  result.name = name.text;
  result.hasTypeArguments = hasArguments;
  for (const syntax::Type* argument : arguments) {
    result.typeArguments.push_back(resolveType(argument));
    if (result.typeArguments.back()->isError() || result.typeArguments.back()->isVoid()) return failed();
  }
  bool hasObject = access.kind == Access::kValue || (access.kind == Access::kImplicit && hasThis_);
  const FunctionInfo* outOfReach = nullptr;
  const FunctionInfo* wrongKind = nullptr;
  for (const FoundFunction& candidate : found.functions) {
    FunctionInfo& function = *candidate.function;
    bool isStatic = isStaticFunction(function);
    if (!isVisible(function, function.owner)) {
      outOfReach = &function;
    } else if (isStatic ? access.kind == Access::kValue : !hasObject) {
      wrongKind = &function;
    } else {
      result.functions.push_back(candidate);
    }
  }
  if (result.functions.empty()) {
    if (wrongKind == nullptr) return hidden(*outOfReach, outOfReach->owner);
    if (!isStaticFunction(*wrongKind)) return needsObject(wrongKind->owner);
    report(DiagId::StaticThroughValue, name.range, name.text, wrongKind->owner->name);
    return failed();
  }
  if (hasObject) result.receiver = access.kind == Access::kImplicit ? thisValue(range) : access.receiver;
  if (result.functions.front().function->isProperty) {
    const FoundFunction& property = result.functions.front();
    return valueDenotation(makeCall(property.function, property.ownerArguments, {}, result.receiver, false, {}, range));
  }
  return result;
}

Expression* BodyChecker::valueOf(Denotation&& denotation, const Type* expected) {
  switch (denotation.kind) {
  case Denotation::Kind::kValue: return denotation.value;
  case Denotation::Kind::kFunctions: return functionValue(std::move(denotation), expected);
  case Denotation::Kind::kType:
    report(DiagId::TypeAsValue, denotation.range, sourceText(denotation.range));
    return errorExpression(denotation.range);
  case Denotation::Kind::kModule:
  case Denotation::Kind::kModulePath:
    report(DiagId::ModuleAsValue, denotation.range, sourceText(denotation.range));
    return errorExpression(denotation.range);
  default: return denotation.value != nullptr ? denotation.value : errorExpression(denotation.range);
  }
}

// ---------------------------------------------------------------- `?.`

namespace {

// The `?.` access nearest to the end of a chain, or null.
const syntax::MemberExpr* lastNullSafe(const syntax::Expr* chain) {
  for (;;) {
    if (const auto* member = syntax::dyn<syntax::MemberExpr>(chain)) {
      if (member->isNullSafe) return member;
      chain = member->target;
    } else if (const auto* call = syntax::dyn<syntax::CallExpr>(chain)) {
      chain = call->callee;
    } else if (const auto* index = syntax::dyn<syntax::IndexExpr>(chain)) {
      chain = index->target;
    } else {
      return nullptr;
    }
  }
}

} // namespace

Expression* BodyChecker::checkNullChain(const syntax::NullChainExpr& node) { return checkChainFrom(node.chain); }

// a?.b()?.c is Chain(Chain(a, .b()), .c): what stands before the last `?.` is the receiver, what follows is checked
// with a placeholder in its place.
Expression* BodyChecker::checkChainFrom(const syntax::Expr* chain) {
  const syntax::MemberExpr* access = lastNullSafe(chain);
  if (access == nullptr) return check(chain);
  Expression* receiver = checkChainFrom(access->target);
  if (receiver->type->isError()) return receiver;
  if (receiver->type->isVoid()) {
    report(DiagId::NoValue, receiver->range);
    return errorExpression(chain->range);
  }
  bool mayBeNull = receiver->type->isReference() || receiver->type->kind == TypeKind::kParameter ||
                   receiver->kind == ExpressionKind::kChain;
  if (!mayBeNull) {
    report(DiagId::NeverNull, access->name.range, typeName(receiver->type)).suggest("write `.` instead of `?.`");
    return errorExpression(chain->range);
  }
  Expression* placeholder =
      make<ChainReceiverExpression>(ExpressionKind::kChainReceiver, receiver->range, receiver->type);
  chainReceivers_.emplace_back(access, placeholder);
  Expression* rest = check(chain);
  chainReceivers_.pop_back();
  if (rest->type->isError()) return rest;
  return make<ChainExpression>(ExpressionKind::kChain, chain->range, rest->type, receiver, rest);
}

// ---------------------------------------------------------------- suggestions

void BodyChecker::suggestName(syntax::Diagnostic& diagnostic, std::string_view name) {
  // What people bring from other languages.
  static constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
      {"nil", "null"},       {"None", "null"},        {"NULL", "null"},        {"nullptr", "null"},
      {"undefined", "null"}, {"True", "true"},        {"False", "false"},      {"self", "this"},
      {"me", "this"},        {"print", "io.print"},   {"println", "io.print"}, {"printf", "io.print"},
      {"echo", "io.print"},  {"Console", "io.print"}, {"console", "io.print"}, {"puts", "io.print"}};
  for (auto [theirs, ours] : kElsewhere) {
    if (theirs == name) {
      diagnostic.suggest(fmt::format("did you mean `{}`?", ours));
      return;
    }
  }
  if (!p_.wantsSuggestions()) return;
  std::vector<std::string_view> candidates = {"break", "continue"}; // a name may be a whole statement
  for (const auto& [candidate, place] : visible_) candidates.push_back(candidate);
  if (owner_ != nullptr) p_.memberNames(owner_->selfType, candidates);
  for (const auto& [candidate, place] : module_->names) candidates.push_back(candidate);
  for (const auto& [candidate, place] : p_.prelude->names) {
    if (p_.findTopLevel(*module_, candidate) != nullptr) candidates.push_back(candidate);
  }
  for (const ImportInfo& import : module_->imports) candidates.push_back(import.declaration->name.text);
  for (const ClassSymbol* type : module_->classes) {
    for (const EnumMember& member : type->members) {
      if (member.name == name) {
        diagnostic.suggest(fmt::format("did you mean `{}.{}`?", type->name, name));
        return;
      }
    }
  }
  diagnostic.suggest(didYouMean(name, candidates));
  if (!diagnostic.suggestion.empty()) return;
  if (std::string_view ours = typeElsewhere(name); !ours.empty()) {
    diagnostic.suggest(fmt::format("did you mean `{}`?", ours));
    return;
  }
  ModuleLoader::Found found;
  if (!p_.loader.find(name, module_->file, found)) return;
  for (const ImportInfo& import : module_->imports) {
    const syntax::ImportDecl& declaration = *import.declaration;
    if (declaration.hasAlias && import.module != nullptr && import.module->file == found.file) {
      diagnostic.suggest(fmt::format("`{}` is imported as `{}` here", name, declaration.name.text));
      return;
    }
  }
  diagnostic.suggest(fmt::format("write `import {};` at the top of the file", name));
}

void BodyChecker::suggestMember(syntax::Diagnostic& diagnostic, const Type* type, std::string_view name) {
  if (!p_.wantsSuggestions()) return;
  std::vector<std::string_view> candidates;
  p_.memberNames(type, candidates);
  // What the members are called in other languages.
  static constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
      {"size", "length"},        {"len", "length"},    {"count", "length"},  {"length", "count"},
      {"size", "count"},         {"push", "add"},      {"append", "add"},    {"Add", "add"},
      {"Length", "length"},      {"Count", "count"},   {"has", "contains"},  {"has", "containsKey"},
      {"includes", "contains"},  {"upper", "toUpper"}, {"lower", "toLower"}, {"strip", "trim"},
      {"getMessage", "message"}, {"what", "message"}};
  for (auto [theirs, ours] : kElsewhere) {
    if (theirs == name && std::find(candidates.begin(), candidates.end(), ours) != candidates.end()) {
      diagnostic.suggest(fmt::format("did you mean `{}`?", ours));
      return;
    }
  }
  diagnostic.suggest(didYouMean(name, candidates));
}

} // namespace nlang::sema
