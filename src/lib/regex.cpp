// Package regex: RE2 behind class Regex. A compiled pattern is a native resource of its Regex.
#include <re2/re2.h>

#include <string>
#include <vector>

#include "lib/natives.h"
#include "lib/waiting.h"
#include "object/list.h"
#include "object/string.h"
#include "vm/vm.h"

namespace nlang::lib {

namespace {

struct Pattern : vm::Resource {
  Pattern(std::string_view text, const RE2::Options& options) : expression({text.data(), text.size()}, options) {}
  RE2 expression; // may be used by several carriers at once
};

// About what a pattern and the automata that searches build for it take.
size_t footprintOf(const RE2& expression) {
  constexpr size_t kFixed = 16384, kPerInstruction = 128;
  return kFixed + static_cast<size_t>(expression.ProgramSize()) * kPerInstruction;
}

const Pattern* patternArgument(Call& call, unsigned i) {
  return reinterpret_cast<const Pattern*>(call.argument(i).i64());
}

// long compile(string pattern)
Outcome compile(Call& call) {
  RE2::Options options;
  options.set_log_errors(false);
  auto pattern = std::make_unique<Pattern>(call.text(1), options);
  if (!pattern->expression.ok()) {
    return call.fail(WellKnown::kFormatException, "not a regular expression: " + pattern->expression.error());
  }
  size_t bytes = footprintOf(pattern->expression);
  call.returnI64(reinterpret_cast<int64_t>(pattern.get()));
  bool given = call.vm().resources().give(call.allocator(), call.argument(0).object(), std::move(pattern), bytes);
  return given ? call.returned() : call.outOfMemory();
}

// static string[] groupNames(long compiled)
Outcome groupNames(Call& call) {
  const RE2& expression = patternArgument(call, 0)->expression;
  size_t count = static_cast<size_t>(expression.NumberOfCapturingGroups()) + 1;
  object::Array* names =
      object::newArray(call.heap(), call.allocator(), call.wellKnown(WellKnown::kArrayOfString), count);
  if (names == nullptr) return call.outOfMemory();
  call.returnObject(names);
  for (const auto& [number, name] : expression.CapturingGroupNames()) {
    object::String* text = object::newString(call.heap(), call.allocator(), name);
    if (text == nullptr) return call.outOfMemory();
    heap::storeReference(call.heap(), &names->header, reinterpret_cast<Object**>(names->elements()) + number,
                         &text->header);
  }
  return call.returned();
}

// int[] search(long compiled, string text, int from, bool whole)
Outcome search(Call& call) {
  const Pattern* pattern = patternArgument(call, 1);
  if (pattern == nullptr) return call.fail(WellKnown::kIllegalStateException, "the pattern was not compiled");
  std::string_view text = call.text(2);
  int32_t from = call.argument(3).i32();
  if (from < 0 || static_cast<size_t>(from) > text.size()) {
    return call.fail(WellKnown::kIndexOutOfBoundsException,
                     "offset " + std::to_string(from) + ", length " + std::to_string(text.size()));
  }
  std::vector<re2::StringPiece> groups(static_cast<size_t>(pattern->expression.NumberOfCapturingGroups()) + 1);
  // An empty text has an address too, or else a group that matched nothing could not be told from one that took no
  // part.
  re2::StringPiece searched(text.empty() ? "" : text.data(), text.size());
  RE2::Anchor anchor = call.argument(4).boolean() ? RE2::ANCHOR_BOTH : RE2::UNANCHORED;
  if (!pattern->expression.Match(searched, static_cast<size_t>(from), text.size(), anchor, groups.data(),
                                 static_cast<int>(groups.size()))) {
    return call.returnObject(nullptr);
  }
  const heap::Class& arrayOfInt = call.heap().classes().byIndex(call.function().definition->resultClass);
  object::Array* bounds = object::newArray(call.heap(), call.allocator(), arrayOfInt, groups.size() * 2);
  if (bounds == nullptr) return call.outOfMemory();
  auto* to = reinterpret_cast<int32_t*>(bounds->elements());
  for (const re2::StringPiece& group : groups) {
    bool tookPart = group.data() != nullptr;
    *to++ = tookPart ? static_cast<int32_t>(group.data() - searched.data()) : -1;
    *to++ = tookPart ? static_cast<int32_t>(group.data() + group.size() - searched.data()) : -1;
  }
  return call.returnObject(bounds);
}

constexpr vm::NativeDefinition kNatives[] = {
    {"regex.Regex.compile", compile},
    {"regex.Regex.groupNames", groupNames},
    {"regex.Regex.search", search},
};

} // namespace

NativeTable regexNatives() { return kNatives; }

} // namespace nlang::lib
