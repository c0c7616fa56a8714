// Calls natives as the interpreter does, one at a time, in a frame made by hand.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "lib/natives.h"
#include "object/list.h"
#include "object/string.h"
#include "unit/vm/minimal_program.h"
#include "vm/vm.h"

namespace nlang::lib::test {

using bytecode::WellKnown;
using heap::Object;
using heap::Slot;
using vm::Outcome;

struct Value {
  Slot slot;
  bool isReference;
};

class NativeTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kStackSlots = 64;

  void SetUp() override {
    vm::test::addWellKnownClasses(program);
    vm::VmOptions options;
    options.scheduler.virtualTime = true;
    options.arguments = {"first", ""};
    machine = std::make_unique<vm::Vm>(options);
    std::string error;
    ASSERT_TRUE(machine->load(program, error)) << error;
    carrier = std::make_unique<sched::Carrier>(machine->heap());
    carrier->scheduler = &machine->scheduler();
    carrier->vm = machine.get();
    context = newContext();
    carrier->current = context;
  }
  void TearDown() override { carrier.reset(); }

  sched::Context* newContext() {
    const heap::Class& cls = machine->heap().classes().wellKnown(WellKnown::kThread);
    sched::Context* made = machine->scheduler().spawn(*carrier, cls, nullptr, nullptr);
    machine->scheduler().next(*carrier);
    made->state.store(sched::ContextState::kRunning);
    uint32_t slots = kStackSlots;
    made->stack = machine->heap().allocateStack(carrier->allocator, slots);
    made->stackSlots = slots;
    made->frame = sched::kFrameHeader;
    return made;
  }

  // ---- values
  Value text(std::string_view bytes) {
    Slot slot;
    slot.setObject(object::newString(machine->heap(), carrier->allocator, bytes));
    return {slot, true};
  }
  static Value reference(const void* object) {
    Slot slot;
    slot.setObject(object);
    return {slot, true};
  }
  static Value number(int64_t v) {
    Slot slot;
    slot.setI64(v);
    return {slot, false};
  }
  static Value number32(int32_t v) {
    Slot slot;
    slot.setI32(v);
    return {slot, false};
  }
  static Value floating(double v) {
    Slot slot;
    slot.setF64(v);
    return {slot, false};
  }

  // ---- calls
  // Results are all of the kind that `referenceResult` says.
  Outcome call(std::string_view name, const std::vector<Value>& arguments, unsigned results = 1,
               bool referenceResult = false) {
    const vm::NativeDefinition* native = nullptr;
    for (const vm::NativeDefinition& candidate : allNatives())
      if (name == candidate.name) native = &candidate;
    EXPECT_NE(native, nullptr) << name;
    definition = {};
    definition.name = name;
    definition.parameterCount = static_cast<uint16_t>(arguments.size());
    definition.resultCount = static_cast<uint16_t>(results);
    uint64_t bits = 0;
    for (size_t i = 0; i < arguments.size(); ++i) bits |= uint64_t{arguments[i].isReference} << i;
    for (size_t i = 0; i < results; ++i) bits |= uint64_t{referenceResult} << (arguments.size() + i);
    definition.referenceRegisters = {bits};
    function = {};
    function.definition = &definition;
    function.parameterCount = definition.parameterCount;
    function.resultCount = definition.resultCount;
    function.nativeLocals = native->locals;
    function.registerCount = static_cast<uint32_t>(arguments.size() + results + 1 + native->locals);
    function.nativeEntry = reinterpret_cast<bytecode::NativeEntry>(native->function);
    entry = native->function;
    Slot* frame = context->stack + context->frame;
    sched::setFrameHeader(frame, &function, nullptr, 0);
    for (uint32_t i = 0; i < function.registerCount; ++i) frame[i].bits = 0;
    for (size_t i = 0; i < arguments.size(); ++i) frame[i] = arguments[i].slot;
    return run(false);
  }
  Outcome run(bool resumed) {
    vm::Call native(*carrier, *context, context->stack + context->frame, resumed);
    return entry(native);
  }
  Slot result(unsigned i = 0) const { return context->stack[context->frame + function.parameterCount + i]; }
  std::string_view resultText() const { return object::bytes(result().as<object::String>()); }
  std::vector<std::string> resultTexts() const {
    std::vector<std::string> texts;
    auto* list = result().as<object::List>();
    for (uint32_t i = 0; i < list->length.load(); ++i) {
      Slot slot;
      object::listGet(machine->heap(), list, i, &slot);
      texts.emplace_back(object::bytes(slot.as<object::String>()));
    }
    return texts;
  }

  // `TYPE: MESSAGE` of what a call threw, or what it did instead.
  std::string thrown(Outcome outcome) {
    if (outcome != Outcome::kThrew) return "did not throw";
    return machine->describe(context->result.object());
  }
  std::string typeThrown(Outcome outcome) {
    std::string all = thrown(outcome);
    return all.substr(0, all.find(':'));
  }

  bytecode::Program program;
  std::unique_ptr<vm::Vm> machine;
  std::unique_ptr<sched::Carrier> carrier;
  sched::Context* context = nullptr;
  bytecode::Function definition;
  bytecode::LoadedFunction function = {};
  vm::NativeFunction entry = nullptr;
};

} // namespace nlang::lib::test
