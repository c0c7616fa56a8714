#include "base/planted_fault.h"

#ifdef NLANG_PLANTED_FAULTS

#include <cstdlib>
#include <cstring>

namespace nlang {

bool faultPlanted(const char* name) {
  static const char* const planted = std::getenv("NLANG_FAULT");
  return planted && std::strcmp(planted, name) == 0;
}

} // namespace nlang

#endif
