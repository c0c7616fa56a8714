#include "sema/overloads.h"

namespace nlang::sema {

namespace {

// Less than 0: `a` is better for this argument; more: `b` is.
int compareArgument(const ArgumentMatch& a, const ArgumentMatch& b, const Conversions& conversions) {
  if (a.distance != b.distance) return a.distance < b.distance ? -1 : 1;
  if (!a.isNull || a.parameter == b.parameter) return 0;
  bool aToB = conversions.converts(a.parameter, b.parameter);
  bool bToA = conversions.converts(b.parameter, a.parameter);
  return aToB == bToA ? 0 : aToB ? -1 : 1;
}

bool beats(const Candidate& a, const Candidate& b, const Conversions& conversions) {
  bool better = false;
  for (size_t i = 0; i < a.arguments.size() && i < b.arguments.size(); ++i) {
    int order = compareArgument(a.arguments[i], b.arguments[i], conversions);
    if (order > 0) return false;
    better |= order < 0;
  }
  return better || (!a.usesDefaults && b.usesDefaults);
}

} // namespace

OverloadChoice chooseOverload(std::span<const Candidate> candidates, const Conversions& conversions) {
  OverloadChoice choice;
  if (candidates.empty()) return choice;
  // Whoever wins beats all others, so it also survives this one pass; only the survivor needs to be compared with all.
  size_t best = 0;
  for (size_t i = 1; i < candidates.size(); ++i) {
    if (!beats(candidates[best], candidates[i], conversions)) best = i;
  }
  bool beatsAll = true;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (i != best && !beats(candidates[best], candidates[i], conversions)) beatsAll = false;
  }
  if (beatsAll) {
    choice.winner = best;
    return choice;
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    bool beaten = false;
    for (size_t j = 0; j < candidates.size() && !beaten; ++j)
      beaten = j != i && beats(candidates[j], candidates[i], conversions);
    if (!beaten) choice.ambiguous.push_back(i);
  }
  return choice;
}

} // namespace nlang::sema
