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
  ContextExtra* extra = context.extraOrNull();
  if (extra != nullptr) return *extra;
  auto* made = static_cast<ContextExtra*>(std::calloc(1, sizeof(ContextExtra)));
  if (made == nullptr) throw std::bad_alloc();
  if (context.extra.compare_exchange_strong(extra, made, std::memory_order_acq_rel)) return *made;
  std::free(made); // another carrier was quicker
  return *extra;
}

} // namespace nlang::sched
