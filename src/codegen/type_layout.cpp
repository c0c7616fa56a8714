// Flattening of structs into leaves, and their packing.
#include "codegen/type_layout.h"

#include <algorithm>

#include "codegen/representation.h"
#include "sema/symbols.h"

namespace nlang::codegen {

using bytecode::StorageKind;
using sema::Type;
using sema::TypeKind;

namespace {

// A value of more leaves cannot be passed to a function; nested generic structs reach it fast, so it also ends their
// expansion.
constexpr size_t kMaxLeaves = 255;
// Structs within each other. The checker limits those of a declaration; type arguments put several such towers on top
// of each other.
constexpr unsigned kMaxDepth = 1000;

} // namespace

const TypeLayout& LayoutTable::of(const Type* type) {
  if (auto found = known_.find(type); found != known_.end()) return *found->second;
  TypeLayout layout;
  layout.type = type;
  if (depth_ == kMaxDepth) {
    layout.isTooLarge = true;
  } else {
    ++depth_;
    addLeaves(type, layout);
    --depth_;
  }
  pack(layout);
  TypeLayout* stored = &layouts_.emplace_back(std::move(layout));
  known_[type] = stored;
  return *stored;
}

void LayoutTable::addLeaves(const Type* type, TypeLayout& layout) {
  if (type->isVoid()) return;
  if (type->kind != TypeKind::kStruct) {
    StorageKind kind = storageOf(type);
    layout.element.leaves.push_back({0, kind, type->isFloating()});
    layout.leafTypes.push_back(type);
    layout.isReference.push_back(kind == StorageKind::kReference);
    return;
  }
  const sema::ClassSymbol& declaration = *type->declaration;
  sema::Substitution substitution{declaration.typeParameters, type->arguments};
  for (const sema::FieldSymbol* field : declaration.fields) {
    const Type* fieldType = field->type->hasParameters ? types_.substitute(field->type, substitution) : field->type;
    auto first = static_cast<uint32_t>(layout.leafTypes.size());
    layout.fields.push_back({fieldType, first});
    const TypeLayout& part = of(fieldType);
    if (part.isTooLarge || first + part.leafTypes.size() > kMaxLeaves) {
      layout.isTooLarge = true;
      continue;
    }
    layout.leafTypes.insert(layout.leafTypes.end(), part.leafTypes.begin(), part.leafTypes.end());
    layout.isReference.insert(layout.isReference.end(), part.isReference.begin(), part.isReference.end());
    layout.element.leaves.insert(layout.element.leaves.end(), part.element.leaves.begin(), part.element.leaves.end());
  }
  if (layout.leafTypes.empty()) addLeaves(types_.simple(TypeKind::kBool), layout);
}

bytecode::ElementLayout LayoutTable::tableEntry(const TypeLayout& key, const TypeLayout* value) {
  bytecode::ElementLayout entry;
  std::vector<bytecode::Leaf>& leaves = entry.leaves;
  leaves.push_back({0, StorageKind::k32, false});
  leaves.insert(leaves.end(), key.element.leaves.begin(), key.element.leaves.end());
  if (value) leaves.insert(leaves.end(), value->element.leaves.begin(), value->element.leaves.end());
  // The hash code comes first. If there are leaves of eight bytes, smaller ones fill the four bytes behind it.
  uint32_t alignment = std::max({4u, key.alignment, value ? value->alignment : 1u});
  uint32_t gap = 4, end = alignment;
  for (uint32_t size : {8u, 4u, 2u, 1u}) {
    for (size_t i = 1; i < leaves.size(); ++i) {
      if (storageSize(leaves[i].kind) != size) continue;
      uint32_t& next = gap + size <= alignment ? gap : end;
      leaves[i].offset = next;
      next += size;
    }
  }
  entry.size = (end + alignment - 1) / alignment * alignment;
  return entry;
}

void LayoutTable::pack(TypeLayout& layout) {
  uint32_t offset = 0;
  for (uint32_t size : {8u, 4u, 2u, 1u}) {
    for (bytecode::Leaf& leaf : layout.element.leaves) {
      if (storageSize(leaf.kind) != size) continue;
      leaf.offset = offset;
      offset += size;
      layout.alignment = std::max(layout.alignment, size);
    }
  }
  layout.element.size = (offset + layout.alignment - 1) / layout.alignment * layout.alignment;
}

} // namespace nlang::codegen
