// Contexts that wait for file descriptors (sched/descriptor_wait.h).
#include <cerrno>
#include <system_error>

#include "heap/lock_bit.h"
#include "sched/descriptor_wait.h"
#include "sched/scheduler.h"

namespace nlang::sched {

bool Scheduler::watch(DescriptorWait& wait) {
  if (wait.isWatched.load(std::memory_order_acquire)) return true;
  std::lock_guard lock(mutex_);
  if (wait.isWatched.load(std::memory_order_relaxed)) return true;
  if (!poller_.watch(wait.descriptor, wait.direction, wait)) return false;
  wait.isWatched.store(true, std::memory_order_release);
  return true;
}

bool Scheduler::parkOnDescriptor(Carrier& carrier, Context& context, DescriptorWait& wait, ParkReason reason,
                                 uint32_t seen, bool again) {
  if (!watch(wait)) throw std::system_error(errno, std::generic_category(), "cannot wait for a descriptor");
  heap::LockBit lock(heap_, wait.header);
  if (wait.turn.load(std::memory_order_relaxed) != seen) return false;
  beginPark(carrier, context);
  WaitNode* node = this->wait(carrier, context, wait.waiters, &wait.header, 0);
  if (again) {
    wait.waiters.moveToFront(node);
  } else {
    wait.users.fetch_add(1, std::memory_order_relaxed);
    awaitedDescriptors_.fetch_add(1, std::memory_order_relaxed);
  }
  carrier.park = {reason, lock.keep(), kNoDeadline};
  return true;
}

void Scheduler::leaveDescriptor(Carrier& carrier, DescriptorWait& wait) {
  awaitedDescriptors_.fetch_sub(1, std::memory_order_relaxed);
  heap::LockBit lock(heap_, wait.header);
  wait.users.fetch_sub(1, std::memory_order_relaxed);
  giveTurn(carrier, wait);
}

// With the lock of `wait`.
void Scheduler::giveTurn(Carrier& carrier, DescriptorWait& wait) {
  wait.turn.fetch_add(1, std::memory_order_release);
  if (WaitNode* first = claimFirst(wait.waiters)) unpark(carrier, *first->context, Wake::kValue);
}

void Scheduler::attend(Carrier& carrier, const Poller::Events& events) {
  for (DescriptorWait* wait : events.ready()) {
    heap::LockBit lock(heap_, wait->header);
    giveTurn(carrier, *wait);
  }
}

} // namespace nlang::sched
