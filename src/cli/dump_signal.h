// Dumps of all threads at SIGQUIT (C5.1).
#pragma once

namespace nlang::vm {
class Vm;
}

namespace nlang::cli {

// Blocks SIGQUIT in the calling thread, which runs the Vm and whose threads inherit that, and lets the Vm receive it.
// Where the system refuses, SIGQUIT ends the process as it always did.
void dumpAtQuitSignal(vm::Vm& vm);

} // namespace nlang::cli
