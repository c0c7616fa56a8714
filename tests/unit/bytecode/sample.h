// Small programs for the tests of this room: the classes that every program has, and functions made by hand.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "bytecode/builder.h"
#include "bytecode/program.h"

namespace nlang::bytecode {

/// A program with all well-known classes and a function `main` that returns 0, function 0.
Program sampleProgram();
/// Adds a class; the answer is its index.
uint32_t addClass(Program& program, const std::string& name, ClassKind kind);
uint32_t wellKnownIndex(const Program& program, WellKnown which);
/// Adds the function and gives its index.
uint32_t addFunction(Program& program, FunctionBuilder& builder, const std::string& name, unsigned parameters,
                     unsigned results);
/// A function of these words, whose registers are of the given kinds: "srs" is scalar, reference, scalar.
Function functionOf(const std::string& kinds, unsigned parameters, unsigned results, std::vector<Instruction> code);
/// A native function.
Function nativeOf(const std::string& name, const std::string& kinds, unsigned parameters, unsigned results);

} // namespace nlang::bytecode
