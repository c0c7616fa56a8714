// Channel<T>.
#include "sync/channel.h"

#include "lib/natives.h"
#include "lib/waiting.h"

namespace nlang::lib {

namespace {

using sync::ChannelStatus;

sync::Channel& receiver(Call& call) { return *call.object<sync::Channel>(0); }

Outcome closedFailure(Call& call) { return call.failWait(sched::Wake::kClosed); }

Outcome answer(Call& call, ChannelStatus status) {
  switch (status) {
  case ChannelStatus::kDone: return call.returned();
  case ChannelStatus::kParked: return Outcome::kParked;
  case ChannelStatus::kWouldBlock: return timedOut(call);
  case ChannelStatus::kClosed: return closedFailure(call);
  }
  __builtin_unreachable();
}

Outcome send(Call& call, int64_t limit) {
  if (call.resumed()) return afterWait(call);
  return answer(
      call, sync::send(call.scheduler(), call.carrier(), call.context(), receiver(call), call.argumentSlot(1), limit));
}

// Into the results from `firstResult` on.
ChannelStatus receiveInto(Call& call, unsigned firstResult, int64_t limit) {
  return sync::receive(call.scheduler(), call.carrier(), call.context(), receiver(call), call.resultSlot(firstResult),
                       limit);
}

Outcome receive(Call& call, int64_t limit) {
  if (call.resumed()) return afterWait(call);
  return answer(call, receiveInto(call, 0, limit));
}

Outcome construct(Call& call, int32_t capacity) {
  if (capacity < 0) return call.fail(WellKnown::kIllegalArgumentException, "the capacity of a channel is negative");
  if (!sync::initializeChannel(call.carrier(), receiver(call), static_cast<uint32_t>(capacity)))
    return call.outOfMemory();
  return call.returned();
}

// Channel()
Outcome makeUnbuffered(Call& call) { return construct(call, 0); }
// Channel(int capacity)
Outcome makeBuffered(Call& call) { return construct(call, call.argument(1).i32()); }
// void send(T value)
Outcome sendForever(Call& call) { return send(call, sync::kForever); }
// void send(T value, long milliseconds)
Outcome sendWithin(Call& call) { return send(call, lastArgumentAsLimit(call)); }
// T recv()
Outcome receiveForever(Call& call) { return receive(call, sync::kForever); }
// T recv(long milliseconds)
Outcome receiveWithin(Call& call) { return receive(call, lastArgumentAsLimit(call)); }

// bool trySend(T value)
Outcome trySend(Call& call) {
  ChannelStatus status =
      sync::send(call.scheduler(), call.carrier(), call.context(), receiver(call), call.argumentSlot(1), 0);
  return status == ChannelStatus::kClosed ? closedFailure(call) : call.returnBool(status == ChannelStatus::kDone);
}

// bool tryRecv(out T value)
Outcome tryReceive(Call& call) {
  ChannelStatus status = receiveInto(call, 1, 0);
  return status == ChannelStatus::kClosed ? closedFailure(call) : call.returnBool(status == ChannelStatus::kDone);
}

// bool next(out T value): for foreach, which ends when the channel is closed and drained
Outcome next(Call& call) {
  if (call.resumed()) {
    if (call.context().wake == sched::Wake::kClosed) {
      call.scheduler().leaveWait(call.carrier(), call.context());
      return call.returnBool(false);
    }
    Outcome outcome;
    return call.finishWait(outcome) ? call.returnBool(true) : outcome;
  }
  ChannelStatus status = receiveInto(call, 1, sync::kForever);
  return status == ChannelStatus::kParked ? Outcome::kParked : call.returnBool(status == ChannelStatus::kDone);
}

// void close()
Outcome close(Call& call) {
  sync::close(call.scheduler(), call.carrier(), receiver(call));
  return call.returned();
}

// bool isClosed()
Outcome isClosed(Call& call) { return call.returnBool(sync::isClosed(call.heap(), receiver(call))); }
// int length()
Outcome length(Call& call) { return call.returnI32(static_cast<int32_t>(sync::length(call.heap(), receiver(call)))); }
// int capacity()
Outcome capacity(Call& call) { return call.returnI32(static_cast<int32_t>(receiver(call).capacity)); }

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.Channel.Channel()", makeUnbuffered},
    {"prelude.Channel.Channel(int)", makeBuffered},
    {"prelude.Channel.send(T)", sendForever},
    {"prelude.Channel.send(T,long)", sendWithin},
    {"prelude.Channel.recv()", receiveForever},
    {"prelude.Channel.recv(long)", receiveWithin},
    {"prelude.Channel.trySend", trySend},
    {"prelude.Channel.tryRecv", tryReceive},
    {"prelude.Channel.next", next},
    {"prelude.Channel.close", close},
    {"prelude.Channel.isClosed", isClosed},
    {"prelude.Channel.length", length},
    {"prelude.Channel.capacity", capacity},
};

} // namespace

NativeTable channelNatives() { return kNatives; }

} // namespace nlang::lib
