#include "cli/dump_signal.h"

#include <csignal>
#include <system_error>

#include <sys/signalfd.h>

#include "vm/vm.h"

namespace nlang::cli {

void dumpAtQuitSignal(vm::Vm& vm) {
  sigset_t quit;
  sigemptyset(&quit);
  sigaddset(&quit, SIGQUIT);
  int descriptor = signalfd(-1, &quit, SFD_CLOEXEC | SFD_NONBLOCK); // open until the process ends
  if (descriptor < 0) return;
  try {
    vm.dumpAtSignals(descriptor);
    pthread_sigmask(SIG_BLOCK, &quit, nullptr);
  } catch (const std::system_error&) {
  }
}

} // namespace nlang::cli
