#include "object/equality.h"

#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "object/string.h"

namespace nlang::object {

namespace {

// A string field may be null, which is the same text as an empty string object.
bool isEmptyText(heap::Heap& heap, const Object* object) {
  return object == nullptr || (heap.classes().of(object).kind == bytecode::ClassKind::kString &&
                               lengthOf(reinterpret_cast<const String*>(object)) == 0);
}

// What is still to be compared. Boxes may hold boxes to any depth, so this is no recursion; they may share them, so no
// pair is taken twice.
class Pairs {
 public:
  void add(const Object* a, const Object* b) {
    if (seen_.emplace(a, b).second) waiting_.emplace_back(a, b);
  }
  bool take(const Object*& a, const Object*& b) {
    if (waiting_.empty()) return false;
    std::tie(a, b) = waiting_.back();
    waiting_.pop_back();
    return true;
  }

 private:
  std::vector<std::pair<const Object*, const Object*>> waiting_;
  std::set<std::pair<const Object*, const Object*>> seen_;
};

// Field by field as == does: floats by IEEE, references later.
bool sameFields(heap::Heap& heap, const Object* a, const Object* b, const heap::Layout& layout, Pairs& later) {
  const char* left = reinterpret_cast<const char*>(a) + sizeof(Object);
  const char* right = reinterpret_cast<const char*>(b) + sizeof(Object);
  for (uint32_t i = 0; i < layout.leafCount; ++i) {
    const bytecode::Leaf& leaf = layout.leaves[i];
    Slot x = heap::loadLeaf(left + leaf.offset, leaf.kind);
    Slot y = heap::loadLeaf(right + leaf.offset, leaf.kind);
    if (leaf.isFloating) {
      if (leaf.kind == bytecode::StorageKind::k64 ? x.f64() != y.f64() : x.f32() != y.f32()) return false;
    } else if (leaf.kind == bytecode::StorageKind::kReference) {
      if ((x.bits == 0 || y.bits == 0) && isEmptyText(heap, x.object()) && isEmptyText(heap, y.object())) continue;
      if (x.bits != 0 || y.bits != 0) later.add(x.object(), y.object());
    } else if (x.bits != y.bits) {
      return false;
    }
  }
  return true;
}

bool samePair(heap::Heap& heap, const Object* a, const Object* b, Pairs& later) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a->classOffset != b->classOffset) return false;
  const heap::Class& cls = heap.classes().of(a);
  // A box is not the same as itself when a NaN is in it.
  if (a == b && cls.kind != bytecode::ClassKind::kBox) return true;
  switch (cls.kind) {
  case bytecode::ClassKind::kString:
    return equal(reinterpret_cast<const String*>(a), reinterpret_cast<const String*>(b));
  case bytecode::ClassKind::kBox: return sameFields(heap, a, b, cls.element, later);
  case bytecode::ClassKind::kClosure:
    // Field 16 of a bound method is its receiver; two values of the same lambda are the same only if they are the same
    // object.
    return cls.isBoundMethod &&
           reinterpret_cast<const Closure*>(a)->function == reinterpret_cast<const Closure*>(b)->function &&
           reinterpret_cast<Object* const*>(a)[2] == reinterpret_cast<Object* const*>(b)[2];
  default: return false;
  }
}

} // namespace

bool sameValue(heap::Heap& heap, const Object* a, const Object* b) {
  Pairs later;
  do {
    if (!samePair(heap, a, b, later)) return false;
  } while (later.take(a, b));
  return true;
}

} // namespace nlang::object
