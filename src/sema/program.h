// The state of one compilation, shared by the phases of the checker.
//
// Phases, in order; each may rely on what the earlier ones made:
//   1. loading       files are read and parsed, imports followed (load_modules.cpp)
//   2. declaring     every top-level name and member gets its symbol (declare.cpp)
//   3. resolving     type parameters, bases, signatures and field types (resolve_types.cpp, declare.cpp)
//   4. class checks  virtual tables, overriding, interfaces, constructors (class_checks.cpp)
//   5. bodies        user code at once, the standard library on demand (body_checker.h)
//   6. finishing     order of initialisation, main, unused imports (initialization.cpp)
// Constants, enum values and default arguments are evaluated when something asks for them, each once, with a mark
// against cycles.
//
// The structures below extend the public symbols by what only the checker needs; every symbol it makes is one of them,
// so the casts `info(...)` are always right.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/native_stack.h"
#include "sema/checker.h"
#include "sema/constants.h"
#include "sema/conversions.h"
#include "sema/known_classes.h"
#include "syntax/tree.h"

namespace nlang::sema {

struct ClassInfo;
struct FunctionInfo;
struct ModuleInfo;

// Progress of something that is computed once, on demand.
enum class Progress : uint8_t { kNone, kRunning, kDone };

struct FieldInfo : FieldSymbol {
  const syntax::VariableDecl* declaration = nullptr; // null: made by the checker
  Progress initialized = Progress::kNone;            // of `initializer`, `storage` and `constant`
  Progress ordered = Progress::kNone;                // used while the order of initialisation is found
};

struct FunctionInfo : FunctionSymbol {
  const syntax::Decl* declaration = nullptr; // FunctionDecl or ConstructorDecl; null: made by the checker, or a lambda
  FunctionInfo* nextOverload = nullptr;      // the next of the same name in the same scope, in textual order
  FunctionInfo* inheritedFrom = nullptr;     // synthesised constructors: the base constructor they forward to
  Progress bodyProgress = Progress::kNone;
  Progress defaultsProgress = Progress::kNone;
  bool bodyFailed = false;         // checking the body reported an error
  bool overrideWritten = false;    // `override` stands in the source
  uint32_t requiredParameters = 0; // parameters without a default value
};

// What a member name of a class stands for: one field, or functions, never both.
struct MemberEntry {
  FieldInfo* field = nullptr;
  FunctionInfo* functions = nullptr; // first of the overloads
  int enumMember = -1;               // index into ClassSymbol::members
};

struct ClassInfo : ClassSymbol {
  const syntax::Decl* declaration = nullptr; // TypeDecl or EnumDecl
  absl::flat_hash_map<std::string_view, MemberEntry> entries;
  Progress table = Progress::kNone; // virtual table and constructors
  Progress enumValues = Progress::kNone;
  Progress fieldInitializers = Progress::kNone;
};

struct AliasInfo {
  const syntax::AliasDecl* declaration = nullptr;
  const Type* type = nullptr;
  Progress progress = Progress::kNone;
};

// What a top-level name stands for; exactly one is set.
struct TopLevel {
  ClassInfo* type = nullptr;
  FunctionInfo* functions = nullptr; // first of the overloads
  FieldInfo* variable = nullptr;
  AliasInfo* alias = nullptr;

  bool isPrivate() const;
  syntax::SourceRange range() const;
};

struct ImportInfo {
  const syntax::ImportDecl* declaration = nullptr;
  ModuleInfo* module = nullptr; // null: not found, which was reported
  bool isUsed = false;
};

struct ModuleInfo : ModuleSymbol {
  const syntax::Module* tree = nullptr;
  absl::flat_hash_map<std::string_view, TopLevel> names;
  std::vector<ImportInfo> imports;
  bool isPrelude = false;
  // Offsets of its syntax errors, in order. Where one is, what seems missing or unused may be what was not understood.
  std::vector<uint32_t> faults;
  Progress ordered = Progress::kNone; // used while modules are put in order

