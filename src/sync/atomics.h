// AtomicInt and AtomicLong (C3.6). Every operation is sequentially consistent: what happened before a write is seen
// after the read that sees it.
#pragma once

#include "heap/object.h"

namespace nlang::sync {

struct Atomic {
  heap::Object header;
  int64_t value; // of an AtomicInt the lower half is used; read and written through the functions below only
};

template <class T> class AtomicValue {
 public:
  explicit AtomicValue(Atomic& atomic) : at_(reinterpret_cast<T*>(&atomic.value)) {}
  T get() const { return __atomic_load_n(at_, __ATOMIC_SEQ_CST); }
  void set(T value) { __atomic_store_n(at_, value, __ATOMIC_SEQ_CST); }
  T exchange(T value) { return __atomic_exchange_n(at_, value, __ATOMIC_SEQ_CST); }
  // The new value; wraps.
  T add(T delta) { return __atomic_add_fetch(at_, delta, __ATOMIC_SEQ_CST); }
  bool compareAndSet(T expected, T value) {
    return __atomic_compare_exchange_n(at_, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }

 private:
  T* at_;
};

} // namespace nlang::sync
