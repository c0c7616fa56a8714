#include "bytecode/instruction.h"

namespace nlang::bytecode {

const OpInfo kOpInfo[static_cast<unsigned>(Op::kCount)] = {
#define NLANG_OPCODE(name, operands, flags, meaning) {#name, operands, flags, meaning},
#include "bytecode/opcodes.def"
#undef NLANG_OPCODE
};

unsigned wordCount(Instruction first) {
  uint16_t flags = info(opOf(first)).flags;
  if (flags & kArguments) return 1 + argumentWords(argumentCountOf(first));
  if (flags & kLeaf) return 2;
  if (opOf(first) == Op::jump_table) return 1 + bOf(first);
  return 1;
}

} // namespace nlang::bytecode
