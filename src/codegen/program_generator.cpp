// The queue of functions to compile, layouts, constants, globals, places in the source.
#include "codegen/program_generator.h"

#include <algorithm>

#include "codegen/codegen.h"
#include "codegen/function_generator.h"
#include "codegen/share_functions.h"
#include "sema/typed_tree.h"
#include "syntax/diagnostic.h"
#include "syntax/source.h"

namespace nlang::codegen {

using bytecode::kNone;
using sema::FunctionSymbol;
using sema::Type;
using sema::TypeKind;
using syntax::DiagId;

namespace {

// The type that a row of well_known.def names: a class of the prelude, or a list or array of a class or simple type.
// Null if the library lacks it.
const Type* typeNamed(std::string_view text, sema::TypeTable& types, const KnownSymbols& known) {
  if (text.ends_with("[]")) {
    const Type* element = typeNamed(text.substr(0, text.size() - 2), types, known);
    return element ? types.array(element) : nullptr;
  }
  if (text.ends_with(">")) {
    size_t open = text.find('<');
    sema::ClassSymbol* declaration = known.find(text.substr(0, open));
    const Type* argument[] = {typeNamed(text.substr(open + 1, text.size() - open - 2), types, known)};
    return declaration && argument[0] ? types.named(declaration, argument) : nullptr;
  }
  if (text == "string" || text == "String") return types.simple(TypeKind::kString);
  if (text == "long") return types.simple(TypeKind::kLong);
  if (text == "ubyte") return types.simple(TypeKind::kUByte);
  sema::ClassSymbol* declaration = known.find(text);
  return declaration ? declaration->selfType : nullptr;
}

constexpr const char* kWellKnownNames[] = {
#define NLANG_WELL_KNOWN(name, text) text,
#include "bytecode/well_known.def"
#undef NLANG_WELL_KNOWN
};

} // namespace

bool generate(sema::Checker& checker, const sema::TypedProgram& typed, syntax::SourceManager& sources,
              syntax::DiagnosticSink& diagnostics, bytecode::Program& out) {
  return ProgramGenerator(checker, typed, sources, diagnostics, out).run();
}

ProgramGenerator::ProgramGenerator(sema::Checker& checker, const sema::TypedProgram& typed,
                                   syntax::SourceManager& sources, syntax::DiagnosticSink& diagnostics,
                                   bytecode::Program& out)
    : checker_(checker), typed_(typed), sources_(sources), diagnostics_(diagnostics), out_(out), known_(*typed.prelude),
      conversions_(checker.types(), known_.classes), layouts_(checker.types()) {}

bool ProgramGenerator::run() {
  out_ = {};
  makeWellKnown();
  splitInitialization();
  for (FunctionSymbol* called : typed_.entries) {
    uint32_t entry = function({.kind = InstanceKind::kEntry, .function = called});
    if (typed_.isTests)
      out_.tests.push_back({std::string(called->name), entry});
    else
      out_.entry = entry;
  }
  while (!queue_.empty() && !failed_) {
    Request next = queue_.front();
    queue_.pop_front();
    compile(next.instance, next.index);
  }
  if (tooDeep_ && !diagnostics_.hasErrors())
    fail(DiagId::InstantiationTooDeep, tooDeep_->range, tooDeep_->name, sema::kMaxTypeDepth);
  if (!failed_) shareEqualFunctions(out_);
  return !failed_;
}

void ProgramGenerator::makeWellKnown() {
  for (const char* name : kWellKnownNames) {
    auto which = static_cast<bytecode::WellKnown>(out_.wellKnown.size());
    uint32_t index = kNone;
    if (*name == '\0') {
      index = makeHidden(which).index;
    } else if (const Type* type = typeNamed(name, types(), known_)) {
      index = classOf(type).index;
    }
    out_.wellKnown.push_back(index);
  }
}

// Classes without a declaration.
ClassRecord& ProgramGenerator::makeHidden(bytecode::WellKnown which) {
  constexpr uint32_t kClosureSize = 16;
  bool isClosure = which == bytecode::WellKnown::kEntryClosure;
  ClassRecord& hidden = newRecord(ClassRecord::Kind::kHidden, nullptr,
                                  isClosure ? bytecode::ClassKind::kClosure : bytecode::ClassKind::kTextBuffer);
  data(hidden).name = isClosure ? "entry" : "text buffer";
  if (isClosure) data(hidden).instanceSize = kClosureSize;
  return hidden;
}

void ProgramGenerator::splitInitialization() {
  std::span<sema::FieldSymbol* const> all = typed_.initialization;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    while (end < all.size() && all[end]->module == all[begin]->module) ++end;
    stretches_.push_back(all.subspan(begin, end - begin));
    begin = end;
  }
}

