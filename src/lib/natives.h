// The native halves of the standard packages: one file a package or class, each with a table; this is all of them.
#pragma once

#include <span>

#include "vm/native.h"

namespace nlang::lib {

// Every native of the standard library, for Vm::addNatives. Constant data.
std::span<const vm::NativeDefinition> allNatives();

using NativeTable = std::span<const vm::NativeDefinition>;
NativeTable arrayNatives();
NativeTable atomicNatives();
NativeTable channelNatives();
NativeTable dictNatives();
NativeTable exceptionNatives();
NativeTable formatNatives();
NativeTable futureNatives();
NativeTable ioNatives();
NativeTable jsonNatives();
NativeTable listNatives();
NativeTable logNatives();
NativeTable mathNatives();
NativeTable mutexNatives();
NativeTable objectNatives();
NativeTable programNatives();
NativeTable randomNatives();
NativeTable regexNatives();
NativeTable selectNatives();
NativeTable semaphoreNatives();
NativeTable stringBuilderNatives();
NativeTable stringNatives();
NativeTable threadNatives();
NativeTable timeNatives();

} // namespace nlang::lib
