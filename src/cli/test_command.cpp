// Each test runs in a Vm of its own, so that no test sees what another has left in module variables, threads or the
// heap. With --explore it runs there once for each seed, until it fails.
#include "cli/test_command.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include "cli/options.h"
#include "cli/watchdog.h"
#include "embed/compiler.h"
#include "embed/test_files.h"
#include "lib/natives.h"
#include "vm/vm.h"

namespace nlang::cli {

namespace {

constexpr int kFailed = 1, kBroken = 2;

// What a test writes, as far as anybody will read it.
class Transcript {
 public:
  void add(std::string_view text) {
    size_t kept = std::min(text.size(), kMost - text_.size());
    text_ += text.substr(0, kept);
    leftOut_ += text.size() - kept;
  }
  bool empty() const { return text_.empty(); }
  // Every line behind `indent`.
  std::string lines(std::string_view indent) const {
    std::string result;
    for (size_t at = 0; at < text_.size();) {
      size_t end = std::min(text_.find('\n', at), text_.size());
      (result += indent).append(text_, at, end - at) += '\n';
      at = end + 1;
    }
    if (leftOut_ > 0) (result += indent) += "… " + std::to_string(leftOut_) + " bytes more\n";
    return result;
  }

 private:
  static constexpr size_t kMost = 1 << 20; // bytes
  std::string text_;
  size_t leftOut_ = 0; // bytes behind text_
};

struct TestOutcome {
  bool passed = false;
  Transcript output; // what it printed
  Transcript errors; // what it, and the run-time system about it, wrote to standard error
};

// As the shell reads it.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (char c : word) {
    if (c == '\'')
      text += "'\\''";
    else
      text += c;
  }
  return text += '\'';
}

class TestRun {
 public:
  explicit TestRun(const Options& options) : options_(options) {}

  int run() {
    embed::TestFiles found = embed::findTestFiles(options_.testPaths);
    std::fputs(found.diagnostics.c_str(), stderr);
    if (!found.ok) return kBroken;
    for (const std::string& file : found.files) runFile(file);
    return summary();
  }

 private:
  void runFile(const std::string& file) {
    embed::CompileOptions compile;
    compile.searchDirectories = options_.searchDirectories;
    compile.tests = true;
    compile.color = isatty(STDERR_FILENO) != 0;
    embed::CompileResult compiled = embed::compileFile(file, compile);
    std::fputs(compiled.diagnostics.c_str(), stderr);
    if (!compiled.ok) ++brokenFiles_;
    if (!compiled.program) return;
    for (const bytecode::Test& test : compiled.program->tests) {
      std::string name = file + ':' + test.name;
      if (name.find(options_.filter) == std::string::npos) continue;
      runTest(*compiled.program, test, file);
      std::fflush(stdout);
    }
  }

  void runTest(const bytecode::Program& program, const bytecode::Test& test, const std::string& file) {
    std::optional<uint64_t> seed = options_.scheduleSeed;
    if (options_.explore > 0 && !seed) seed = 1;
    TestOutcome outcome = runOnce(program, test, seed);
    for (uint32_t more = 1; more < options_.explore && outcome.passed; ++more)
      outcome = runOnce(program, test, ++*seed);
    ++(outcome.passed ? passed_ : failed_);
    if (outcome.passed && !options_.verbose) return;
    std::string text = (outcome.passed ? "ok   " : "FAIL ") + file + ':' + test.name + '\n';
    text += outcome.errors.lines("  ");
    if (!outcome.output.empty()) text += "  output:\n" + outcome.output.lines("    ");
    if (!outcome.passed && seed) text += "  replay: " + replayCommand(file, test, *seed) + '\n';
    std::fputs(text.c_str(), stdout);
  }

  TestOutcome runOnce(const bytecode::Program& program, const bytecode::Test& test, std::optional<uint64_t> seed) {
    TestOutcome outcome;
    vm::VmOptions options;
#ifndef NDEBUG
    options.heap.poison = true;
#endif
    options.scheduler.quota = options_.quota;
    options.scheduler.virtualTime = !options_.realTime;
    options.scheduler.scheduleSeed = seed;
    options.output = [&](std::string_view text) { outcome.output.add(text); };
    options.errors = [&](std::string_view text) { outcome.errors.add(text); };
    vm::Vm vm(std::move(options));
    vm.addNatives(lib::allNatives());
    std::string error;
    if (!vm.load(program, error)) {
      outcome.errors.add(error + '\n');
      return outcome;
    }
    Watchdog watchdog(vm, options_.timeout);
    outcome.passed = vm.run(test.entry) == 0;
    if (vm.stopped()) {
      outcome.passed = false;
      outcome.errors.add("still running after " + std::to_string(options_.timeout) + " s\n" + vm.dumpThreads());
    }
    return outcome;
  }

  std::string replayCommand(const std::string& file, const bytecode::Test& test, uint64_t seed) const {
    std::string text = "nlang test";
    for (const std::string& directory : options_.searchDirectories) text += " -I " + quoted(directory);
    if (options_.quota != Options{}.quota) text += " --quota " + std::to_string(options_.quota);
    if (options_.realTime) text += " --real-time";
    return text + " --schedule-seed " + std::to_string(seed) + " --filter " + test.name + ' ' + quoted(file);
  }

  int summary() const {
    if (passed_ + failed_ == 0 && brokenFiles_ == 0) {
      const char* filtered = options_.filter.empty() ? "" : ", or none that fits the filter";
      std::printf("no tests: there is no function `void test…()` in a file *_test.n%s\n", filtered);
      return 0;
    }
    std::printf("%u passed, %u failed", passed_, failed_);
    if (brokenFiles_ > 0)
      std::printf(", %u %s not compile", brokenFiles_, brokenFiles_ == 1 ? "file does" : "files do");
    std::printf("\n");
    return failed_ > 0 ? kFailed : brokenFiles_ > 0 ? kBroken : 0;
  }

  const Options& options_;
  uint32_t passed_ = 0, failed_ = 0;
  uint32_t brokenFiles_ = 0; // that do not compile
};

} // namespace

int runTests(const Options& options) { return TestRun(options).run(); }

} // namespace nlang::cli
