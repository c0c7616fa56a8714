// AtomicInt and AtomicLong.
#include "sync/atomics.h"

#include "lib/natives.h"

namespace nlang::lib {

namespace {

using vm::Call;
using vm::Outcome;

template <class T> sync::AtomicValue<T> receiver(Call& call) {
  return sync::AtomicValue<T>(*call.object<sync::Atomic>(0));
}

template <class T> T argument(Call& call, unsigned i) { return static_cast<T>(call.argument(i).i64()); }

Outcome answer(Call& call, int32_t value) { return call.returnI32(value); }
Outcome answer(Call& call, int64_t value) { return call.returnI64(value); }

// AtomicInt(int value)
template <class T> Outcome construct(Call& call) {
  receiver<T>(call).set(argument<T>(call, 1));
  return call.returned();
}

// int get()
template <class T> Outcome get(Call& call) { return answer(call, receiver<T>(call).get()); }

// void set(int value)
template <class T> Outcome set(Call& call) {
  receiver<T>(call).set(argument<T>(call, 1));
  return call.returned();
}

// int add(int delta): the new value
template <class T> Outcome add(Call& call) { return answer(call, receiver<T>(call).add(argument<T>(call, 1))); }

// int exchange(int value): the old value
template <class T> Outcome exchange(Call& call) {
  return answer(call, receiver<T>(call).exchange(argument<T>(call, 1)));
}

// bool compareAndSet(int expected, int value)
template <class T> Outcome compareAndSet(Call& call) {
  return call.returnBool(receiver<T>(call).compareAndSet(argument<T>(call, 1), argument<T>(call, 2)));
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.AtomicInt.AtomicInt", construct<int32_t>},
    {"prelude.AtomicInt.get", get<int32_t>},
    {"prelude.AtomicInt.set", set<int32_t>},
    {"prelude.AtomicInt.add", add<int32_t>},
    {"prelude.AtomicInt.exchange", exchange<int32_t>},
    {"prelude.AtomicInt.compareAndSet", compareAndSet<int32_t>},
    {"prelude.AtomicLong.AtomicLong", construct<int64_t>},
    {"prelude.AtomicLong.get", get<int64_t>},
    {"prelude.AtomicLong.set", set<int64_t>},
    {"prelude.AtomicLong.add", add<int64_t>},
    {"prelude.AtomicLong.exchange", exchange<int64_t>},
    {"prelude.AtomicLong.compareAndSet", compareAndSet<int64_t>},
};

} // namespace

NativeTable atomicNatives() { return kNatives; }

} // namespace nlang::lib
