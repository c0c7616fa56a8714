#include "bytecode/builder.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nlang::bytecode {

namespace {

constexpr uint32_t kMaxWords = uint32_t{1} << 30;

struct Comparison {
  Op op;
  uint16_t a, b;
};

/// The jump that is taken exactly when `op a b` is not.
Comparison invert(Op op, uint16_t a, uint16_t b) {
  switch (op) {
  case Op::jump_true:
  case Op::loop_true: return {Op::jump_false, a, b};
  case Op::jump_false:
  case Op::loop_false: return {Op::jump_true, a, b};
  case Op::jump_null: return {Op::jump_not_null, a, b};
  case Op::jump_not_null: return {Op::jump_null, a, b};
  case Op::jeq_i32: return {Op::jne_i32, a, b};
  case Op::jne_i32: return {Op::jeq_i32, a, b};
  case Op::jlt_i32:
  case Op::loop_lt_i32:
  case Op::for_lt_i32: return {Op::jle_i32, b, a};
  case Op::jle_i32:
  case Op::loop_le_i32: return {Op::jlt_i32, b, a};
  case Op::jeqi_i32: return {Op::jnei_i32, a, b};
  case Op::jnei_i32: return {Op::jeqi_i32, a, b};
  case Op::jlti_i32:
  case Op::loop_lti_i32:
  case Op::for_lti_i32: return {Op::jgei_i32, a, b};
  case Op::jlei_i32: return {Op::jgti_i32, a, b};
  case Op::jgti_i32: return {Op::jlei_i32, a, b};
  case Op::jgei_i32: return {Op::jlti_i32, a, b};
  case Op::jeq_i64: return {Op::jne_i64, a, b};
  case Op::jne_i64: return {Op::jeq_i64, a, b};
  case Op::jlt_i64:
  case Op::loop_lt_i64: return {Op::jle_i64, b, a};
  case Op::jle_i64: return {Op::jlt_i64, b, a};
  case Op::jlt_f64: return {Op::jnlt_f64, a, b};
  case Op::jnlt_f64: return {Op::jlt_f64, a, b};
  case Op::jle_f64: return {Op::jnle_f64, a, b};
  case Op::jnle_f64: return {Op::jle_f64, a, b};
  default: assert(false && "not a conditional jump"); return {op, a, b};
  }
}

/// The back-edge that does what the jump `op` does, or kCount.
Op loopFormOf(Op op) {
  switch (op) {
  case Op::jump: return Op::loop;
  case Op::jump_true: return Op::loop_true;
  case Op::jump_false: return Op::loop_false;
  case Op::jlt_i32: return Op::loop_lt_i32;
  case Op::jle_i32: return Op::loop_le_i32;
  case Op::jlti_i32: return Op::loop_lti_i32;
  case Op::jlt_i64: return Op::loop_lt_i64;
  default: return Op::kCount;
  }
}

bool isShortJump(Op op) { return info(op).operands[2] == 'j'; }
bool isCountingLoop(Op op) { return op == Op::for_lt_i32 || op == Op::for_lti_i32; }
/// Words that the long form of a short jump takes beyond the one.
unsigned growth(Op op) { return isCountingLoop(op) ? 2 : 1; }

} // namespace

void FunctionBuilder::append(Instruction word) {
  if (lines_.empty() || lines_.back().line != line_) lines_.push_back({position(), line_});
  code_.push_back(word);
  if (info(opOf(word)).flags & kEnds) reachable_ = false;
}

void FunctionBuilder::emit(Op op, uint16_t a, uint16_t b, uint16_t c) {
  assert(!(info(op).flags & (kJumps | kArguments | kLeaf)));
  if (reachable_) append(makeInstruction(op, a, b, c));
}

void FunctionBuilder::emitWide(Op op, uint16_t a, uint32_t bc) {
  assert(!(info(op).flags & (kJumps | kArguments | kLeaf)));
  if (reachable_) append(makeWide(op, a, bc));
}

void FunctionBuilder::emitLeaf(Op op, uint16_t a, uint16_t b, uint16_t c, uint16_t leaf) {
  assert(info(op).flags & kLeaf);
  if (!reachable_) return;
  append(makeInstruction(op, a, b, c));
  code_.push_back(makeInstruction(Op::move, 0, leaf, 0));
}