// ---------------------------------------------------------------- types

const TypeLayout& ProgramGenerator::layout(const Type* type, syntax::SourceRange range) {
  const TypeLayout& result = layouts_.of(type);
  if (result.isTooLarge && !failed_) {
    if (!range.valid()) range = type->declaration ? type->declaration->range : typed_.entries.front()->range;
    fail(DiagId::ValueTooLarge, range, typeText(type), kMaxCallSlots);
  }
  return result;
}

const Type* ProgramGenerator::asSuper(const Type* type, sema::ClassSymbol* base) {
  if (!base) return nullptr;
  if (type->kind == TypeKind::kArray && base == known_.classes.array) return type;
  if (type->kind == TypeKind::kString && base == known_.classes.string) return type;
  if (base == known_.classes.object) return objectType();
  if (type->declaration == base) return type;
  const Type* super = conversions_.asSuper(type, base);
  return super ? super : base->selfType;
}

const Type* ProgramGenerator::canonical(const Type* type, const sema::Substitution& substitution) {
  if (type->hasParameters) type = types().substitute(type, substitution);
  if (type->kind != TypeKind::kClass) return type;
  if (type->declaration == known_.classes.array) return types().array(type->arguments[0]);
  if (type->declaration == known_.classes.string) return simple(TypeKind::kString);
  return type;
}

std::span<sema::TypeParameterSymbol* const> ProgramGenerator::typeParametersOf(const Type* type) const {
  if (!type) return {};
  if (type->kind == TypeKind::kArray) return known_.classes.array->typeParameters;
  if (type->declaration) return type->declaration->typeParameters;
  return {};
}

const Type* ProgramGenerator::listOf(std::span<const Type* const> list) {
  return list.empty() ? nullptr : types().function(simple(TypeKind::kVoid), list, 0);
}

// ---------------------------------------------------------------- functions

uint32_t ProgramGenerator::function(FunctionSymbol* symbol, const Type* owner, std::span<const Type* const> arguments,
                                    syntax::SourceRange usedAt) {
  // Static members are shared by all instances of their class.
  if (symbol->kind == sema::FunctionKind::kStaticMethod || symbol->kind == sema::FunctionKind::kFunction)
    owner = nullptr;
  return function({.kind = InstanceKind::kDeclared, .function = symbol, .owner = owner, .arguments = listOf(arguments)},
                  usedAt);
}

bool ProgramGenerator::isPlainKey(const Type* type) {
  if (type->kind != TypeKind::kStruct && type->kind != TypeKind::kEnum) return !type->isReference();
  if (findMethod(type->declaration, "equals", 1) || findMethod(type->declaration, "hashCode", 0)) return false;
  if (type->kind == TypeKind::kEnum) return true;
  const std::vector<FieldSlice>& fields = layout(type).fields;
  return std::all_of(fields.begin(), fields.end(), [&](const FieldSlice& field) { return isPlainKey(field.type); });
}

