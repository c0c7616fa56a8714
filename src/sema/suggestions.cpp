#include "sema/suggestions.h"

#include <algorithm>
#include <utility>

#include "syntax/diagnostic.h"

namespace nlang::sema {

std::string didYouMean(std::string_view name, std::vector<std::string_view> candidates) {
  std::sort(candidates.begin(), candidates.end()); // hash tables give them in any order; messages must not depend on it
  std::string_view nearest = syntax::nearestWord(name, candidates);
  return nearest.empty() ? "" : "did you mean `" + std::string(nearest) + "`?";
}

std::string_view typeElsewhere(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
      {"String", "string"}, {"boolean", "bool"}, {"Boolean", "bool"},    {"Integer", "int"},    {"str", "string"},
      {"i32", "int"},       {"i64", "long"},     {"u8", "ubyte"},        {"f64", "double"},     {"f32", "float"},
      {"int32", "int"},     {"int64", "long"},   {"float64", "double"},  {"object", "Object"},  {"any", "Object"},
      {"Map", "Dict"},      {"HashMap", "Dict"}, {"Dictionary", "Dict"}, {"ArrayList", "List"}, {"Vector", "List"},
      {"vector", "List"},   {"HashSet", "Set"},  {"Error", "Exception"}, {"let", "var"},        {"auto", "var"},
      {"val", "var"},       {"local", "var"}};
  for (auto [theirs, ours] : kElsewhere) {
    if (theirs == name) return ours;
  }
  return {};
}

} // namespace nlang::sema
