// Class StringBuilder.
#include "object/string_builder.h"

#include "lib/natives.h"
#include "lib/waiting.h"

namespace nlang::lib {

namespace {

object::StringBuilder* receiver(Call& call) { return call.object<object::StringBuilder>(0); }

// void append(string text)
Outcome append(Call& call) {
  bool added = object::builderAppend(call.heap(), call.allocator(), receiver(call), call.text(1));
  return added ? call.returned() : call.outOfMemory();
}

// int length(): in bytes
Outcome length(Call& call) { return call.returnI32(static_cast<int32_t>(object::builderLength(receiver(call)))); }

// void clear()
Outcome clear(Call& call) {
  object::builderClear(call.heap(), receiver(call));
  return call.returned();
}

// string toString()
Outcome toString(Call& call) {
  object::String* text = nullptr;
  return object::builderText(call.heap(), call.allocator(), receiver(call), text) ? call.returnObject(text)
                                                                                  : call.outOfMemory();
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.StringBuilder.append", append},
    {"prelude.StringBuilder.length", length},
    {"prelude.StringBuilder.clear", clear},
    {"prelude.StringBuilder.toString", toString},
};

} // namespace

NativeTable stringBuilderNatives() { return kNatives; }

} // namespace nlang::lib
