// select: waiting for the first of several operations (C3.7).
//
// Every branch is tried once, from one that rotates with each select, so that of several that are always ready none
// starves. If none is ready the context waits in the queues of all; who claims it marks its node, and the others are
// unlinked when the context goes on.
//
// With several carriers the lock bits of all objects are held meanwhile (taken in order of address), so that what was
// found not ready is not ready when the context stands in the queues.
#pragma once

#include <cstdint>
#include <span>

#include "bytecode/select_operation.h"
#include "sync/parking.h"

namespace nlang::sync {

// A call has at most 255 argument slots, and a branch takes two or more.
constexpr unsigned kMaxSelectBranches = 128;

struct SelectBranch {
  bytecode::SelectOperation operation;
  Object* object;       // Channel or Context; null for a timeout
  uint32_t slot;        // send: of the value; receive, get: of where it goes
  int64_t milliseconds; // timeout
};

enum class SelectStatus : uint8_t {
  kReady,   // `branch` has happened (a future: has finished; a timeout: is over)
  kClosed,  // the channel of `branch` is closed
  kDefault, // none is ready, and there is a default
  kParked,
};
struct SelectOutcome {
  SelectStatus status;
  uint32_t branch;
};

SelectOutcome select(Scheduler& scheduler, Carrier& carrier, Context& self, std::span<const SelectBranch> branches,
                     bool hasDefault);
// Of a context that has been woken with Wake::kValue, before it leaves the wait: the branch that happened.
uint32_t selectedBranch(const Context& self);

} // namespace nlang::sync
