#include "sema/suggestions.h"

#include <algorithm>

#include "syntax/diagnostic.h"

namespace nlang::sema {

std::string didYouMean(std::string_view name, std::vector<std::string_view> candidates) {
  std::sort(candidates.begin(), candidates.end()); // hash tables give them in any order; messages must not depend on it
  std::string_view nearest = syntax::nearestWord(name, candidates);
  return nearest.empty() ? "" : "did you mean `" + std::string(nearest) + "`?";
}

} // namespace nlang::sema
