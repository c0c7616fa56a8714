// What --stats prints at exit.
#pragma once

namespace nlang::vm {
class Vm;
}

namespace nlang::cli {

// One table, on standard error; after Vm::run.
void printStatistics(vm::Vm& vm);

} // namespace nlang::cli
