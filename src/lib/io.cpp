// Package io.
#include <algorithm>
#include <cerrno>
#include <cstdint>
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

Outcome write(Call& call, vm::Output& output, std::string_view end, const char* failure) {
  return whenReady(call, output.wait(), sched::ParkReason::kOutput, [&]() -> std::optional<Outcome> {
    int error = output.write(call.text(0), end, call.vm().patience());
    if (error == vm::Output::kFull) return std::nullopt;
    return error == 0 ? call.returned() : failed(call, failure, error);
  });
}

constexpr const char* kCannotWrite = "cannot write to standard output";
// void writeText(string text)
Outcome writeText(Call& call) { return write(call, call.vm().output(), {}, kCannotWrite); }
// void writeLine(string text)
Outcome writeLine(Call& call) { return write(call, call.vm().output(), "\n", kCannotWrite); }
// void writeErrorLine(string text)
Outcome writeErrorLine(Call& call) { return write(call, call.vm().errors(), "\n", "cannot write to standard error"); }

// What `give` answers for the next line of standard input, and `end` at its end.
template <class Give, class End> Outcome read(Call& call, Give give, End end) {
  // What was written so far is seen first, if somebody looks at it.
  if (!call.resumed()) call.vm().output().flush(vm::Output::Patience::kNone);
  vm::Input& input = call.vm().input();
  uint64_t longestLine = std::min<uint64_t>(call.heap().options().limit, INT32_MAX);
  return whenReady(call, input.wait(), sched::ParkReason::kInput, [&]() -> std::optional<Outcome> {
    std::string line;
    switch (input.readLine(line, longestLine)) {
    case vm::Input::Read::kLine: return give(line);
    case vm::Input::Read::kEnd: return end();
    case vm::Input::Read::kNothing: return std::nullopt;
    case vm::Input::Read::kTooLong: return call.outOfMemory();
    case vm::Input::Read::kError: return failed(call, "cannot read from standard input", errno);
    }
    __builtin_unreachable();
  });
}

// string readLine()
Outcome readLine(Call& call) {
  return read(
      call, [&](const std::string& line) { return call.returnText(line); },
      [&] { return call.fail(WellKnown::kIOException, "standard input has ended"); });
}

// bool tryReadLine(out string line)
Outcome tryReadLine(Call& call) {
  auto give = [&](const std::string& line) {
    object::String* text = object::newString(call.heap(), call.allocator(), line);
    if (text == nullptr && !line.empty()) return call.outOfMemory();
    call.result(1).setObject(text);
    return call.returnBool(true);
  };
  return read(call, give, [&] { return call.returnBool(false); });
}

constexpr vm::NativeDefinition kNatives[] = {
    {"io.writeText", writeText}, {"io.writeLine", writeLine},     {"io.writeErrorLine", writeErrorLine},
    {"io.readLine", readLine},   {"io.tryReadLine", tryReadLine},
};

} // namespace

NativeTable ioNatives() { return kNatives; }

} // namespace nlang::lib
