// Package log: the time of day.
#include "lib/natives.h"
#include "vm/vm.h"

namespace nlang::lib {

namespace {

using vm::Call;
using vm::Outcome;

// long wallMillis()
Outcome wallMillis(Call& call) { return call.returnI64(call.vm().wallMillis()); }

constexpr vm::NativeDefinition kNatives[] = {{"log.wallMillis", wallMillis}};

} // namespace

NativeTable logNatives() { return kNatives; }

} // namespace nlang::lib
