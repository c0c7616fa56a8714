// The smallest program a Vm can load: all well-known classes, functions made by hand, no standard library.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "bytecode/builder.h"
#include "bytecode/liveness.h"
#include "bytecode/program.h"
#include "vm/vm.h"

namespace nlang::vm::test {

using bytecode::ClassKind;
using bytecode::FunctionBuilder;
using bytecode::Op;
using bytecode::Program;
using bytecode::WellKnown;

inline uint32_t wellKnown(const Program& program, WellKnown which) {
  return program.wellKnown[static_cast<unsigned>(which)];
}

inline void addWellKnownClasses(Program& program) {
  for (unsigned i = 0; i < static_cast<unsigned>(WellKnown::kCount); ++i) {
    static const char* const names[] = {
#define NLANG_WELL_KNOWN(name, text) text,
#include "bytecode/well_known.def"
#undef NLANG_WELL_KNOWN
    };
    bytecode::Class cls;
    cls.name = names[i];
    auto which = static_cast<WellKnown>(i);
    if (which == WellKnown::kString)
      cls.kind = ClassKind::kString;
    else if (which == WellKnown::kTextBuffer)
      cls.kind = ClassKind::kTextBuffer;
    else if (which == WellKnown::kEntryClosure)
      cls.kind = ClassKind::kClosure, cls.instanceSize = 16;
    else if (which == WellKnown::kThread)
      cls.kind = ClassKind::kThread;
    else if (cls.name.starts_with("List<"))
      cls.kind = ClassKind::kList;
    else if (cls.name.ends_with("[]"))
      cls.kind = ClassKind::kArray;
    else if (cls.name.ends_with("Exception"))
      cls.kind = ClassKind::kException, cls.instanceSize = 48, cls.referenceOffsets = {8, 16, 24, 32, 40};
    else
      cls.instanceSize = 8;
    if (cls.name == "long[]")
      cls.element = {8, {{0, bytecode::StorageKind::k64, false}}};
    else if (cls.name == "ubyte[]")
      cls.element = {1, {{0, bytecode::StorageKind::kU8, false}}};
    else if (cls.kind == ClassKind::kArray || cls.kind == ClassKind::kList)
      cls.element = {8, {{0, bytecode::StorageKind::kReference, false}}};
    if (which != WellKnown::kObject) cls.superIndex = 0;
    program.wellKnown.push_back(static_cast<uint32_t>(program.classes.size()));
    program.classes.push_back(std::move(cls));
  }
  uint32_t exception = wellKnown(program, WellKnown::kException);
  for (auto& cls : program.classes) {
    if (cls.kind == ClassKind::kException && cls.name != "Exception") cls.superIndex = exception;
  }
  program.classes[wellKnown(program, WellKnown::kListOfString)].arrayClass =
      wellKnown(program, WellKnown::kArrayOfString);
  program.classes[wellKnown(program, WellKnown::kListOfException)].arrayClass =
      wellKnown(program, WellKnown::kArrayOfException);
}

// A function whose body `emit` assembles. Parameters are scalars.
inline uint32_t addFunction(Program& program, const std::string& name, unsigned parameters, unsigned results,
                            const std::function<void(FunctionBuilder&)>& emit) {
  FunctionBuilder builder;
  for (unsigned i = 0; i < parameters; ++i) builder.newRegister(false);
  emit(builder);
  bytecode::Function function;
  function.name = name;
  function.parameterCount = static_cast<uint16_t>(parameters);
  function.resultCount = static_cast<uint16_t>(results);
  EXPECT_TRUE(builder.finish(function));
  program.functions.push_back(std::move(function));
  return static_cast<uint32_t>(program.functions.size() - 1);
}

// Loads the program and runs its entry; the exit status is what the entry function returned.
inline int runProgram(Program& program, VmOptions options = {}) {
  program.files = {"test.n"};
  bytecode::computeLiveness(program);
  Vm vm(std::move(options));
  std::string error;
  EXPECT_TRUE(vm.load(program, error)) << error;
  return vm.run();
}

} // namespace nlang::vm::test
