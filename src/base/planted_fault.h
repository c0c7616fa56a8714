// Faults that a test build can switch on, so that the tests prove they would notice them.
//
// `if (NLANG_FAULT("lost-wake-up")) ...` is the constant false unless the build has NLANG_PLANTED_FAULTS; then it is
// true when the environment variable NLANG_FAULT names that fault. tests/faults lists the names and the test that must
// fail.
#pragma once

#ifdef NLANG_PLANTED_FAULTS

namespace nlang {

// Whether the process was started with NLANG_FAULT=name; the variable is read once.
bool faultPlanted(const char* name);

} // namespace nlang

#define NLANG_FAULT(name) ::nlang::faultPlanted(name)

#else

#define NLANG_FAULT(name) false

#endif