  bool isBroken() const { return !faults.empty(); }
  bool isBrokenIn(syntax::SourceRange range) const {
    auto at = std::lower_bound(faults.begin(), faults.end(), range.begin);
    return at != faults.end() && *at <= range.end;
  }
};

inline ClassInfo* info(ClassSymbol* symbol) { return static_cast<ClassInfo*>(symbol); }
inline FunctionInfo* info(FunctionSymbol* symbol) { return static_cast<FunctionInfo*>(symbol); }
inline FieldInfo* info(FieldSymbol* symbol) { return static_cast<FieldInfo*>(symbol); }
inline ModuleInfo* info(ModuleSymbol* symbol) { return static_cast<ModuleInfo*>(symbol); }

// Where a type stands: decides which type parameters and names are in scope.
struct TypeScope {
  ModuleInfo* module = nullptr;
  ClassInfo* owner = nullptr;       // its type parameters are visible, unless `isStatic`
  FunctionInfo* function = nullptr; // so are those of the function
  bool isStatic = false;
};

// A function as seen from a use: through a receiver's type, which fixes the type arguments of its owner.
struct FoundFunction {
  FunctionInfo* function = nullptr;
  std::span<const Type* const> ownerArguments;
};

// What a member name means on some type.
struct FoundMembers {
  FieldInfo* field = nullptr;
  std::span<const Type* const> fieldOwnerArguments;
  std::vector<FoundFunction> functions;
  ClassInfo* enumOwner = nullptr;
  int enumMember = -1;

  bool empty() const { return field == nullptr && functions.empty() && enumMember < 0; }
};

class Program {
 public:
  Program(syntax::SourceManager& sources, syntax::DiagnosticSink& diagnostics, ModuleLoader& loader)
      : sources(sources), diagnostics(&diagnostics), mainDiagnostics(&diagnostics), loader(loader) {}

  syntax::SourceManager& sources;
  syntax::DiagnosticSink* diagnostics;     // never null; swapped while an expression is checked on trial
  syntax::DiagnosticSink* mainDiagnostics; // what the caller gave
  syntax::DiagnosticSink dropped;          // what nobody is to see
  // What is checked on trial may hold trials itself; this many inside an outermost one, and the call is given up.
  static constexpr uint32_t kMostTrials = 2000;
  uint32_t trialDepth = 0;
  uint32_t trialCount = 0;
  ModuleLoader& loader;
  base::Arena arena; // trees, typed trees, lists
  base::Interner names;
  TypeTable types;
  KnownClasses known;
  Conversions conversions{types, known};
  ConstantFolder folder{arena};
  base::NativeStack nativeStack;
  ModuleInfo* prelude = nullptr;
  ModuleInfo* mainModule = nullptr;
  std::vector<ModuleInfo*> modules; // dependencies first; the prelude is the first
  std::vector<ClassInfo*> classes;  // all of all modules

  // ---- loading (load_modules.cpp)
  void loadAll(uint32_t mainFile);

  // ---- declaring (declare.cpp)
  void declareModule(ModuleInfo& module);
  void findWellKnown();
  void resolveHeaders(ModuleInfo& module);    // type parameters, bases, interfaces
  void resolveSignatures(ModuleInfo& module); // fields, functions, methods

