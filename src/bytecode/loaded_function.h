// A function as the run-time system uses it: what bytecode::Function holds, with pointers where the definition has
// vectors.
//
// Loaded functions stand in one array of the Vm, are immutable while programs run and may be read by any thread. The
// fields that calls need come first and fill one cache line.
#pragma once

#include <cstdint>

#include "bytecode/program.h"

namespace nlang::bytecode {

// A native's C++ function. The real type is vm::NativeFunction; this room does not know what a call is.
using NativeEntry = void (*)();

struct alignas(64) LoadedFunction {
  const Instruction* code; // first instruction; of natives a stub {native, native_resume}
  uint32_t registerCount;  // slots of a frame behind its two-slot header. Natives: parameters, results, state, locals
  uint16_t parameterCount; // slots
  uint16_t resultCount;    // slots
  NativeEntry nativeEntry; // null for bytecode functions
  const Function* definition;     // names, tables; owned by the Program, which outlives the Vm's use of it
  const SafepointMap* safepoints; // sorted by key; null for natives
  const uint64_t* mapWords;
  uint32_t safepointCount;
  uint32_t wordsPerMap;
  uint16_t flags;        // FunctionFlags
  uint16_t nativeLocals; // natives: reference slots behind the state slot, zeroed on entry
  uint32_t index;        // in the Vm's function array
};

} // namespace nlang::bytecode
