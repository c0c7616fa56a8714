// A program as text, for people: `nlang disasm` and the messages of tests. Everything that refers by index is shown
// with what it names.
#pragma once

#include <cstdint>
#include <string>

namespace nlang::bytecode {

struct Class;
struct Function;
struct Program;

struct PrintOptions {
  bool showMaps = false; // the live reference registers of each safepoint, where they have been computed
  bool showLines = true;
};

/// Constants, classes, then functions.
std::string printProgram(const Program& program, PrintOptions options = {});
/// Heading, one line for each instruction, exception table.
std::string printFunction(const Program& program, const Function& function, PrintOptions options = {});
std::string printClass(const Program& program, const Class& cls);
/// The instruction at `pc` with its operands, without line feed.
std::string printInstruction(const Program& program, const Function& function, uint32_t pc);

} // namespace nlang::bytecode
