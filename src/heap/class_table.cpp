// Builds run-time classes from their definitions. Everything a class points at lies in the table's range too and is
// never freed before it.
#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <vector>

#include "bytecode/loaded_function.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/reserved_range.h"

namespace nlang::heap {
namespace {

using bytecode::ClassKind;
using bytecode::kNone;

constexpr size_t kTableRange = size_t{1} << 30;
constexpr size_t kSmallestTable = size_t{1} << 26;
constexpr size_t kAlignment = 16;

bool hasOwnOffsets(ClassKind kind) {
  return kind == ClassKind::kPlain || kind == ClassKind::kException || kind == ClassKind::kClosure ||
         kind == ClassKind::kBox;
}

// Whether all references of an instance are in elements.
bool isPacked(ClassKind kind) { return kind == ClassKind::kArray || kind == ClassKind::kTable; }

// The smallest power of two, less one, under which no two selectors collide.
uint32_t maskWithoutCollisions(const std::vector<bytecode::InterfaceMethod>& methods) {
  for (uint32_t size = std::bit_ceil(std::max<uint32_t>(1, static_cast<uint32_t>(methods.size())));; size *= 2) {
    std::vector<bool> taken(size);
    bool collides = false;
    for (const auto& method : methods) {
      if (taken[method.selector & (size - 1)]) collides = true;
      taken[method.selector & (size - 1)] = true;
    }
    if (!collides) return size - 1;
  }
}

// Numbers the classes so that the subclasses of each are a range: parents before children, children of one parent
// together.
void numberClasses(const bytecode::Program& program, const std::vector<Class*>& classes) {
  std::vector<std::vector<uint32_t>> children(classes.size() + 1); // the last: classes without a superclass
  for (uint32_t i = 0; i < classes.size(); ++i) {
    uint32_t super = program.classes[i].superIndex;
    children[super == kNone ? classes.size() : super].push_back(i);
  }
  uint32_t number = 0;
  struct Visit {
    uint32_t index;
    size_t nextChild;
  };
  std::vector<Visit> path{{static_cast<uint32_t>(classes.size()), 0}};
  while (!path.empty()) {
    Visit& top = path.back();
    if (top.nextChild < children[top.index].size()) {
      uint32_t child = children[top.index][top.nextChild++];
      classes[child]->preorder = number++;
      path.push_back({child, 0});
      continue;
    }
    if (top.index != classes.size()) classes[top.index]->lastPreorder = number - 1;
    path.pop_back();
  }
}

} // namespace

// Allocates in the table's range; holds what load() needs and nothing else does.
class ClassLoader {
 public:
  ClassLoader(ReservedRange& range, size_t& used) : range_(range), used_(used) {}

  template <class T> T* make(size_t count) {
    used_ = (used_ + kAlignment - 1) & ~(kAlignment - 1);
    size_t start = used_;
    if (count > range_.size() / sizeof(T) || !range_.commit(start + count * sizeof(T))) throw std::bad_alloc();
    used_ += count * sizeof(T);
    return new (range_.base() + start) T[count]{};
  }
  template <class T> const T* copy(const std::vector<T>& values) {
    if (values.empty()) return nullptr;
    T* to = make<T>(values.size());
    std::copy(values.begin(), values.end(), to);
    return to;
  }
  Layout layout(const bytecode::ElementLayout& from) {
    Layout to;
    to.size = from.size;
    to.leafCount = static_cast<uint32_t>(from.leaves.size());
    to.leaves = copy(from.leaves);
    to.hasReferences = std::any_of(from.leaves.begin(), from.leaves.end(), [](const bytecode::Leaf& leaf) {
      return leaf.kind == bytecode::StorageKind::kReference;
    });
    return to;
  }
  void methods(Class& cls, const bytecode::Class& definition, const bytecode::LoadedFunction* functions) {
    cls.methodMask = maskWithoutCollisions(definition.methods);
    auto* table = make<Class::MethodEntry>(cls.methodMask + 1);
    for (uint32_t i = 0; i <= cls.methodMask; ++i) table[i] = {kNone, nullptr};
    for (const auto& method : definition.methods)
      table[method.selector & cls.methodMask] = {method.selector,
                                                 method.function == kNone ? nullptr : functions + method.function};
    cls.methods = table;
  }
  void virtualTable(Class& cls, const bytecode::Class& definition, const bytecode::LoadedFunction* functions) {
    auto** table = make<const bytecode::LoadedFunction*>(definition.virtualTable.size());
    for (size_t i = 0; i < definition.virtualTable.size(); ++i)
      table[i] = definition.virtualTable[i] == kNone ? nullptr : functions + definition.virtualTable[i];
    cls.virtualTable = table;
  }

