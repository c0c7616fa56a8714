#include "sched/context.h"

#include <cstdlib>
#include <new>

namespace nlang::sched {

const char* parkReasonText(ParkReason reason) {
  static const char* const texts[] = {
#define NLANG_PARK_REASON(name, text) text,
#include "sched/park_reasons.def"
#undef NLANG_PARK_REASON
  };
  return texts[static_cast<unsigned>(reason)];
}

ContextExtra& ensureExtra(Context& context) {
  if (context.extra == nullptr) {
    context.extra = static_cast<ContextExtra*>(std::calloc(1, sizeof(ContextExtra)));
    if (context.extra == nullptr) throw std::bad_alloc();
  }
  return *context.extra;
}

} // namespace nlang::sched
