// Strings: making, reading, comparing, joining.
//
// Null is the empty string, so every function takes null, and none but newEmptyStringObject makes an empty String
// object. Functions that may collect say so; their callers are at a safepoint and keep the operands alive in frame
// slots (objects do not move, so pointers stay right).
//
// Joining: s + x, where s is long and itself came from joining, makes a view of a text buffer with room behind it; the
// next s + x appends there in place if s still ends at the buffer's used mark. So repeated s = s + x copies each byte a
// constant number of times, while a text that is joined once takes no more than its bytes. Bytes below the mark never
// change, so older views stay right, and who loses the race for the room copies.
#pragma once

#include <string_view>

#include "heap/heap.h"
#include "object/layout.h"

namespace nlang::object {

inline std::string_view bytes(const String* s) {
  if (s == nullptr) return {};
  if (!isView(s)) return {s->flatBytes(), s->length};
  auto* view = reinterpret_cast<const StringView*>(s);
  return {view->buffer->bytes() + view->offset, s->length};
}
inline uint32_t lengthOf(const String* s) { return s == nullptr ? 0 : s->length; }

// A flat string of `text`, null for the empty one. May collect. Null for other texts: out of memory, or longer than
// kMaxStringLength.
String* newString(heap::Heap& heap, heap::Allocator& allocator, std::string_view text);
// The same without collecting.
String* newStringNoCollect(heap::Heap& heap, heap::Allocator& allocator, std::string_view text);
// An empty string as an object: what an Object that was "" holds. Does not collect.
String* newEmptyStringObject(heap::Heap& heap, heap::Allocator& allocator);
// A flat string of `length` > 0 bytes, which the caller fills at once. May collect. Null: out of memory or too long.
String* newUninitializedString(heap::Heap& heap, heap::Allocator& allocator, uint64_t length);
inline char* writableBytes(String* flat) { return reinterpret_cast<char*>(flat + 1); }

bool equal(const String* a, const String* b);
// -1, 0, 1 in byte order, which is code-point order.
int compare(const String* a, const String* b);
// Fixed for equal text: what hashCode() gives. Cached in the string.
uint32_t hashOf(const String* s);

// The texts of `count` slots joined, the first possibly extended in place. May collect; the slots stay in their frame.
// Null where the result is not empty: out of memory or too long.
String* concat(heap::Heap& heap, heap::Allocator& allocator, const Slot* texts, uint32_t count);
// s[start, end), sharing the text of a long view; a long part of a flat string becomes a view of a copy. May collect.
String* substring(heap::Heap& heap, heap::Allocator& allocator, const String* s, uint32_t start, uint32_t end);

void traceString(heap::Marker& marker, Object* object, const heap::Class& cls);

} // namespace nlang::object
