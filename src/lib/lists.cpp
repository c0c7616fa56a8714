#include "lib/lists.h"

#include <string>

#include "object/string.h"

namespace nlang::lib {

object::List* makeStringList(vm::Call& call, std::span<const std::string> texts) {
  object::List* list =
      object::newList(call.heap(), call.allocator(), call.wellKnown(bytecode::WellKnown::kListOfString),
                      static_cast<uint32_t>(texts.size()));
  if (list == nullptr) return nullptr;
  call.local(0).setObject(list);
  for (const std::string& text : texts) {
    object::String* made = object::newString(call.heap(), call.allocator(), text);
    if (made == nullptr && !text.empty()) return nullptr;
    call.local(1).setObject(made);
    if (!object::listAdd(call.heap(), call.allocator(), list, &call.local(1))) return nullptr;
  }
  return list;
}

} // namespace nlang::lib
