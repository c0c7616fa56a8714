#include "unit/bytecode/sample.h"

namespace nlang::bytecode {

namespace {

std::vector<uint64_t> bitsOf(const std::string& kinds) {
  std::vector<uint64_t> bits((kinds.size() + 63) / 64);
  for (size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == 'r') bits[i / 64] |= uint64_t{1} << (i % 64);
  return bits;
}

void addWellKnown(Program& program, const std::string& name, const std::string& text) {
  bool isList = text.starts_with("List<"), isArray = text.ends_with("[]");
  ClassKind kind = name == "kString"             ? ClassKind::kString
                   : name == "kTextBuffer"       ? ClassKind::kTextBuffer
                   : name == "kThread"           ? ClassKind::kThread
                   : name == "kEntryClosure"     ? ClassKind::kClosure
                   : isList                      ? ClassKind::kList
                   : isArray                     ? ClassKind::kArray
                   : text.ends_with("Exception") ? ClassKind::kException
                                                 : ClassKind::kPlain;
  uint32_t index = addClass(program, text, kind);
  Class& cls = program.classes[index];
  if (kind == ClassKind::kException) {
    cls.instanceSize = 48;
    cls.referenceOffsets = {8, 16, 24, 32, 40};
    if (name != "kException") cls.superIndex = wellKnownIndex(program, WellKnown::kException);
  }
  if (kind == ClassKind::kPlain) cls.instanceSize = 8;
  if (kind == ClassKind::kClosure) cls.instanceSize = 16;
  if (isList || isArray) {
    StorageKind leaf = text == "long[]"    ? StorageKind::k64
                       : text == "ubyte[]" ? StorageKind::kU8
                                           : StorageKind::kReference;
    cls.element = {storageSize(leaf), {{0, leaf, false}}};
  }
  if (isList) {
    uint32_t storage = addClass(program, text + " storage", ClassKind::kArray);
    program.classes[storage].element = program.classes[index].element;
    program.classes[index].arrayClass = storage;
  }
  program.wellKnown.push_back(index);
}

} // namespace

uint32_t addClass(Program& program, const std::string& name, ClassKind kind) {
  program.classes.emplace_back();
  program.classes.back().name = name;
  program.classes.back().kind = kind;
  return static_cast<uint32_t>(program.classes.size() - 1);
}

uint32_t wellKnownIndex(const Program& program, WellKnown which) {
  return program.wellKnown[static_cast<size_t>(which)];
}

Program sampleProgram() {
  Program program;
  program.files = {"sample.n"};
#define NLANG_WELL_KNOWN(name, text) addWellKnown(program, #name, text);
#include "bytecode/well_known.def"
#undef NLANG_WELL_KNOWN
  FunctionBuilder builder;
  uint16_t r = builder.newRegister(false);
  builder.emitWide(Op::const_u32, r, 0);
  builder.emit(Op::ret, r);
  program.entry = addFunction(program, builder, "sample.main", 0, 1);
  return program;
}

uint32_t addFunction(Program& program, FunctionBuilder& builder, const std::string& name, unsigned parameters,
                     unsigned results) {
  Function function;
  function.name = name;
  function.parameterCount = static_cast<uint16_t>(parameters);
  function.resultCount = static_cast<uint16_t>(results);
  if (!builder.finish(function)) return kNone;
  program.functions.push_back(std::move(function));
  return static_cast<uint32_t>(program.functions.size() - 1);
}

Function functionOf(const std::string& kinds, unsigned parameters, unsigned results, std::vector<Instruction> code) {
  Function function;
  function.name = "sample.f";
  function.parameterCount = static_cast<uint16_t>(parameters);
  function.resultCount = static_cast<uint16_t>(results);
  function.registerCount = static_cast<uint16_t>(kinds.size());
  function.referenceRegisters = bitsOf(kinds);
  function.code = std::move(code);
  return function;
}

Function nativeOf(const std::string& name, const std::string& kinds, unsigned parameters, unsigned results) {
  Function function = functionOf(kinds, parameters, results, {});
  function.name = function.nativeName = name;
  function.flags = kFunctionNative;
  return function;
}

} // namespace nlang::bytecode
