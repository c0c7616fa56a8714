// The code of a function: shape, operands, jumps, calls, exception and line tables.
#include "bytecode/operands.h"
#include "bytecode/verifier_impl.h"

namespace nlang::bytecode {

namespace {

constexpr uint32_t kHeaderSize = 8;

// Bytes of the field that a get_ or set_ instruction touches; 0 for others.
uint32_t fieldSize(Op op) {
  switch (op) {
  case Op::get_i8:
  case Op::get_u8:
  case Op::set_8: return 1;
  case Op::get_i16:
  case Op::get_u16:
  case Op::set_16: return 2;
  case Op::get_32:
  case Op::set_32: return 4;
  case Op::get_64:
  case Op::set_64:
  case Op::get_ref:
  case Op::set_ref: return 8;
  default: return 0;
  }
}

bool isReturn(Op op) { return op == Op::ret || op == Op::ret_n || op == Op::ret_void; }

} // namespace

bool Verifier::checkShape(uint32_t index) {
  const Function& function = program_.functions[index];
  if (function.flags & kFunctionNative) {
    if (function.resultCount != 0) resultRegisters_[index] = function.parameterCount;
    return true;
  }
  auto size = static_cast<uint32_t>(function.code.size());
  Op last = Op::kCount;
  for (uint32_t pc = 0; pc < size;) {
    Instruction word = function.code[pc];
    last = opOf(word);
    if (last >= Op::kCount) return fail("{}: unknown instruction {}", pc, static_cast<unsigned>(last));
    if (wordCount(word) > size - pc) return fail("{}: {} is cut off", pc, info(last).name);
    if (isReturn(last)) {
      if (!checkReturn(function, word)) return false;
      if (function.resultCount != 0 && resultRegisters_[index] == kNone) resultRegisters_[index] = aOf(word);
    }
    pc += wordCount(word);
  }
  if (!(info(last).flags & kEnds)) return fail("control can run off the end");
  return true;
}

bool Verifier::checkReturn(const Function& function, Instruction word) {
  unsigned count = opOf(word) == Op::ret ? 1 : opOf(word) == Op::ret_n ? bOf(word) : 0;
  if (count != function.resultCount) return fail("returns {} values instead of {}", count, function.resultCount);
  return checkRange(function, aOf(word), count);
}

bool Verifier::checkRange(const Function& function, unsigned first, unsigned count) {
  if (first + count <= function.registerCount) return true;
  return fail("no registers r{} to r{}", first, first + count - 1);
}

bool Verifier::checkCode(const Function& function) {
  auto size = static_cast<uint32_t>(function.code.size());
  isStart_.assign(size, false);
  for (uint32_t pc = 0; pc < size; pc += wordCount(function.code[pc])) isStart_[pc] = true;
  std::string owner = where_;
  for (uint32_t pc = 0; pc < size; pc += wordCount(function.code[pc])) {
    if (checkInstruction(function, pc)) continue;
    error_.insert(owner.size(), fmt::format("{}: {}: ", pc, info(opOf(function.code[pc])).name));
    return false;
  }
  return checkExceptions(function) && checkLines(function);
}

bool Verifier::checkInstruction(const Function& function, uint32_t pc) {
  Instruction word = function.code[pc];
  uint16_t flags = info(opOf(word)).flags;
  if (!checkOperands(function, word)) return false;
  if ((flags & kJumps) && !checkJumps(function, pc)) return false;
  if ((flags & kArguments) && !checkCall(function, pc)) return false;
  return checkOperation(function, pc);
}

bool Verifier::checkOperands(const Function& function, Instruction word) {
  const OpInfo& op = info(opOf(word));
  int rangeAt = kOperandRoles[static_cast<unsigned>(opOf(word))].rangeAt;
  for (unsigned i = 0; op.operands[i] != 0; ++i)
    if (static_cast<int>(i) != rangeAt && !checkOperand(function, word, i)) return false;
  if (rangeAt < 0) return true;
  auto at = static_cast<unsigned>(rangeAt);
  return checkRange(function, operandOf(word, at), operandOf(word, at + 1));
}

bool Verifier::checkOperand(const Function& function, Instruction word, unsigned i) {
  uint16_t value = operandOf(word, i);
  uint32_t wide = uimmBC(word);
  switch (info(opOf(word)).operands[i]) {
  case 'd':
  case 's':
  case 'x':
    if (value >= function.registerCount) return fail("no register r{}", value);
    if (function.isReference(value)) return fail("r{} holds references", value);
    return true;
  case 'D':
  case 'S':
    if (value >= function.registerCount) return fail("no register r{}", value);
    if (!function.isReference(value)) return fail("r{} holds no references", value);
    return true;
  case 'e':
  case 't': return value < function.registerCount || fail("no register r{}", value);
  case 'l': return value < program_.classes.size() || fail("no class {}", value);
  case 'L': return wide < program_.classes.size() || fail("no class {}", wide);
  case 'K': return wide < program_.constants.size() || fail("no constant {}", wide);
  case 'G': return wide < program_.globalCount || fail("no global {}", wide);
  case 'F': return wide < program_.functions.size() || fail("no function {}", wide);
  default: return true;
  }
}

bool Verifier::checkJumps(const Function& function, uint32_t pc) {
  Op op = opOf(function.code[pc]);
  bool isSound = true;
  visitJumps(&function.code[pc], [&](int32_t distance) {
    if (!isSound) return;
    int64_t target = int64_t{pc} + distance;
    if (target < 0 || !isInstruction(static_cast<uint32_t>(target)))
      isSound = fail("target {} is no instruction", target);
    else if (info(op).flags & kLoops ? distance > 0 : distance <= 0)
      isSound = fail("target {} lies in the wrong direction", target);
  });
  if (!isSound || op != Op::jump_table) return isSound;
  for (unsigned i = 1; i <= bOf(function.code[pc]); ++i)
    if (function.code[pc + i] != makeTableWord(tableDistance(function.code[pc + i]))) return fail("malformed table");
  return true;
}

bool Verifier::checkCall(const Function& function, uint32_t pc) {
  const Instruction* at = &function.code[pc];
  unsigned arguments = argumentCountOf(*at), results = resultCountOf(*at);
  for (unsigned i = 0; i < arguments; ++i)
    if (argumentOf(at, i) >= function.registerCount) return fail("no register r{}", argumentOf(at, i));
  if (results != 0 && !checkRange(function, firstResultOf(at), results)) return false;
  if (opOf(*at) == Op::call) return checkCallee(function, uimmBC(*at), pc);
  if (opOf(*at) == Op::call_find || opOf(*at) == Op::call_put) {
    const Function& callee = program_.functions[uimmBC(*at)];
    if (!(callee.flags & kFunctionNative) || callee.parameterCount < 2 || !callee.isReference(0))
      return fail("{} is no native of a Dict or Set", callee.name);
    return checkCallee(function, uimmBC(*at), pc);
  }
  if (arguments == 0 || !function.isReference(argumentOf(at, 0))) return fail("the first argument is no object");
  if (opOf(*at) == Op::call_virtual && bOf(*at) >= largestTable_)
    return fail("no class has a virtual method {}", bOf(*at));
  if (opOf(*at) != Op::call_interface) return true;
  auto known = selectors_.find(uimmBC(*at));
  return known == selectors_.end() || checkCallee(function, known->second, pc);
}

// Arguments and results of the call at `pc` against those of a function.
bool Verifier::checkCallee(const Function& function, uint32_t callee, uint32_t pc) {
  const Instruction* at = &function.code[pc];
  const Function& target = program_.functions[callee];
  bool isShort = opOf(*at) == Op::call_1;
  unsigned arguments = isShort ? 1 : argumentCountOf(*at), results = isShort ? 1 : resultCountOf(*at);
  if (arguments != target.parameterCount || results != target.resultCount)
    return fail("{} has {} parameters and {} results, not {} and {}", target.name, target.parameterCount,
                target.resultCount, arguments, results);
  for (unsigned i = 0; i < arguments; ++i)
    if (function.isReference(isShort ? cOf(*at) : argumentOf(at, i)) != target.isReference(i))
      return fail("argument {} is of the wrong kind for {}", i, target.name);
  if (resultRegister(callee) == kNone) return true;
  for (unsigned i = 0; i < results; ++i)
    if (function.isReference((isShort ? aOf(*at) : firstResultOf(at)) + i) !=
        target.isReference(resultRegister(callee) + i))
      return fail("result {} is of the wrong kind for {}", i, target.name);
  return true;
}

// What the operand letters do not say.
bool Verifier::checkOperation(const Function& function, uint32_t pc) {
  Instruction word = function.code[pc];
  Op op = opOf(word);
  uint16_t a = aOf(word), b = bOf(word), c = cOf(word);
  if (fieldSize(op) != 0) return checkField(op, c);
  if (info(op).flags & kLeaf)
    return bOf(function.code[pc + 1]) < mostLeaves_ || fail("no class has elements with so many leaves");
  switch (op) {
  case Op::move: return function.isReference(a) == function.isReference(b) || fail("r{} and r{} differ in kind", a, b);
  case Op::const_pool: {
    bool isReference = program_.constants[uimmBC(word)].kind != Constant::Kind::kBits;
    return function.isReference(a) == isReference || fail("r{} and constant {} differ in kind", a, uimmBC(word));
  }
  case Op::get_global:
  case Op::set_global: {
    bool isReference = program_.referenceGlobals[uimmBC(word) / 64] >> (uimmBC(word) % 64) & 1;
    return function.isReference(a) == isReference || fail("r{} and global {} differ in kind", a, uimmBC(word));
  }
  case Op::divi_i32:
  case Op::remi_i32: return (simmC(word) != 0 && simmC(word) != -1) || fail("by {}", simmC(word));
  case Op::saturate_i32: return c <= 3 || fail("no small type {}", c);
  case Op::concat_n:
    for (unsigned i = 0; i < c; ++i)
      if (!function.isReference(b + i)) return fail("r{} holds no references", b + i);
    return true;
  case Op::ret:
  case Op::ret_n: {
    uint32_t first = resultRegisters_[static_cast<uint32_t>(&function - program_.functions.data())];
    for (unsigned i = 0; i < function.resultCount; ++i)
      if (function.isReference(a + i) != function.isReference(first + i))
        return fail("returns differ in the kind of result {}", i);
    return true;
  }
  case Op::call_1: return b < program_.functions.size() ? checkCallee(function, b, pc) : fail("no function {}", b);
  case Op::native:
  case Op::native_resume:
  case Op::exit_context: return fail("belongs to the run-time system");
  default: return checkClassOperand(word);
  }
}

bool Verifier::checkClassOperand(Instruction word) {
  auto expect = [&](uint32_t index, ClassKind kind, const char* what) {
    return program_.classes[index].kind == kind || fail("class {} is no {}", index, what);
  };
  switch (opOf(word)) {
  case Op::check_enum:
  case Op::enum_to_text: return expect(cOf(word), ClassKind::kEnum, "enum");
  case Op::box:
  case Op::unbox: {
    const ElementLayout& value = program_.classes[cOf(word)].element;
    if (!expect(cOf(word), ClassKind::kBox, "box")) return false;
    return (value.leaves.size() == 1 && value.leaves[0].kind != StorageKind::kReference) ||
           fail("class {} boxes no scalar", cOf(word));
  }
  case Op::new_array: return expect(cOf(word), ClassKind::kArray, "array");
  case Op::new_closure: {
    const Class& cls = program_.classes[uimmBC(word)];
    if (!expect(uimmBC(word), ClassKind::kClosure, "closure")) return false;
    return isMadeByCode(cls) || fail("class {} cannot be made so", uimmBC(word));
  }
  case Op::new_object: {
    const Class& cls = program_.classes[uimmBC(word)];
    bool hasOther = cls.kind == ClassKind::kInterface || cls.kind == ClassKind::kEnum ||
                    cls.kind == ClassKind::kArray || cls.kind == ClassKind::kString ||
                    cls.kind == ClassKind::kTextBuffer || cls.kind == ClassKind::kTable ||
                    cls.kind == ClassKind::kClosure;
    return (!hasOther && !cls.isAbstract) || fail("class {} cannot be made so", uimmBC(word));
  }
  default: return true;
  }
}

bool Verifier::checkField(Op op, uint32_t offset) {
  uint32_t size = fieldSize(op);
  if (offset % size != 0 || offset < kHeaderSize) return fail("no field can be at offset {}", offset);
  return offset + size <= largestInstance_ || fail("no class is so large as to have a field at offset {}", offset);
}

bool Verifier::checkExceptions(const Function& function) {
  auto size = static_cast<uint32_t>(function.code.size());
  for (size_t i = 0; i < function.exceptions.size(); ++i) {
    const ExceptionEntry& entry = function.exceptions[i];
    if (entry.start >= entry.end || !isInstruction(entry.start) || (entry.end != size && !isInstruction(entry.end)))
      return fail("exception entry {}: no instructions from {} to {}", i, entry.start, entry.end);
    if (!isInstruction(entry.handler)) return fail("exception entry {}: {} is no instruction", i, entry.handler);
    // So that no way backward escapes the quota.
    if (entry.handler < entry.end) return fail("exception entry {}: the handler does not stand behind the range", i);
    if (entry.reg >= function.registerCount || !function.isReference(entry.reg))
      return fail("exception entry {}: r{} is no reference register", i, entry.reg);
    if (entry.classIndex == kNone) continue;
    if (entry.classIndex >= program_.classes.size() || program_.classes[entry.classIndex].kind != ClassKind::kException)
      return fail("exception entry {}: class {} is no exception", i, entry.classIndex);
  }
  return true;
}

bool Verifier::checkLines(const Function& function) {
  uint32_t next = 0;
  for (const LineEntry& line : function.lines) {
    if (line.pc < next || line.pc >= function.code.size()) return fail("lines are not in the order of the code");
    next = line.pc + 1;
  }
  return true;
}

} // namespace nlang::bytecode
