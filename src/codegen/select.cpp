// select: one call of a native made for the statement, then a dispatch on the branch it names.
//
// The native's arguments are: how many branches wait (all but `default`), whether there is a default, then for each
// branch its operation (bytecode::SelectOperation) and what belongs to it: the channel, for a send followed by the
// value's leaves; the future; or the milliseconds of a timeout. Its results are the number of the chosen branch (that
// of `default` is the count), then the leaves of each value that a branch may receive. So the values wait in the
// native's frame, where every waker and the collector find them.
#include "bytecode/select_operation.h"
#include "codegen/function_generator.h"

namespace nlang::codegen {

using bytecode::SelectOperation;
using sema::SelectBranch;

namespace {

SelectOperation operationOf(const SelectBranch& branch) {
  switch (branch.operation) {
  case SelectBranch::Operation::kReceive: return SelectOperation::kReceive;
  case SelectBranch::Operation::kSend: return SelectOperation::kSend;
  case SelectBranch::Operation::kGet: return SelectOperation::kGet;
  default: return SelectOperation::kTimeout;
  }
}

} // namespace

// What the native is called with and what it gives, while both are gathered.
struct FunctionGenerator::SelectCall {
  Signature signature;
  std::vector<uint16_t> arguments;
  std::vector<const Type*> received; // of each branch but default: what it receives, or null
  uint64_t count = 0;                // branches that wait
  bool hasDefault = false;

  void add(Value value, std::span<const bool> isReference) {
    for (uint16_t i = 0; i < value.count; ++i) {
      arguments.push_back(static_cast<uint16_t>(value.reg + i));
      signature.parameters.push_back(isReference[i]);
    }
  }
  void addScalar(Value value) {
    bool isReference = false;
    add(value, {&isReference, 1});
  }
};

void FunctionGenerator::generateSelect(const sema::SelectStatement& statement) {
  Label end = builder_.newLabel();
  jumpTargets_[&statement] = {end, {}, regions_.size()};
  SelectCall call;
  for (const SelectBranch& branch : statement.branches) {
    if (branch.operation == SelectBranch::Operation::kDefault)
      call.hasDefault = true;
    else
      ++call.count;
  }
  call.addScalar(integerRegister(call.count, Family::kI32));
  call.addScalar(integerRegister(call.hasDefault, Family::kI32));
  call.signature.results.push_back(false);
  for (const SelectBranch& branch : statement.branches) {
    if (branch.operation != SelectBranch::Operation::kDefault) prepareBranch(branch, call);
  }
  if (call.arguments.size() > kMaxCallSlots || call.signature.results.size() > kMaxCallSlots) {
    program_.fail(syntax::DiagId::TooManyParameters, statement.range, "the `select`", kMaxCallSlots);
    return;
  }
  absl::InlinedVector<bool, 16> kinds(call.signature.results.begin(), call.signature.results.end());
  uint16_t results = builder_.registers().allocate(std::span<const bool>(kinds.data(), kinds.size()));
  mark(statement.range);
  builder_.emitCall(Op::call, program_.selectNative(call.signature, statement.range), call.arguments, results,
                    static_cast<unsigned>(kinds.size()));
  generateBranches(statement, call, results);
  builder_.bind(end);
}

// Evaluates what the branch waits for, in source order.
void FunctionGenerator::prepareBranch(const SelectBranch& branch, SelectCall& call) {
  call.addScalar(integerRegister(static_cast<uint64_t>(operationOf(branch)), Family::kI32));
  Value object = evaluateFresh(*branch.object);
  call.received.push_back(nullptr);
  if (branch.operation == SelectBranch::Operation::kTimeout) return call.addScalar(object);
  bool isReference = true;
  builder_.emit(Op::check_null, object.reg);
  call.add(object, {&isReference, 1});
  sema::ClassSymbol* base = branch.operation == SelectBranch::Operation::kGet ? program_.known().classes.future
                                                                              : program_.known().classes.channel;
  const Type* element = program_.asSuper(concrete(branch.object->type), base)->arguments[0];
  const TypeLayout& value = layout(element);
  if (branch.operation == SelectBranch::Operation::kSend) {
    call.add(evaluateFresh(*branch.value), {value.isReference.data(), value.isReference.size()});
    return;
  }
  call.received.back() = element;
  call.signature.results.insert(call.signature.results.end(), value.isReference.begin(), value.isReference.end());
}

void FunctionGenerator::generateBranches(const sema::SelectStatement& statement, const SelectCall& call,
                                         uint16_t results) {
  auto received = static_cast<uint16_t>(results + 1);
  uint16_t number = 0;
  Label end = jumpTargets_.at(&statement).breakLabel;
  for (const SelectBranch& branch : statement.branches) {
    bytecode::RegisterScope scope(builder_.registers());
    Label next = builder_.newLabel();
    bool isDefault = branch.operation == SelectBranch::Operation::kDefault;
    uint16_t expected = isDefault ? static_cast<uint16_t>(call.count) : number;
    builder_.emitJump(Op::jnei_i32, next, results, expected);
    if (!isDefault && call.received[number] != nullptr) {
      Value value{received, layout(call.received[number]).count(), false};
      received = static_cast<uint16_t>(received + value.count);
      if (branch.variable != nullptr) {
        declare(*branch.variable);
        initialize(*branch.variable, value);
      }
    }
    if (!isDefault) ++number;
    generateBlock(*branch.body);
    builder_.emitJump(end);
    builder_.bind(next);
  }
}

} // namespace nlang::codegen