  // ---- types (resolve_types.cpp)
  const Type* resolve(const syntax::Type* type, const TypeScope& scope);
  const Type* aliasType(AliasInfo& alias, ModuleInfo& module);
  // Reports type arguments that miss their bounds; remembered until the headers are resolved if they are not yet.
  void checkBounds(ClassInfo* type, std::span<const Type* const> arguments, syntax::SourceRange range);
  void checkPendingBounds();
  bool satisfiesBound(const Type* argument, const Type* bound);
  // Top-level name seen from `module`: its own, else a public one of the prelude. Null if there is none.
  const TopLevel* findTopLevel(ModuleInfo& module, std::string_view name);
  // The import that `path` names in `module`; it counts as used. Null if none; `ambiguous` is set if two modules fit.
  ImportInfo* findImport(ModuleInfo& module, std::span<const std::string_view> path, bool* ambiguous = nullptr);
  // "did you mean `x`?" or "" for an unknown type name.
  std::string suggestType(std::string_view name, const TypeScope& scope);
  // Whether it is worth to look for what a wrong name may have meant. Each look goes through all names, and nobody
  // reads the hundredth, so a file full of wrong names costs no more than its errors.
  bool wantsSuggestions() const { return mainDiagnostics->errorCount() <= kMostSuggestions; }
  static constexpr size_t kMostSuggestions = 200;

  // ---- classes (class_checks.cpp)
  void checkClass(ClassInfo& type);
  void buildTable(ClassInfo& type); // virtual table and constructors, bases first
  // What runs when `method` of `interfaceType` is called on a `type`; null if there is no such method.
  FunctionInfo* findImplementation(const Type* type, const Type* interfaceType, FunctionSymbol* method);
  // Every interface that `type` has, directly, through other interfaces or through its bases; once each, an interface
  // before those it extends. Valid once the headers are checked.
  const std::vector<const Type*>& allInterfaces(const Type* type);
  // Same parameter types and directions, seen through the owners' arguments; type parameters of generic ones match by
  // position.
  bool sameParameters(const FoundFunction& left, const FoundFunction& right);
  void checkInheritance(); // cycles, and chains that are too long; cuts both
  void checkDuplicateFunctions(FunctionInfo* first);

  // ---- members (members.cpp)
  FoundMembers findMembers(const Type* type, std::string_view name);
  void memberNames(const Type* type, std::vector<std::string_view>& names);
  // The interfaces of `type` itself, with its arguments put in (not those of its bases).
  std::vector<const Type*> interfacesOf(const Type* type);
  // The class that holds the members of `type` (String for string, Array<T> for T[], Object for scalars) and its
  // arguments.
  ClassInfo* memberClass(const Type* type, std::span<const Type* const>& arguments);
  bool derivesFrom(const ClassSymbol* type, const ClassSymbol* base);

  // ---- bodies on demand (bodies.cpp)
  void ensureBody(FunctionInfo& function);
  void ensureDefaults(FunctionInfo& function);
  void ensureFieldInitializers(ClassInfo& type); // of its instance fields
  // `use` is where a constant is needed, for the report of a cycle.
  void ensureInitializer(FieldInfo& field, syntax::SourceRange use = {});
  void ensureEnumValues(ClassInfo& type);
  // Whether to give up because the native stack is nearly used up; said once.
  bool isChainTooLong(syntax::SourceRange range, std::string_view name);
  void makeEnumValuesBody(FunctionInfo& function);

  // ---- finishing (initialization.cpp)
  std::vector<FieldSymbol*> orderInitialization();
  void checkMain(bool requireMain, TypedProgram& result);
  void warnUnusedImports();

  // ---- making symbols: they live as long as the program and never move
  ModuleInfo* newModule() { return &moduleStore_.emplace_back(); }
  ClassInfo* newClass() { return classes.emplace_back(&classStore_.emplace_back()); }
  FunctionInfo* newFunction() { return &functionStore_.emplace_back(); }
  FieldInfo* newField() { return &fieldStore_.emplace_back(); }
  AliasInfo* newAlias() { return &aliasStore_.emplace_back(); }
  VariableSymbol* newVariable() { return arena.make<VariableSymbol>(); }
  TypeParameterSymbol* newTypeParameter() { return arena.make<TypeParameterSymbol>(); }

