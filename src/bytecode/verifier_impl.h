// The parts of the verifier, for its source files only. The first fault found ends the work: every check answers false
// from then on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bytecode/liveness.h"
#include "bytecode/program.h"

namespace nlang::bytecode {

class Verifier {
 public:
  Verifier(Program& program, std::string& error) : program_(program), error_(error) {}
  bool run();

 private:
  template <class... Args> bool fail(fmt::format_string<Args...> text, Args&&... args) {
    error_ = where_ + fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  // verifier.cpp: the program as a whole, and functions apart from their code
  bool checkTables();
  bool checkWellKnown();
  bool checkHeads();
  bool checkHead(const Function& function);
  bool checkEntries();
  bool checkEntry(uint32_t function);

  // verify_classes.cpp
  bool checkClasses();
  bool checkInheritance();
  bool checkClass(const Class& cls);
  bool checkFields(const Class& cls);
  bool checkMethods(const Class& cls);
  bool checkSelectors(const Class& cls);
  bool checkPartners(const Class& cls);
  bool checkEntry(const Class& cls, const Class& table);
  bool checkLayout(const ElementLayout& layout, std::string_view what);
  /// Whether instructions and constants may make closures of this closure class.
  bool isMadeByCode(const Class& cls) const;
  bool isMethod(uint32_t function, std::string_view what);

  // verify_code.cpp
  bool checkShape(uint32_t index); // instructions whole; notes where they start and what the function returns
  bool checkCode(const Function& function);
  bool checkInstruction(const Function& function, uint32_t pc);
  bool checkOperands(const Function& function, Instruction word);
  bool checkOperand(const Function& function, Instruction word, unsigned i);
  bool checkOperation(const Function& function, uint32_t pc);
  bool checkJumps(const Function& function, uint32_t pc);
  bool checkCall(const Function& function, uint32_t pc);
  bool checkCallee(const Function& function, uint32_t callee, uint32_t pc);
  bool checkReturn(const Function& function, Instruction word);
  bool checkClassOperand(Instruction word);
  bool checkField(Op op, uint32_t offset);
  bool checkExceptions(const Function& function);
  bool checkLines(const Function& function);
  bool checkRange(const Function& function, unsigned first, unsigned count);

  bool isInstruction(uint32_t pc) const { return pc < isStart_.size() && isStart_[pc]; }
  /// Register of `function` whose kind is that of its first result; kNone if it never returns.
  uint32_t resultRegister(uint32_t function) const { return resultRegisters_[function]; }
  /// Whether two functions take and give the same number of values of the same kinds.
  bool agree(uint32_t a, uint32_t b) const;

  Program& program_;
  std::string& error_;
  std::string where_;                                // start of an error text: the function or class at hand
  std::vector<uint32_t> resultRegisters_;            // by function
  std::unordered_map<uint32_t, uint32_t> selectors_; // an implementation of each interface selector
  std::vector<bool> isStart_;                        // of the function at hand: where instructions start
  uint32_t largestInstance_ = 0;                     // bytes, over all classes
  uint32_t largestTable_ = 0;                        // entries, over all virtual tables
  uint32_t mostLeaves_ = 0;                          // over all element layouts
  Liveness liveness_;
};

/// True if exactly the words for `count` bits are there and no bit behind them is set.
bool isBitSet(const std::vector<uint64_t>& words, uint64_t count);

} // namespace nlang::bytecode
