// Package random: seeds.
#include "lib/natives.h"
#include "vm/vm.h"

namespace nlang::lib {

namespace {

using vm::Call;
using vm::Outcome;

// long systemSeed()
Outcome systemSeed(Call& call) { return call.returnI64(static_cast<int64_t>(call.vm().makeSeed())); }

constexpr vm::NativeDefinition kNatives[] = {{"random.systemSeed", systemSeed}};

} // namespace

NativeTable randomNatives() { return kNatives; }

} // namespace nlang::lib
