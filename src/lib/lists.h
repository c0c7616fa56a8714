// What natives of several packages do with lists and arrays.
#pragma once

#include "object/list.h"
#include "vm/native.h"

namespace nlang::lib {

// Makes a list of strings, kept in local 0; needs local 1 while it works. May collect. Null: out of memory.
object::List* makeStringList(vm::Call& call, std::span<const std::string> texts);

} // namespace nlang::lib
