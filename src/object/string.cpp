#include "object/string.h"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace nlang::object {

using bytecode::WellKnown;

namespace {

// A longer part of a flat string is put into a buffer, because parts of it are likely to follow: a text that is eaten
// from its start costs one copy and not one for each step.
constexpr uint32_t kSharedPart = 4096;

constexpr uint64_t kHashSeed = 0x4e4c616e67ull;

String* finishString(Object* object, uint64_t length) {
  auto* s = reinterpret_cast<String*>(object);
  if (s != nullptr) s->length = static_cast<uint32_t>(length);
  return s;
}

// Makes a zeroed String object, which reads as an empty text, a view.
String* asView(heap::Heap& heap, Object* object, TextBuffer* buffer, uint32_t offset, uint64_t length) {
  auto* view = reinterpret_cast<StringView*>(object);
  object->flags.fetch_or(kViewFlag, std::memory_order_relaxed);
  view->text.length = static_cast<uint32_t>(length);
  view->offset = offset;
  heap::storeReference(heap, object, reinterpret_cast<Object**>(&view->buffer), &buffer->header);
  return &view->text;
}

Object* newViewObject(heap::Heap& heap, heap::Allocator& allocator) {
  const heap::Class& cls = heap.classes().wellKnown(WellKnown::kString);
  Object* object = allocator.tryAllocate(cls, sizeof(StringView));
  return object != nullptr ? object : heap.allocate(allocator, cls, sizeof(StringView));
}

char* copyTexts(char* to, const Slot* texts, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    std::string_view text = bytes(texts[i].as<String>());
    if (text.empty()) continue; // its data may be null
    std::memcpy(to, text.data(), text.size());
    to += text.size();
  }
  return to;
}

// Whether `more` bytes may be put behind `left` in its buffer.
bool hasRoomBehind(const String* left, uint64_t more) {
  if (!isView(left)) return false;
  auto* view = reinterpret_cast<const StringView*>(left);
  uint32_t end = view->offset + left->length;
  return view->buffer->used.load(std::memory_order_relaxed) == end && more <= view->buffer->capacity - end;
}

// Appends the texts behind `left` in its buffer. Null: there is no memory for the view, or another carrier took the
// room.
String* appendInPlace(heap::Heap& heap, heap::Allocator& allocator, const String* left, const Slot* texts,
                      uint32_t count, uint64_t more) {
  auto* view = reinterpret_cast<const StringView*>(left);
  TextBuffer* buffer = view->buffer;
  Object* object = newViewObject(heap, allocator);
  if (object == nullptr) return nullptr;
  uint32_t end = view->offset + left->length;
  uint32_t expected = end;
  if (!buffer->used.compare_exchange_strong(expected, end + static_cast<uint32_t>(more), std::memory_order_acq_rel))
    return nullptr;
  copyTexts(buffer->bytes() + end, texts, count);
  return asView(heap, object, buffer, view->offset, left->length + more);
}

// A new buffer whose first `length` bytes the caller fills at once. May collect. Null: out of memory.
TextBuffer* newBuffer(heap::Heap& heap, heap::Allocator& allocator, uint64_t length, uint64_t capacity) {
  auto* buffer = reinterpret_cast<TextBuffer*>(
      heap.allocate(allocator, heap.classes().wellKnown(WellKnown::kTextBuffer), sizeof(TextBuffer) + capacity));
  if (buffer == nullptr) return nullptr;
  buffer->capacity = static_cast<uint32_t>(capacity);
  buffer->used.store(static_cast<uint32_t>(length), std::memory_order_relaxed);
  return buffer;
}

// All of a new buffer's text; the buffer is in no slot yet, so its view is made without collecting.
String* viewOfBuffer(heap::Heap& heap, heap::Allocator& allocator, TextBuffer* buffer, uint64_t length) {
  Object* object = heap.allocateNoCollect(allocator, heap.classes().wellKnown(WellKnown::kString), sizeof(StringView));
  return object == nullptr ? nullptr : asView(heap, object, buffer, 0, length);
}

// A view of a new buffer with as much room again behind it.
String* concatInBuffer(heap::Heap& heap, heap::Allocator& allocator, const Slot* texts, uint32_t count,
                       uint64_t length) {
  TextBuffer* buffer = newBuffer(heap, allocator, length, std::min<uint64_t>(length * 2, kMaxStringLength));
  if (buffer == nullptr) return nullptr;
  copyTexts(buffer->bytes(), texts, count);
  return viewOfBuffer(heap, allocator, buffer, length);
}

} // namespace

