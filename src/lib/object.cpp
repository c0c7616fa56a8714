// Class Object: what every class has unless it overrides it; and hash codes that need the bits of a value.
#include <bit>

#include "lib/natives.h"
#include "object/equality.h"
#include "object/layout.h"

namespace nlang::lib {

namespace {

using heap::Object;
using vm::Call;
using vm::Outcome;

const heap::Class& classOf(Call& call) { return call.heap().classes().of(call.argument(0).object()); }

// string toString()
Outcome toString(Call& call) {
  const bytecode::Class& cls = *classOf(call).definition;
  bool isFunction = cls.kind == bytecode::ClassKind::kClosure;
  return call.returnText(isFunction ? std::string_view(cls.name) : cls.plainName());
}

// bool equals(Object other)
Outcome equals(Call& call) {
  return call.returnBool(object::sameValue(call.heap(), call.argument(0).object(), call.argument(1).object()));
}

// int hashCode()
Outcome hashCode(Call& call) {
  Object* self = call.argument(0).object();
  if (!classOf(call).isBoundMethod) return call.returnI32(static_cast<int32_t>(call.heap().identityHash(self)));
  // Two method values of the same receiver are equal, so their hash codes are.
  auto* closure = reinterpret_cast<object::Closure*>(self);
  Object* target = heap::loadReference(reinterpret_cast<Object**>(closure + 1));
  uint32_t ofTarget = target == nullptr ? 0 : call.heap().identityHash(target);
  return call.returnI32(static_cast<int32_t>(ofTarget * 31 + closure->function->index));
}

// static int Hash.ofDouble(double value)
Outcome hashOfDouble(Call& call) {
  double value = call.argument(0).f64();
  if (value == 0) value = 0;                                                // -0.0 equals 0.0
  if (value != value) value = std::bit_cast<double>(0x7ff8000000000000ull); // and every NaN any other
  uint64_t bits = std::bit_cast<uint64_t>(value);
  return call.returnI32(static_cast<int32_t>(bits ^ bits >> 32));
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.Object.toString", toString},
    {"prelude.Object.equals", equals},
    {"prelude.Object.hashCode", hashCode},
    {"prelude.Hash.ofDouble", hashOfDouble},
};

} // namespace

NativeTable objectNatives() { return kNatives; }

} // namespace nlang::lib