void FunctionBuilder::emitCall(Op op, uint32_t target, std::span<const uint16_t> arguments, uint16_t firstResult,
                               unsigned resultCount) {
  assert((info(op).flags & kArguments) && arguments.size() <= 255 && resultCount <= 255);
  if (!reachable_) return;
  if (op == Op::call && arguments.size() == 1 && resultCount == 1 && target <= 0xffff) {
    append(makeInstruction(Op::call_1, firstResult, static_cast<uint16_t>(target), arguments[0]));
    return;
  }
  auto count = static_cast<unsigned>(arguments.size());
  append(makeWide(op, static_cast<uint16_t>(count | resultCount << 8), target));
  size_t words = code_.size();
  code_.resize(words + argumentWords(count));
  for (unsigned i = 0; i < count; ++i) {
    ArgumentPlace place = argumentPlace(count, i);
    code_[words + place.word] |= static_cast<uint64_t>(arguments[i]) << place.shift;
  }
  if (resultCount != 0) code_.back() |= static_cast<uint64_t>(firstResult) << 16;
}

Label FunctionBuilder::newLabel() {
  labels_.emplace_back();
  return Label{static_cast<uint32_t>(labels_.size() - 1)};
}

void FunctionBuilder::bind(Label label) {
  LabelState& state = labels_[label.id];
  assert(state.pc == kNone && "bound twice");
  state.pc = position();
  if (state.isReferred) reachable_ = true;
}

Label FunctionBuilder::newBoundLabel() {
  Label label = newLabel();
  bind(label);
  return label;
}

void FunctionBuilder::emitJump(Op op, Label target, uint16_t a, uint16_t b) {
  assert((info(op).flags & kJumps) && op != Op::jump_table);
  if (!reachable_) return;
  if (!isBound(target)) {
    assert(!(info(op).flags & kLoops) && "a loop instruction goes backward");
    appendJump(op, target, a, b);
    return;
  }
  if (info(op).flags & kLoops) {
    appendJump(op, target, a, b);
  } else if (Op loop = loopFormOf(op); loop != Op::kCount) {
    appendJump(loop, target, a, b);
  } else {
    Label behind = newLabel();
    Comparison inverse = invert(op, a, b);
    appendJump(inverse.op, behind, inverse.a, inverse.b);
    appendJump(Op::loop, target, 0, 0);
    bind(behind);
  }
}

void FunctionBuilder::appendJump(Op op, Label target, uint16_t a, uint16_t b) {
  labels_[target.id].isReferred = true;
  sites_.push_back({position(), position(), target.id});
  append(makeInstruction(op, a, isShortJump(op) ? b : uint16_t{0}));
}

void FunctionBuilder::emitJumpTable(uint16_t reg, std::span<const Label> targets) {
  assert(targets.size() <= 0xffff);
  if (!reachable_) return;
  uint32_t origin = position();
  append(makeInstruction(Op::jump_table, reg, static_cast<uint16_t>(targets.size())));
  for (Label target : targets) {
    assert(!isBound(target) && "a jump table goes forward");
    labels_[target.id].isReferred = true;
    sites_.push_back({position(), origin, target.id});
    code_.push_back(0);
  }
}

void FunctionBuilder::addException(Label start, Label end, uint32_t classIndex, Label handler, uint16_t reg,
                                   bool skipsCancelled) {
  assert(isBound(start) && isBound(end) && "the range has been emitted");
  assert(!isBound(handler) && "handlers stand behind their ranges");
  if (labels_[start.id].pc >= labels_[end.id].pc) return;
  labels_[handler.id].isReferred = true;
  exceptions_.push_back({start.id, end.id, handler.id, classIndex, reg, skipsCancelled});
}

// Where words go when some short jumps grow.
class FunctionBuilder::Relocation {
 public:
  /// `pc`s rise from call to call.
  void grow(uint32_t pc, unsigned words) {
    total_ += words;
    steps_.push_back({pc, total_});
  }
  /// The new place of what was at `pc`; for a growing jump, of the start of its long form.
  uint32_t operator()(uint32_t pc) const {
    auto behind =
        std::lower_bound(steps_.begin(), steps_.end(), pc, [](const Step& s, uint32_t at) { return s.pc < at; });
    return behind == steps_.begin() ? pc : pc + behind[-1].added;
  }
  uint32_t total() const { return total_; }
  void clear() {
    steps_.clear();
    total_ = 0;
  }

