#include "object/exception.h"

#include <algorithm>

#include "bytecode/loaded_function.h"

namespace nlang::object {

using bytecode::LoadedFunction;

namespace {

// Elements of the trace: the total, then two for each kept frame.
const int64_t* traceElements(const Array* trace) { return reinterpret_cast<const int64_t*>(trace->elements()); }
uint32_t keptFrames(const Array* trace) { return (trace->length - 1) / 2; }

// The line of the instruction that contains word `pc`; that of the declaration where there is no table.
uint32_t lineAt(const bytecode::Function& function, uint32_t pc) {
  auto after = std::upper_bound(function.lines.begin(), function.lines.end(), pc,
                                [](uint32_t at, const bytecode::LineEntry& entry) { return at < entry.pc; });
  return after == function.lines.begin() ? function.line : (after - 1)->line;
}

} // namespace

void TraceBuilder::add(const LoadedFunction* function, uint32_t pc) {
  if (function->flags & bytecode::kFunctionHidden) return;
  if (total_ < kTraceEnd)
    innermost_[total_] = {function, pc};
  else
    outermost_[total_ % kTraceEnd] = {function, pc};
  ++total_;
}

bool TraceBuilder::store(heap::Heap& heap, heap::Allocator& allocator, ExceptionObject* exception) const {
  uint64_t length = 1 + 2 * uint64_t{keptCount()};
  Object* object = heap.allocateNoCollect(allocator, heap.classes().wellKnown(bytecode::WellKnown::kArrayOfLong),
                                          sizeof(Array) + length * sizeof(int64_t));
  if (object == nullptr) return false;
  auto* trace = reinterpret_cast<Array*>(object);
  trace->length = static_cast<uint32_t>(length);
  auto* to = reinterpret_cast<int64_t*>(trace->elements());
  *to++ = static_cast<int64_t>(total_);
  for (uint32_t i = 0; i < keptCount(); ++i) {
    *to++ = static_cast<int64_t>(reinterpret_cast<uintptr_t>(kept(i).function));
    *to++ = kept(i).pc;
  }
  storeOnce(heap, exception, exception->trace, trace);
  return true;
}

std::string frameText(const LoadedFunction* function, uint32_t pc, std::span<const std::string> files) {
  if (function->flags & bytecode::kFunctionHidden) return {};
  const bytecode::Function& definition = *function->definition;
  std::string text = definition.name;
  text += " (";
  if (definition.file < files.size()) text += files[definition.file];
  text += ":" + std::to_string(lineAt(definition, pc)) + ")";
  return text;
}

std::vector<std::string> framesText(std::span<const RawFrame> kept, uint64_t total,
                                    std::span<const std::string> files) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (i == kTraceEnd && total > kept.size()) lines.push_back("… " + std::to_string(total - kept.size()) + " more");
    lines.push_back(frameText(kept[i].function, kept[i].pc, files));
  }
  return lines;
}

std::vector<std::string> traceText(const ExceptionObject* exception, std::span<const std::string> files) {
  const Array* trace = fieldOf(exception->trace);
  if (trace == nullptr) return {};
  const int64_t* elements = traceElements(trace);
  std::vector<RawFrame> kept(keptFrames(trace));
  for (uint32_t i = 0; i < kept.size(); ++i) {
    auto* function = reinterpret_cast<const LoadedFunction*>(static_cast<uintptr_t>(elements[1 + 2 * i]));
    kept[i] = {function, static_cast<uint32_t>(elements[2 + 2 * i])};
  }
  return framesText(kept, static_cast<uint64_t>(elements[0]), files);
}

} // namespace nlang::object
