// Faults that only one family of handlers raises. The common ones are in dispatch.h.
#pragma once

#include "vm/dispatch.h"

namespace nlang::vm {

NLANG_SLOW(charFault);     // CastException: register b is no Unicode scalar value
NLANG_SLOW(enumFault);     // CastException: register b is no member of enum class c
NLANG_SLOW(lengthFault);   // IllegalArgumentException: register b is a negative length
NLANG_SLOW(abstractFault); // IllegalStateException: the class does not implement the method called
NLANG_SLOW(stackFault);    // StackOverflowException, or OutOfMemoryException when the heap limit stopped the stack
NLANG_SLOW(tooLongFault);  // OutOfMemoryException: a text longer than strings can be

} // namespace nlang::vm
