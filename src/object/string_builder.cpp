#include "object/string_builder.h"

#include <algorithm>
#include <cstring>

#include "heap/lock_bit.h"
#include "object/list.h"
#include "object/string.h"

namespace nlang::object {

namespace {

constexpr uint64_t kFirstCapacity = 48;

Array* bytesOf(StringBuilder* builder) {
  return reinterpret_cast<Array*>(heap::loadReference(reinterpret_cast<Object**>(&builder->bytes)));
}
uint32_t capacityOf(const Array* bytes) { return bytes == nullptr ? 0 : bytes->length; }

// Gives the builder room for `wanted` bytes. May collect. False: out of memory.
bool grow(heap::Heap& heap, heap::Allocator& allocator, StringBuilder* builder, uint64_t wanted) {
  if (wanted > kMaxStringLength) return false;
  uint64_t capacity = std::max({wanted, kFirstCapacity, uint64_t{capacityOf(bytesOf(builder))} * 2});
  capacity = std::min<uint64_t>(capacity, kMaxStringLength);
  Array* bigger = newArray(heap, allocator, heap.classes().wellKnown(bytecode::WellKnown::kArrayOfUByte), capacity);
  if (bigger == nullptr) return false;
  heap::LockBit lock(heap, builder->header);
  Array* old = bytesOf(builder);
  if (capacityOf(old) >= bigger->length) return true;
  if (builder->length > 0) std::memcpy(bigger->elements(), old->elements(), builder->length);
  heap::storeReference(heap, &builder->header, reinterpret_cast<Object**>(&builder->bytes), &bigger->header);
  if (old != nullptr) heap.discard(&old->header);
  return true;
}

} // namespace

bool builderAppend(heap::Heap& heap, heap::Allocator& allocator, StringBuilder* builder, std::string_view text) {
  if (text.empty()) return true;
  for (;;) {
    uint64_t wanted;
    {
      heap::LockBit lock(heap, builder->header);
      Array* bytes = bytesOf(builder);
      wanted = uint64_t{builder->length} + text.size();
      if (wanted <= capacityOf(bytes)) {
        std::memcpy(bytes->elements() + builder->length, text.data(), text.size());
        __atomic_store_n(&builder->length, static_cast<uint32_t>(wanted), __ATOMIC_RELAXED);
        return true;
      }
    }
    if (!grow(heap, allocator, builder, wanted)) return false;
  }
}

void builderClear(heap::Heap& heap, StringBuilder* builder) {
  heap::LockBit lock(heap, builder->header);
  __atomic_store_n(&builder->length, 0, __ATOMIC_RELAXED);
}

uint32_t builderLength(const StringBuilder* builder) { return __atomic_load_n(&builder->length, __ATOMIC_RELAXED); }

bool builderText(heap::Heap& heap, heap::Allocator& allocator, StringBuilder* builder, String*& to) {
  for (;;) {
    uint32_t length = builderLength(builder);
    to = nullptr;
    if (length == 0) return true;
    String* made = newUninitializedString(heap, allocator, length);
    if (made == nullptr) return false;
    heap::LockBit lock(heap, builder->header);
    if (builder->length != length) continue; // it changed before it was locked: the string has the wrong size
    std::memcpy(writableBytes(made), bytesOf(builder)->elements(), length);
    to = made;
    return true;
  }
}

void traceStringBuilder(heap::Marker& marker, Object* object, const heap::Class&) {
  marker.mark(reinterpret_cast<Object*>(reinterpret_cast<StringBuilder*>(object)->bytes));
}

} // namespace nlang::object
