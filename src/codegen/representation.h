// How the instructions see a type: which family of opcodes serves it in a register, and how it is stored in memory.
#pragma once

#include <cstdint>

#include "bytecode/program.h"
#include "sema/types.h"

namespace nlang::codegen {

// The family of opcodes for one value. Types of up to 32 bits share kI32 because their register form is canonical
// (opcodes.def): signed ones are sign-extended to 32 bits, unsigned ones below 32 bits are never negative as an int.
// Only `uint` differs in order and division.
enum class Family : uint8_t { kI32, kU32, kI64, kU64, kF32, kF64, kString, kReference, kStruct, kVoid };

Family familyOf(const sema::Type* type);

inline bool isFloatingFamily(Family family) { return family == Family::kF32 || family == Family::kF64; }

// How a value of a one-slot type is stored in fields and elements.
bytecode::StorageKind storageOf(const sema::Type* type);

// The instructions that read and write a leaf of this kind.
bytecode::Op fieldLoad(bytecode::StorageKind kind);
bytecode::Op fieldStore(bytecode::StorageKind kind);
bytecode::Op arrayLoad(bytecode::StorageKind kind);
bytecode::Op arrayStore(bytecode::StorageKind kind);
bytecode::Op listLoad(bytecode::StorageKind kind);
bytecode::Op listStore(bytecode::StorageKind kind);

} // namespace nlang::codegen
