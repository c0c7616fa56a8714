#include "sync/select.h"

#include <algorithm>
#include <array>

#include "sync/channel.h"

namespace nlang::sync {

using bytecode::SelectOperation;

namespace {

Channel& channelOf(const SelectBranch& branch) { return *reinterpret_cast<Channel*>(branch.object); }
Context& futureOf(const SelectBranch& branch) { return *reinterpret_cast<Context*>(branch.object); }

// The lock bits of all objects of a select. With one carrier there is nothing to lock.
class BranchLocks {
 public:
  BranchLocks(const heap::Heap& heap, std::span<const SelectBranch> branches) : heap_(heap) {
    if (!heap.severalCarriers()) return;
    for (const SelectBranch& branch : branches) {
      if (branch.object != nullptr) objects_[count_++] = branch.object;
    }
    std::sort(objects_.begin(), objects_.begin() + count_);
    count_ = static_cast<uint32_t>(std::unique(objects_.begin(), objects_.begin() + count_) - objects_.begin());
    for (uint32_t i = 0; i < count_; ++i) LockBit::acquire(heap_, *objects_[i]);
  }
  ~BranchLocks() {
    while (count_ > 0) LockBit::release(heap_, *objects_[--count_]);
  }
  BranchLocks(const BranchLocks&) = delete;

 private:
  const heap::Heap& heap_;
  uint32_t count_ = 0;
  std::array<Object*, kMaxSelectBranches> objects_;
};

// Whether the branch can happen at once; then it has.
ChannelStatus attempt(Scheduler& scheduler, Carrier& carrier, Context& self, const SelectBranch& branch) {
  switch (branch.operation) {
  case SelectOperation::kReceive: return tryReceive(scheduler, carrier, self, channelOf(branch), branch.slot);
  case SelectOperation::kSend: return trySend(scheduler, carrier, self, channelOf(branch), branch.slot);
  case SelectOperation::kGet: return futureOf(branch).finished() ? ChannelStatus::kDone : ChannelStatus::kWouldBlock;
  case SelectOperation::kTimeout: return ChannelStatus::kWouldBlock;
  }
  __builtin_unreachable();
}

WaitQueue& queueOf(const SelectBranch& branch) {
  switch (branch.operation) {
  case SelectOperation::kReceive: return channelOf(branch).receivers;
  case SelectOperation::kSend: return channelOf(branch).senders;
  default: return futureOf(branch).waiters;
  }
}

void park(Scheduler& scheduler, Carrier& carrier, Context& self, std::span<const SelectBranch> branches,
          int64_t limit) {
  scheduler.beginPark(carrier, self);
  for (uint32_t i = 0; i < branches.size(); ++i) {
    const SelectBranch& branch = branches[i];
    if (branch.operation == SelectOperation::kTimeout) continue;
    scheduler.wait(carrier, self, queueOf(branch), branch.object, branch.slot)->branch = static_cast<uint16_t>(i);
  }
  carrier.park = {ParkReason::kSelect, nullptr, deadlineFor(scheduler, limit)};
}

} // namespace

SelectOutcome select(Scheduler& scheduler, Carrier& carrier, Context& self, std::span<const SelectBranch> branches,
                     bool hasDefault) {
  BranchLocks locks(scheduler.heap(), branches);
  auto count = static_cast<uint32_t>(branches.size());
  uint32_t first = count > 0 ? carrier.selectTurn++ % count : 0;
  int64_t limit = kForever;
  uint32_t timeout = 0;
  for (uint32_t tried = 0; tried < count; ++tried) {
    uint32_t i = (first + tried) % count;
    if (branches[i].operation == SelectOperation::kTimeout) {
      limit = branches[i].milliseconds;
      timeout = i;
      continue;
    }
    switch (attempt(scheduler, carrier, self, branches[i])) {
    case ChannelStatus::kDone: return {SelectStatus::kReady, i};
    case ChannelStatus::kClosed: return {SelectStatus::kClosed, i};
    default: break;
    }
  }
  if (hasDefault) return {SelectStatus::kDefault, count};
  if (limit <= 0) return {SelectStatus::kReady, timeout};
  park(scheduler, carrier, self, branches, limit);
  return {SelectStatus::kParked, 0};
}

uint32_t selectedBranch(const Context& self) {
  for (const WaitNode* node = self.waits; node != nullptr; node = node->sibling) {
    if (node->mode == sched::kClaimedNode) return node->branch;
  }
  __builtin_unreachable();
}

} // namespace nlang::sync
