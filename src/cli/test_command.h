// The command `nlang test` (docs/testing.md).
#pragma once

namespace nlang::cli {

struct Options;

// Runs tests and reports on standard output. 0: none failed; 1: some failed; 2: something was not there or did not
// compile.
int runTests(const Options& options);

} // namespace nlang::cli
