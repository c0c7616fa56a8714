// Class Exception (L8).
#include "object/exception.h"

#include "lib/lists.h"
#include "lib/natives.h"
#include "lib/waiting.h"
#include "vm/vm.h"

namespace nlang::lib {

namespace {

object::ExceptionObject* receiver(Call& call) { return call.object<object::ExceptionObject>(0); }

// List<string> backtrace: made from the raw trace on first use. Before the first throw it is empty.
Outcome backtrace(Call& call) {
  object::ExceptionObject* self = receiver(call);
  if (object::List* known = object::fieldOf(self->frames)) return call.returnObject(known);
  object::List* frames = makeStringList(call, object::traceText(self, call.vm().program().files));
  if (frames == nullptr) return call.outOfMemory();
  if (object::fieldOf(self->trace) != nullptr) frames = object::storeOnce(call.heap(), self, self->frames, frames);
  return call.returnObject(frames);
}

// The list of suppressed exceptions, made on first use; null: out of memory.
object::List* suppressedList(Call& call) {
  object::ExceptionObject* self = receiver(call);
  if (object::List* known = object::fieldOf(self->suppressed)) return known;
  object::List* list = object::newList(call.heap(), call.allocator(), call.wellKnown(WellKnown::kListOfException), 0);
  if (list == nullptr) return nullptr;
  return object::storeOnce(call.heap(), self, self->suppressed, list);
}

// List<Exception> suppressed
Outcome suppressed(Call& call) {
  object::List* list = suppressedList(call);
  return list == nullptr ? call.outOfMemory() : call.returnObject(list);
}

// void addSuppressed(Exception replaced): for a finally that throws, whose exception keeps the one it replaces
Outcome addSuppressed(Call& call) {
  Object* replaced = call.argument(1).object();
  if (replaced == nullptr || replaced == call.argument(0).object()) return call.returned();
  object::List* list = suppressedList(call);
  bool added = list != nullptr && object::listAdd(call.heap(), call.allocator(), list, &call.argument(1));
  return added ? call.returned() : call.outOfMemory();
}

// string toString()
Outcome toString(Call& call) { return call.returnText(call.vm().describe(call.argument(0).object())); }

constexpr vm::NativeDefinition kNatives[] = {
    {"prelude.Exception.backtrace", backtrace, 2},
    {"prelude.Exception.suppressed", suppressed},
    {"prelude.Exception.addSuppressed", addSuppressed},
    {"prelude.Exception.toString", toString},
};

} // namespace

NativeTable exceptionNatives() { return kNatives; }

} // namespace nlang::lib
