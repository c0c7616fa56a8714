// Package json: reading a text. One call reads it all; std/json.n makes values of the result.
//
// simdjson reads integers of up to 64 bits only. A text with longer ones is read again with an exponent behind each,
// which makes them doubles. What it rejects otherwise, json_faults.h explains.
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/json_faults.h"
#include "lib/natives.h"
#include "lib/waiting.h"
#include "object/list.h"
#include "object/string.h"

namespace nlang::lib {

namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr int64_t kKindBits = 3;
enum Kind : int64_t { kNull, kBool, kInteger, kDouble, kString, kArray, kObject }; // as std/json.n knows them

// What a text says, in the form that std/json.n describes at `scan`. The texts are views into the parser.
struct Tape {
  std::vector<int64_t> words;
  std::vector<double> numbers;
  std::vector<std::string_view> texts;
  std::unordered_map<std::string_view, size_t> names; // of members, each once: where they are in `texts`
  size_t depth = 0, deepest = 0;                      // of arrays and objects in each other: now, and ever

  void addHead(Kind kind, size_t operand) { words.push_back(static_cast<int64_t>(operand << kKindBits) | kind); }
  void addDouble(double value) {
    addHead(kDouble, numbers.size());
    numbers.push_back(value);
  }
  void addName(std::string_view name) {
    auto [entry, isNew] = names.emplace(name, texts.size());
    if (isNew) texts.push_back(name);
    words.push_back(static_cast<int64_t>(entry->second));
  }
  // Recursion ends at the parser's greatest depth.
  void add(dom::element value);
  void add(dom::key_value_pair member) {
    addName(member.key);
    add(member.value);
  }
  // The parser's own count of parts ends at 2^24.
  template <class Parts> void addAll(Kind kind, const Parts& parts) {
    deepest = std::max(deepest, ++depth);
    size_t head = words.size(), count = 0;
    words.push_back(0);
    for (auto part : parts) {
      add(part);
      ++count;
    }
    words[head] = static_cast<int64_t>(count << kKindBits) | kind;
    --depth;
  }
};

void Tape::add(dom::element value) {
  using Type = dom::element_type;
  switch (value.type()) {
  case Type::NULL_VALUE: return addHead(kNull, 0);
  case Type::BOOL: return addHead(kBool, value.get_bool().value_unsafe() ? 1 : 0);
  case Type::DOUBLE: return addDouble(value.get_double().value_unsafe());
  case Type::UINT64: return addDouble(static_cast<double>(value.get_uint64().value_unsafe())); // no long holds it
  case Type::INT64:
    addHead(kInteger, 0);
    words.push_back(value.get_int64().value_unsafe());
    return;
  case Type::STRING:
    addHead(kString, texts.size());
    texts.push_back(value.get_string().value_unsafe());
    return;
  case Type::ARRAY: return addAll(kArray, value.get_array().value_unsafe());
  case Type::OBJECT: return addAll(kObject, value.get_object().value_unsafe());
  }
}

// The text with "e0" at each of these offsets.
std::string withExponents(std::string_view text, const std::vector<size_t>& offsets) {
  std::string changed;
  size_t copied = 0;
  for (size_t offset : offsets) {
    changed.append(text, copied, offset - copied).append("e0");
    copied = offset;
  }
  return changed.append(text, copied);
}

// Throws std::bad_alloc when there is no memory.
simdjson::error_code read(dom::parser& parser, std::string_view text, dom::element& root) {
  simdjson::error_code code = parser.parse(simdjson::padded_string(text)).get(root);
  if (code == simdjson::MEMALLOC) throw std::bad_alloc();
  return code;
}

// What is wrong with the text; nothing if its value is on the tape.
std::optional<std::string> parse(dom::parser& parser, std::string_view text, size_t maxDepth, Tape& tape) {
  // The parser does not count an innermost array or object without parts; the tape does.
  if (parser.allocate(text.size(), maxDepth + 1) != simdjson::SUCCESS) throw std::bad_alloc();
  std::vector<size_t> longIntegers;
  dom::element root;
  simdjson::error_code code = read(parser, text, root);
  if (code != simdjson::SUCCESS) {
    if (auto fault = findJsonFault(text, maxDepth, longIntegers)) return describeJsonFault(text, *fault);
    if (!longIntegers.empty()) code = read(parser, withExponents(text, longIntegers), root);
  }
  if (code != simdjson::SUCCESS) return simdjson::error_message(code);
  tape.add(root);
  if (tape.deepest > maxDepth) return describeJsonFault(text, *findJsonFault(text, maxDepth, longIntegers));
  return std::nullopt;
}

object::Array* newArrayResult(Call& call, unsigned result, const heap::Class& cls, size_t count) {
  object::Array* made = object::newArray(call.heap(), call.allocator(), cls, count);
  call.result(result).setObject(made);
  return made;
}

// long[] scan<D, S>(string text, int maxDepth, out D[] numbers, out S[] texts), with double for D and string for S
Outcome scan(Call& call) {
  std::string_view text = call.text(0);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  dom::parser parser;
  Tape tape;
  if (auto error = parse(parser, text, static_cast<size_t>(call.argument(1).i32()), tape))
    return call.fail(WellKnown::kFormatException, *error);

  object::Array* words = newArrayResult(call, 0, call.wellKnown(WellKnown::kArrayOfLong), tape.words.size());
  object::Array* numbers = newArrayResult(call, 1, call.typeArrayClass(0), tape.numbers.size());
  object::Array* texts = newArrayResult(call, 2, call.typeArrayClass(1), tape.texts.size());
  if (words == nullptr || numbers == nullptr || texts == nullptr) return call.outOfMemory();
  std::copy(tape.words.begin(), tape.words.end(), reinterpret_cast<int64_t*>(words->elements()));
  std::copy(tape.numbers.begin(), tape.numbers.end(), reinterpret_cast<double*>(numbers->elements()));
  auto** elements = reinterpret_cast<Object**>(texts->elements());
  for (size_t i = 0; i < tape.texts.size(); ++i) {
    object::String* made = object::newString(call.heap(), call.allocator(), tape.texts[i]);
    if (made == nullptr && !tape.texts[i].empty()) return call.outOfMemory();
    heap::storeReference(call.heap(), &texts->header, elements + i, reinterpret_cast<Object*>(made));
  }
  return call.returned();
}

constexpr vm::NativeDefinition kNatives[] = {{"json.scan", scan}};

} // namespace

NativeTable jsonNatives() { return kNatives; }

} // namespace nlang::lib
