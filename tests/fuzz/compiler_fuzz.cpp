// Any bytes as the main file of a program through the whole compiler: lexer, parser, checker with the standard library,
// code generator, verifier and liveness, but nothing is run.
//
// No crash; whatever is not compiled has an error, whatever is reported is reported once; code that the generator made
// passes the verifier.
#include "embed/compiler.h"
#include "fuzz/mutator_hooks.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

using namespace nlang;

namespace {

constexpr std::size_t kMaxSize = std::size_t{64} * 1024;

void require(bool condition, const char* what, const embed::CompileResult& result) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s; the diagnostics are\n%s", what, result.diagnostics.c_str());
  std::abort();
}

// The lines that open a diagnostic: `fuzz.n:1:2: error[E0101]: …`.
void checkDiagnostics(const embed::CompileResult& result) {
  std::unordered_set<std::string_view> seen;
  bool hasError = false;
  std::string_view rest = result.diagnostics;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() == rest.size() ? line.size() : line.size() + 1);
    const bool isError = line.find(": error") != std::string_view::npos;
    hasError |= isError;
    if (line.find(": note: ") != std::string_view::npos) continue;
    require(!line.starts_with("std/"), "a diagnostic about the standard library", result);
    require(!line.starts_with("fuzz.n: internal error"), "the generated code is not valid", result);
    if (!line.starts_with("fuzz.n:")) continue;
    require(seen.insert(line).second, "a diagnostic appears twice", result);
  }
  require(result.ok || hasError, "not compiled, and no error says why", result);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMaxSize) return -1;
  embed::CompileOptions options;
  options.requireMain = false;
  const embed::CompileResult result = embed::compileText("fuzz.n", std::string(fuzz::asText(data, size)), options);
  checkDiagnostics(result);
  require(!result.program || result.ok, "a program in spite of errors", result);
  return 0;
}
