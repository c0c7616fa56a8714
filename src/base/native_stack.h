// How much of the native stack is left: a guard for recursion whose depth a text decides and the parser does not limit,
// such as constants that are written in terms of each other.
#pragma once

#include <cstddef>

namespace nlang::base {

// Belongs to the thread that made it.
class NativeStack {
 public:
  NativeStack();

  // Less than 2 MiB, or a quarter of the stack if that is less: time to give up instead of going deeper. Between two
  // questions a recursion of limited depth has room.
  bool isLow() const { return reinterpret_cast<const char*>(__builtin_frame_address(0)) < low_; }

 private:
  const char* low_ = nullptr; // null where the bounds are not known: then it is never low
};

} // namespace nlang::base
