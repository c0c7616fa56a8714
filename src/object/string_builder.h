// StringBuilder: a mutable text in a byte array that doubles.
//
// Writers hold the lock bit while they change it; memory is allocated before it is taken and the builder checked again
// after. Readers of the whole text hold it too, since a text must not be torn.
#pragma once

#include <string_view>

#include "heap/heap.h"
#include "object/layout.h"

namespace nlang::object {

// Appends. May collect: `text` lies outside the heap or in an object that a root refers to. False: out of memory, or
// longer than a string may be.
bool builderAppend(heap::Heap& heap, heap::Allocator& allocator, StringBuilder* builder, std::string_view text);
void builderClear(heap::Heap& heap, StringBuilder* builder);
uint32_t builderLength(const StringBuilder* builder);
// The text as a string of its own in `to`; null when it is empty. May collect. False: out of memory.
bool builderText(heap::Heap& heap, heap::Allocator& allocator, StringBuilder* builder, String*& to);

void traceStringBuilder(heap::Marker& marker, Object* object, const heap::Class& cls);

} // namespace nlang::object
