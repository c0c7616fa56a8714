// Instructions: 64 bits, {op:16, a:16, b:16, c:16}. See opcodes.def for what they mean.
#pragma once

#include <cstdint>

namespace nlang::bytecode {

using Instruction = uint64_t;

enum class Op : uint16_t {
#define NLANG_OPCODE(name, operands, flags, meaning) name,
#include "bytecode/opcodes.def"
#undef NLANG_OPCODE
  kCount
};

enum OpFlags : uint16_t {
  kThrows = 1,
  kAllocates = 2,
  kCalls = 4,
  kLoops = 8,
  kJumps = 16,
  kEnds = 32,
  kArguments = 64,
  kLeaf = 128,
  kSafepoint = kAllocates | kCalls | kLoops,
};

struct OpInfo {
  const char* name;
  const char* operands;
  uint16_t flags;
  const char* meaning;
};
// Indexed by Op.
extern const OpInfo kOpInfo[static_cast<unsigned>(Op::kCount)];
inline const OpInfo& info(Op op) { return kOpInfo[static_cast<unsigned>(op)]; }

constexpr Op opOf(Instruction i) { return static_cast<Op>(static_cast<uint16_t>(i)); }
constexpr uint16_t aOf(Instruction i) { return static_cast<uint16_t>(i >> 16); }
constexpr uint16_t bOf(Instruction i) { return static_cast<uint16_t>(i >> 32); }
constexpr uint16_t cOf(Instruction i) { return static_cast<uint16_t>(i >> 48); }
constexpr int16_t simmB(Instruction i) { return static_cast<int16_t>(bOf(i)); }
constexpr int16_t simmC(Instruction i) { return static_cast<int16_t>(cOf(i)); }
constexpr uint32_t uimmBC(Instruction i) { return static_cast<uint32_t>(i >> 32); }
constexpr int32_t simmBC(Instruction i) { return static_cast<int32_t>(i >> 32); }

constexpr Instruction makeInstruction(Op op, uint16_t a = 0, uint16_t b = 0, uint16_t c = 0) {
  return static_cast<uint64_t>(op) | static_cast<uint64_t>(a) << 16 | static_cast<uint64_t>(b) << 32 |
         static_cast<uint64_t>(c) << 48;
}
constexpr Instruction makeWide(Op op, uint16_t a, uint32_t bc) {
  return static_cast<uint64_t>(op) | static_cast<uint64_t>(a) << 16 | static_cast<uint64_t>(bc) << 32;
}

// Argument words of a call (flag kArguments): how many follow for `count` arguments, and where argument `i` stands.
constexpr unsigned argumentWords(unsigned count) { return (count + 4) / 4; }
struct ArgumentPlace {
  unsigned word;
  unsigned shift;
};
constexpr ArgumentPlace argumentPlace(unsigned count, unsigned i) {
  unsigned lastWord = argumentWords(count) - 1;
  unsigned word = i / 4;
  if (word < lastWord) return {word, (i % 4) * 16};
  unsigned inLast = i - lastWord * 4;
  return {lastWord, inLast == 0 ? 0u : (inLast + 1) * 16};
}

// Operand a of such a call.
constexpr unsigned argumentCountOf(Instruction call) { return aOf(call) & 0xff; }
constexpr unsigned resultCountOf(Instruction call) { return aOf(call) >> 8; }
// Argument `i` and the first result of the call whose instruction word is at `call`.
constexpr uint16_t argumentOf(const Instruction* call, unsigned i) {
  ArgumentPlace place = argumentPlace(argumentCountOf(*call), i);
  return static_cast<uint16_t>(call[1 + place.word] >> place.shift);
}
constexpr uint16_t firstResultOf(const Instruction* call) { return aOf(call[argumentWords(argumentCountOf(*call))]); }

// An extra word of jump_table: the distance, sign-extended to the whole word.
constexpr Instruction makeTableWord(int32_t distance) { return static_cast<uint64_t>(static_cast<int64_t>(distance)); }
constexpr int32_t tableDistance(Instruction word) { return static_cast<int32_t>(static_cast<uint32_t>(word)); }

// Words that `first`, an instruction at the start of an instruction, occupies with its extra words.
unsigned wordCount(Instruction first);

} // namespace nlang::bytecode
