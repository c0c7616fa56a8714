// What is wrong with a text that should be JSON. The parser of package json is fast and says only that something is;
// this one, which looks at rejected texts alone, says what and where.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nlang::lib {

struct JsonFault {
  size_t offset; // of the byte that cannot stand where it does; the text's length at its end
  const char* reason;
};

// The first fault of `text`, if it is not JSON or has arrays and objects more than `maxDepth` deep. `longIntegers`
// gets the offsets behind integers that have neither fraction nor exponent and do not fit into 64 bits.
std::optional<JsonFault> findJsonFault(std::string_view text, size_t maxDepth, std::vector<size_t>& longIntegers);

// `line L, column C: REASON`; columns count characters.
std::string describeJsonFault(std::string_view text, const JsonFault& fault);

} // namespace nlang::lib
