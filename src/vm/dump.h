// Threads as text, for dumps (C5.1) and the reports of deadlocks (C2.6) and leaks (C4.3). The world is stopped, or
// nothing runs any more.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "object/exception.h"
#include "sched/context.h"

namespace nlang::vm {

class Vm;

// `Thread 2 "worker" is waiting for a mutex held by "main"` and its stack, a line each.
std::string threadText(Vm& vm, const sched::Context& context);

// The frames of source code, a line each.
std::string stackText(Vm& vm, const sched::Context& context);

// Many threads, those in the same state with the same stack once, with their number: its memory grows with the number
// of different stacks, not of threads.
class ThreadGroups {
 public:
  explicit ThreadGroups(Vm& vm);
  void add(const sched::Context& context);
  uint64_t threads() const { return threads_; }
  // The groups in order of the lowest id in each.
  std::string text() const;

 private:
  struct Group {
    sched::ContextState state;
    sched::ParkReason reason; // kParked
    uint64_t count = 0;
    uint32_t shortest = UINT32_MAX, longest = 0; // kParked: milliseconds since they parked
    const heap::Object* owner;                   // kParked: the one object at which they all wait; null: there is
                                                 // none, or they wait at several
    uint64_t frames;                             // of the stack
    std::vector<object::RawFrame> kept;          // the innermost and the outermost of them
    std::vector<const sched::Context*> named;    // some with the lowest ids, in order
  };
  Group& groupOf(const sched::Context& context);
  std::string heading(const Group& group) const;

  Vm& vm_;
  uint32_t now_; // milliseconds of the scheduler's clock
  uint64_t threads_ = 0;
  std::unordered_multimap<uint64_t, Group> groups_; // by a hash of state and stack
};

} // namespace nlang::vm
