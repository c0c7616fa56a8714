// Compiles a program for a test and shows its functions as listings without line numbers.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "bytecode/printer.h"
#include "bytecode/program.h"
#include "bytecode/verifier.h"
#include "codegen/codegen.h"
#include "unit/sema/program_check.h"

namespace nlang::codegen {

struct Generated {
  sema::CheckedProgram checked;
  bytecode::Program program;
  bool ok = false;

  explicit Generated(const std::string& text) : checked(text, {}, true) {
    EXPECT_FALSE(checked.sink.hasErrors()) << checked.said() << checked.messages();
    if (checked.sink.hasErrors()) return;
    ok = generate(*checked.checker, checked.program, checked.sources, checked.sink, program);
    std::string error;
    if (ok) {
      EXPECT_TRUE(bytecode::verify(program, error)) << error;
    }
  }

  const bytecode::Function* find(const std::string& name) const {
    for (const bytecode::Function& function : program.functions)
      if (function.name == name) return &function;
    return nullptr;
  }
  const bytecode::Class* findClass(const std::string& name) const {
    for (const bytecode::Class& type : program.classes)
      if (type.name == name) return &type;
    return nullptr;
  }
  // One instruction a line: name and operands with single spaces, no positions.
  std::string code(const std::string& name) const {
    const bytecode::Function* function = find(name);
    if (function == nullptr) return "no function " + name;
    std::string lines;
    for (uint32_t pc = 0; pc < function->code.size(); pc += bytecode::wordCount(function->code[pc])) {
      std::string line = bytecode::printInstruction(program, *function, pc), squeezed;
      for (char c : line)
        if (c != ' ' || (!squeezed.empty() && squeezed.back() != ' ')) squeezed += c;
      lines += squeezed + "\n";
    }
    return lines;
  }
  // How often the instruction occurs in the function.
  unsigned count(const std::string& name, bytecode::Op op) const {
    const bytecode::Function* function = find(name);
    unsigned found = 0;
    for (uint32_t pc = 0; function != nullptr && pc < function->code.size();
         pc += bytecode::wordCount(function->code[pc]))
      found += bytecode::opOf(function->code[pc]) == op;
    return found;
  }
};

} // namespace nlang::codegen
