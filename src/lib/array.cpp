// The members of T[] that are not instructions.
#include "lib/natives.h"
#include "lib/waiting.h"
#include "object/list.h"

namespace nlang::lib {

namespace {

Outcome copyOfPart(Call& call, uint32_t from, uint32_t to) {
  auto* array = call.object<object::Array>(0);
  const heap::Class& cls = call.heap().classes().of(&array->header);
  object::Array* copy = object::newArray(call.heap(), call.allocator(), cls, to - from);
  if (copy == nullptr) return call.outOfMemory();
  const char* first = array->elements() + size_t{from} * cls.element.size;
  heap::copyElements(call.heap(), &copy->header, copy->elements(), first, cls.element, to - from);
  return call.returnObject(copy);
}

// T[] copyOf()
Outcome copyOf(Call& call) { return copyOfPart(call, 0, call.object<object::Array>(0)->length); }

// T[] slice(int from, int to)
Outcome slice(Call& call) {
  int32_t from = call.argument(1).i32(), to = call.argument(2).i32();
  uint32_t length = call.object<object::Array>(0)->length;
  if (from >= 0 && from <= to && static_cast<uint32_t>(to) <= length) {
    return copyOfPart(call, static_cast<uint32_t>(from), static_cast<uint32_t>(to));
  }
  return call.fail(WellKnown::kIndexOutOfBoundsException, "part from " + std::to_string(from) + " to " +
                                                              std::to_string(to) + ", length " +
                                                              std::to_string(length));
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.Array.copyOf", copyOf},
    {"prelude.Array.slice", slice},
};

} // namespace

NativeTable arrayNatives() { return kNatives; }

} // namespace nlang::lib
