#include "sync/channel.h"

#include "base/planted_fault.h"
#include "object/list.h"

namespace nlang::sync {

namespace {

char* place(Channel& channel, const heap::Layout& layout, uint32_t index) {
  return channel.storage->elements() + static_cast<size_t>(index) * layout.size;
}

void pushBack(heap::Heap& heap, Channel& channel, const heap::Layout& layout, const Slot* value) {
  uint64_t at = static_cast<uint64_t>(channel.head) + channel.length;
  if (at >= channel.capacity) at -= channel.capacity;
  heap::storeElement(heap, &channel.storage->header, place(channel, layout, static_cast<uint32_t>(at)), layout, value);
  ++channel.length;
}

void popFront(heap::Heap& heap, Channel& channel, const heap::Layout& layout, Slot* value) {
  char* from = place(channel, layout, channel.head);
  heap::loadElement(from, layout, value);
  if (layout.hasReferences) {
    for (uint32_t i = 0; i < layout.leafCount; ++i) {
      heap::storeLeaf(heap, &channel.storage->header, from + layout.leaves[i].offset, layout.leaves[i].kind, Slot{0});
    }
  }
  if (++channel.head == channel.capacity) channel.head = 0;
  --channel.length;
}

void copySlots(Slot* to, const Slot* from, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) to[i] = from[i];
}

// Queues the claimed context, its outcome being written. (The planted fault is what a missing unpark looks like: it
// sleeps for ever.)
void wake(Scheduler& scheduler, Carrier& carrier, WaitNode& claimed, Wake how) {
  if (NLANG_FAULT("lose-wakeup")) return;
  scheduler.unpark(carrier, *claimed.context, how);
}

// For a receive that has made room or finds no buffer: takes the value of the sender that has waited longest. False:
// none waits.
bool takeFromSender(Scheduler& scheduler, Carrier& carrier, Channel& channel, const heap::Layout& layout, Slot* to) {
  WaitNode* sender = scheduler.claimFirst(channel.senders);
  if (sender == nullptr) return false;
  const Slot* value = sender->context->stack + sender->slot;
  if (to != nullptr)
    copySlots(to, value, layout.leafCount);
  else
    pushBack(scheduler.heap(), channel, layout, value);
  wake(scheduler, carrier, *sender, Wake::kValue);
  return true;
}

// What send and receive do without waiting, inline in the callers where it is hot. The lock bit is held.
[[gnu::always_inline]] inline ChannelStatus sendNow(Scheduler& scheduler, Carrier& carrier, Context& self,
                                                    Channel& channel, uint32_t slot) {
  heap::Heap& heap = scheduler.heap();
  const heap::Layout& layout = heap.classes().of(&channel.header).element;
  const Slot* value = self.stack + slot;
  if (channel.closed) return ChannelStatus::kClosed;
  if (WaitNode* receiver = scheduler.claimFirst(channel.receivers)) {
    copySlots(receiver->context->stack + receiver->slot, value, layout.leafCount);
    wake(scheduler, carrier, *receiver, Wake::kValue);
    return ChannelStatus::kDone;
  }
  if (channel.length < channel.capacity) {
    pushBack(heap, channel, layout, value);
    return ChannelStatus::kDone;
  }
  return ChannelStatus::kWouldBlock;
}

[[gnu::always_inline]] inline ChannelStatus receiveNow(Scheduler& scheduler, Carrier& carrier, Context& self,
                                                       Channel& channel, uint32_t slot) {
  const heap::Layout& layout = scheduler.heap().classes().of(&channel.header).element;
  Slot* to = self.stack + slot;
  if (channel.length > 0) {
    popFront(scheduler.heap(), channel, layout, to);
    takeFromSender(scheduler, carrier, channel, layout, nullptr);
    return ChannelStatus::kDone;
  }
  if (takeFromSender(scheduler, carrier, channel, layout, to)) return ChannelStatus::kDone;
  return channel.closed ? ChannelStatus::kClosed : ChannelStatus::kWouldBlock;
}

} // namespace

bool initializeChannel(Carrier& carrier, Channel& channel, uint32_t capacity) {
  if (capacity == 0) return true;
  heap::Heap& heap = *carrier.heap;
  const heap::Class& arrayClass = *heap.classes().of(&channel.header).arrayClass;
  object::Array* storage = object::newArray(heap, carrier.allocator, arrayClass, capacity);
  if (storage == nullptr) return false;
  heap::storeReference(heap, &channel.header, reinterpret_cast<Object**>(&channel.storage), &storage->header);
  channel.capacity = capacity;
  return true;
}

ChannelStatus trySend(Scheduler& scheduler, Carrier& carrier, Context& self, Channel& channel, uint32_t slot) {
  return sendNow(scheduler, carrier, self, channel, slot);
}
ChannelStatus tryReceive(Scheduler& scheduler, Carrier& carrier, Context& self, Channel& channel, uint32_t slot) {
  return receiveNow(scheduler, carrier, self, channel, slot);
}

ChannelStatus send(Scheduler& scheduler, Carrier& carrier, Context& self, Channel& channel, uint32_t slot,
                   int64_t limit) {
  LockBit lock(scheduler.heap(), channel.header);
  ChannelStatus status = sendNow(scheduler, carrier, self, channel, slot);
  if (status != ChannelStatus::kWouldBlock || limit <= 0) return status;
  parkOn(scheduler, carrier, self, channel.senders, channel.header, slot, ParkReason::kSend, limit);
  lock.keep();
  return ChannelStatus::kParked;
}

ChannelStatus receive(Scheduler& scheduler, Carrier& carrier, Context& self, Channel& channel, uint32_t slot,
                      int64_t limit) {
  LockBit lock(scheduler.heap(), channel.header);
  ChannelStatus status = receiveNow(scheduler, carrier, self, channel, slot);
  if (status != ChannelStatus::kWouldBlock || limit <= 0) return status;
  parkOn(scheduler, carrier, self, channel.receivers, channel.header, slot, ParkReason::kReceive, limit);
  lock.keep();
  return ChannelStatus::kParked;
}

void close(Scheduler& scheduler, Carrier& carrier, Channel& channel) {
  LockBit lock(scheduler.heap(), channel.header);
  channel.closed = true;
  for (WaitQueue* queue : {&channel.receivers, &channel.senders}) {
    while (WaitNode* waiter = scheduler.claimFirst(*queue)) wake(scheduler, carrier, *waiter, Wake::kClosed);
  }
}

bool isClosed(const heap::Heap& heap, Channel& channel) {
  LockBit lock(heap, channel.header);
  return channel.closed;
}

uint32_t length(const heap::Heap& heap, Channel& channel) {
  LockBit lock(heap, channel.header);
  return channel.length;
}

void traceChannel(heap::Marker& marker, Object* object, const heap::Class&) {
  auto* channel = reinterpret_cast<Channel*>(object);
  if (channel->storage != nullptr) marker.mark(&channel->storage->header);
}

} // namespace nlang::sync
