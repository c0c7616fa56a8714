// The tables of names behind KnownSymbols.
#include "codegen/known_symbols.h"

#include <algorithm>
#include <cassert>

namespace nlang::codegen {

using bytecode::ClassKind;
using sema::ClassSymbol;
using sema::FunctionSymbol;

namespace {

struct NamedKind {
  const char* name;
  ClassKind kind;
};
constexpr NamedKind kKinds[] = {
    {"String", ClassKind::kString},       {"StringBuilder", ClassKind::kStringBuilder},
    {"Array", ClassKind::kArray},         {"List", ClassKind::kList},
    {"Dict", ClassKind::kDict},           {"Set", ClassKind::kSet},
    {"Thread", ClassKind::kThread},       {"Future", ClassKind::kThread},
    {"Promise", ClassKind::kPromise},     {"Channel", ClassKind::kChannel},
    {"Mutex", ClassKind::kMutex},         {"ReentrantMutex", ClassKind::kMutex},
    {"Semaphore", ClassKind::kSemaphore}, {"AtomicInt", ClassKind::kAtomic},
    {"AtomicLong", ClassKind::kAtomic},   {"Exception", ClassKind::kException},
};

struct NamedIntrinsic {
  const char* type;
  const char* method;
  size_t parameters;
  Intrinsic intrinsic;
};
constexpr NamedIntrinsic kIntrinsics[] = {
    {"String", "length", 0, Intrinsic::kStringLength},
    {"Array", "length", 0, Intrinsic::kArrayLength},
    {"List", "length", 0, Intrinsic::kListLength},
    {"List", "get", 1, Intrinsic::kListGet},
    {"List", "set", 2, Intrinsic::kListSet},
    {"List", "add", 1, Intrinsic::kListAdd},
    {"List", "version", 0, Intrinsic::kListVersion},
    {"HashTable", "count", 0, Intrinsic::kListLength},
    {"HashTable", "version", 0, Intrinsic::kListVersion},
};

} // namespace

KnownSymbols::KnownSymbols(const sema::ModuleSymbol& prelude) {
  for (ClassSymbol* type : prelude.classes) byName_[type->name] = type;
  for (const NamedKind& entry : kKinds)
    if (ClassSymbol* type = find(entry.name)) kinds_[type] = entry.kind;
  for (const NamedIntrinsic& entry : kIntrinsics) {
    ClassSymbol* type = find(entry.type);
    FunctionSymbol* method = type ? findMethod(type, entry.method, entry.parameters) : nullptr;
    if (method && method->isNative) intrinsics_[method] = entry.intrinsic;
  }
  for (const char* name : {"HashTable", "Dict", "Set"})
    if (ClassSymbol* table = find(name)) findPlainTwins(*table);
  classes.object = find("Object");
  classes.string = find("String");
  classes.array = find("Array");
  classes.iterable = find("Iterable");
  classes.iterator = find("Iterator");
  classes.comparable = find("Comparable");
  classes.closeable = find("Closeable");
  classes.exception = find("Exception");
  classes.list = find("List");
  classes.dict = find("Dict");
  classes.set = find("Set");
  classes.thread = find("Thread");
  classes.future = find("Future");
  classes.channel = find("Channel");
  classes.mutex = find("Mutex");
  if (classes.object) {
    objectToString = findMethod(classes.object, "toString", 0);
    objectEquals = findMethod(classes.object, "equals", 1);
    objectHashCode = findMethod(classes.object, "hashCode", 0);
  }
}

void KnownSymbols::findPlainTwins(const ClassSymbol& table) {
  constexpr std::string_view prefix = "plain";
  for (FunctionSymbol* twin : table.methods) {
    if (!twin->isNative || !twin->name.starts_with(prefix)) continue;
    std::string name(twin->name.substr(prefix.size()));
    name[0] = static_cast<char>(name[0] - 'A' + 'a');
    if (FunctionSymbol* method = findMethod(&table, name, twin->parameters.size())) plainTwins_[method] = twin;
  }
}

FunctionSymbol* KnownSymbols::plainTwin(const FunctionSymbol* method) const {
  auto found = plainTwins_.find(method);
  return found == plainTwins_.end() ? nullptr : found->second;
}

bytecode::Op KnownSymbols::callOf(const FunctionSymbol* function) const {
  if (!function->isNative || (function->owner != classes.dict && function->owner != classes.set))
    return bytecode::Op::call;
  for (std::string_view name : {"plainTryGet", "plainContainsKey", "plainContains"})
    if (function->name == name) return bytecode::Op::call_find;
  return function->name == "plainSet" || function->name == "plainAdd" ? bytecode::Op::call_put : bytecode::Op::call;
}

ClassSymbol* KnownSymbols::find(std::string_view name) const {
  auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : found->second;
}

Intrinsic KnownSymbols::intrinsic(const FunctionSymbol* function) const {
  auto found = intrinsics_.find(function);
  return found == intrinsics_.end() ? Intrinsic::kNone : found->second;
}

ClassKind KnownSymbols::kindOf(const ClassSymbol* type) const {
  // A subclass has its base's structure.
  for (; type; type = type->superType ? type->superType->declaration : nullptr)
    if (auto found = kinds_.find(type); found != kinds_.end()) return found->second;
  return ClassKind::kPlain;
}

FunctionSymbol* findMethod(const ClassSymbol* type, std::string_view name, size_t parameters) {
  for (FunctionSymbol* method : type->methods)
    if (method->kind == sema::FunctionKind::kMethod && method->name == name && method->parameters.size() == parameters)
      return method;
  return nullptr;
}

FunctionSymbol* libraryMethod(const ClassSymbol* type, std::string_view name, size_t parameters) {
  FunctionSymbol* method = type ? findMethod(type, name, parameters) : nullptr;
  assert(method && "the standard library has it");
  return method;
}

FunctionSymbol* libraryFunction(const ClassSymbol* type, std::string_view name) {
  assert(type && "the standard library has it");
  auto found = std::ranges::find(type->methods, name, &FunctionSymbol::name);
  assert(found != type->methods.end() && "the standard library has it");
  return *found;
}

} // namespace nlang::codegen
