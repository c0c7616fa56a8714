#include "base/native_stack.h"

#include <algorithm>

#include <pthread.h>

namespace nlang::base {

NativeStack::NativeStack() {
  constexpr std::size_t kReserve = std::size_t{2} << 20;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* lowest = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
    low_ = static_cast<const char*>(lowest) + std::min(kReserve, size / 4);
  }
  pthread_attr_destroy(&attributes);
}

} // namespace nlang::base
