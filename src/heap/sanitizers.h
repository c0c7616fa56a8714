// Which sanitizer this build runs under, and the marking of free memory for the address sanitizer.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define NLANG_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NLANG_ASAN 1
#endif
#endif
#ifndef NLANG_ASAN
#define NLANG_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define NLANG_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NLANG_TSAN 1
#endif
#endif
#ifndef NLANG_TSAN
#define NLANG_TSAN 0
#endif

#if NLANG_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace nlang::heap {

// Tells the address sanitizer that nobody may touch [start, start + size), or that one may again. Nothing in other
// builds.
inline void forbidAccess([[maybe_unused]] const void* start, [[maybe_unused]] size_t size) {
#if NLANG_ASAN
  __asan_poison_memory_region(start, size);
#endif
}
inline void permitAccess([[maybe_unused]] const void* start, [[maybe_unused]] size_t size) {
#if NLANG_ASAN
  __asan_unpoison_memory_region(start, size);
#endif
}

} // namespace nlang::heap
