// The C++ structures of heap objects. Sizes and offsets here are known to the code generator where bytecode::ClassKind
// says so.
#pragma once

#include <cstdint>

#include "heap/object.h"

namespace nlang::object {

using heap::Object;
using heap::Slot;

// Text, immutable. Null is "". A flat string has its bytes behind this header. A string of more than kViewThreshold
// bytes may be a view of a text buffer instead: `view` is set.
struct String {
  Object header;
  uint32_t length;            // bytes
  std::atomic<uint32_t> hash; // 0: not computed; else a fixed function of the bytes, never 0
  // flat: the bytes. view: the two fields of StringView.
  const char* flatBytes() const { return reinterpret_cast<const char*>(this + 1); }
};
constexpr uint32_t kViewThreshold = 256;
constexpr uint32_t kMaxStringLength = 0x7fffffff;

// Flag in Object::flags beside heap::ObjectFlags: this String is a StringView.
constexpr uint8_t kViewFlag = 8;
// And this flat one was made by appending to a long text: the next append to it will hardly be the last.
constexpr uint8_t kJoinedFlag = 16;

// A growing buffer of bytes that views share. Bytes below `used` never change.
struct TextBuffer {
  Object header;
  uint32_t capacity;
  std::atomic<uint32_t>
      used; // the end of the longest view; s + x claims [used, used + n) by compare-and-swap when s ends there
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

struct StringView {
  String text;
  TextBuffer* buffer;
  uint32_t offset; // of the first byte in the buffer
};

inline bool isView(const String* s) { return s->header.flags.load(std::memory_order_relaxed) & kViewFlag; }

// T[]: elements follow, packed by the class's element layout.
struct Array {
  Object header;
  uint32_t length; // elements; constant
  uint32_t unused;
  char* elements() { return reinterpret_cast<char*>(this + 1); }
  const char* elements() const { return reinterpret_cast<const char*>(this + 1); }
};

// List<T>. storage only ever grows; elements behind `length` are zero. Readers take no lock; see architecture of
// container operations.
struct List {
  Object header;
  std::atomic<uint32_t> length;
  std::atomic<uint32_t> version; // counts structural changes twice: odd while elements are moved or cleared
  Array* storage;                // null while nothing was added
};

// How quick look-ups compare the keys of a table: as one integer, as text, or not at all. Only for tables whose keys
// have no code of their own: a reference is taken for a string.
enum class KeyForm : uint8_t { kOther, kWord32, kWord64, kText };

// The entries of a Dict or Set and the index over them; see dict.h. Behind this header stand the index slots, a power
// of two of 32 bits each, then the entries, packed by the class's element layout. In large tables no eight slots lie in
// two cache lines, because the header takes half a line.
struct Table {
  Object header;
  std::atomic<uint32_t> used;  // entries appended so far, removed ones included
  std::atomic<uint32_t> first; // no entry in front of this one is alive
  // Constant, all of them; offsets and sizes in bytes of an entry, whose hash code is at 0.
  uint32_t capacity;   // entries there is room for
  uint32_t numberMask; // the bits of a slot that hold an entry's number; as many slots as this, and one
  KeyForm keyForm;
  bytecode::StorageKind valueKind; // of the value's first leaf
  uint16_t entrySize, keyOffset, valueOffset;
  uint32_t* slots() { return reinterpret_cast<uint32_t*>(this + 1); }
  char* entries() { return reinterpret_cast<char*>(slots() + size_t{numberMask} + 1); }
};
static_assert(sizeof(Table) == 32);

// Dict<K,V> and Set<T>. Count and version stand where those of a List do, so that the same instructions read them.
struct Dict {
  Object header;
  std::atomic<uint32_t> count;   // entries that are alive
  std::atomic<uint32_t> version; // counts structural changes twice: odd while one is being made
  Table* table;                  // null while nothing was added, and after clear
};

// Function value. Captured values follow, at offsets the code generator chose (from 16 on).
struct Closure {
  Object header;
  const bytecode::LoadedFunction* function;
};

// A boxed scalar, enum or struct: the packed value follows the header.
struct Box {
  Object header;
  char* value() { return reinterpret_cast<char*>(this + 1); }
};

// Exception and its subclasses start with these; the order is that of the declaration in std/prelude.n.
struct ExceptionObject {
  Object header;
  String* message;
  Object* cause; // ExceptionObject or null
  Array* trace;  // long[]: pairs (function address, pc offset) from innermost; set at the first throw. See exception.h
  List* frames;  // List<string>, made from `trace` on first use
  List* suppressed; // List<Exception>, made on first use
};

struct StringBuilder {
  Object header;
  uint32_t length;
  uint32_t unused;
  Array* bytes; // ubyte[], capacity is its length; null while empty
};

} // namespace nlang::object
