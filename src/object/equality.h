// What == means for operands of type Object (L4.3), and for function values.
#pragma once

#include "heap/heap.h"
#include "object/layout.h"

namespace nlang::object {

// Boxed values by type and value, strings by text, function values by target and receiver, all others by identity.
bool sameValue(heap::Heap& heap, const Object* a, const Object* b);

} // namespace nlang::object
