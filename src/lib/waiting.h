// How natives that wait answer: the outcomes of a wait that are the same for all of them.
#pragma once

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

} // namespace nlang::lib
