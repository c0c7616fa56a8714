// Choosing among applicable overloads (L6.1).
//
// The caller finds which candidates are applicable at all and how far each argument is from its parameter; here only
// the ranking is decided. A candidate wins if against every other one no argument is worse and one is better; if all
// arguments are equally far, one without defaulted parameters beats one with. Among parameters that a `null` argument
// fits, a subtype is nearer than its supertype.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sema/conversions.h"

namespace nlang::sema {

struct ArgumentMatch {
  Distance distance = 0;           // Conversions::distance, or resultDistance for a lambda
  const Type* parameter = nullptr; // the parameter's type, after substitution
  bool isNull = false;             // the argument is the literal null
};

struct Candidate {
  FunctionSymbol* function = nullptr; // null for a candidate that is no function (the caller knows it by its index)
  std::vector<ArgumentMatch>
      arguments;             // one for each written argument, in the order of the call: the same for all candidates
  bool usesDefaults = false; // some parameter gets its default value
};

struct OverloadChoice {
  static constexpr size_t kNoWinner = static_cast<size_t>(-1);
  size_t winner = kNoWinner; // index into the candidates
  std::vector<size_t>
      ambiguous; // without a winner: the candidates that no other one beats, in order (empty if there were none)
};

OverloadChoice chooseOverload(std::span<const Candidate> candidates, const Conversions& conversions);

} // namespace nlang::sema
