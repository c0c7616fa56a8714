// What nlohmann-json says of the texts that tests/lang/programs/json_printer.n reads.
//
//   json_reference compact|ascii|pretty        reads a corpus (format: json_printer.in) and prints `accept TEXT` or
//   `reject` for each json_reference generate SEED COUNT         prints a corpus of documents, about half of them
//   damaged in a few bytes
//
// The library has two habits that are not JSON's and that no corpus may touch: a NUL byte outside of a string ends the
// text, and for one double in a thousand it prints a digit more than needed. The generator leaves both out.
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::ordered_json;

std::string unescape(std::string_view line) {
  std::string bytes;
  for (size_t at = 0; at < line.size();) {
    if (line[at] != '%') {
      bytes += line[at++];
    } else if (line.substr(at).starts_with("%;")) {
      at += 2;
    } else {
      bytes += static_cast<char>(std::stoi(std::string(line.substr(at + 1, 2)), nullptr, 16));
      at += 3;
    }
  }
  return bytes;
}

std::string escape(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string line;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && byte != '%' && byte != '#')
      line += c;
    else
      (line += '%').append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
  }
  return line.empty() ? "%;" : line;
}

int judgeAll(std::string_view form) {
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.empty() || line.starts_with('#')) continue;
    Json value = Json::parse(unescape(line), nullptr, false);
    if (value.is_discarded())
      std::cout << "reject\n";
    else
      std::cout << "accept " << value.dump(form == "pretty" ? 2 : -1, ' ', form == "ascii") << '\n';
  }
  return 0;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string made = below(40) == 0 ? nested() : value(0);
    if (below(2) == 0) damage(made);
    return made;
  }

 private:
  uint64_t below(uint64_t bound) { return random_() % bound; }

  std::string space() {
    std::string made;
    while (below(6) == 0) made += " \n\t\r"[below(4)];
    return made;
  }

  std::string value(int depth) {
    static const std::string kWords[] = {"true", "false", "null"};
    switch (below(depth > 6 ? 3 : 6)) {
    case 0: return space() + kWords[below(3)] + space();
    case 1: return space() + number() + space();
    case 2: return space() + string() + space();
    case 3: return array(depth);
    default: return object(depth);
    }
  }

  std::string array(int depth) {
    std::string made = space() + '[';
    for (uint64_t i = 0, count = below(5); i < count; ++i) made += (i > 0 ? "," : "") + value(depth + 1);
    return made + space() + ']';
  }

  std::string object(int depth) {
    std::string made = space() + '{';
    for (uint64_t i = 0, count = below(5); i < count; ++i) {
      made += (i > 0 ? "," : "") + space() + (below(3) == 0 ? "\"a\"" : string()) + space() + ':' + value(depth + 1);
    }
    return made + space() + '}';
  }

  std::string nested() {
    size_t depth = 1 + below(1000);
    bool objects = below(2) == 0;
    std::string made;
    for (size_t i = 0; i < depth; ++i) made += objects ? "{\"k\":" : "[";
    made += "1";
    for (size_t i = 0; i < depth; ++i) made += objects ? '}' : ']';
    return made;
  }

  std::string digits(uint64_t most) {
    std::string made;
    for (uint64_t i = 0, count = 1 + below(most); i < count; ++i) made += static_cast<char>('0' + below(10));
    return made;
  }

  std::string number() {
    std::string made = below(3) == 0 ? "-" : "";
    made += below(4) == 0 ? "0" : std::string(1, static_cast<char>('1' + below(9))) + (below(2) == 0 ? digits(19) : "");
    if (below(3) == 0) made += '.' + digits(17);
    if (below(3) == 0) made += std::string(1, "eE"[below(2)]) + std::string(below(3), '-').substr(0, 1) + digits(3);
    return made;
  }

  std::string string() {
    static const std::string kParts[] = {"\\n",     "\\\"",           "\\\\",    "\\/", "\\u0041", "\\u00ff", "\\u4E2d",
                                         "\\u001f", "\\ud83d\\ude00", "\\ud83d", "ä",   "中",      "😀",      "\x7f",
                                         "key",     "value",          "a b",     "0"};
    std::string made = "\"";
    while (below(4) != 0) made += kParts[below(std::size(kParts))];
    return made + '"';
  }

  void damage(std::string& text) {
    constexpr std::string_view kLikely = "{}[]\",:\\0123456789-+.eE truefalsn\xc3\xa4\xed\xa0\x80\xf0\xff\x1f/";
    for (uint64_t i = 0, count = 1 + below(3); i < count && !text.empty(); ++i) {
      size_t at = below(text.size());
      switch (below(4)) {
      case 0: text.erase(at, 1); break;
      case 1: text.insert(at, 1, kLikely[below(kLikely.size())]); break;
      case 2: text[at] = kLikely[below(kLikely.size())]; break;
      default: text.resize(at); break;
      }
    }
  }

  std::mt19937_64 random_;
};

// Whether the library prints every double of the value with the fewest digits that read back the same.
bool hasShortestNumbers(const Json& value) {
  if (value.is_structured()) {
    for (const Json& part : value)
      if (!hasShortestNumbers(part)) return false;
    return true;
  }
  if (!value.is_number_float()) return true;
  auto countDigits = [](std::string_view text) {
    text = text.substr(0, text.find('e'));
    std::string kept;
    for (char c : text)
      if (c >= '0' && c <= '9') kept += c;
    kept.erase(0, kept.find_first_not_of('0'));
    kept.erase(kept.find_last_not_of('0') + 1);
    return kept;
  };
  char shortest[64];
  char* end =
      std::to_chars(shortest, shortest + sizeof shortest, value.get<double>(), std::chars_format::scientific).ptr;
  return countDigits(value.dump()) == countDigits({shortest, end});
}

int generate(uint64_t seed, uint64_t count) {
  Generator generator(seed);
  while (count > 0) {
    std::string text = generator.text();
    Json value = Json::parse(text, nullptr, false);
    if (!value.is_discarded() && !hasShortestNumbers(value)) continue;
    std::cout << escape(text) << '\n';
    --count;
  }
  return 0;
}

} // namespace

int main(int count, char** arguments) {
  std::string_view command = count > 1 ? arguments[1] : "compact";
  if (command != "generate") return judgeAll(command);
  if (count != 4) return 2;
  return generate(std::strtoull(arguments[2], nullptr, 10), std::strtoull(arguments[3], nullptr, 10));
}
