// Classes of the compiled program: creation on first mention, field layout, virtual tables and interface methods filled
// on use.
#include <algorithm>

#include "codegen/program_generator.h"
#include "codegen/representation.h"
#include "sema/typed_tree.h"
#include "syntax/diagnostic.h"

namespace nlang::codegen {

using bytecode::ClassKind;
using bytecode::kNone;
using sema::ClassSymbol;
using sema::FunctionSymbol;
using sema::Type;
using sema::TypeKind;
using syntax::DiagId;

namespace {

constexpr uint32_t kHeaderSize = 8;
constexpr uint32_t kMaxOffset = 0xffff;
constexpr uint32_t kMaxClasses = 0x10000;
constexpr uint32_t kCapturesOffset = 16; // behind the header and the function of a closure
constexpr size_t kMaxSlots = 0x10000;    // what an instruction can name
constexpr unsigned kObjectSlots = 3;     // toString, equals, hashCode

uint32_t alignUp(uint32_t value, uint32_t alignment) { return (value + alignment - 1) / alignment * alignment; }

// Places blocks behind each other without gaps where it can: larger alignments first, and a gap in front of a
// well-aligned block is filled with whatever is small enough.
class Packer {
 public:
  explicit Packer(uint32_t start) : end_(start) {}

  uint32_t add(uint32_t size, uint32_t alignment) {
    for (Gap& gap : gaps_) {
      uint32_t at = alignUp(gap.begin, alignment);
      if (at + size > gap.end) continue;
      uint32_t end = gap.end;
      gap.end = at;
      if (at + size < end) gaps_.push_back({at + size, end});
      return at;
    }
    uint32_t at = alignUp(end_, alignment);
    if (at > end_) gaps_.push_back({end_, at});
    end_ = at + size;
    return at;
  }
  uint32_t end() const { return end_; }

