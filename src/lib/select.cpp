// The native behind the select statement. Its frame is described in codegen/select.cpp.
#include "sync/select.h"
#include "lib/natives.h"
#include "lib/waiting.h"
#include "sync/future.h"

namespace nlang::lib {

namespace {

using bytecode::SelectOperation;
using sched::Context;

// The branches as the arguments describe them.
class Branches {
 public:
  explicit Branches(Call& call) : count_(call.argument(0).u32()), hasDefault_(call.argument(1).boolean()) {
    unsigned at = 2, result = 1;
    for (unsigned i = 0; i < count_; ++i) {
      sync::SelectBranch& branch = branches_[i];
      branch = {static_cast<SelectOperation>(call.argument(at++).u32()), nullptr, 0, 0};
      if (branch.operation == SelectOperation::kTimeout) {
        branch.milliseconds = call.argument(at++).i64();
        continue;
      }
      branch.object = call.argument(at++).object();
      unsigned leaves = call.heap().classes().of(branch.object).element.leafCount;
      if (branch.operation == SelectOperation::kSend) {
        branch.slot = call.argumentSlot(at);
        at += leaves;
      } else {
        branch.slot = call.resultSlot(result);
        result += leaves;
      }
    }
  }

  std::span<const sync::SelectBranch> all() const { return {branches_, count_}; }
  const sync::SelectBranch& operator[](uint32_t i) const { return branches_[i]; }
  bool hasDefault() const { return hasDefault_; }
  uint32_t timeoutIndex() const {
    uint32_t i = 0;
    while (branches_[i].operation != SelectOperation::kTimeout) ++i;
    return i;
  }

 private:
  sync::SelectBranch branches_[sync::kMaxSelectBranches];
  uint32_t count_;
  bool hasDefault_;
};

// The branch has happened; a future gives its value, or throws what it failed with.
Outcome chosen(Call& call, const Branches& branches, uint32_t number) {
  const sync::SelectBranch& branch = branches[number];
  if (branch.operation == SelectOperation::kGet) {
    auto& future = *reinterpret_cast<Context*>(branch.object);
    if (!sync::succeeded(future)) {
      future.setFlag(sched::kObserved);
      return call.throwObject(future.result.object());
    }
    const heap::Layout& element = call.heap().classes().of(&future.header).element;
    sync::loadResult(future, element, call.context().stack + branch.slot);
  }
  return call.returnI32(static_cast<int32_t>(number));
}

Outcome resume(Call& call, const Branches& branches) {
  Context& self = call.context();
  if (self.wake == sched::Wake::kTimeout) {
    call.scheduler().leaveWait(call.carrier(), self);
    return call.returnI32(static_cast<int32_t>(branches.timeoutIndex()));
  }
  uint32_t number = self.wake == sched::Wake::kValue ? sync::selectedBranch(self) : 0;
  Outcome outcome;
  return call.finishWait(outcome) ? chosen(call, branches, number) : outcome;
}

Outcome select(Call& call) {
  Branches branches(call);
  if (call.resumed()) return resume(call, branches);
  sync::SelectOutcome outcome =
      sync::select(call.scheduler(), call.carrier(), call.context(), branches.all(), branches.hasDefault());
  switch (outcome.status) {
  case sync::SelectStatus::kReady: return chosen(call, branches, outcome.branch);
  case sync::SelectStatus::kClosed: return call.failWait(sched::Wake::kClosed);
  case sync::SelectStatus::kDefault: return call.returnI32(static_cast<int32_t>(outcome.branch));
  case sync::SelectStatus::kParked: return Outcome::kParked;
  }
  __builtin_unreachable();
}

constexpr vm::NativeDefinition kNatives[] = {{"select", select}};

} // namespace

NativeTable selectNatives() { return kNatives; }

} // namespace nlang::lib
