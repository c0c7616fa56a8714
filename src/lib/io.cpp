// Package io.
#include <cerrno>
#include <cstring>

#include "lib/natives.h"
#include "lib/waiting.h"
#include "object/string.h"
#include "vm/vm.h"

namespace nlang::lib {

namespace {

Outcome failed(Call& call, const char* what, int error) {
  return call.fail(WellKnown::kIOException, std::string(what) + ": " + std::strerror(error));
}

Outcome afterOutput(Call& call, int error) {
  return error == 0 ? call.returned() : failed(call, "cannot write to standard output", error);
}

// void writeText(string text)
Outcome writeText(Call& call) { return afterOutput(call, call.vm().output().write(call.text(0))); }
// void writeLine(string text)
Outcome writeLine(Call& call) { return afterOutput(call, call.vm().output().write(call.text(0), "\n")); }

// void writeErrorLine(string text)
Outcome writeErrorLine(Call& call) {
  int error = call.vm().writeError(call.text(0), "\n");
  return error == 0 ? call.returned() : failed(call, "cannot write to standard error", error);
}

// The next line of standard input; what was written so far is seen first.
vm::Input::Read readInput(Call& call, std::string& line) {
  call.vm().output().flush();
  return call.vm().input().readLine(line);
}

Outcome inputFailed(Call& call) { return failed(call, "cannot read from standard input", errno); }

// string readLine()
Outcome readLine(Call& call) {
  std::string line;
  switch (readInput(call, line)) {
  case vm::Input::Read::kLine: return call.returnText(line);
  case vm::Input::Read::kEnd: return call.fail(WellKnown::kIOException, "standard input has ended");
  case vm::Input::Read::kError: return inputFailed(call);
  }
  __builtin_unreachable();
}

// bool tryReadLine(out string line)
Outcome tryReadLine(Call& call) {
  std::string line;
  switch (readInput(call, line)) {
  case vm::Input::Read::kLine: {
    object::String* text = object::newString(call.heap(), call.allocator(), line);
    if (text == nullptr && !line.empty()) return call.outOfMemory();
    call.result(1).setObject(text);
    return call.returnBool(true);
  }
  case vm::Input::Read::kEnd: return call.returnBool(false);
  case vm::Input::Read::kError: return inputFailed(call);
  }
  __builtin_unreachable();
}

constexpr vm::NativeDefinition kNatives[] = {
    {"io.writeText", writeText}, {"io.writeLine", writeLine},     {"io.writeErrorLine", writeErrorLine},
    {"io.readLine", readLine},   {"io.tryReadLine", tryReadLine},
};

} // namespace

NativeTable ioNatives() { return kNatives; }

} // namespace nlang::lib