  const Type* simple(TypeKind kind) const { return types.simple(kind); }
  const Type* errorType() const { return types.simple(TypeKind::kError); }
  const Type* objectType() const { return known.object->selfType; }
  const Type* substitute(const Type* type, const ClassSymbol* owner, std::span<const Type* const> arguments) {
    if (!type->hasParameters || arguments.empty()) return type;
    return types.substitute(type, {owner->typeParameters, arguments});
  }
  std::span<const Type* const> copyTypes(const std::vector<const Type*>& list) { return arena.copyList(list); }
  bool isListType(const Type* type) const { return type->declaration != nullptr && type->declaration == known.list; }
  bool isDictType(const Type* type) const { return type->declaration != nullptr && type->declaration == known.dict; }
  bool isSetType(const Type* type) const { return type->declaration != nullptr && type->declaration == known.set; }

 private:
  struct PendingBounds {
    ClassInfo* type;
    std::span<const Type* const> arguments;
    syntax::SourceRange range;
  };

  ModuleInfo* loadModule(uint32_t file, std::string name, bool isStandard);
  void orderModule(ModuleInfo& module);
  // For an import that finds nothing; `path` is `a/b` of the dotted `a.b`.
  std::string suggestModule(const std::string& path, std::string_view dotted, uint32_t importer);
  void declareClass(ModuleInfo& module, const syntax::Decl& declaration);
  void declareMembers(ClassInfo& type, std::span<syntax::Decl* const> members);
  FunctionInfo* declareFunction(ModuleInfo& module, ClassInfo* owner, const syntax::Decl& declaration);
  void declareEnumValues(ClassInfo& type);
  void declareEnumValuesMethod(ClassInfo& type);
  void resolveTypeParameters(std::span<syntax::TypeParameter* const> syntax,
                             const std::vector<TypeParameterSymbol*>& symbols, const TypeScope& scope);
  void resolveFunction(FunctionInfo& function);
  void makeTypeParameters(std::span<syntax::TypeParameter* const> syntax, ModuleInfo& module,
                          std::vector<TypeParameterSymbol*>& symbols);
  const Type* resolveWritten(const syntax::Type* type, const TypeScope& scope);
  const Type* resolveNamed(const syntax::NamedType& type, const TypeScope& scope);
  void buildConstructors(ClassInfo& type);
  bool checkBases(ClassInfo& type, unsigned depth);
  using MethodsByName = absl::flat_hash_map<std::string_view, std::vector<FoundFunction>>;
  MethodsByName interfaceMethods(const Type* type);
  void placeMethod(ClassInfo& type, FunctionInfo& method, const MethodsByName& promised);
  bool markImplementation(ClassInfo& type, FunctionInfo& method, const MethodsByName& promised);
  void checkInterfaces(ClassInfo& type);
  void checkStructLayout(ClassInfo& type);
  unsigned checkStructWithin(const Type* type);
  void checkObjectMethods(ClassInfo& type);
  void checkAbstract(ClassInfo& type);
  void collectMembers(const Type* type, std::string_view name, FoundMembers& found);

  std::deque<ModuleInfo> moduleStore_;
  std::deque<ClassInfo> classStore_;
  std::deque<FunctionInfo> functionStore_;
  std::deque<FieldInfo> fieldStore_;
  std::deque<AliasInfo> aliasStore_;
  absl::flat_hash_map<uint32_t, ModuleInfo*> modulesByFile_;
  absl::flat_hash_map<const Type*, std::unique_ptr<std::vector<const Type*>>> interfaces_; // answers of allInterfaces
  absl::flat_hash_map<ClassInfo*, unsigned> baseDepths_;    // checkInheritance: longest chain of bases
  absl::flat_hash_map<const Type*, unsigned> structDepths_; // checkStructLayout
  std::vector<const Type*> structPath_;                     // structs within each other, outermost first
  absl::flat_hash_set<const ClassSymbol*> structsWithThemselves_;
  bool structTooDeepReported_ = false;
  bool chainReported_ = false;
  std::vector<PendingBounds> pendingBounds_;
  bool headersResolved_ = false; // bounds can be checked at once
};

} // namespace nlang::sema
