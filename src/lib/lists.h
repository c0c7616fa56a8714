// What natives of several packages do with lists and arrays.
#pragma once

#include "object/list.h"
#include "vm/native.h"

namespace nlang::lib {

// All elements as they are at one moment, in a new array. May collect. Null: out of memory.
object::Array* copyOfList(vm::Call& call, object::List* list);

// Makes a list of strings, kept in local 0; needs local 1 while it works. May collect. Null: out of memory.
object::List* makeStringList(vm::Call& call, std::span<const std::string> texts);

} // namespace nlang::lib
