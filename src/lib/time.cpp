// Package time: the scheduler's clock.
#include "lib/natives.h"

namespace nlang::lib {

namespace {

using vm::Call;
using vm::Outcome;

// long millis()
Outcome millis(Call& call) { return call.returnI64(call.scheduler().clock().now() / sched::kNanosPerMilli); }
// long nanos()
Outcome nanos(Call& call) { return call.returnI64(call.scheduler().clock().now()); }

constexpr vm::NativeDefinition kNatives[] = {
    {"time.millis", millis},
    {"time.nanos", nanos},
};

} // namespace

NativeTable timeNatives() { return kNatives; }

} // namespace nlang::lib