String* newUninitializedString(heap::Heap& heap, heap::Allocator& allocator, uint64_t length) {
  if (length > kMaxStringLength) return nullptr;
  const heap::Class& cls = heap.classes().wellKnown(WellKnown::kString);
  uint64_t size = sizeof(String) + length;
  Object* object = size <= heap::kLargestSmall ? allocator.tryAllocate(cls, static_cast<uint32_t>(size)) : nullptr;
  return finishString(object != nullptr ? object : heap.allocate(allocator, cls, size), length);
}

String* newString(heap::Heap& heap, heap::Allocator& allocator, std::string_view text) {
  if (text.empty()) return nullptr;
  String* s = newUninitializedString(heap, allocator, text.size());
  if (s != nullptr) std::memcpy(writableBytes(s), text.data(), text.size());
  return s;
}

String* newStringNoCollect(heap::Heap& heap, heap::Allocator& allocator, std::string_view text) {
  if (text.empty() || text.size() > kMaxStringLength) return nullptr;
  const heap::Class& cls = heap.classes().wellKnown(WellKnown::kString);
  String* s = finishString(heap.allocateNoCollect(allocator, cls, sizeof(String) + text.size()), text.size());
  if (s != nullptr) std::memcpy(writableBytes(s), text.data(), text.size());
  return s;
}

String* newEmptyStringObject(heap::Heap& heap, heap::Allocator& allocator) {
  return finishString(heap.allocateNoCollect(allocator, heap.classes().wellKnown(WellKnown::kString), sizeof(String)),
                      0);
}

bool equal(const String* a, const String* b) { return a == b || bytes(a) == bytes(b); }

int compare(const String* a, const String* b) {
  int order = bytes(a).compare(bytes(b));
  return order < 0 ? -1 : order > 0;
}

uint32_t hashOf(const String* s) {
  std::string_view text = bytes(s);
  if (s != nullptr) {
    if (uint32_t known = s->hash.load(std::memory_order_relaxed)) return known;
  }
  auto hash = static_cast<uint32_t>(XXH3_64bits_withSeed(text.data(), text.size(), kHashSeed));
  hash += hash == 0;
  if (s != nullptr) const_cast<String*>(s)->hash.store(hash, std::memory_order_relaxed);
  return hash;
}

String* concat(heap::Heap& heap, heap::Allocator& allocator, const Slot* texts, uint32_t count) {
  uint64_t length = 0;
  const String* only = nullptr; // the one text that is not empty, if there is just one
  uint32_t notEmpty = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const String* s = texts[i].as<String>();
    if (lengthOf(s) == 0) continue;
    length += s->length;
    only = s;
    ++notEmpty;
  }
  if (notEmpty <= 1) return const_cast<String*>(only);
  if (length > kMaxStringLength) return nullptr;
  const String* left = texts[0].as<String>();
  if (lengthOf(left) > kViewThreshold) {
    if (hasRoomBehind(left, length - left->length)) {
      String* appended = appendInPlace(heap, allocator, left, texts + 1, count - 1, length - left->length);
      if (appended != nullptr) return appended;
    }
    if (isView(left) || (left->header.flags.load(std::memory_order_relaxed) & kJoinedFlag))
      return concatInBuffer(heap, allocator, texts, count, length);
  }
  String* s = newUninitializedString(heap, allocator, length);
  if (s == nullptr) return nullptr;
  copyTexts(writableBytes(s), texts, count);
  if (lengthOf(left) > kViewThreshold) s->header.flags.fetch_or(kJoinedFlag, std::memory_order_relaxed);
  return s;
}

String* substring(heap::Heap& heap, heap::Allocator& allocator, const String* s, uint32_t start, uint32_t end) {
  if (start == 0 && end == lengthOf(s)) return const_cast<String*>(s);
  if (s != nullptr && isView(s) && end - start > kViewThreshold) {
    auto* view = reinterpret_cast<const StringView*>(s);
    Object* object = newViewObject(heap, allocator);
    return object == nullptr ? nullptr : asView(heap, object, view->buffer, view->offset + start, end - start);
  }
  if (end - start <= kSharedPart) return newString(heap, allocator, bytes(s).substr(start, end - start));
  TextBuffer* buffer = newBuffer(heap, allocator, end - start, end - start);
  if (buffer == nullptr) return nullptr;
  std::memcpy(buffer->bytes(), bytes(s).data() + start, end - start);
  return viewOfBuffer(heap, allocator, buffer, end - start);
}

void traceString(heap::Marker& marker, Object* object, const heap::Class&) {
  if (isView(reinterpret_cast<String*>(object))) marker.mark(&reinterpret_cast<StringView*>(object)->buffer->header);
}

} // namespace nlang::object
