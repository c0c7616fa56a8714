// The classes of a program: inheritance, fields, methods, element layouts.
#include <algorithm>

#include "bytecode/verifier_impl.h"

namespace nlang::bytecode {

namespace {

constexpr uint32_t kHeaderSize = 8;    // of every object
constexpr uint32_t kFirstCapture = 16; // a closure's function stands between

bool hasFields(ClassKind kind) {
  return kind == ClassKind::kPlain || kind == ClassKind::kException || kind == ClassKind::kClosure ||
         kind == ClassKind::kBox;
}

bool mayExtend(ClassKind kind, ClassKind super) { return super == ClassKind::kPlain || super == kind; }

bool isSame(const ElementLayout& a, const ElementLayout& b) {
  return a.size == b.size &&
         std::equal(a.leaves.begin(), a.leaves.end(), b.leaves.begin(), b.leaves.end(), [](Leaf x, Leaf y) {
           return x.offset == y.offset && x.kind == y.kind && x.isFloating == y.isFloating;
         });
}

bool contains(const std::vector<uint32_t>& list, uint32_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

} // namespace

bool Verifier::checkClasses() {
  if (!checkInheritance()) return false;
  for (size_t i = 0; i < program_.classes.size(); ++i) {
    where_ = fmt::format("class {} ({}): ", i, program_.classes[i].name);
    if (!checkClass(program_.classes[i])) return false;
  }
  where_.clear();
  return true;
}

// Every chain of superclasses ends.
bool Verifier::checkInheritance() {
  const std::vector<Class>& classes = program_.classes;
  std::vector<uint32_t> seenFrom(classes.size(), kNone); // the class from which a walk upward first came by
  for (uint32_t i = 0; i < classes.size(); ++i) {
    where_ = fmt::format("class {} ({}): ", i, classes[i].name);
    if (classes[i].kind > ClassKind::kAtomic) return fail("unknown kind");
    uint32_t at = i;
    while (at != kNone && seenFrom[at] == kNone) {
      seenFrom[at] = i;
      uint32_t super = classes[at].superIndex;
      if (super != kNone && super >= classes.size()) return fail("no class {}", super);
      at = super;
    }
    if (at != kNone && seenFrom[at] == i) return fail("is its own superclass");
  }
  return true;
}

bool Verifier::checkClass(const Class& cls) {
  if (cls.superIndex != kNone && !mayExtend(cls.kind, program_.classes[cls.superIndex].kind))
    return fail("superclass {} has an unfit kind", cls.superIndex);
  for (uint32_t i : cls.interfaces)
    if (i >= program_.classes.size() || program_.classes[i].kind != ClassKind::kInterface)
      return fail("class {} is no interface", i);
  if (cls.superIndex != kNone)
    for (uint32_t i : program_.classes[cls.superIndex].interfaces)
      if (!contains(cls.interfaces, i)) return fail("lacks interface {} of its superclass", i);
  return checkLayout(cls.element, "element") && checkLayout(cls.key, "key") && checkFields(cls) && checkMethods(cls) &&
         checkSelectors(cls) && checkPartners(cls);
}

bool Verifier::checkFields(const Class& cls) {
  if (!hasFields(cls.kind)) {
    if (!cls.referenceOffsets.empty()) return fail("reference fields in a class of a kind that has none");
    return true;
  }
  if (cls.kind == ClassKind::kClosure && !isMadeByCode(cls)) return true;
  uint32_t least = cls.kind == ClassKind::kClosure ? kFirstCapture : kHeaderSize;
  if (cls.instanceSize < least) return fail("instances of {} bytes are too small", cls.instanceSize);
  largestInstance_ = std::max(largestInstance_, cls.instanceSize);
  std::vector<uint32_t> offsets = cls.referenceOffsets;
  std::sort(offsets.begin(), offsets.end());
  if (std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end())
    return fail("a reference field is named twice");
  for (uint32_t offset : offsets)
    if (offset % 8 != 0 || offset < least || offset > cls.instanceSize - 8)
      return fail("no reference can be at offset {}", offset);
  if (cls.superIndex == kNone) return true;
  const Class& super = program_.classes[cls.superIndex];
  if (!hasFields(super.kind)) return true;
  if (cls.instanceSize < super.instanceSize) return fail("instances are smaller than those of the superclass");
  for (uint32_t offset : super.referenceOffsets)
    if (!std::binary_search(offsets.begin(), offsets.end(), offset))
      return fail("lacks the superclass's reference at {}", offset);
  return true;
}

// A function that can be called with an object as its receiver.
bool Verifier::isMethod(uint32_t function, std::string_view what) {
  if (function >= program_.functions.size()) return fail("{}: no function {}", what, function);
  const Function& f = program_.functions[function];
  if (f.parameterCount == 0 || !f.isReference(0)) return fail("{}: function {} takes no object", what, function);
  return true;
}

bool Verifier::checkMethods(const Class& cls) {
  largestTable_ = std::max(largestTable_, static_cast<uint32_t>(cls.virtualTable.size()));
  for (uint32_t function : cls.virtualTable)
    if (function != kNone && !isMethod(function, "virtual table")) return false;
  if (cls.superIndex == kNone) return true;
  const std::vector<uint32_t>& inherited = program_.classes[cls.superIndex].virtualTable;
  if (cls.virtualTable.size() < inherited.size()) return fail("virtual table is shorter than the superclass's");
  for (size_t i = 0; i < inherited.size(); ++i) {
    uint32_t own = cls.virtualTable[i];
    if (own == kNone || inherited[i] == kNone || own == inherited[i]) continue;
    if (inherited[i] >= program_.functions.size())
      return fail("superclass's virtual table: no function {}", inherited[i]);
    if (!agree(own, inherited[i])) return fail("method {} does not agree with the one it overrides", i);
  }
  return true;
}

bool Verifier::checkSelectors(const Class& cls) {
  std::vector<uint32_t> seen;
  for (const InterfaceMethod& method : cls.methods) {
    if (!isMethod(method.function, "interface method")) return false;
    seen.push_back(method.selector);
    auto [first, isNew] = selectors_.try_emplace(method.selector, method.function);
    if (!isNew && !agree(first->second, method.function))
      return fail("method of selector {} does not agree with that of other classes", method.selector);
  }
  std::sort(seen.begin(), seen.end());
  if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) return fail("two methods for one selector");
  return true;
}

// Not so are abstract closure classes (the types of function values) and the class of the closure that the run-time
// system makes around the entry function, whose function it sets itself.
bool Verifier::isMadeByCode(const Class& cls) const {
  auto at = static_cast<size_t>(WellKnown::kEntryClosure);
  bool isEntry =
      at < program_.wellKnown.size() && program_.wellKnown[at] == static_cast<size_t>(&cls - program_.classes.data());
  return !cls.isAbstract && !isEntry;
}

// Other classes and the function that a class of its kind needs.
bool Verifier::checkPartners(const Class& cls) {
  const std::vector<Class>& classes = program_.classes;
  auto isOfKind = [&](uint32_t index, ClassKind kind) { return index < classes.size() && classes[index].kind == kind; };
  switch (cls.kind) {
  case ClassKind::kList:
  case ClassKind::kChannel:
    if (!isOfKind(cls.arrayClass, ClassKind::kArray)) return fail("lacks the array class for its storage");
    if (!isSame(cls.element, classes[cls.arrayClass].element)) return fail("its storage has other elements");
    return true;
  case ClassKind::kDict:
  case ClassKind::kSet:
    if (!isOfKind(cls.arrayClass, ClassKind::kTable)) return fail("lacks the class of its table");
    return checkEntry(cls, classes[cls.arrayClass]);
  case ClassKind::kPromise:
    if (!isOfKind(cls.arrayClass, ClassKind::kThread)) return fail("lacks its future's class");
    return true;
  case ClassKind::kClosure:
    if (!isMadeByCode(cls)) return cls.referenceOffsets.empty() || fail("captures");
    if (!isMethod(cls.closureFunction, "closure")) return false;
    if (cls.isBoundMethod && cls.referenceOffsets != std::vector<uint32_t>{kFirstCapture})
      return fail("a bound method captures one object");
    return true;
  case ClassKind::kBox:
    if (cls.enumClass != kNone && !isOfKind(cls.enumClass, ClassKind::kEnum))
      return fail("class {} is no enum", cls.enumClass);
    if (cls.element.size > cls.instanceSize - kHeaderSize) return fail("its value does not fit into it");
    return true;
  default: return true;
  }
}

// Entries of a dictionary's table: hash code, key, value.
bool Verifier::checkEntry(const Class& cls, const Class& table) {
  std::vector<Leaf> expected{{0, StorageKind::k32, false}};
  expected.insert(expected.end(), cls.key.leaves.begin(), cls.key.leaves.end());
  if (cls.kind == ClassKind::kDict)
    expected.insert(expected.end(), cls.element.leaves.begin(), cls.element.leaves.end());
  const std::vector<Leaf>& leaves = table.element.leaves;
  bool isSame = std::equal(expected.begin(), expected.end(), leaves.begin(), leaves.end(),
                           [](Leaf a, Leaf b) { return a.kind == b.kind && a.isFloating == b.isFloating; });
  constexpr uint32_t kLargestEntry = 0xffff;
  if (table.element.size > kLargestEntry) return fail("entries of {} bytes are too large", table.element.size);
  return (isSame && leaves[0].offset == 0) || fail("its table has other entries");
}

bool Verifier::checkLayout(const ElementLayout& layout, std::string_view what) {
  mostLeaves_ = std::max(mostLeaves_, static_cast<uint32_t>(layout.leaves.size()));
  uint32_t end = 0, alignment = 1;
  std::vector<Leaf> leaves = layout.leaves; // which may stand in any order
  std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) { return a.offset < b.offset; });
  for (const Leaf& leaf : leaves) {
    if (leaf.kind > StorageKind::kReference) return fail("{}: a leaf of unknown kind", what);
    uint32_t size = storageSize(leaf.kind);
    if (leaf.offset % size != 0 || leaf.offset < end || leaf.offset > layout.size || size > layout.size - leaf.offset)
      return fail("{}: a leaf cannot be at offset {}", what, leaf.offset);
    end = leaf.offset + size;
    alignment = std::max(alignment, size);
  }
  if (layout.size % alignment != 0) return fail("{}: size {} is not a multiple of its alignment", what, layout.size);
  return true;
}

} // namespace nlang::bytecode
