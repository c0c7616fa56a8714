// The single operations of Dict<K,V> and Set<T>: those for plain keys as a whole, and the steps from which
// std/prelude.n makes those for keys with code of their own.
//
// A key takes as many slots as its layout has leaves, so what follows it among the arguments or results is found behind
// that many.
#include "object/dict.h"

#include "lib/natives.h"
#include "lib/waiting.h"

namespace nlang::lib {

namespace {

using object::DictPart;
using object::DictResult;

object::Dict* receiver(Call& call) { return call.object<object::Dict>(0); }

const heap::Class& classOf(Call& call) { return call.heap().classes().of(call.argument(0).object()); }

uint32_t keyLeaves(Call& call) { return classOf(call).key.leafCount; }

// ---------------------------------------------------------------- plain keys

// bool plainTryGet(K key, out V value)
Outcome tryGet(Call& call) {
  DictResult result = object::dictGet(call.heap(), receiver(call), &call.argument(1), &call.result(1));
  return call.returnBool(result == DictResult::kFound);
}

// bool plainContainsKey(K key), plainContains(T value)
Outcome contains(Call& call) {
  DictResult result = object::dictGet(call.heap(), receiver(call), &call.argument(1), nullptr);
  return call.returnBool(result == DictResult::kFound);
}

// void plainSet(K key, V value)
Outcome set(Call& call) {
  Slot* value = &call.argument(1 + keyLeaves(call));
  DictResult result = object::dictSet(call.heap(), call.allocator(), receiver(call), &call.argument(1), value);
  return result == DictResult::kOutOfMemory ? call.outOfMemory() : call.returned();
}

// bool plainAdd(T value)
Outcome add(Call& call) {
  DictResult result = object::dictAdd(call.heap(), call.allocator(), receiver(call), &call.argument(1));
  return result == DictResult::kOutOfMemory ? call.outOfMemory() : call.returnBool(result == DictResult::kAbsent);
}

// bool plainRemove(K key)
Outcome remove(Call& call) {
  DictResult result = object::dictRemove(call.heap(), receiver(call), &call.argument(1));
  return call.returnBool(result == DictResult::kFound);
}

// ---------------------------------------------------------------- keys with code of their own

// int probe(int hash, int seen, int from, out int next, out K candidate)
Outcome probe(Call& call) {
  object::Probe found = object::dictProbe(call.heap(), receiver(call), call.argument(1).i32(), call.argument(2).u32(),
                                          call.argument(3).u32(), &call.result(2));
  call.result(1).setU32(found.next);
  if (found.result == DictResult::kFound) return call.returnI32(static_cast<int32_t>(found.entry));
  return call.returnI32(found.result == DictResult::kAbsent ? -1 : -2);
}

// bool read(int entry, int seen, out V value)
Outcome read(Call& call) {
  DictResult result =
      object::dictRead(call.heap(), receiver(call), call.argument(1).u32(), call.argument(2).u32(), &call.result(1));
  return call.returnBool(result == DictResult::kFound);
}

// bool replace(int entry, int seen, V value)
Outcome replace(Call& call) {
  DictResult result = object::dictReplace(call.heap(), receiver(call), call.argument(1).u32(), call.argument(2).u32(),
                                          &call.argument(3));
  return call.returnBool(result == DictResult::kFound);
}

// bool erase(int entry, int seen)
Outcome erase(Call& call) {
  DictResult result = object::dictErase(call.heap(), receiver(call), call.argument(1).u32(), call.argument(2).u32());
  return call.returnBool(result == DictResult::kFound);
}

// bool append(K key, int hash, int seen, V value); of a set without the value
Outcome append(Call& call) {
  uint32_t behindKey = 1 + keyLeaves(call);
  bool hasValue = call.function().parameterCount > behindKey + 2;
  DictResult result = object::dictAppend(call.heap(), call.allocator(), receiver(call), call.argument(behindKey).i32(),
                                         call.argument(behindKey + 1).u32(), &call.argument(1),
                                         hasValue ? &call.argument(behindKey + 2) : nullptr);
  return result == DictResult::kOutOfMemory ? call.outOfMemory() : call.returnBool(result == DictResult::kAbsent);
}

// ---------------------------------------------------------------- all keys

// int count()
Outcome count(Call& call) {
  return call.returnI32(static_cast<int32_t>(receiver(call)->count.load(std::memory_order_relaxed)));
}

// int version()
Outcome version(Call& call) {
  return call.returnI32(static_cast<int32_t>(receiver(call)->version.load(std::memory_order_acquire)));
}

// void clear()
Outcome clear(Call& call) {
  object::dictClear(call.heap(), receiver(call));
  return call.returned();
}

// bool hasMore(int position)
Outcome hasMore(Call& call) {
  return call.returnBool(object::dictHasMore(call.heap(), receiver(call), call.argument(1).u32()));
}

Outcome next(Call& call, Slot* value) {
  uint32_t position = call.argument(1).u32();
  DictResult result =
      object::dictNext(call.heap(), receiver(call), position, call.argument(2).u32(), &call.result(1), value);
  if (result == DictResult::kFound) return call.returnI32(static_cast<int32_t>(position));
  if (result == DictResult::kAbsent) return call.returnI32(-1);
  bool isSet = classOf(call).kind == bytecode::ClassKind::kSet;
  return call.fail(WellKnown::kConcurrentModificationException,
                   isSet ? "the set was changed during iteration" : "the dictionary was changed during iteration");
}

// int nextKey(int position, int seen, out K key)
Outcome nextKey(Call& call) { return next(call, nullptr); }

// int nextEntry(int position, int seen, out K key, out V value)
Outcome nextEntry(Call& call) { return next(call, &call.result(1 + keyLeaves(call))); }

Outcome toList(Call& call, DictPart part) {
  const heap::Class& cls = call.heap().classes().byIndex(call.function().definition->resultClass);
  object::List* list = object::dictToList(call.heap(), call.allocator(), receiver(call), part, cls);
  return list == nullptr ? call.outOfMemory() : call.returnObject(list);
}

// List<K> keyList()
Outcome keyList(Call& call) { return toList(call, DictPart::kKeys); }

// List<V> values()
Outcome values(Call& call) { return toList(call, DictPart::kValues); }

// Dict<K, V> copy(), Set<T> copy()
Outcome copy(Call& call) {
  object::Dict* made = object::dictCopy(call.heap(), call.allocator(), receiver(call));
  return made == nullptr ? call.outOfMemory() : call.returnObject(made);
}

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.HashTable.count", count},     {"prelude.HashTable.version", version},
    {"prelude.HashTable.clear", clear},     {"prelude.HashTable.plainRemove", remove},
    {"prelude.HashTable.probe", probe},     {"prelude.HashTable.erase", erase},
    {"prelude.HashTable.hasMore", hasMore}, {"prelude.HashTable.nextKey", nextKey},
    {"prelude.HashTable.keyList", keyList}, {"prelude.Dict.plainSet", set},
    {"prelude.Dict.plainTryGet", tryGet},   {"prelude.Dict.plainContainsKey", contains},
    {"prelude.Dict.values", values},        {"prelude.Dict.read", read},
    {"prelude.Dict.replace", replace},      {"prelude.Dict.append", append},
    {"prelude.Dict.nextEntry", nextEntry},  {"prelude.Dict.copy", copy},
    {"prelude.Set.plainAdd", add},          {"prelude.Set.plainContains", contains},
    {"prelude.Set.append", append},         {"prelude.Set.copy", copy},
};

} // namespace

NativeTable dictNatives() { return kNatives; }

} // namespace nlang::lib
