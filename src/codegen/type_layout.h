// The shape of a type's values: its leaves, in registers and in memory.
//
// A value takes one register a leaf, consecutive, in declaration order. In memory (fields, elements, cells, boxes) a
// struct is one packed block: its leaves stand sorted by size, so that there are no gaps, but keep their numbers. A
// struct without fields has one leaf that is always zero, so that every value has a place. Types are concrete here: no
// type parameters.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "bytecode/program.h"
#include "sema/types.h"

namespace nlang::codegen {

// A field of a struct: which leaves of the whole are its own.
struct FieldSlice {
  const sema::Type* type;
  uint32_t firstLeaf;
};

struct TypeLayout {
  const sema::Type* type = nullptr;
  bytecode::ElementLayout element;                     // in memory; leaves in register order
  absl::InlinedVector<const sema::Type*, 2> leafTypes; // of each leaf; the made-up leaf of an empty struct is a bool
  absl::InlinedVector<bool, 8> isReference;            // of each leaf, as the register allocator wants it
  std::vector<FieldSlice> fields;                      // structs: by FieldSymbol::index
  uint32_t alignment = 1;                              // of `element`, in bytes
  bool isTooLarge = false; // more leaves than a call could ever pass; `element` is not complete then

  uint16_t count() const { return static_cast<uint16_t>(leafTypes.size()); }
  // Whether the value is one leaf that plain (not _leaf) element instructions move.
  bool isSingle() const { return leafTypes.size() == 1; }
};

class LayoutTable {
 public:
  LayoutTable(sema::TypeTable& types) : types_(types) {}

  // The answer stays where it is.
  const TypeLayout& of(const sema::Type* type);
  // An entry of a hash table: its hash code, then the leaves of the key and, if there is one, of the value.
  static bytecode::ElementLayout tableEntry(const TypeLayout& key, const TypeLayout* value);

 private:
  void addLeaves(const sema::Type* type, TypeLayout& layout);
  static void pack(TypeLayout& layout);

  sema::TypeTable& types_;
  absl::flat_hash_map<const sema::Type*, TypeLayout*> known_;
  std::deque<TypeLayout> layouts_;
  unsigned depth_ = 0; // of the structs within each other that are being laid out
};

} // namespace nlang::codegen
