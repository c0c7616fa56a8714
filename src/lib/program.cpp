// Class Program: what the command line says.
#include "lib/natives.h"
#include "lib/waiting.h"
#include "object/list.h"
#include "object/string.h"
#include "vm/vm.h"

namespace nlang::lib {

namespace {

// static string[] arguments()
Outcome arguments(Call& call) {
  const std::vector<std::string>& given = call.vm().options().arguments;
  object::Array* array =
      object::newArray(call.heap(), call.allocator(), call.wellKnown(WellKnown::kArrayOfString), given.size());
  if (array == nullptr) return call.outOfMemory();
  call.returnObject(array);
  auto** elements = reinterpret_cast<Object**>(array->elements());
  for (size_t i = 0; i < given.size(); ++i) {
    object::String* text = object::newString(call.heap(), call.allocator(), given[i]);
    if (text == nullptr && !given[i].empty()) return call.outOfMemory();
    heap::storeReference(call.heap(), &array->header, elements + i, reinterpret_cast<Object*>(text));
  }
  return call.returned();
}

constexpr vm::NativeDefinition kNatives[] = {{"prelude.Program.arguments", arguments}};

} // namespace

NativeTable programNatives() { return kNatives; }

} // namespace nlang::lib
