// The single operations of List<T> that are not instructions.
#include "object/list.h"
#include "lib/natives.h"
#include "lib/waiting.h"

namespace nlang::lib {

namespace {

using object::ListResult;

object::List* receiver(Call& call) { return call.object<object::List>(0); }

Outcome outOfRange(Call& call, const std::string& what) {
  uint32_t length = receiver(call)->length.load(std::memory_order_relaxed);
  return call.fail(WellKnown::kIndexOutOfBoundsException, what + ", length " + std::to_string(length));
}

Outcome answer(Call& call, ListResult result, const std::string& what) {
  switch (result) {
  case ListResult::kDone: return call.returned();
  case ListResult::kOutOfRange: return outOfRange(call, what);
  case ListResult::kOutOfMemory: return call.outOfMemory();
  }
  __builtin_unreachable();
}

// A negative index is out of every range as an unsigned one.
uint32_t indexArgument(Call& call, unsigned i) { return call.argument(i).u32(); }
std::string named(Call& call) { return "index " + std::to_string(call.argument(1).i32()); }

// void insert(int index, T value)
Outcome insert(Call& call) {
  ListResult result =
      object::listInsert(call.heap(), call.allocator(), receiver(call), indexArgument(call, 1), &call.argument(2));
  return result == ListResult::kDone ? call.returned() : answer(call, result, named(call));
}

// T removeAt(int index)
Outcome removeAt(Call& call) {
  ListResult result = object::listRemoveAt(call.heap(), receiver(call), indexArgument(call, 1), call.results());
  return result == ListResult::kDone ? call.returned() : answer(call, result, named(call));
}

// void clear()
Outcome clear(Call& call) {
  object::listClear(call.heap(), receiver(call));
  return call.returned();
}

// List<T> slice(int from, int to)
Outcome slice(Call& call) {
  object::List* part = nullptr;
  ListResult result = object::listSlice(call.heap(), call.allocator(), receiver(call), indexArgument(call, 1),
                                        indexArgument(call, 2), part);
  if (result == ListResult::kDone) return call.returnObject(part);
  return answer(call, result,
                "part from " + std::to_string(call.argument(1).i32()) + " to " +
                    std::to_string(call.argument(2).i32()));
}

// T[] toArray()
Outcome toArray(Call& call) {
  object::Array* copy = object::listCopy(call.heap(), call.allocator(), receiver(call));
  return copy == nullptr ? call.outOfMemory() : call.returnObject(copy);
}

// bool overwrite(T[] elements, int version)
Outcome overwrite(Call& call) {
  auto* elements = call.object<object::Array>(1);
  return call.returnBool(object::listOverwrite(call.heap(), receiver(call), elements, call.argument(2).u32()));
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.List.overwrite", overwrite}, {"prelude.List.insert", insert}, {"prelude.List.removeAt", removeAt},
    {"prelude.List.clear", clear},         {"prelude.List.slice", slice},   {"prelude.List.toArray", toArray},
};

} // namespace

NativeTable listNatives() { return kNatives; }

} // namespace nlang::lib
