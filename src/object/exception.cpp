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
  uint64_t kept = std::min<uint64_t>(total_, 2 * kTraceEnd);
  uint64_t length = 1 + 2 * kept;
  Object* object = heap.allocateNoCollect(allocator, heap.classes().wellKnown(bytecode::WellKnown::kArrayOfLong),
                                          sizeof(Array) + length * sizeof(int64_t));
  if (object == nullptr) return false;
  auto* trace = reinterpret_cast<Array*>(object);
  trace->length = static_cast<uint32_t>(length);
  auto* to = reinterpret_cast<int64_t*>(trace->elements());
  *to++ = static_cast<int64_t>(total_);
  for (uint64_t i = 0; i < kept; ++i) {
    uint64_t number = i < kTraceEnd ? i : total_ - (kept - i); // of the frame, counted from the innermost
    const RawFrame& frame = i < kTraceEnd ? innermost_[i] : outermost_[number % kTraceEnd];
    *to++ = static_cast<int64_t>(reinterpret_cast<uintptr_t>(frame.function));
    *to++ = frame.pc;
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

std::vector<std::string> traceText(const ExceptionObject* exception, std::span<const std::string> files) {
  std::vector<std::string> lines;
  const Array* trace = fieldOf(exception->trace);
  if (trace == nullptr) return lines;
  const int64_t* elements = traceElements(trace);
  auto total = static_cast<uint64_t>(elements[0]);
  uint32_t kept = keptFrames(trace);
  for (uint32_t i = 0; i < kept; ++i) {
    if (i == kTraceEnd && total > kept) lines.push_back("… " + std::to_string(total - kept) + " more");
    auto* function = reinterpret_cast<const LoadedFunction*>(static_cast<uintptr_t>(elements[1 + 2 * i]));
    lines.push_back(frameText(function, static_cast<uint32_t>(elements[2 + 2 * i]), files));
  }
  return lines;
}

} // namespace nlang::object