 private:
  struct Gap {
    uint32_t begin, end;
  };
  std::vector<Gap> gaps_;
  uint32_t end_;
};

// Offsets for blocks of these layouts from `start` on, in the order of the list.
std::vector<uint32_t> placeBlocks(std::span<const TypeLayout* const> layouts, uint32_t start, uint32_t& end) {
  std::vector<uint32_t> offsets(layouts.size());
  Packer packer(start);
  for (uint32_t alignment : {8u, 4u, 2u, 1u})
    for (size_t i = 0; i < layouts.size(); ++i)
      if (layouts[i]->alignment == alignment) offsets[i] = packer.add(layouts[i]->element.size, alignment);
  end = packer.end();
  return offsets;
}

} // namespace

ClassRecord& ProgramGenerator::newRecord(ClassRecord::Kind kind, const Type* type, ClassKind structure) {
  ClassRecord& record = records_.emplace_back();
  record.kind = kind;
  record.type = type;
  record.index = static_cast<uint32_t>(out_.classes.size());
  bytecode::Class& made = out_.classes.emplace_back();
  made.kind = structure;
  if (type) made.name = typeText(type);
  if (record.index == kMaxClasses) fail(DiagId::TooManyClasses, typed_.entries.front()->range, kMaxClasses);
  return record;
}

bool ProgramGenerator::canHaveInstances(const ClassRecord& record) {
  switch (record.kind) {
  case ClassRecord::Kind::kClass: return !record.symbol->isAbstract;
  case ClassRecord::Kind::kArray:
  case ClassRecord::Kind::kString:
  case ClassRecord::Kind::kBox:
  case ClassRecord::Kind::kClosure: return true;
  default: return false;
  }
}

void ProgramGenerator::setSuper(ClassRecord& record, ClassRecord* super) {
  record.super = super;
  super->subclasses.push_back(&record);
  record.usedSlots = super->usedSlots;
  data(record).superIndex = super->index;
  for (ClassRecord* interface : super->interfaces) {
    record.interfaces.push_back(interface);
    data(record).interfaces.push_back(interface->index);
    interface->implementers.push_back(&record);
  }
}

void ProgramGenerator::addInterface(ClassRecord& record, const Type* type) {
  ClassRecord& interface = classOf(type);
  if (std::find(record.interfaces.begin(), record.interfaces.end(), &interface) != record.interfaces.end()) return;
  record.interfaces.push_back(&interface);
  data(record).interfaces.push_back(interface.index);
  interface.implementers.push_back(&record);
  for (ClassRecord* base : std::vector<ClassRecord*>(interface.interfaces)) addInterface(record, base->type);
}

void ProgramGenerator::addInterfacesOf(ClassRecord& record, const Type* type) {
  if (!record.symbol) return;
  sema::Substitution substitution{record.symbol->typeParameters, argumentsOf(type)};
  for (const Type* interface : record.symbol->interfaces)
    addInterface(record, interface->hasParameters ? types().substitute(interface, substitution) : interface);
}

// Compiles what the record's bases and interfaces have already been asked for.
void ProgramGenerator::finishRecord(ClassRecord& record) {
  size_t slots = kObjectSlots;
  if (record.symbol && record.kind != ClassRecord::Kind::kBox)
    slots = std::max(slots, record.symbol->virtualTable.size());
  if (slots > kMaxSlots)
    return fail(DiagId::TooManyVirtualMethods, record.symbol->range, record.symbol->name, kMaxSlots);
  record.usedSlots.resize(slots);
  data(record).virtualTable.assign(slots, kNone);
  for (uint32_t slot = 0; slot < slots; ++slot)
    if (record.usedSlots[slot]) fillSlot(record, slot);
  for (ClassRecord* interface : std::vector<ClassRecord*>(record.interfaces))
    for (size_t i = 0; i < interface->usedMethods.size(); ++i) addMethod(record, *interface, interface->usedMethods[i]);
}

ClassRecord& ProgramGenerator::classOf(const Type* type) {
  if (auto found = classes_.find(type); found != classes_.end()) return *found->second;
  return makeClass(type);
}

ClassRecord& ProgramGenerator::makeClass(const Type* type) {
  switch (type->kind) {
  case TypeKind::kString: {
    ClassRecord& record = newRecord(ClassRecord::Kind::kString, type, ClassKind::kString);
    classes_[type] = &record;
    record.symbol = known_.classes.string;
    setSuper(record, &classOf(objectType()));
    const Type* self[] = {type};
    if (known_.classes.comparable) addInterface(record, types().named(known_.classes.comparable, self));
    finishRecord(record);
    return record;
  }
  case TypeKind::kArray: {
    ClassRecord& record = newRecord(ClassRecord::Kind::kArray, type, ClassKind::kArray);
    classes_[type] = &record;
    record.symbol = known_.classes.array;
    data(record).element = layout(type->element()).element;
    setSuper(record, &classOf(objectType()));
    addInterfacesOf(record, type);
    finishRecord(record);
    return record;
  }
  case TypeKind::kFunction: {
    ClassRecord& record = newRecord(ClassRecord::Kind::kFunction, type, ClassKind::kClosure);
    classes_[type] = &record;
    data(record).isAbstract = true;
    setSuper(record, &classOf(objectType()));
    finishRecord(record);
    return record;
  }
  case TypeKind::kEnum: {
    ClassRecord& record = newRecord(ClassRecord::Kind::kEnum, type, ClassKind::kEnum);
    classes_[type] = &record;
    record.symbol = type->declaration;
    for (const sema::EnumMember& member : record.symbol->members)
      data(record).members.push_back({std::string(member.name), member.value});
    return record;
  }
  case TypeKind::kInterface: {
    ClassRecord& record = newRecord(ClassRecord::Kind::kInterface, type, ClassKind::kInterface);
    classes_[type] = &record;
    record.symbol = type->declaration;
    data(record).isAbstract = true;
    addInterfacesOf(record, type);
    return record;
  }
  default: break;
  }
  ClassRecord& record = newRecord(ClassRecord::Kind::kClass, type, known_.kindOf(type->declaration));
  classes_[type] = &record;
  record.symbol = type->declaration;
  data(record).isAbstract = record.symbol->isAbstract;
  if (type->depth > sema::kMaxTypeDepth) {
    tooDeep_ = record.symbol;
    failed_ = true;
    return record;
  }
  if (const Type* super = conversions_.superType(type)) setSuper(record, &classOf(super));
  layOutFields(record);
  describeContainer(record);
  addInterfacesOf(record, type);
  finishRecord(record);
  return record;
}

// The element layouts and companion classes by which the run-time system moves values.
void ProgramGenerator::describeContainer(ClassRecord& record) {
  std::span<const Type* const> arguments = argumentsOf(record.type);
  ClassKind kind = data(record).kind;
  if (arguments.empty()) return;
  switch (kind) {
  case ClassKind::kList:
  case ClassKind::kChannel: {
    data(record).element = layout(arguments[0]).element;
    uint32_t storage = classOf(types().array(arguments[0])).index;
    data(record).arrayClass = storage;
    break;
  }
  case ClassKind::kThread: {
    data(record).element = layout(arguments[0]).element;
    // A struct result is kept in an array of one element.
    if (!layout(arguments[0]).isSingle()) {
      uint32_t array = classOf(types().array(arguments[0])).index;
      data(record).arrayClass = array;
    }
    break;
  }
  case ClassKind::kPromise: {
    data(record).element = layout(arguments[0]).element;
    if (!known_.classes.future) break;
    uint32_t future = classOf(types().named(known_.classes.future, arguments)).index;
    data(record).arrayClass = future;
    break;
  }
  case ClassKind::kSet:
  case ClassKind::kDict: {
    const TypeLayout& key = layout(arguments[0]);
    const TypeLayout* value = kind == ClassKind::kDict ? &layout(arguments[1]) : nullptr;
    data(record).key = key.element;
    if (value) data(record).element = value->element;
    ClassRecord& table = newRecord(ClassRecord::Kind::kHidden, nullptr, ClassKind::kTable);
    data(table).name = "table of " + data(record).name;
    data(table).element = LayoutTable::tableEntry(key, value);
    data(record).arrayClass = table.index;
    break;
  }
  default: break;
  }
}

void ProgramGenerator::addReferences(ClassRecord& record, const TypeLayout& layout, uint32_t offset) {
  for (const bytecode::Leaf& leaf : layout.element.leaves)
    if (leaf.kind == bytecode::StorageKind::kReference) data(record).referenceOffsets.push_back(offset + leaf.offset);
}

void ProgramGenerator::layOutFields(ClassRecord& record) {
  const ClassSymbol& symbol = *record.symbol;
  sema::Substitution substitution{symbol.typeParameters, argumentsOf(record.type)};
  for (const sema::FieldSymbol* field : symbol.fields) {
    const Type* type = field->type->hasParameters ? types().substitute(field->type, substitution) : field->type;
    record.fieldLayouts.push_back(&layout(type, field->range));
  }
  uint32_t start = record.super ? record.super->end : kHeaderSize;
  record.fieldOffsets = placeBlocks(record.fieldLayouts, start, record.end);
  if (record.super) data(record).referenceOffsets = data(*record.super).referenceOffsets;
  for (size_t i = 0; i < record.fieldLayouts.size(); ++i)
    addReferences(record, *record.fieldLayouts[i], record.fieldOffsets[i]);
  std::sort(data(record).referenceOffsets.begin(), data(record).referenceOffsets.end());
  data(record).instanceSize = alignUp(record.end, 8);
  if (record.end > kMaxOffset) fail(DiagId::ObjectTooLarge, symbol.range, symbol.name, kMaxOffset);
}

uint32_t ProgramGenerator::fieldOffset(ClassRecord& record, const sema::FieldSymbol* field) {
  for (ClassRecord* base = &record; base; base = base->super)
    if (base->symbol == field->owner) return base->fieldOffsets[field->index];
  return 0;
}

ClassRecord& ProgramGenerator::boxOf(const Type* type) {
  if (type->kind == TypeKind::kString) return classOf(type);
  if (auto found = boxes_.find(type); found != boxes_.end()) return *found->second;
  ClassRecord& record = newRecord(ClassRecord::Kind::kBox, type, ClassKind::kBox);
  boxes_[type] = &record;
  record.symbol = type->declaration;
  const TypeLayout& value = layout(type);
  data(record).element = value.element;
  data(record).instanceSize = alignUp(kHeaderSize + value.element.size, 8);
  addReferences(record, value, kHeaderSize);
  if (type->kind == TypeKind::kEnum) {
    uint32_t enumClass = classOf(type).index;
    data(record).enumClass = enumClass;
  }
  setSuper(record, &classOf(objectType()));
  addInterfacesOf(record, type);
  const Type* self[] = {type};
  if (type->kind != TypeKind::kStruct && known_.classes.comparable)
    addInterface(record, types().named(known_.classes.comparable, self));
  finishRecord(record);
  return record;
}

ClassRecord& ProgramGenerator::cellOf(const Type* type) {
  if (auto found = cells_.find(type); found != cells_.end()) return *found->second;
  ClassRecord& record = newRecord(ClassRecord::Kind::kCell, type, ClassKind::kPlain);
  cells_[type] = &record;
  const TypeLayout& value = layout(type);
  data(record).name = "cell";
  data(record).instanceSize = alignUp(kHeaderSize + value.element.size, 8);
  addReferences(record, value, kHeaderSize);
  return record;
}

ClassRecord& ProgramGenerator::closureOf(const Instance& function, const Type* type,
                                         std::span<const CaptureSlice> unplacedCaptures) {
  if (auto found = closures_.find(function); found != closures_.end()) return *found->second;
  uint32_t code = this->function(function);
  ClassRecord& record = newRecord(ClassRecord::Kind::kClosure, type, ClassKind::kClosure);
  closures_[function] = &record;
  record.isBound = function.kind == InstanceKind::kBoundThunk;
  record.captures.assign(unplacedCaptures.begin(), unplacedCaptures.end());
  std::vector<const TypeLayout*> layouts;
  for (const CaptureSlice& capture : record.captures) layouts.push_back(capture.layout);
  std::vector<uint32_t> offsets = placeBlocks(layouts, kCapturesOffset, record.end);
  for (size_t i = 0; i < offsets.size(); ++i) {
    record.captures[i].offset = offsets[i];
    addReferences(record, *layouts[i], offsets[i]);
  }
  std::sort(data(record).referenceOffsets.begin(), data(record).referenceOffsets.end());
  data(record).instanceSize = alignUp(record.end, 8);
  data(record).closureFunction = code;
  data(record).isBoundMethod = record.isBound;
  if (record.end > kMaxOffset) fail(DiagId::ObjectTooLarge, function.function->range, "lambda", kMaxOffset);
  setSuper(record, &classOf(type));
  finishRecord(record);
  return record;
}

ClassRecord& ProgramGenerator::wellKnown(bytecode::WellKnown which) {
  uint32_t index = out_.wellKnown[static_cast<unsigned>(which)];
  return records_[index == kNone ? 0 : index];
}

// ---------------------------------------------------------------- virtual tables and interface methods

void ProgramGenerator::useSlot(ClassRecord& record, uint32_t slot) {
  if (slot >= record.usedSlots.size() || record.usedSlots[slot]) return;
  record.usedSlots[slot] = true;
  fillSlot(record, slot);
  for (size_t i = 0; i < record.subclasses.size(); ++i) useSlot(*record.subclasses[i], slot);
}

void ProgramGenerator::fillSlot(ClassRecord& record, uint32_t slot) {
  if (!canHaveInstances(record)) return;
  uint32_t function = slotFunction(record, slot);
  if (slot < data(record).virtualTable.size()) data(record).virtualTable[slot] = function;
}

uint32_t ProgramGenerator::slotFunction(ClassRecord& record, uint32_t slot) {
  bool isBoxLike = record.kind == ClassRecord::Kind::kBox || record.kind == ClassRecord::Kind::kString;
  if (isBoxLike && slot < kObjectSlots) {
    bool comparesBits = record.kind == ClassRecord::Kind::kString ||
                        (record.type->kind != TypeKind::kStruct && !record.type->isFloating() && !record.symbol);
    if (slot == known_.objectEquals->slot && comparesBits) return function({.kind = InstanceKind::kEqualObjects});
    FunctionSymbol* method = classOf(objectType()).symbol->virtualTable[slot];
    return function({.kind = InstanceKind::kBoxMethod, .function = method, .owner = objectType(), .type = record.type});
  }
  if (record.kind == ClassRecord::Kind::kClosure) {
    if (slot == known_.objectEquals->slot) return function({.kind = InstanceKind::kEqualObjects});
    if (slot == known_.objectHashCode->slot && record.isBound) return function({.kind = InstanceKind::kBoundHash});
    return function(known_.classes.object->virtualTable[slot], objectType(), {}, {});
  }
  FunctionSymbol* method = record.symbol->virtualTable[slot];
  if (method->isAbstract) return kNone;
  return function(method, asSuper(record.type, method->owner), {}, method->range);
}

uint32_t ProgramGenerator::selector(ClassRecord& interface, FunctionSymbol* method) {
  for (const InterfaceUse& use : interface.usedMethods)
    if (use.method == method) return use.selector;
  InterfaceUse use{method, selectors_++};
  interface.usedMethods.push_back(use);
  for (size_t i = 0; i < interface.implementers.size(); ++i) addMethod(*interface.implementers[i], interface, use);
  return use.selector;
}

void ProgramGenerator::addMethod(ClassRecord& record, ClassRecord& interface, const InterfaceUse& use) {
  if (!canHaveInstances(record)) return;
  for (const bytecode::InterfaceMethod& known : data(record).methods)
    if (known.selector == use.selector) return;
  uint32_t function = methodFunction(record, interface, use.method);
  if (function != kNone) data(record).methods.push_back({use.selector, function});
}

uint32_t ProgramGenerator::methodFunction(ClassRecord& record, ClassRecord& interface, FunctionSymbol* method) {
  if (record.kind == ClassRecord::Kind::kBox || record.kind == ClassRecord::Kind::kString)
    return function(
        {.kind = InstanceKind::kBoxMethod, .function = method, .owner = interface.type, .type = record.type});
  FunctionSymbol* implementation = checker_.implementation(record.type, interface.type, method);
  if (!implementation) return kNone;
  if (implementation->isVirtual && implementation->slot < record.symbol->virtualTable.size())
    implementation = record.symbol->virtualTable[implementation->slot];
  if (implementation->isAbstract) return kNone;
  return function(implementation, asSuper(record.type, implementation->owner), {}, implementation->range);
}

} // namespace nlang::codegen
