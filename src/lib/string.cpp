// The members of string (L9). Offsets and lengths are in bytes. Arguments keep their bytes where they are while a
// result is made, so views of them may be used across allocations.
#include "object/string.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <utf8proc.h>

#include "base/utf8.h"
#include "lib/natives.h"
#include "lib/waiting.h"
#include "object/list.h"

namespace nlang::lib {

namespace {

constexpr size_t kQuotedInMessages = 40;

// ---------------------------------------------------------------- reading

// int charCount()
Outcome charCount(Call& call) { return call.returnI32(static_cast<int32_t>(base::countCodePoints(call.text(0)))); }

Outcome outOfRange(Call& call, const std::string& what) {
  return call.fail(WellKnown::kIndexOutOfBoundsException, what + ", length " + std::to_string(call.text(0).size()));
}

// char charAt(int offset)
Outcome charAt(Call& call) {
  std::string_view text = call.text(0);
  int32_t offset = call.argument(1).i32();
  if (offset < 0 || static_cast<size_t>(offset) >= text.size())
    return outOfRange(call, "offset " + std::to_string(offset));
  call.result().setU32(base::decodeUtf8(text, static_cast<size_t>(offset)).value);
  return call.returned();
}

// int indexOf(string text, int from); a start before the text is its start, one behind it finds nothing but the empty
// text
Outcome indexFrom(Call& call, int32_t from) {
  std::string_view text = call.text(0);
  size_t start = from < 0 ? 0 : std::min(static_cast<size_t>(from), text.size());
  size_t found = text.find(call.text(1), start);
  return call.returnI32(found == std::string_view::npos ? -1 : static_cast<int32_t>(found));
}
Outcome indexOf(Call& call) { return indexFrom(call, 0); }
Outcome indexOfFrom(Call& call) { return indexFrom(call, call.argument(2).i32()); }

// int lastIndexOf(string text)
Outcome lastIndexOf(Call& call) {
  size_t found = call.text(0).rfind(call.text(1));
  return call.returnI32(found == std::string_view::npos ? -1 : static_cast<int32_t>(found));
}

// bool contains(string text), startsWith, endsWith
Outcome contains(Call& call) { return call.returnBool(call.text(0).find(call.text(1)) != std::string_view::npos); }
Outcome startsWith(Call& call) { return call.returnBool(call.text(0).starts_with(call.text(1))); }
Outcome endsWith(Call& call) { return call.returnBool(call.text(0).ends_with(call.text(1))); }

// int hashCode()
Outcome hashCode(Call& call) {
  return call.returnI32(static_cast<int32_t>(object::hashOf(call.object<object::String>(0))));
}

// ---------------------------------------------------------------- parts

Outcome part(Call& call, size_t start, size_t end) {
  object::String* made = object::substring(call.heap(), call.allocator(), call.object<object::String>(0),
                                           static_cast<uint32_t>(start), static_cast<uint32_t>(end));
  return made == nullptr && start != end ? call.outOfMemory() : call.returnObject(made);
}

Outcome checkedPart(Call& call, int32_t start, int32_t end) {
  if (start < 0 || end < start || static_cast<size_t>(end) > call.text(0).size()) {
    return outOfRange(call, "part from " + std::to_string(start) + " to " + std::to_string(end));
  }
  return part(call, static_cast<size_t>(start), static_cast<size_t>(end));
}

// string substring(int start)
Outcome substringFrom(Call& call) {
  return checkedPart(call, call.argument(1).i32(), static_cast<int32_t>(call.text(0).size()));
}
// string substring(int start, int end)
Outcome substring(Call& call) { return checkedPart(call, call.argument(1).i32(), call.argument(2).i32()); }

bool isSpace(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  if (c == 0x85) return true;
  utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

// string trim()
Outcome trim(Call& call) {
  std::string_view text = call.text(0);
  size_t start = 0;
  while (start < text.size()) {
    base::Decoded c = base::decodeUtf8(text, start);
    if (!isSpace(c.value)) break;
    start += c.length;
  }
  size_t end = start;
  for (size_t at = start; at < text.size();) {
    base::Decoded c = base::decodeUtf8(text, at);
    at += c.length;
    if (!isSpace(c.value)) end = at;
  }
  return part(call, start, end);
}

// List<string> split(string separator): keeps empty parts. The list is in the result, the part being added in local 0.
Outcome split(Call& call) {
  if (call.text(1).empty()) return call.fail(WellKnown::kIllegalArgumentException, "the separator is empty");
  object::List* parts = object::newList(call.heap(), call.allocator(), call.wellKnown(WellKnown::kListOfString), 0);
  if (parts == nullptr) return call.outOfMemory();
  call.result().setObject(parts);
  for (size_t start = 0, end = 0; end != std::string_view::npos; start = end + call.text(1).size()) {
    end = call.text(0).find(call.text(1), start);
    std::string_view piece = call.text(0).substr(start, end == std::string_view::npos ? end : end - start);
    object::String* made = object::newString(call.heap(), call.allocator(), piece);
    if (made == nullptr && !piece.empty()) return call.outOfMemory();
    call.local(0).setObject(made);
    if (!object::listAdd(call.heap(), call.allocator(), parts, &call.local(0))) return call.outOfMemory();
  }
  return call.returned();
}

// ---------------------------------------------------------------- other texts

using Mapping = utf8proc_int32_t (*)(utf8proc_int32_t);

// Unicode's simple mapping of each character; bytes that are no UTF-8 stay.
Outcome mapped(Call& call, Mapping mapping) {
  std::string_view text = call.text(0);
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    base::Decoded c = base::decodeUtf8(text, at);
    if (c.valid)
      base::appendUtf8(result, static_cast<char32_t>(mapping(static_cast<utf8proc_int32_t>(c.value))));
    else
      result += text[at];
    at += c.length;
  }
  return call.returnText(result);
}

// utf8proc gives ß a capital that Unicode's simple mapping does not have.
utf8proc_int32_t upperCase(utf8proc_int32_t c) { return c == 0xdf ? c : utf8proc_toupper(c); }

// string toUpper(), string toLower()
Outcome toUpper(Call& call) { return mapped(call, upperCase); }
Outcome toLower(Call& call) { return mapped(call, utf8proc_tolower); }

// A new string of `length` bytes as the result, for the caller to fill; null and `outcome` set if there is none to
// fill.
char* newResult(Call& call, uint64_t length, Outcome& outcome) {
  outcome = call.returnObject(nullptr);
  if (length == 0) return nullptr;
  object::String* made = object::newUninitializedString(call.heap(), call.allocator(), length);
  if (made == nullptr) {
    outcome = call.outOfMemory();
    return nullptr;
  }
  call.returnObject(made);
  return object::writableBytes(made);
}

// string replace(string old, string with): counts first, so that a result beyond the limits is refused and not built
Outcome replace(Call& call) {
  std::string_view text = call.text(0), old = call.text(1), with = call.text(2);
  if (old.empty()) return call.fail(WellKnown::kIllegalArgumentException, "the text to replace is empty");
  uint64_t count = 0;
  for (size_t at = 0; (at = text.find(old, at)) != std::string_view::npos; at += old.size()) ++count;
  if (count == 0) return call.returnObject(call.argument(0).object());
  Outcome outcome;
  char* to = newResult(call, text.size() - count * old.size() + count * with.size(), outcome);
  if (to == nullptr) return outcome;
  size_t copied = 0;
  for (; count > 0; --count) {
    size_t found = text.find(old, copied);
    to = std::copy(text.begin() + static_cast<ptrdiff_t>(copied), text.begin() + static_cast<ptrdiff_t>(found), to);
    to = std::copy(with.begin(), with.end(), to);
    copied = found + old.size();
  }
  std::copy(text.begin() + static_cast<ptrdiff_t>(copied), text.end(), to);
  return outcome;
}

void fill(char* to, std::string_view piece, uint64_t count) {
  uint64_t total = piece.size() * count;
  if (total == 0) return;
  std::memcpy(to, piece.data(), piece.size());
  // What is there already is copied behind itself.
  for (uint64_t filled = piece.size(); filled < total;) {
    uint64_t more = std::min(filled, total - filled);
    std::memcpy(to + filled, to, more);
    filled += more;
  }
}

// string repeat(int count)
Outcome repeat(Call& call) {
  int32_t count = call.argument(1).i32();
  if (count < 0)
    return call.fail(WellKnown::kIllegalArgumentException, "the count " + std::to_string(count) + " is negative");
  Outcome outcome;
  char* to = newResult(call, call.text(0).size() * static_cast<uint64_t>(count), outcome);
  if (to != nullptr) fill(to, call.text(0), static_cast<uint64_t>(count));
  return outcome;
}

// Padding up to `width` characters.
Outcome pad(Call& call, bool left) {
  int64_t missing = int64_t{call.argument(1).i32()} - static_cast<int64_t>(base::countCodePoints(call.text(0)));
  if (missing <= 0) return call.returnObject(call.argument(0).object());
  char encoded[4];
  std::string_view filler(encoded, base::encodeUtf8(call.argument(2).u32(), encoded));
  uint64_t padding = filler.size() * static_cast<uint64_t>(missing);
  Outcome outcome;
  char* to = newResult(call, call.text(0).size() + padding, outcome);
  if (to == nullptr) return outcome;
  std::string_view text = call.text(0);
  fill(to + (left ? 0 : text.size()), filler, static_cast<uint64_t>(missing));
  if (!text.empty()) std::memcpy(to + (left ? padding : 0), text.data(), text.size());
  return outcome;
}

// string padLeft(int width, char fill), string padRight(int width, char fill)
Outcome padLeft(Call& call) { return pad(call, true); }
Outcome padRight(Call& call) { return pad(call, false); }

// static string fromChar(char c)
Outcome fromChar(Call& call) {
  char encoded[4];
  return call.returnText({encoded, base::encodeUtf8(call.argument(0).u32(), encoded)});
}

// ubyte[] toBytes()
Outcome toBytes(Call& call) {
  uint32_t size = static_cast<uint32_t>(call.text(0).size());
  object::Array* bytes =
      object::newArray(call.heap(), call.allocator(), call.wellKnown(WellKnown::kArrayOfUByte), size);
  if (bytes == nullptr) return call.outOfMemory();
  if (size > 0) std::memcpy(bytes->elements(), call.text(0).data(), size);
  return call.returnObject(bytes);
}

// static string fromBytes(ubyte[] bytes): as they are, UTF-8 or not
Outcome fromBytes(Call& call) {
  auto* bytes = call.object<object::Array>(0);
  if (bytes == nullptr) return call.nullPointer("the bytes are null");
  return call.returnText({bytes->elements(), bytes->length});
}

// ---------------------------------------------------------------- numbers

Outcome notA(Call& call, const char* what) {
  std::string_view text = call.text(0);
  size_t quoted = std::min(text.size(), kQuotedInMessages);
  while (quoted < text.size() && quoted > 0 && (text[quoted] & 0xc0) == 0x80)
    --quoted; // not in the middle of a character
  std::string message = '"' + std::string(text.substr(0, quoted)) + (quoted < text.size() ? "…\" " : "\" ");
  return call.fail(WellKnown::kFormatException, message + what);
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// An optional sign and then digits only; from_chars knows the minus.
template <class T> bool parseInteger(std::string_view text, T& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

size_t skipDigits(std::string_view text, size_t at) {
  while (at < text.size() && isDigit(text[at])) ++at;
  return at;
}

// Whether the text is digits, then maybe a point and digits, then maybe an exponent.
bool isNumber(std::string_view text) {
  size_t at = skipDigits(text, 0);
  if (at == 0) return false;
  if (at < text.size() && text[at] == '.') {
    size_t end = skipDigits(text, at + 1);
    if (end == at + 1) return false;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    size_t end = skipDigits(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

// int toInt()
Outcome toInt(Call& call) {
  int32_t value;
  return parseInteger(call.text(0), value) ? call.returnI32(value) : notA(call, "is not an int");
}

// long toLong()
Outcome toLong(Call& call) {
  int64_t value;
  return parseInteger(call.text(0), value) ? call.returnI64(value) : notA(call, "is not a long");
}

// double toDouble(): beyond the range it is infinite or zero, as a literal's value would be rounded
Outcome toDouble(Call& call) {
  std::string_view text = call.text(0);
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (!isNumber(text)) return notA(call, "is not a double");
  // strtod, other than from_chars, tells what lies beyond the range; the text has been checked, and the locale is C.
  double value = std::strtod(std::string(text).c_str(), nullptr);
  return call.returnF64(negative ? -value : value);
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.String.charCount", charCount},
    {"prelude.String.charAt", charAt},
    {"prelude.String.substring(int)", substringFrom},
    {"prelude.String.substring(int,int)", substring},
    {"prelude.String.indexOf(string)", indexOf},
    {"prelude.String.indexOf(string,int)", indexOfFrom},
    {"prelude.String.lastIndexOf", lastIndexOf},
    {"prelude.String.contains", contains},
    {"prelude.String.startsWith", startsWith},
    {"prelude.String.endsWith", endsWith},
    {"prelude.String.toUpper", toUpper},
    {"prelude.String.toLower", toLower},
    {"prelude.String.trim", trim},
    {"prelude.String.split", split, 1},
    {"prelude.String.replace", replace},
    {"prelude.String.repeat", repeat},
    {"prelude.String.padLeft", padLeft},
    {"prelude.String.padRight", padRight},
    {"prelude.String.toBytes", toBytes},
    {"prelude.String.toInt", toInt},
    {"prelude.String.toLong", toLong},
    {"prelude.String.toDouble", toDouble},
    {"prelude.String.hashCode", hashCode},
    {"prelude.String.fromBytes", fromBytes},
    {"prelude.String.fromChar", fromChar},
};

} // namespace

NativeTable stringNatives() { return kNatives; }

} // namespace nlang::lib
