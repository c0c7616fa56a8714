#include "cli/options.h"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "embed/project.h"

namespace nlang::cli {

namespace {

constexpr const char* kVersion = "nlang 0.1.0";
constexpr int kUsageError = 2;

bool refuse(const CLI::App& command, const std::string& what) {
  std::fprintf(stderr, "nlang %s: %s (nlang %s --help)\n", command.get_name().c_str(), what.c_str(),
               command.get_name().c_str());
  return false;
}

// `FILE` and, for run, whatever follows it: options behind the file belong to the program. A folder stands for the
// project in which it lies, no file for the project around the current folder.
bool takeFile(const CLI::App& command, Options& options) {
  std::vector<std::string> rest = command.remaining();
  if (!rest.empty() && rest[0].size() > 1 && rest[0][0] == '-') return refuse(command, "unknown option " + rest[0]);
  std::error_code error;
  std::optional<std::string> project;
  if (rest.empty() || std::filesystem::is_directory(rest[0], error)) {
    project = embed::findProjectFile(rest.empty() ? "" : rest[0]);
  }
  if (rest.empty() && !project) return refuse(command, "which file? There is no nlang.toml in this folder or above it");
  options.isProject = project.has_value();
  options.file = project ? *project : rest[0];
  if (!rest.empty()) options.arguments.assign(rest.begin() + 1, rest.end());
  return true;
}

} // namespace

bool parse(int argc, char** argv, Options& options, int& status) {
  CLI::App app{"NLang: programs that wait"};
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  auto addDirectories = [&](CLI::App* command) {
    command->add_option("-I", options.searchDirectories, "also look for modules in this directory")
        ->type_name("DIR")
        ->allow_extra_args(false); // one folder an option; it may be repeated
    return command;
  };
  auto addCommon = [&](CLI::App* command) {
    command->prefix_command();
    return addDirectories(command);
  };
  auto addScheduling = [&](CLI::App* command) {
    command->add_option("--quota", options.quota, "calls and loop iterations before another thread gets its turn")
        ->check(CLI::Range(1, 1000000000));
    command
        ->add_option("--schedule-seed", options.scheduleSeed,
                     "a random order of threads, the same for the same number, with random preemption; on one carrier")
        ->type_name("N");
  };
  CLI::App* run = addCommon(app.add_subcommand("run", "compile and run a program: nlang run [OPTIONS] [FILE [ARGS]]"));
  run->add_option("--carriers", options.carriers, "threads of the operating system that run the program")
      ->envname("NLANG_CARRIERS")
      ->check(CLI::Range(1, 256));
  addScheduling(run);
  run->add_flag("--virtual-time", options.virtualTime,
                "time stands still while anything can run and jumps when nothing can");
  run->add_flag("--gc-stress", options.gcStress, "collect at every allocation (slow; finds faults)");
  run->add_flag("--carrier-stress", options.carrierStress, "start and wake carriers at every chance (finds faults)");
  run->add_flag("--stats", options.statistics, "print statistics at exit");
  run->add_flag("--leaks", options.leaks, "list the threads that nothing can ever wake at exit");
  run->add_option("--pin-report", options.pinReportMillis,
                  "report native calls that keep a carrier for more milliseconds")
      ->type_name("MS")
      ->check(CLI::Range(0, 1000000000));
  run->add_option("--heap-limit", options.heapLimit, "bytes of memory for objects and stacks, such as 64MB")
      ->transform(CLI::AsSizeValue(false));
  run->add_option("--stack-limit", options.stackLimit, "bytes that the stack of one thread may grow to, such as 16MB")
      ->transform(CLI::AsSizeValue(false));
  CLI::App* test =
      addDirectories(app.add_subcommand("test", "run the tests in files *_test.n: nlang test [OPTIONS] [PATHS]"));
  test->add_option("PATHS", options.testPaths, "files, or folders that hold some; without any the project's");
  test->add_option("--filter", options.filter, "only tests whose FILE:FUNCTION contains TEXT")->type_name("TEXT");
  test->add_option("--explore", options.explore, "run each test with K schedule seeds, until one fails")
      ->type_name("K")
      ->check(CLI::Range(1, 100000000));
  addScheduling(test);
  test->add_flag("--real-time", options.realTime, "the real clock: waiting takes time");
  test->add_option("--timeout", options.timeout, "seconds that a test may run, 0 for any number; 60 if not said")
      ->type_name("S");
  test->add_flag("-v,--verbose", options.verbose, "also tell of tests that pass, with what they print");
  CLI::App* check = addCommon(app.add_subcommand("check", "report errors and warnings: nlang check [OPTIONS] [FILE]"));
  CLI::App* disassemble =
      addCommon(app.add_subcommand("disasm", "print the compiled program: nlang disasm [OPTIONS] [FILE]"));
  disassemble->add_flag("--maps", options.maps, "with the live references at each safepoint");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    status = app.exit(e) == 0 ? 0 : kUsageError;
    return false;
  }
  if (test->parsed()) {
    options.command = Command::kTest;
    return true;
  }
  options.command = run->parsed() ? Command::kRun : check->parsed() ? Command::kCheck : Command::kDisassemble;
  status = kUsageError;
  return takeFile(run->parsed() ? *run : check->parsed() ? *check : *disassemble, options);
}

} // namespace nlang::cli
