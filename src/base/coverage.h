// Which entries of our tables a test run has exercised: opcodes, park reasons, exception-table shapes, diagnostic
// codes.
//
// NLANG_COVER("opcode", name) remembers the pair once; a build without NLANG_COVERAGE compiles it to nothing. Both
// arguments must be strings that live as long as the process and keep their address (literals, table entries). Any
// thread may record. What was recorded is appended to the file that the environment variable NLANG_COVERAGE_FILE names,
// one `FAMILY NAME` a line, by flush(): at normal exit by itself, before `_exit` by an explicit call. A process-wide
// table is right here, and only here, because it describes the build's test run and no Vm. tests/coverage/report reads
// the file.
#pragma once

#ifdef NLANG_COVERAGE

namespace nlang::coverage {

// Remembers (family, name); a few nanoseconds when it is known already.
void record(const char* family, const char* name);

// Appends what is new since the last call, as one write.
void flush();

} // namespace nlang::coverage

#define NLANG_COVER(family, name) ::nlang::coverage::record(family, name)
#define NLANG_COVER_FLUSH() ::nlang::coverage::flush()

#else

#define NLANG_COVER(family, name) static_cast<void>(0)
#define NLANG_COVER_FLUSH() static_cast<void>(0)

#endif
