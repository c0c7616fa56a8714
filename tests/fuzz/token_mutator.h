// Mutations of programs by tokens, statements and groups, for fuzzers whose input is NLang source.
//
// Bytes changed blindly hardly ever get past the parser. These keep most of a program's shape: a token becomes another
// of its kind, a statement, a bracketed group or an operand is left out, repeated, wrapped, or takes the place of
// another one, of the same program or of a second. The result is text again; nothing promises that it is a program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nlang::fuzz {

// `seed` decides everything. Empty if the text has no tokens to work with (it is no UTF-8, say): change bytes then.
std::string mutateProgram(std::string_view text, std::uint32_t seed);

// `text` with a part of `donor`.
std::string crossPrograms(std::string_view text, std::string_view donor, std::uint32_t seed);

} // namespace nlang::fuzz
