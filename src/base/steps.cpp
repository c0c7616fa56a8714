#include "base/steps.h"

#ifdef NLANG_PLANTED_FAULTS

namespace nlang {

constinit thread_local StepListener* stepListener = nullptr;

} // namespace nlang

#endif
