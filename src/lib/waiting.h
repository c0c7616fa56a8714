// How natives that wait answer: the outcomes of a wait that are the same for all of them.
#pragma once

#include <optional>

#include "sched/descriptor_wait.h"
#include "sync/parking.h"
#include "vm/native.h"

namespace nlang::lib {

using bytecode::WellKnown;
using heap::Object;
using heap::Slot;
using vm::Call;
using vm::Outcome;

// The limit in the native's last argument (a long, milliseconds).
inline int64_t lastArgumentAsLimit(Call& call) {
  // The largest long is a limit like any other, and beyond the clock's range: the operation waits for ever, but for a
  // timer that never fires.
  return call.argument(call.function().parameterCount - 1u).i64();
}

inline Outcome timedOut(Call& call) { return call.failWait(sched::Wake::kTimeout); }

// A native that has nothing more to do once its wait has succeeded.
inline Outcome afterWait(Call& call) {
  Outcome outcome;
  return call.finishWait(outcome) ? call.returned() : outcome;
}

// What `attempt` answers, an std::optional<Outcome>, once it need not wait for the descriptor any more (then it has a
// value). Parks the context meanwhile; the whole native answers with it, and is called again.
template <class Attempt>
Outcome whenReady(Call& call, sched::DescriptorWait& wait, sched::ParkReason reason, Attempt attempt) {
  bool hasWaited = call.resumed();
  Outcome failed;
  if (hasWaited && !call.finishWait(failed)) {
    call.scheduler().leaveDescriptor(call.carrier(), wait);
    return failed;
  }
  for (;;) {
    uint32_t seen = wait.turn.load(std::memory_order_acquire);
    if (hasWaited || wait.users.load(std::memory_order_relaxed) == 0) { // else those come first
      if (std::optional<Outcome> outcome = attempt()) {
        if (hasWaited) call.scheduler().leaveDescriptor(call.carrier(), wait);
        return *outcome;
      }
    }
    if (call.scheduler().parkOnDescriptor(call.carrier(), call.context(), wait, reason, seen, hasWaited))
      return Outcome::kParked;
  }
}

} // namespace nlang::lib
