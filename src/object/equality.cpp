#include "object/equality.h"

#include "object/string.h"

namespace nlang::object {

namespace {

// A string field may be null, which is the same text as an empty string object.
bool isEmptyText(heap::Heap& heap, const Object* object) {
  return object == nullptr || (heap.classes().of(object).kind == bytecode::ClassKind::kString &&
                               lengthOf(reinterpret_cast<const String*>(object)) == 0);
}

// Field by field as == does: floats by IEEE, references and strings as sameValue.
bool sameBoxes(heap::Heap& heap, const Object* a, const Object* b, const heap::Layout& layout) {
  const char* left = reinterpret_cast<const char*>(a) + sizeof(Object);
  const char* right = reinterpret_cast<const char*>(b) + sizeof(Object);
  for (uint32_t i = 0; i < layout.leafCount; ++i) {
    const bytecode::Leaf& leaf = layout.leaves[i];
    Slot x = heap::loadLeaf(left + leaf.offset, leaf.kind);
    Slot y = heap::loadLeaf(right + leaf.offset, leaf.kind);
    bool same = false;
    if (leaf.isFloating)
      same = leaf.kind == bytecode::StorageKind::k64 ? x.f64() == y.f64() : x.f32() == y.f32();
    else if (leaf.kind == bytecode::StorageKind::kReference) {
      bool bothEmpty = (x.bits == 0 || y.bits == 0) && isEmptyText(heap, x.object()) && isEmptyText(heap, y.object());
      same = bothEmpty || sameValue(heap, x.object(), y.object());
    } else
      same = x.bits == y.bits;
    if (!same) return false;
  }
  return true;
}

} // namespace

bool sameValue(heap::Heap& heap, const Object* a, const Object* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->classOffset != b->classOffset) return false;
  const heap::Class& cls = heap.classes().of(a);
  switch (cls.kind) {
  case bytecode::ClassKind::kString:
    return equal(reinterpret_cast<const String*>(a), reinterpret_cast<const String*>(b));
  case bytecode::ClassKind::kBox: return sameBoxes(heap, a, b, cls.element);
  case bytecode::ClassKind::kClosure:
    // Field 16 of a bound method is its receiver; two values of the same lambda are the same only if they are the same
    // object.
    return cls.isBoundMethod &&
           reinterpret_cast<const Closure*>(a)->function == reinterpret_cast<const Closure*>(b)->function &&
           reinterpret_cast<Object* const*>(a)[2] == reinterpret_cast<Object* const*>(b)[2];
  default: return false;
  }
}

} // namespace nlang::object
