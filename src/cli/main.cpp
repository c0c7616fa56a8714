// The `nlang` command: run, test, check, disasm.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "base/coverage.h"
#include "bytecode/printer.h"
#include "cli/dump_signal.h"
#include "cli/options.h"
#include "cli/statistics.h"
#include "cli/test_command.h"
#include "embed/compiler.h"
#include "lib/natives.h"
#include "vm/vm.h"

namespace {

using nlang::cli::Command;
using nlang::cli::Options;

constexpr int kCompileError = 2;
constexpr int kCannotWrite = 1;

// A standard stream that came closed stays unusable, and says so when it is used. Its number is taken, lest the next
// file or poller that is opened gets it and finds itself read from or printed to.
void occupyClosedStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    [[maybe_unused]] int taken = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

uint32_t defaultCarriers() { return std::clamp(std::thread::hardware_concurrency(), 1u, 4u); }

int runProgram(const Options& options, const nlang::bytecode::Program& program) {
  nlang::vm::VmOptions vmOptions;
  vmOptions.heap.limit = options.heapLimit;
  vmOptions.heap.stress = options.gcStress;
#ifndef NDEBUG
  vmOptions.heap.poison = true;
#endif
  vmOptions.scheduler.quota = options.quota;
  vmOptions.scheduler.carriers = options.carriers != 0 ? options.carriers : defaultCarriers();
  if (options.scheduleSeed) vmOptions.scheduler.carriers = 1;
  vmOptions.scheduler.scheduleSeed = options.scheduleSeed;
  vmOptions.scheduler.hashEvents = options.statistics && vmOptions.scheduler.carriers == 1;
  vmOptions.scheduler.carrierStress = options.carrierStress;
  vmOptions.scheduler.virtualTime = options.virtualTime;
  vmOptions.scheduler.stackLimitBytes = options.stackLimit;
  vmOptions.arguments = options.arguments;
  vmOptions.pinReportMillis = options.pinReportMillis;
  // Never destroyed: the process ends with _exit, and a large heap need not be taken apart for that.
  auto* vm = new nlang::vm::Vm(std::move(vmOptions));
  vm->addNatives(nlang::lib::allNatives());
  std::string error;
  if (!vm->load(program, error)) {
    std::fprintf(stderr, "%s: %s\n", options.file.c_str(), error.c_str());
    return kCompileError;
  }
  nlang::cli::dumpAtQuitSignal(*vm);
  int status = vm->run();
  if (options.leaks) vm->reportLeaks();
  if (options.statistics) nlang::cli::printStatistics(*vm);
  return status;
}

int execute(const Options& options) {
  if (options.command == Command::kTest) return nlang::cli::runTests(options);
  nlang::embed::CompileOptions compile;
  compile.searchDirectories = options.searchDirectories;
  compile.requireMain = options.command != Command::kCheck;
  compile.checkOnly = options.command == Command::kCheck;
  compile.color = isatty(STDERR_FILENO) != 0;
  nlang::embed::CompileResult result = options.isProject ? nlang::embed::compileProject(options.file, compile)
                                                         : nlang::embed::compileFile(options.file, compile);
  std::fputs(result.diagnostics.c_str(), stderr);
  if (!result.ok) return kCompileError;
  switch (options.command) {
  case Command::kCheck: return 0;
  case Command::kDisassemble: {
    std::string text = nlang::bytecode::printProgram(*result.program, {.showMaps = options.maps});
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  case Command::kRun: return runProgram(options, *result.program);
  case Command::kTest: break;
  }
  return kCompileError;
}

} // namespace

int main(int argc, char** argv) {
  occupyClosedStreams();
  // A reader that went away shows as a failed write, not as the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  Options options;
  int status = 0;
  if (nlang::cli::parse(argc, argv, options, status)) status = execute(options);
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && errno != EPIPE) {
    std::fprintf(stderr, "nlang: cannot write to standard output: %s\n", std::strerror(errno));
    if (status == 0) status = kCannotWrite;
  }
  std::fflush(stderr);
  NLANG_COVER_FLUSH();
  _exit(status & 0xff);
}
