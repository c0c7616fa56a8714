// Channel<T>: a ring buffer and two wait queues (C3.1, C3.2).
//
// Invariants, all under the channel's lock bit
// - At least one of `senders` and `receivers` is empty, except for a select that waits in both.
// - `receivers` is not empty only while nothing is buffered; `senders` only while the buffer is full (an unbuffered
// channel's always is).
// - A closed channel has no waiters: close() wakes them all, and later operations do not wait. Values buffered before
// the close are still
//   received; those of senders that were waiting are not.
// - A value in hand-over is always in one of: the sender's frame (argument slots of its native), the ring, the
// receiver's frame (result slots
//   of its native). All three are traced, so it is never lost to the collector.
// - Behind the `length` values from `head` on the ring holds zeroes, so that it keeps nothing alive that was received.
#pragma once

#include "object/layout.h"
#include "sync/parking.h"

namespace nlang::sync {

struct Channel {
  Object header;
  uint32_t capacity; // values that wait without a sender; 0: unbuffered
  uint32_t length;   // values buffered now
  uint32_t head;     // place of the oldest
  bool closed;
  object::Array* storage; // `capacity` elements; null: unbuffered
  WaitQueue senders;      // their node's slot: the value, in their stack
  WaitQueue receivers;    // their node's slot: where the value goes
};

constexpr uint32_t kChannelInWholeLines = 128; // bytes, see registerSyncKinds
static_assert(sizeof(Channel) <= kChannelInWholeLines);

enum class ChannelStatus : uint8_t {
  kDone,
  kParked,     // carrier.park is filled; the outcome comes with Context::wake
  kWouldBlock, // it would have to wait, and may not
  kClosed,
};

// A new channel's buffer: may collect, so `channel` is in a traced slot. False: out of memory.
bool initializeChannel(Carrier& carrier, Channel& channel, uint32_t capacity);

// `slot`: position of the value's first slot in the context's stack, to read from or to write to. `limit` in
// milliseconds (parking.h).
ChannelStatus send(Scheduler& scheduler, Carrier& carrier, Context& self, Channel& channel, uint32_t slot,
                   int64_t limit);
ChannelStatus receive(Scheduler& scheduler, Carrier& carrier, Context& self, Channel& channel, uint32_t slot,
                      int64_t limit);

// The same without waiting, for who holds the channel's lock bit: kDone, kWouldBlock or kClosed.
ChannelStatus trySend(Scheduler& scheduler, Carrier& carrier, Context& self, Channel& channel, uint32_t slot);
ChannelStatus tryReceive(Scheduler& scheduler, Carrier& carrier, Context& self, Channel& channel, uint32_t slot);

// Wakes everybody; no-op on a closed channel.
void close(Scheduler& scheduler, Carrier& carrier, Channel& channel);

bool isClosed(const heap::Heap& heap, Channel& channel);
uint32_t length(const heap::Heap& heap, Channel& channel);

void traceChannel(heap::Marker& marker, Object* object, const heap::Class& cls);

} // namespace nlang::sync
