// What a Vm says about programs on standard error: uncaught and unobserved exceptions, deadlocks, dumps, leaks, natives
// that take long.
#include <algorithm>
#include <string>

#include <unistd.h>

#include "object/exception.h"
#include "object/string.h"
#include "vm/dump.h"
#include "vm/vm.h"

namespace nlang::vm {

using sched::Context;

namespace {

constexpr uint32_t kMaxUnobservedReports = 100;

void appendFrames(std::string& text, const std::vector<std::string>& frames) {
  for (const std::string& frame : frames) {
    text += "  at ";
    text += frame;
    text += '\n';
  }
}

} // namespace

// While the program runs, whoever is slow to read it must not hold up a carrier.
void Vm::report(std::string_view text) {
  errors_.write(text, {}, scheduler_.exiting() ? Output::Patience::kWaits : Output::Patience::kKeeps);
}

void Vm::reportFailure(const std::string& heading, Object* failure) {
  std::string text = heading + describe(failure) + '\n';
  appendFrames(text, object::traceText(reinterpret_cast<object::ExceptionObject*>(failure), program_->files));
  // A chain of causes may lead back into itself.
  std::vector<const Object*> shown{failure};
  Object* cause = reinterpret_cast<object::ExceptionObject*>(failure)->cause;
  while (cause != nullptr && std::find(shown.begin(), shown.end(), cause) == shown.end()) {
    shown.push_back(cause);
    text += "Caused by " + describe(cause) + '\n';
    appendFrames(text, object::traceText(reinterpret_cast<object::ExceptionObject*>(cause), program_->files));
    cause = reinterpret_cast<object::ExceptionObject*>(cause)->cause;
  }
  report(text);
}

void Vm::reportOneUnobserved(Context& context) {
  context.setFlag(sched::kObserved);
  failedUnobserved_ = true;
  if (++reportedUnobserved_ > kMaxUnobservedReports) return;
  reportFailure("Unobserved exception in thread \"" + contextName(context) + "\": ", context.result.object());
}

void Vm::reportUnobserved() {
  if (!scheduler_.hasUnobserved()) return;
  std::vector<Context*> found = scheduler_.takeUnobserved();
  std::sort(found.begin(), found.end(), [](const Context* a, const Context* b) { return a->id < b->id; });
  std::lock_guard lock(reportMutex_);
  for (Context* context : found) reportOneUnobserved(*context);
}

void Vm::reportRemainingUnobserved() {
  reportUnobserved();
  for (Context* context : scheduler_.failedUnobserved()) reportOneUnobserved(*context);
  if (reportedUnobserved_ > kMaxUnobservedReports) {
    report(std::to_string(reportedUnobserved_ - kMaxUnobservedReports) + " more unobserved exceptions\n");
  }
}

std::string Vm::contextName(const Context& context) {
  const sched::ContextExtra* extra = context.extraOrNull();
  if (extra != nullptr && extra->name != nullptr)
    return std::string(object::bytes(reinterpret_cast<object::String*>(extra->name)));
  return "thread-" + std::to_string(context.id);
}

void Vm::reportDeadlock() {
  output_.flush(Output::Patience::kWaits);
  reportRemainingUnobserved(); // often the reason why nobody comes any more
  std::vector<Context*> waiting = scheduler_.unfinished();
  std::string text = "Deadlock: all " + std::to_string(waiting.size()) + " threads are waiting\n";
  for (const Context* context : waiting) text += threadText(*this, *context);
  report(text);
}

std::string Vm::dumpThreads() {
  heap::StoppedWorld stopped(heap_.world());
  ThreadGroups groups(*this);
  scheduler_.forEachUnfinished([&](const Context& context) { groups.add(context); });
  return "Threads: " + std::to_string(groups.threads()) + '\n' + groups.text();
}

void Vm::signalled(int) { report(dumpThreads()); }

void Vm::reportLeaks() {
  ThreadGroups groups(*this);
  for (const Context* context : findLeaked()) groups.add(*context);
  bool any = groups.threads() != 0;
  report("Leaked threads: " + (any ? std::to_string(groups.threads()) + '\n' + groups.text() : "none\n"));
}

void Vm::noteNativeCall(const sched::Carrier& carrier, int64_t nanos) {
  if (nanos <= options_.pinReportMillis * sched::kNanosPerMilli) return;
  const Context& context = *carrier.current;
  const bytecode::LoadedFunction* native = sched::functionOf(context.stack + context.frame);
  char duration[32];
  std::snprintf(duration, sizeof duration, "%.3f", static_cast<double>(nanos) / sched::kNanosPerMilli);
  report("Pinned: " + native->definition->name + " kept a carrier for " + duration + " ms\n" +
         stackText(*this, context));
}

} // namespace nlang::vm
