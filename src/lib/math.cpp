// Package math: what the machine's library knows.
#include <cmath>

#include "lib/natives.h"

namespace nlang::lib {

namespace {

using vm::Call;
using vm::Outcome;

template <double (*kFunction)(double)> Outcome ofOne(Call& call) {
  return call.returnF64(kFunction(call.argument(0).f64()));
}

template <double (*kFunction)(double, double)> Outcome ofTwo(Call& call) {
  return call.returnF64(kFunction(call.argument(0).f64(), call.argument(1).f64()));
}

// The C library's cbrt for double is off by one in the last place even for cubes such as 27; in long double it rounds
// to the right one.
double cubeRoot(double x) { return static_cast<double>(std::cbrt(static_cast<long double>(x))); }

constexpr vm::NativeDefinition kNatives[] = {
    {"math.sqrt", ofOne<std::sqrt>},   {"math.floor", ofOne<std::floor>}, {"math.ceil", ofOne<std::ceil>},
    {"math.round", ofOne<std::round>}, {"math.trunc", ofOne<std::trunc>}, {"math.exp", ofOne<std::exp>},
    {"math.log", ofOne<std::log>},     {"math.log2", ofOne<std::log2>},   {"math.log10", ofOne<std::log10>},
    {"math.sin", ofOne<std::sin>},     {"math.cos", ofOne<std::cos>},     {"math.tan", ofOne<std::tan>},
    {"math.asin", ofOne<std::asin>},   {"math.acos", ofOne<std::acos>},   {"math.atan", ofOne<std::atan>},
    {"math.cbrt", ofOne<cubeRoot>},    {"math.pow", ofTwo<std::pow>},     {"math.atan2", ofTwo<std::atan2>},
    {"math.hypot", ofTwo<std::hypot>},
};

} // namespace

NativeTable mathNatives() { return kNatives; }

} // namespace nlang::lib
