// Registers of one function while its code is made.
//
// Invariants: a register has one kind, scalar or reference, from its first allocation to the end of the function,
// because liveness maps are sets of reference registers. A range is a run of consecutive registers of given kinds (a
// struct value, the results of a call); it comes back as the same range or, if need be, in pieces as single registers.
// Freed registers are taken before new ones, so frames stay small.
//
// Lists of free registers are lazy: an entry counts only if the registers it names are free when it is taken. That
// keeps every operation constant per register without ever searching the frame.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace nlang::bytecode {

class RegisterAllocator {
 public:
  /// One register. Takes nothing but a bool, because an array converts to one.
  uint16_t allocate(std::same_as<bool> auto isReference) { return allocateOne(isReference); }
  /// Consecutive registers, one for each element; the answer is the first. An empty range takes no register and answers
  /// 0.
  uint16_t allocate(std::span<const bool> kinds);
  /// Gives back `count` registers from `first` on, all of them allocated now.
  void release(uint16_t first, unsigned count = 1);

  /// A point in time for releaseTo.
  using Mark = size_t;
  Mark mark() const { return log_.size(); }
  /// Gives back whatever was allocated since `mark` and has not been given back yet.
  void releaseTo(Mark mark);

  bool isReference(uint16_t reg) const { return kinds_[reg]; }
  bool isAllocated(uint16_t reg) const { return allocated_[reg]; }
  /// Registers that the function needs.
  unsigned count() const { return static_cast<unsigned>(kinds_.size()); }
  /// Whether the function wanted more than kMaxRegisters. Answers since then are meaningless, and its code must not be
  /// used.
  bool overflowed() const { return overflowed_; }
  /// The kinds as Function::referenceRegisters holds them.
  std::vector<uint64_t> referenceBits() const;

 private:
  struct Range {
    uint16_t first;
    uint16_t count;
  };
  using Kinds = std::vector<bool>;

  uint16_t allocateOne(bool isReference);
  uint16_t extend(std::span<const bool> kinds);
  bool isFree(Range range) const;
  void take(Range range);
  bool takeSingle(std::vector<uint16_t>& list, uint16_t& reg);

  std::vector<bool> kinds_;                       // of each register: whether it holds references
  std::vector<bool> allocated_;                   // of each register: whether it is in use now
  std::vector<uint16_t> singles_[2];              // registers released alone, by kind
  std::vector<uint16_t> pieces_[2];               // registers released as part of a range, by kind; the second choice
  std::map<Kinds, std::vector<uint16_t>> ranges_; // first registers of released ranges, by their kinds
  std::vector<Range> log_;                        // every allocation since the oldest mark that is of use
  bool overflowed_ = false;
};

/// Gives back at the end of a C++ scope what was allocated inside it.
class RegisterScope {
 public:
  explicit RegisterScope(RegisterAllocator& registers) : registers_(registers), mark_(registers.mark()) {}
  ~RegisterScope() { registers_.releaseTo(mark_); }
  RegisterScope(const RegisterScope&) = delete;
  RegisterScope& operator=(const RegisterScope&) = delete;

 private:
  RegisterAllocator& registers_;
  RegisterAllocator::Mark mark_;
};

} // namespace nlang::bytecode
