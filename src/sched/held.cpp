#include "sched/held.h"

#include <cassert>

#include "heap/lock_bit.h"

namespace nlang::sched {

namespace {

void unlink(HeldObject& object, Context& holder) {
  (object.previous ? object.previous->next : holder.extraOrNull()->held) = object.next;
  if (object.next) object.next->previous = object.previous;
  object.next = object.previous = nullptr;
  object.watched.store(false, std::memory_order_relaxed);
}

} // namespace

bool watchHolder(const heap::Heap& heap, HeldObject& object) {
  Context& holder = *object.holder;
  heap::LockBit lock(heap, holder.header);
  if (holder.finished()) return false;
  if (object.watched) return true;
  ContextExtra& extra = ensureExtra(holder);
  object.next = extra.held;
  object.previous = nullptr;
  if (extra.held) extra.held->previous = &object;
  extra.held = &object;
  object.watched.store(true, std::memory_order_relaxed);
  return true;
}

void unwatchHolder(const heap::Heap& heap, HeldObject& object) {
  if (!object.watched.load(std::memory_order_relaxed)) return;
  heap::LockBit lock(heap, object.holder->header);
  if (object.watched) unlink(object, *object.holder);
}

HeldObject* takeWatched(const heap::Heap& heap, Context& context) {
  ContextExtra* extra = context.extraOrNull();
  if (extra == nullptr) return nullptr;
  heap::LockBit lock(heap, context.header);
  HeldObject* first = extra->held;
  if (first != nullptr) unlink(*first, context);
  return first;
}

} // namespace nlang::sched
