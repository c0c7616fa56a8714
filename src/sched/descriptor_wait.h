// Waiting until a file descriptor can be read, or written, without waiting.
//
// A context that finds that it would have to wait parks in the queue (Scheduler::parkOnDescriptor) and tries again when
// it is woken. Who has waited is served in order: an event wakes only the first, who keeps its place if it has to wait
// once more, and wakes the next when it leaves (Scheduler::leaveDescriptor); who comes while there are users queues
// behind them.
//
// No event is lost: `turn` is read before the attempt. If an event comes, or a user leaves, between the attempt and the
// parking, it has changed, and the context tries again instead.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/context.h"

namespace nlang::sched {

enum class Direction : uint8_t { kRead, kWrite };

struct DescriptorWait {
  DescriptorWait(int d, Direction towards) : descriptor(d), direction(towards) {}

  Object header{};     // of no class and in no heap: its lock bit guards what follows
  WaitQueue waiters{}; // those of the users that are not having a try
  int descriptor;      // stays open; changed before the first wait only
  Direction direction;
  std::atomic<bool> isWatched{false}; // known to the poller
  std::atomic<uint32_t> users{0};     // contexts that wait, or have waited and not left yet
  std::atomic<uint32_t> turn{0};      // counts events and leaving users
};

} // namespace nlang::sched
