// "did you mean …?" for names that nothing declares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nlang::sema {

// A sentence with the candidate nearest to `name`, or "" if none is near. The order of the candidates does not matter.
std::string didYouMean(std::string_view name, std::vector<std::string_view> candidates);

// What a type that other languages call `name` is called here, or "".
std::string_view typeElsewhere(std::string_view name);

} // namespace nlang::sema
