// Exceptions as the run-time system handles them: raw traces and their text.
//
// A trace is filled at the first throw without collecting: a long[] {total frames, then pairs (LoadedFunction address,
// pc offset) of at most kTraceEnd innermost and kTraceEnd outermost frames}. It becomes text on first use. Frames of
// hidden functions are left out.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "heap/heap.h"
#include "heap/lock_bit.h"
#include "object/layout.h"

namespace nlang::object {

constexpr unsigned kTraceEnd = 128;

struct RawFrame {
  const bytecode::LoadedFunction* function;
  uint32_t pc; // word offset in its code; of natives 0
  bool operator==(const RawFrame&) const = default;
};

// What is made once and then never changes (a trace, the lists made on first use) is read and stored with these two: of
// several carriers that make it together one succeeds. Gives what the field holds in the end.
template <class T> T* fieldOf(T* const& field) {
  return reinterpret_cast<T*>(heap::loadReference(reinterpret_cast<Object* const*>(&field)));
}
template <class T> T* storeOnce(heap::Heap& heap, ExceptionObject* exception, T*& field, T* made) {
  heap::LockBit lock(heap, exception->header);
  if (T* there = fieldOf(field)) return there;
  heap::storeReference(heap, &exception->header, reinterpret_cast<Object**>(&field), &made->header);
  return made;
}

// Collects frames one by one from the innermost out, keeping the ends.
class TraceBuilder {
 public:
  void add(const bytecode::LoadedFunction* function, uint32_t pc);
  uint64_t total() const { return total_; }
  // The frames that are kept, innermost first.
  uint32_t keptCount() const { return static_cast<uint32_t>(std::min<uint64_t>(total_, 2 * kTraceEnd)); }
  const RawFrame& kept(uint32_t i) const {
    return i < kTraceEnd ? innermost_[i] : outermost_[(total_ - keptCount() + i) % kTraceEnd];
  }
  // Stores the trace in `exception`. Never collects; false (and no trace) if there is no memory.
  bool store(heap::Heap& heap, heap::Allocator& allocator, ExceptionObject* exception) const;

 private:
  RawFrame innermost_[kTraceEnd];
  RawFrame outermost_[kTraceEnd]; // a ring: frame i stands at i % kTraceEnd
  uint64_t total_ = 0;
};

// `module.function (file.n:LINE)` of a frame; empty for a hidden function.
std::string frameText(const bytecode::LoadedFunction* function, uint32_t pc, std::span<const std::string> files);
// The lines of a stack of `total` frames of which `kept` are known, with `… N more` where frames were left out.
std::vector<std::string> framesText(std::span<const RawFrame> kept, uint64_t total, std::span<const std::string> files);
// The trace's lines, with `… N more` where frames were left out. Empty without a trace.
std::vector<std::string> traceText(const ExceptionObject* exception, std::span<const std::string> files);

} // namespace nlang::object