uint32_t ProgramGenerator::function(const Instance& instance, syntax::SourceRange usedAt) {
  if (instance.kind == InstanceKind::kDeclared && instance.owner) {
    FunctionSymbol* twin = known_.plainTwin(instance.function);
    if (twin && isPlainKey(instance.owner->arguments[0])) {
      Instance plain = instance;
      plain.function = twin;
      return function(plain, usedAt);
    }
  }
  if (auto found = functions_.find(instance); found != functions_.end()) return found->second;
  auto index = static_cast<uint32_t>(out_.functions.size());
  functions_[instance] = index;
  out_.functions.emplace_back();
  for (const Type* type : {instance.owner, instance.arguments, instance.type}) {
    if (!type || type->depth <= sema::kMaxTypeDepth + 1u) continue;
    std::string_view name = instance.function ? instance.function->name : "toString";
    fail(DiagId::InstantiationTooDeep, usedAt.valid() || !instance.function ? usedAt : instance.function->range, name,
         sema::kMaxTypeDepth);
    return index;
  }
  if (instance.kind == InstanceKind::kDeclared && instance.function->isNative) {
    bytecode::Function native;
    describeNative(instance, native);
    out_.functions[index] = std::move(native);
    if (bytecode::Op op = known_.callOf(instance.function); op != bytecode::Op::call) quickCalls_[index] = op;
  } else {
    queue_.push_back({instance, index});
  }
  return index;
}

void ProgramGenerator::compile(const Instance& instance, uint32_t index) {
  if (instance.kind == InstanceKind::kDeclared && !checker_.ensureBody(instance.function)) {
    failed_ = true;
    return;
  }
  bytecode::Function made;
  FunctionGenerator(*this, instance).generate(made);
  if (!failed_) out_.functions[index] = std::move(made);
}

void ProgramGenerator::describeNative(const Instance& instance, bytecode::Function& out) {
  const FunctionSymbol& symbol = *instance.function;
  if (!symbol.nativeLibrary.empty())
    fail(DiagId::NotSupported, symbol.range, "calling a foreign library");
  else if (!symbol.module->isStandard)
    fail(DiagId::NotSupported, symbol.range, "a `native` function of the host");
  Signature signature = signatureOf(*this, instance);
  if (signature.parameters.size() > kMaxCallSlots || signature.results.size() > kMaxCallSlots)
    fail(DiagId::TooManyParameters, symbol.range, symbol.name, kMaxCallSlots);
  out.name = functionName(instance);
  out.file = fileIndex(symbol.range.file);
  out.line = lineOf(symbol.range);
  out.flags = bytecode::kFunctionNative | (symbol.isBlocking ? bytecode::kFunctionBlocking : 0);
  out.nativeName = nativeName(&symbol);
  describeRegisters(signature, out);
  if (instance.owner) out.ownerClass = classOf(instance.owner).index;
  for (const Type* list : {instance.owner, instance.arguments}) {
    if (!list) continue;
    for (const Type* argument : list == instance.owner ? argumentsOf(list) : list->parameters())
      out.typeClasses.push_back(classOf(types().array(argument)).index);
  }
  if (signature.resultType->kind == TypeKind::kClass || signature.resultType->kind == TypeKind::kArray)
    out.resultClass = classOf(signature.resultType).index;
}

// A native's frame: parameters, then results.
void ProgramGenerator::describeRegisters(const Signature& signature, bytecode::Function& out) {
  out.parameterCount = static_cast<uint16_t>(signature.parameters.size());
  out.resultCount = static_cast<uint16_t>(signature.results.size());
  out.registerCount = static_cast<uint16_t>(out.parameterCount + out.resultCount);
  out.referenceRegisters.assign((out.registerCount + 63) / 64, 0);
  for (unsigned i = 0; i < out.registerCount; ++i) {
    bool isReference = i < out.parameterCount ? signature.parameters[i] : signature.results[i - out.parameterCount];
    if (isReference) out.referenceRegisters[i / 64] |= uint64_t{1} << (i % 64);
  }
}

uint32_t ProgramGenerator::selectNative(const Signature& signature, syntax::SourceRange range) {
  bytecode::Function native;
  native.name = "select";
  native.file = fileIndex(range.file);
  native.line = lineOf(range);
  native.flags = bytecode::kFunctionNative;
  native.nativeName = "select";
  describeRegisters(signature, native);
  out_.functions.push_back(std::move(native));
  return static_cast<uint32_t>(out_.functions.size() - 1);
}

