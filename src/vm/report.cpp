// What a Vm says about programs on standard error: uncaught and unobserved exceptions, deadlocks.
#include <algorithm>
#include <cstdio>
#include <string>

#include "object/exception.h"
#include "object/string.h"
#include "sched/held.h"
#include "vm/vm.h"

namespace nlang::vm {

using sched::Context;

namespace {

constexpr uint32_t kMaxUnobservedReports = 100;

void writeError(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void appendFrames(std::string& text, const std::vector<std::string>& frames) {
  for (const std::string& frame : frames) {
    text += "  at ";
    text += frame;
    text += '\n';
  }
}

} // namespace

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
  writeError(text);
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
    writeError(std::to_string(reportedUnobserved_ - kMaxUnobservedReports) + " more unobserved exceptions\n");
  }
}

std::string Vm::contextName(const Context& context) {
  const sched::ContextExtra* extra = context.extraOrNull();
  if (extra != nullptr && extra->name != nullptr)
    return std::string(object::bytes(reinterpret_cast<object::String*>(extra->name)));
  return "thread-" + std::to_string(context.id);
}

void Vm::reportDeadlock() {
  output_.flush();
  std::vector<Context*> waiting = scheduler_.unfinished();
  std::string text = "Deadlock: all " + std::to_string(waiting.size()) + " threads are waiting\n";
  for (const Context* context : waiting) {
    text += "Thread " + std::to_string(context->id) + " \"" + contextName(*context) + "\" is " +
            sched::parkReasonText(context->parkReason);
    if (context->waits != nullptr) text += waitedFor(*context->waits->owner);
    text += '\n';
    std::vector<std::string> frames;
    sched::walkFrames(*context, [&](const Slot*, const bytecode::LoadedFunction& f, uint32_t pc, bool) {
      if (f.nativeEntry != nullptr) return true;
      std::string frame = object::frameText(&f, pc, program_->files);
      if (!frame.empty()) frames.push_back(std::move(frame));
      return true;
    });
    appendFrames(text, frames);
  }
  writeError(text);
}

// What is known about the object a context waits at: who holds a mutex, which thread a join is about.
std::string Vm::waitedFor(const Object& owner) {
  switch (classes_.of(&owner).kind) {
  case bytecode::ClassKind::kThread: {
    auto& context = reinterpret_cast<const Context&>(owner);
    return context.id == 0 ? " (of a promise)" : " (\"" + contextName(context) + "\")";
  }
  case bytecode::ClassKind::kMutex: {
    const Context* holder = reinterpret_cast<const sched::HeldObject&>(owner).holder;
    return holder == nullptr ? "" : " held by \"" + contextName(*holder) + "\"";
  }
  default: return "";
  }
}

} // namespace nlang::vm
