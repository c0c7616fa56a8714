#include "bytecode/printer.h"

#include <bit>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "bytecode/liveness.h"
#include "bytecode/operands.h"
#include "bytecode/program.h"

namespace nlang::bytecode {

namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr const char* kKindNames[] = {
#define NLANG_CLASS_KIND(name, meaning) #name,
#include "bytecode/class_kinds.def"
#undef NLANG_CLASS_KIND
};

constexpr const char* kStorageNames[] = {"i8", "u8", "i16", "u16", "32", "64", "ref"};

/// The names of kinds without their k, as a reader of listings knows them.
std::string_view kindName(ClassKind kind) {
  auto i = static_cast<size_t>(kind);
  return i < std::size(kKindNames) ? std::string_view(kKindNames[i]).substr(1) : "?";
}

template <class T> std::string_view nameOf(const std::vector<T>& list, uint32_t index) {
  return index < list.size() ? std::string_view(list[index].name) : "?";
}

std::string quoted(std::string_view text) {
  constexpr size_t kLongest = 60;
  std::string out = "\"";
  for (char c : text.substr(0, kLongest)) {
    if (c == '\n')
      out += "\\n";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  // A character that the cut would split goes as a whole.
  if (text.size() > kLongest) {
    while ((static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();
    if (static_cast<unsigned char>(out.back()) >= 0xc0) out.pop_back();
    return out + "\"…";
  }
  return out + '"';
}

std::string constantText(const Program& program, uint32_t index) {
  if (index >= program.constants.size()) return "?";
  const Constant& constant = program.constants[index];
  switch (constant.kind) {
  case Constant::Kind::kBits: {
    auto asDouble = std::bit_cast<double>(constant.bits);
    return fmt::format("{} (double {})", static_cast<int64_t>(constant.bits), asDouble);
  }
  case Constant::Kind::kString: return quoted(constant.text);
  case Constant::Kind::kClosure:
    return fmt::format("closure {}", nameOf(program.classes, static_cast<uint32_t>(constant.bits)));
  }
  return "?";
}

std::string layoutText(const ElementLayout& layout) {
  std::string out = fmt::format("{} bytes:", layout.size);
  for (const Leaf& leaf : layout.leaves) {
    auto kind = static_cast<size_t>(leaf.kind);
    out += fmt::format(" {}@{}", kind < std::size(kStorageNames) ? kStorageNames[kind] : "?", leaf.offset);
    if (leaf.isFloating) out += " floating";
  }
  return out;
}

std::string registerRange(unsigned first, unsigned count) {
  if (count == 0) return "nothing";
  return count == 1 ? fmt::format("r{}", first) : fmt::format("r{}..r{}", first, first + count - 1);
}

std::string mapText(const Function& function, const uint64_t* map) {
  std::string out;
  for (unsigned reg = 0; reg < function.registerCount; ++reg)
    if (map[reg / 64] >> (reg % 64) & 1) out += fmt::format(" r{}", reg);
  return out.empty() ? " nothing" : out;
}

// One operand; false for the letters that show nothing.
bool printOperand(const Program& program, const Function& function, uint32_t pc, unsigned i, Out out) {
  Instruction word = function.code[pc];
  uint16_t value = operandOf(word, i);
  uint32_t wide = uimmBC(word);
  switch (info(opOf(word)).operands[i]) {
  case 'i': fmt::format_to(out, "{}", static_cast<int16_t>(value)); return true;
  case 'u': fmt::format_to(out, "{}", value); return true;
  case 'j': fmt::format_to(out, "-> {}", int64_t{pc} + static_cast<int16_t>(value)); return true;
  case 'J': fmt::format_to(out, "-> {}", int64_t{pc} + simmBC(word)); return true;
  case 'l': fmt::format_to(out, "{}", nameOf(program.classes, value)); return true;
  case 'L': fmt::format_to(out, "{}", nameOf(program.classes, wide)); return true;
  case 'I': fmt::format_to(out, "{}", simmBC(word)); return true;
  case 'U': fmt::format_to(out, "{}", wide); return true;
  case 'K': fmt::format_to(out, "{}", constantText(program, wide)); return true;
  case 'G': fmt::format_to(out, "global {}", wide); return true;
  case 'F': fmt::format_to(out, "{}", nameOf(program.functions, wide)); return true;
  case 'M': fmt::format_to(out, "selector {}", wide); return true;
  case 'n':
  case '-': return false;
  default: fmt::format_to(out, "r{}", value); return true;
  }
}

void printOperands(const Program& program, const Function& function, uint32_t pc, Out out) {
  Instruction word = function.code[pc];
  int rangeAt = kOperandRoles[static_cast<unsigned>(opOf(word))].rangeAt;
  bool isFirst = true;
  for (unsigned i = 0; info(opOf(word)).operands[i] != 0; ++i) {
    std::string text;
    if (static_cast<int>(i) == rangeAt)
      text = registerRange(operandOf(word, i), operandOf(word, i + 1));
    else if (!printOperand(program, function, pc, i, std::back_inserter(text)))
      continue;
    fmt::format_to(out, "{}{}", isFirst ? "" : ", ", text);
    isFirst = false;
  }
}

// "(arguments) = results" behind the target of a call.
void printArguments(const Instruction* call, Out out) {
  fmt::format_to(out, "(");
  for (unsigned i = 0; i < argumentCountOf(*call); ++i)
    fmt::format_to(out, "{}r{}", i == 0 ? "" : ", ", argumentOf(call, i));
  fmt::format_to(out, ")");
  if (resultCountOf(*call) != 0) fmt::format_to(out, " = {}", registerRange(firstResultOf(call), resultCountOf(*call)));
}

void printHeading(const Program& program, const Function& function, Out out) {
  fmt::format_to(out, "function {} ({}:{})", function.name,
                 function.file < program.files.size() ? program.files[function.file] : "?", function.line);
  fmt::format_to(out, " parameters {} results {}", function.parameterCount, function.resultCount);
  if (function.flags & kFunctionHidden) fmt::format_to(out, " hidden");
  if (function.flags & kFunctionNative) {
    fmt::format_to(out, " {}native {}", function.flags & kFunctionBlocking ? "blocking " : "", function.nativeName);
    if (function.ownerClass != kNone) fmt::format_to(out, " of {}", nameOf(program.classes, function.ownerClass));
    for (uint32_t cls : function.typeClasses) fmt::format_to(out, " type {}", nameOf(program.classes, cls));
  }
  fmt::format_to(out, "\n  registers {}, references", function.registerCount);
  fmt::format_to(out, "{}\n", mapText(function, function.referenceRegisters.data()));
}

void printExceptions(const Program& program, const Function& function, Out out) {
  for (const ExceptionEntry& entry : function.exceptions) {
    std::string_view caught = entry.classIndex == kNone ? "everything" : nameOf(program.classes, entry.classIndex);
    fmt::format_to(out, "  catch {} from {} to {} in r{} -> {}{}\n", caught, entry.start, entry.end, entry.reg,
                   entry.handler, entry.skipsCancelled ? " (not cancellation)" : "");
  }
}

} // namespace

std::string printInstruction(const Program& program, const Function& function, uint32_t pc) {
  std::string text;
  Out out = std::back_inserter(text);
  Instruction word = function.code[pc];
  Op op = opOf(word);
  fmt::format_to(out, "{:<15} ", info(op).name);
  switch (op) {
  case Op::call_1:
    fmt::format_to(out, "{}(r{}) = r{}", nameOf(program.functions, bOf(word)), cOf(word), aOf(word));
    break;
  case Op::jump_table:
    fmt::format_to(out, "r{} ->", aOf(word));
    for (unsigned i = 1; i <= bOf(word); ++i)
      fmt::format_to(out, " {}", int64_t{pc} + tableDistance(function.code[pc + i]));
    break;
  default:
    printOperands(program, function, pc, out);
    if (info(op).flags & kArguments) printArguments(&function.code[pc], out);
    if (info(op).flags & kLeaf) fmt::format_to(out, " leaf {}", bOf(function.code[pc + 1]));
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string printFunction(const Program& program, const Function& function, PrintOptions options) {
  std::string text;
  Out out = std::back_inserter(text);
  printHeading(program, function, out);
  size_t line = 0;
  for (uint32_t pc = 0; pc < function.code.size(); pc += wordCount(function.code[pc])) {
    if (options.showLines)
      for (; line < function.lines.size() && function.lines[line].pc <= pc; ++line)
        fmt::format_to(out, "  line {}\n", function.lines[line].line);
    fmt::format_to(out, "  {:5} {}\n", pc, printInstruction(program, function, pc));
    if (!options.showMaps) continue;
    bool isCall = info(opOf(function.code[pc])).flags & kCalls;
    if (const uint64_t* map = findMap(function, isCall ? pc + wordCount(function.code[pc]) - 1 : pc))
      fmt::format_to(out, "        live{}\n", mapText(function, map));
  }
  printExceptions(program, function, out);
  return text;
}

std::string printClass(const Program& program, const Class& cls) {
  std::string text;
  Out out = std::back_inserter(text);
  fmt::format_to(out, "class {} {}{}", cls.name, kindName(cls.kind), cls.isAbstract ? " abstract" : "");
  if (cls.superIndex != kNone) fmt::format_to(out, " : {}", nameOf(program.classes, cls.superIndex));
  for (uint32_t i : cls.interfaces) fmt::format_to(out, " implements {}", nameOf(program.classes, i));
  fmt::format_to(out, "\n");
  if (cls.instanceSize != 0) {
    fmt::format_to(out, "  instance of {} bytes, references at", cls.instanceSize);
    for (uint32_t offset : cls.referenceOffsets) fmt::format_to(out, " {}", offset);
    fmt::format_to(out, "{}\n", cls.referenceOffsets.empty() ? " nothing" : "");
  }
  if (!cls.element.leaves.empty()) fmt::format_to(out, "  element {}\n", layoutText(cls.element));
  if (!cls.key.leaves.empty()) fmt::format_to(out, "  key {}\n", layoutText(cls.key));
  if (cls.arrayClass != kNone) fmt::format_to(out, "  with {}\n", nameOf(program.classes, cls.arrayClass));
  if (cls.closureFunction != kNone)
    fmt::format_to(out, "  calls {}{}\n", nameOf(program.functions, cls.closureFunction),
                   cls.isBoundMethod ? " (bound method)" : "");
  if (cls.enumClass != kNone) fmt::format_to(out, "  of enum {}\n", nameOf(program.classes, cls.enumClass));
  for (const EnumMember& member : cls.members) fmt::format_to(out, "  member {} = {}\n", member.name, member.value);
  for (size_t i = 0; i < cls.virtualTable.size(); ++i)
    fmt::format_to(out, "  virtual {} {}\n", i,
                   cls.virtualTable[i] == kNone ? "none" : nameOf(program.functions, cls.virtualTable[i]));
  for (const InterfaceMethod& method : cls.methods)
    fmt::format_to(out, "  selector {} {}\n", method.selector, nameOf(program.functions, method.function));
  return text;
}

std::string printProgram(const Program& program, PrintOptions options) {
  std::string text;
  Out out = std::back_inserter(text);
  fmt::format_to(out, "entry {}, globals {}\n", nameOf(program.functions, program.entry), program.globalCount);
  for (uint32_t i = 0; i < program.constants.size(); ++i)
    fmt::format_to(out, "constant {} {}\n", i, constantText(program, i));
  for (const Class& cls : program.classes) fmt::format_to(out, "\n{}", printClass(program, cls));
  for (const Function& function : program.functions)
    fmt::format_to(out, "\n{}", printFunction(program, function, options));
  return text;
}

} // namespace nlang::bytecode
