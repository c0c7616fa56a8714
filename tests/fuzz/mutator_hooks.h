// What libFuzzer calls when a target brings its own mutations: include it in a fuzzer whose input is a program.
#pragma once

#include "fuzz/token_mutator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t maxSize);

namespace nlang::fuzz {

inline std::string_view asText(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A result that does not fit stays away: half a program teaches nothing.
inline std::size_t store(const std::string& text, std::uint8_t* data, std::size_t maxSize) {
  if (text.empty() || text.size() > maxSize) return 0;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

} // namespace nlang::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t maxSize,
                                               unsigned seed) {
  using namespace nlang::fuzz;
  if (seed % 10 != 0) {
    if (std::size_t stored = store(mutateProgram(asText(data, size), seed), data, maxSize); stored != 0) return stored;
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t firstSize,
                                                 const std::uint8_t* second, std::size_t secondSize, std::uint8_t* out,
                                                 std::size_t maxSize, unsigned seed) {
  using namespace nlang::fuzz;
  return store(crossPrograms(asText(first, firstSize), asText(second, secondSize), seed), out, maxSize);
}
