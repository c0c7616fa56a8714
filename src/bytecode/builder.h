// Assembles the code of one function: instructions, labels, exception entries, lines.
//
// What the builder sees to, so that the code generator need not:
// - Code that control cannot reach is not emitted. After an instruction that never falls through nothing is added until
// a label is bound
//   that a jump, a jump table or an exception entry already refers to. Therefore an exception entry must be added
//   before its handler's label is bound (and after its range has been emitted).
// - Direction. A jump to a label that is bound already goes backward, so it becomes the corresponding loop instruction,
// or, if there is
//   none, the inverted jump around a `loop`. Loop instructions may be asked for directly; their label must be bound.
// - Distance. Compare-and-jump instructions reach 32,767 words. If finish() finds some that do not reach, it replaces
// each by an
//   inverted jump around a long one and moves everything behind it, until all reach.
// - call with one argument and one result becomes call_1 where the function index has 16 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bytecode/instruction.h"
#include "bytecode/program.h"
#include "bytecode/register_allocator.h"

namespace nlang::bytecode {

struct Label {
  uint32_t id = kNone;
  bool isValid() const { return id != kNone; }
};

class FunctionBuilder {
 public:
  /// Parameters must be the first registers allocated.
  RegisterAllocator& registers() { return registers_; }
  uint16_t newRegister(bool isReference) { return registers_.allocate(isReference); }

  /// An instruction without jump operand and without argument words.
  void emit(Op op, uint16_t a = 0, uint16_t b = 0, uint16_t c = 0);
  /// The same for operands that join b and c (letters I U K G L F M).
  void emitWide(Op op, uint16_t a, uint32_t bc);
  /// array_get_leaf and its like.
  void emitLeaf(Op op, uint16_t a, uint16_t b, uint16_t c, uint16_t leaf);
  /// Any of call, call_virtual, call_interface, call_closure. `target` is function, table entry or selector, 0 for
  /// closures. `firstResult` is of no meaning without results. At most 255 arguments and 255 results.
  void emitCall(Op op, uint32_t target, std::span<const uint16_t> arguments, uint16_t firstResult,
                unsigned resultCount);

  Label newLabel();
  /// The label stands for the next instruction. Once only.
  void bind(Label label);
  Label newBoundLabel();
  bool isBound(Label label) const { return labels_[label.id].pc != kNone; }
  /// Any instruction with a jump operand but jump_table: (jump, L), (jump_true, L, a), (jlt_i32, L, a, b), (jlti_i32,
  /// L, a, immediate).
  void emitJump(Op op, Label target, uint16_t a = 0, uint16_t b = 0);
  void emitJump(Label target) { emitJump(Op::jump, target); }
  /// Targets must not be bound yet: a jump table only goes forward.
  void emitJumpTable(uint16_t reg, std::span<const Label> targets);

  /// Inner entries first. An entry whose range is empty is left out. `reg` receives the exception.
  void addException(Label start, Label end, uint32_t classIndex, Label handler, uint16_t reg,
                    bool skipsCancelled = false);

  /// The source line of the instructions that follow.
  void setLine(uint32_t line) { line_ = line; }
  uint32_t line() const { return line_; }

  /// Whether control can arrive at the next instruction.
  bool isReachable() const { return reachable_; }
  /// Words emitted so far. Positions are not final before finish().
  uint32_t position() const { return static_cast<uint32_t>(code_.size()); }

  /// Fills code, exceptions, lines, registerCount and referenceRegisters. False, with `function` unusable, if the
  /// function is beyond a limit of the instruction format: too many registers, or more than 2^30 words. Control must
  /// not be able to run off the end.
  bool finish(Function& function);

 private:
  struct LabelState {
    uint32_t pc = kNone;     // where it stands, kNone until bound
    bool isReferred = false; // something that can be reached refers to it
  };
  struct JumpSite {
    uint32_t pc;     // of the word that receives the distance
    uint32_t origin; // of the instruction from which the distance counts; differs in jump tables
    uint32_t label;
  };
  struct PendingException {
    uint32_t start, end, handler; // labels
    uint32_t classIndex;
    uint16_t reg;
    bool skipsCancelled;
  };
  class Relocation;

  void append(Instruction word);
  void appendJump(Op op, Label target, uint16_t a, uint16_t b);
  void patch(const JumpSite& site);
  void lengthenJumps();

  RegisterAllocator registers_;
  std::vector<Instruction> code_;
  std::vector<LabelState> labels_;
  std::vector<JumpSite> sites_; // by rising pc
  std::vector<PendingException> exceptions_;
  std::vector<LineEntry> lines_;
  uint32_t line_ = 0;
  bool reachable_ = true;
};

} // namespace nlang::bytecode