 private:
  ReservedRange& range_;
  size_t& used_;
};

ClassTable::ClassTable() : range_(std::make_unique<ReservedRange>()) {
  if (!range_->reserve(kTableRange, kSmallestTable, 4096)) throw std::bad_alloc();
  base_ = range_->base();
  used_ = kAlignment; // offset 0 is that of no class
}

ClassTable::~ClassTable() = default;

void ClassTable::registerKind(ClassKind kind, TraceFunction trace, uint32_t instanceSize) {
  kinds_[static_cast<unsigned>(kind)] = {trace, instanceSize};
}

void ClassTable::load(const bytecode::Program& program, const bytecode::LoadedFunction* functions) {
  assert(classes_ == nullptr && "a class table is loaded once");
  ClassLoader loader(*range_, used_);
  size_t count = program.classes.size();
  std::vector<Class*> classes(count);
  for (Class*& cls : classes) cls = loader.make<Class>(1);
  auto at = [&](uint32_t index) -> const Class* { return index == kNone ? nullptr : classes[index]; };

  for (uint32_t i = 0; i < count; ++i) {
    const bytecode::Class& definition = program.classes[i];
    const KindEntry& kind = kinds_[static_cast<unsigned>(definition.kind)];
    Class& cls = *classes[i];
    cls.offset = static_cast<uint32_t>(reinterpret_cast<char*>(&cls) - base_);
    cls.index = i;
    cls.kind = definition.kind;
    cls.isAbstract = definition.isAbstract;
    cls.isBoundMethod = definition.isBoundMethod;
    cls.definition = &definition;
    cls.superclass = at(definition.superIndex);
    cls.arrayClass = at(definition.arrayClass);
    cls.enumClass = at(definition.enumClass);
    cls.closureFunction = definition.closureFunction == kNone ? nullptr : functions + definition.closureFunction;
    cls.element = loader.layout(definition.element);
    cls.key = loader.layout(definition.key);
    cls.referenceCount = static_cast<uint32_t>(definition.referenceOffsets.size());
    cls.referenceOffsets = loader.copy(definition.referenceOffsets);
    cls.instanceSize = hasOwnOffsets(definition.kind) ? definition.instanceSize : kind.instanceSize;
    bool holdsNone = hasOwnOffsets(definition.kind) ? cls.referenceCount == 0
                                                    : isPacked(definition.kind) && !cls.element.hasReferences;
    cls.trace = holdsNone ? nullptr : kind.trace;
    std::vector<uint32_t> interfaces = definition.interfaces;
    std::sort(interfaces.begin(), interfaces.end());
    cls.interfaceCount = static_cast<uint32_t>(interfaces.size());
    cls.interfaces = loader.copy(interfaces);
    loader.methods(cls, definition, functions);
    loader.virtualTable(cls, definition, functions);
  }
  numberClasses(program, classes);

  auto** byIndex = loader.make<const Class*>(count);
  std::copy(classes.begin(), classes.end(), byIndex);
  classes_ = byIndex;
  for (size_t i = 0; i < program.wellKnown.size(); ++i) wellKnown_[i] = at(program.wellKnown[i]);
}

bool Class::implements(uint32_t interfaceIndex) const {
  return std::binary_search(interfaces, interfaces + interfaceCount, interfaceIndex);
}

// The trace function of every kind whose references stand at fixed offsets.
void traceFields(Marker& marker, Object* object, const Class& cls) {
  char* base = reinterpret_cast<char*>(object);
  for (uint32_t i = 0; i < cls.referenceCount; ++i)
    marker.mark(loadReference(reinterpret_cast<Object**>(base + cls.referenceOffsets[i])));
}

} // namespace nlang::heap