bool ProgramGenerator::isTrivialConstructor(FunctionSymbol* constructor) {
  if (auto known = trivialConstructors_.find(constructor); known != trivialConstructors_.end()) return known->second;
  trivialConstructors_[constructor] = false;
  if (constructor->isNative || !checker_.ensureBody(constructor)) return false;
  if (constructor->body && !constructor->body->statements.empty()) return false;
  for (const sema::FieldSymbol* field : constructor->owner->fields)
    if (field->initializer) return false;
  if (constructor->superCall) {
    if (constructor->superCall->kind != sema::ExpressionKind::kCall) return false;
    auto* call = static_cast<sema::CallExpression*>(constructor->superCall);
    if (!call->arguments.empty() || !isTrivialConstructor(call->function)) return false;
  }
  return trivialConstructors_[constructor] = true;
}

// ---------------------------------------------------------------- constants and globals

uint32_t ProgramGenerator::stringConstant(std::string_view text) {
  auto [place, isNew] = strings_.try_emplace(std::string(text), static_cast<uint32_t>(out_.constants.size()));
  if (isNew) out_.constants.push_back({bytecode::Constant::Kind::kString, 0, std::string(text)});
  return place->second;
}

uint32_t ProgramGenerator::bitsConstant(uint64_t bits) {
  auto [place, isNew] = bits_.try_emplace(bits, static_cast<uint32_t>(out_.constants.size()));
  if (isNew) out_.constants.push_back({bytecode::Constant::Kind::kBits, bits, {}});
  return place->second;
}

uint32_t ProgramGenerator::closureConstant(ClassRecord& closure) {
  auto [place, isNew] = closureConstants_.try_emplace(closure.index, static_cast<uint32_t>(out_.constants.size()));
  if (isNew) out_.constants.push_back({bytecode::Constant::Kind::kClosure, closure.index, {}});
  return place->second;
}

uint32_t ProgramGenerator::global(const sema::FieldSymbol* field) {
  auto [place, isNew] = globals_.try_emplace(field, out_.globalCount);
  if (!isNew) return place->second;
  uint32_t first = place->second;
  const TypeLayout& value = layout(field->type, field->range);
  out_.globalCount += value.count();
  out_.referenceGlobals.resize((out_.globalCount + 63) / 64);
  for (uint32_t i = 0; i < value.count(); ++i)
    if (value.isReference[i]) out_.referenceGlobals[(first + i) / 64] |= uint64_t{1} << ((first + i) % 64);
  return first;
}

// ---------------------------------------------------------------- places in the source

uint32_t ProgramGenerator::lineOf(syntax::SourceRange range) {
  if (range.file == lineFile_ && range.begin >= lineBegin_ && range.begin < lineEnd_) return line_;
  const syntax::SourceFile* file = sources_.file(range.file);
  if (!file) return 0;
  line_ = file->lineOf(range.begin);
  lineFile_ = range.file;
  lineBegin_ = file->lineStart(line_);
  lineEnd_ = line_ < file->lineCount() ? file->lineStart(line_ + 1) : static_cast<uint32_t>(file->text().size() + 1);
  return line_;
}

// A chain of calls may go over many lines; each belongs to the line of its name, which stands behind the receiver.
uint32_t ProgramGenerator::lineOfCall(const sema::CallExpression& call) {
  const syntax::SourceFile* file = sources_.file(call.range.file);
  if (!file) return 0;
  syntax::SourceRange place = call.range;
  if (call.receiver && call.receiver->kind != sema::ExpressionKind::kThis &&
      call.receiver->range.file == call.range.file) {
    size_t name = file->text().find(call.function->name, call.receiver->range.end);
    if (name != std::string_view::npos && name < call.range.end) place.begin = static_cast<uint32_t>(name);
  }
  return lineOf(place);
}

uint32_t ProgramGenerator::fileIndex(uint32_t file) {
  auto [place, isNew] = files_.try_emplace(file, static_cast<uint32_t>(out_.files.size()));
  if (!isNew) return place->second;
  const syntax::SourceFile* source = sources_.file(file);
  std::string_view path = source ? std::string_view(source->path()) : "";
  out_.files.emplace_back(path.substr(path.find_last_of('/') + 1));
  return place->second;
}

} // namespace nlang::codegen
