#include "bytecode/verifier.h"

#include <algorithm>

#include "bytecode/verifier_impl.h"

namespace nlang::bytecode {

bool verify(Program& program, std::string& error) { return Verifier(program, error).run(); }

bool isBitSet(const std::vector<uint64_t>& words, uint64_t count) {
  if (words.size() != (count + 63) / 64) return false;
  return count % 64 == 0 || words.back() >> (count % 64) == 0;
}

bool Verifier::run() {
  error_.clear();
  if (!checkTables() || !checkHeads()) return false;
  resultRegisters_.assign(program_.functions.size(), kNone);
  for (uint32_t i = 0; i < program_.functions.size(); ++i) {
    where_ = fmt::format("function {} ({}): ", i, program_.functions[i].name);
    if (!checkShape(i)) return false;
  }
  where_.clear();
  if (!checkClasses() || !checkWellKnown() || !checkEntries()) return false;
  for (uint32_t i = 0; i < program_.functions.size(); ++i) {
    Function& function = program_.functions[i];
    if (function.flags & kFunctionNative) continue;
    where_ = fmt::format("function {} ({}): ", i, function.name);
    if (!checkCode(function)) return false;
    if (!liveness_.compute(function)) return fail("too large");
    if (!liveness_.neverWritten().empty())
      return fail("reference register r{} may be read before it is written", liveness_.neverWritten().front());
  }
  return true;
}

bool Verifier::checkTables() {
  where_.clear();
  if (program_.functions.size() >= kNone || program_.classes.size() >= kNone || program_.constants.size() >= kNone)
    return fail("too many functions, classes or constants");
  if (!isBitSet(program_.referenceGlobals, program_.globalCount))
    return fail("kinds of globals do not fit their number");
  for (size_t i = 0; i < program_.constants.size(); ++i) {
    const Constant& constant = program_.constants[i];
    switch (constant.kind) {
    case Constant::Kind::kBits:
    case Constant::Kind::kString: break;
    case Constant::Kind::kClosure:
      if (constant.bits >= program_.classes.size() || program_.classes[constant.bits].kind != ClassKind::kClosure)
        return fail("constant {}: not a closure class", i);
      if (!isMadeByCode(program_.classes[constant.bits]))
        return fail("constant {}: a closure class that has no function", i);
      if (!program_.classes[constant.bits].referenceOffsets.empty())
        return fail("constant {}: a closure that captures", i);
      break;
    default: return fail("constant {}: unknown kind", i);
    }
  }
  return true;
}

bool Verifier::checkWellKnown() {
  where_.clear();
  struct Expected {
    const char* name;
    const char* text;
  };
  static constexpr Expected kExpected[] = {
#define NLANG_WELL_KNOWN(name, text) {#name, text},
#include "bytecode/well_known.def"
#undef NLANG_WELL_KNOWN
  };
  if (program_.wellKnown.size() != std::size(kExpected)) return fail("wrong number of well-known classes");
  auto kindOf = [](std::string_view name, std::string_view text) {
    if (name == "kString") return ClassKind::kString;
    if (name == "kTextBuffer") return ClassKind::kTextBuffer;
    if (name == "kThread") return ClassKind::kThread;
    if (name == "kEntryClosure") return ClassKind::kClosure;
    if (text.starts_with("List<")) return ClassKind::kList;
    if (text.ends_with("[]")) return ClassKind::kArray;
    if (text.ends_with("Exception")) return ClassKind::kException;
    return ClassKind::kPlain;
  };
  for (size_t i = 0; i < std::size(kExpected); ++i) {
    uint32_t index = program_.wellKnown[i];
    if (index >= program_.classes.size()) return fail("well-known class {} is missing", kExpected[i].name);
    if (program_.classes[index].kind != kindOf(kExpected[i].name, kExpected[i].text))
      return fail("well-known class {} has the wrong kind", kExpected[i].name);
  }
  return true;
}

bool Verifier::checkHeads() {
  for (size_t i = 0; i < program_.functions.size(); ++i) {
    where_ = fmt::format("function {} ({}): ", i, program_.functions[i].name);
    if (!checkHead(program_.functions[i])) return false;
  }
  return true;
}

bool Verifier::checkHead(const Function& function) {
  bool isNative = function.flags & kFunctionNative;
  if (function.file >= program_.files.size()) return fail("no file {}", function.file);
  if (function.registerCount > kMaxRegisters) return fail("too many registers");
  if (function.parameterCount > function.registerCount) return fail("more parameters than registers");
  if (!isBitSet(function.referenceRegisters, function.registerCount))
    return fail("kinds of registers do not fit their number");
  if (!isNative) {
    if (function.flags & kFunctionBlocking) return fail("blocking, but not native");
    if (function.code.empty()) return fail("no code");
    if (function.code.size() > uint32_t{1} << 30) return fail("too large");
    return true;
  }
  if (!function.code.empty() || !function.exceptions.empty()) return fail("native, but has code");
  if (function.nativeName.empty()) return fail("native, but without the name of what implements it");
  if (function.registerCount != function.parameterCount + function.resultCount)
    return fail("registers of a native are its parameters and results");
  for (uint32_t cls : {function.ownerClass, function.resultClass})
    if (cls != kNone && cls >= program_.classes.size()) return fail("no class {}", cls);
  for (uint32_t cls : function.typeClasses)
    if (cls >= program_.classes.size() || program_.classes[cls].kind != ClassKind::kArray)
      return fail("type argument {} is not an array class", cls);
  return true;
}

bool Verifier::checkEntries() {
  where_.clear();
  if (program_.tests.empty()) return checkEntry(program_.entry);
  return std::all_of(program_.tests.begin(), program_.tests.end(),
                     [&](const Test& test) { return checkEntry(test.entry); });
}

bool Verifier::checkEntry(uint32_t function) {
  if (function >= program_.functions.size()) return fail("no entry function");
  const Function& entry = program_.functions[function];
  if (entry.flags & kFunctionNative) return fail("the entry function is native");
  if (entry.parameterCount != 0 || entry.resultCount != 1)
    return fail("the entry function has the wrong parameters or results");
  uint32_t result = resultRegister(function);
  if (result != kNone && entry.isReference(result)) return fail("the entry function returns a reference");
  return true;
}

bool Verifier::agree(uint32_t a, uint32_t b) const {
  const Function& f = program_.functions[a];
  const Function& g = program_.functions[b];
  if (f.parameterCount != g.parameterCount || f.resultCount != g.resultCount) return false;
  for (unsigned i = 0; i < f.parameterCount; ++i)
    if (f.isReference(i) != g.isReference(i)) return false;
  uint32_t resultF = resultRegister(a), resultG = resultRegister(b);
  if (resultF == kNone || resultG == kNone) return true;
  for (unsigned i = 0; i < f.resultCount; ++i)
    if (f.isReference(resultF + i) != g.isReference(resultG + i)) return false;
  return true;
}

} // namespace nlang::bytecode
