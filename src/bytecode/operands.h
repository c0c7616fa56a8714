// Which registers an instruction reads and writes, from the operand letters of opcodes.def.
#pragma once

#include <cstdint>

#include "bytecode/instruction.h"

namespace nlang::bytecode {

struct OperandRoles {
  uint8_t reads = 0;   // bit i: operand i (a, b, c) names a register that is read
  uint8_t writes = 0;  // likewise written
  int8_t rangeAt = -1; // operand that starts a range of registers that are read; the next operand is its length
};

constexpr OperandRoles rolesOf(const char* letters) {
  OperandRoles roles;
  for (int i = 0; letters[i] != 0; ++i) {
    bool hasLength = letters[i + 1] == 'n';
    switch (letters[i]) {
    case 'R': roles.rangeAt = static_cast<int8_t>(i); break;
    case 't':
      if (hasLength)
        roles.rangeAt = static_cast<int8_t>(i);
      else
        roles.reads |= static_cast<uint8_t>(1 << i);
      break;
    case 's':
    case 'S': roles.reads |= static_cast<uint8_t>(1 << i); break;
    case 'd':
    case 'D':
    case 'e': roles.writes |= static_cast<uint8_t>(1 << i); break;
    case 'x':
      roles.reads |= static_cast<uint8_t>(1 << i);
      roles.writes |= static_cast<uint8_t>(1 << i);
      break;
    default: break;
    }
  }
  return roles;
}

inline constexpr OperandRoles kOperandRoles[] = {
#define NLANG_OPCODE(name, operands, flags, meaning) rolesOf(operands),
#include "bytecode/opcodes.def"
#undef NLANG_OPCODE
};

/// Operand a, b or c for i = 0, 1, 2.
constexpr uint16_t operandOf(Instruction word, unsigned i) { return static_cast<uint16_t>(word >> (16 + 16 * i)); }

/// Calls read(register) for every register that the instruction at `at` reads, then write(register) for every one it
/// writes.
template <class Read, class Write> inline void visitRegisters(const Instruction* at, Read&& read, Write&& write) {
  Instruction word = *at;
  const OperandRoles& roles = kOperandRoles[static_cast<unsigned>(opOf(word))];
  for (unsigned i = 0; i < 3; ++i)
    if (roles.reads >> i & 1) read(operandOf(word, i));
  if (roles.rangeAt >= 0) {
    unsigned first = operandOf(word, static_cast<unsigned>(roles.rangeAt));
    unsigned count = operandOf(word, static_cast<unsigned>(roles.rangeAt) + 1);
    for (unsigned i = 0; i < count; ++i) read(static_cast<uint16_t>(first + i));
  }
  if (info(opOf(word)).flags & kArguments) {
    unsigned count = argumentCountOf(word);
    for (unsigned i = 0; i < count; ++i) read(argumentOf(at, i));
    unsigned results = resultCountOf(word);
    for (unsigned i = 0; i < results; ++i) write(static_cast<uint16_t>(firstResultOf(at) + i));
  }
  for (unsigned i = 0; i < 3; ++i)
    if (roles.writes >> i & 1) write(operandOf(word, i));
}

/// Whether control may leave the instruction for an exception handler. Back-edges and allocations count: a request to
/// stop may be served there.
inline bool mayThrow(Op op) { return info(op).flags & (kThrows | kCalls | kAllocates | kLoops); }

/// Calls target(distance) for every jump distance of the instruction at `at`.
template <class Target> inline void visitJumps(const Instruction* at, Target&& target) {
  Op op = opOf(*at);
  if (!(info(op).flags & kJumps)) return;
  if (op == Op::jump_table) {
    for (unsigned i = 1; i <= bOf(*at); ++i) target(tableDistance(at[i]));
  } else if (info(op).operands[2] == 'j') {
    target(int32_t{simmC(*at)});
  } else {
    target(simmBC(*at));
  }
}

} // namespace nlang::bytecode