 private:
  struct Step {
    uint32_t pc;    // of a jump that grows
    uint32_t added; // words added up to and including it
  };
  std::vector<Step> steps_;
  uint32_t total_ = 0;
};

// Growing moves code, which may take other jumps out of reach: jumps are added to the growing ones until none is left.
// The set only grows, so this ends.
void FunctionBuilder::lengthenJumps() {
  std::vector<bool> grows(sites_.size());
  Relocation relocation;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < sites_.size(); ++i) {
      const JumpSite& site = sites_[i];
      if (grows[i] || site.pc != site.origin || !isShortJump(opOf(code_[site.pc]))) continue;
      int64_t distance = int64_t{relocation(labels_[site.label].pc)} - relocation(site.pc);
      if (distance >= INT16_MIN && distance <= INT16_MAX) continue;
      grows[i] = changed = true;
    }
    relocation.clear();
    for (size_t i = 0; i < sites_.size(); ++i)
      if (grows[i]) relocation.grow(sites_[i].pc, growth(opOf(code_[sites_[i].pc])));
  }
  if (relocation.total() == 0) return;

  std::vector<Instruction> code;
  code.reserve(code_.size() + relocation.total());
  uint32_t copied = 0;
  for (size_t i = 0; i < sites_.size(); ++i) {
    JumpSite& site = sites_[i];
    uint32_t pc = std::exchange(site.pc, relocation(site.pc));
    site.origin = relocation(site.origin);
    if (!grows[i]) continue;
    code.insert(code.end(), code_.begin() + copied, code_.begin() + pc);
    copied = pc + 1;
    Instruction jump = code_[pc];
    if (isCountingLoop(opOf(jump))) code.push_back(makeInstruction(Op::addi_i32, aOf(jump), aOf(jump), 1));
    Comparison inverse = invert(opOf(jump), aOf(jump), bOf(jump));
    code.push_back(makeInstruction(inverse.op, inverse.a, inverse.b, 2));
    site.pc = site.origin = static_cast<uint32_t>(code.size());
    code.push_back(makeInstruction(info(opOf(jump)).flags & kLoops ? Op::loop : Op::jump));
  }
  code.insert(code.end(), code_.begin() + copied, code_.end());
  code_ = std::move(code);
  for (LabelState& label : labels_)
    if (label.pc != kNone) label.pc = relocation(label.pc);
  for (LineEntry& entry : lines_) entry.pc = relocation(entry.pc);
}

void FunctionBuilder::patch(const JumpSite& site) {
  uint32_t target = labels_[site.label].pc;
  assert(target != kNone && "jump to a label that was never bound");
  auto distance = static_cast<int32_t>(target - site.origin);
  Instruction& word = code_[site.pc];
  if (site.pc != site.origin)
    word = makeTableWord(distance);
  else if (isShortJump(opOf(word)))
    word = makeInstruction(opOf(word), aOf(word), bOf(word), static_cast<uint16_t>(distance));
  else
    word = makeWide(opOf(word), aOf(word), static_cast<uint32_t>(distance));
}

bool FunctionBuilder::finish(Function& function) {
  if (registers_.overflowed() || code_.size() > kMaxWords) return false;
  assert(!reachable_ && "control would run off the end");
  lengthenJumps();
  if (code_.size() > kMaxWords) return false;
  for (const JumpSite& site : sites_) patch(site);
  function.exceptions.clear();
  for (const PendingException& e : exceptions_) {
    assert(labels_[e.handler].pc != kNone && "a handler that was never bound");
    function.exceptions.push_back(
        {labels_[e.start].pc, labels_[e.end].pc, e.classIndex, labels_[e.handler].pc, e.reg, e.skipsCancelled});
  }
  function.code = std::move(code_);
  function.lines = std::move(lines_);
  function.registerCount = static_cast<uint16_t>(registers_.count());
  function.referenceRegisters = registers_.referenceBits();
  return true;
}

} // namespace nlang::bytecode
