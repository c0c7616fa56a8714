// The Vm: the one object that owns all of the run-time system. Two Vms in a process do not know of each other.
//
// A Vm is used by one thread at a time, the one that calls run(): its first carrier. If it may have more, it starts
// their threads when there is work for them, and run() ends them. Programs never see C++ exceptions, hosts never see
// NLang ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bytecode/loaded_function.h"
#include "bytecode/program.h"
#include "heap/heap.h"
#include "object/layout.h"
#include "sched/scheduler.h"
#include "vm/input.h"
#include "vm/native.h"
#include "vm/output.h"
#include "vm/resources.h"

namespace nlang::vm {

struct VmOptions {
  heap::HeapOptions heap;
  sched::SchedulerOptions scheduler;
  std::vector<std::string> arguments; // of the program, for main(string[] args)
  int64_t pinReportMillis = -1;       // report natives that take longer; negative: no natives are timed
  // What takes the text for standard output and standard error, one piece at a time; empty: the process's own.
  TextSink output, errors;
};

enum ExitStatus { kExitUncaught = 1, kExitDeadlock = 3 };

class Vm final : public heap::RootProvider, public sched::SchedulerOwner {
 public:
  explicit Vm(VmOptions options);
  ~Vm() override;
  Vm(const Vm&) = delete;
  Vm& operator=(const Vm&) = delete;

  // Natives must be known before a program is loaded. The definitions live as long as the Vm.
  void addNatives(std::span<const NativeDefinition> natives);
  // Loads a verified program, which must outlive the Vm. False: `error` says what is missing (a native nobody
  // registered, memory).
  bool load(const bytecode::Program& program, std::string& error);
  // Runs the loaded program until its main context has ended and gives its exit status. Reports uncaught and unobserved
  // exceptions and deadlocks on standard error. Flushes output. `entry` is Program::entry, or that of a test. Once.
  int run(uint32_t entry);
  int run() { return run(program_->entry); }
  // Ends run() soon, wherever the program is; no further code of it runs. Any thread.
  void stop() { scheduler_.requestExit(); }
  // The main context has ended, with what is in its result, while other carriers may run. That is the end of the
  // program, and no thread sees it: none goes on because main is done, or can no longer unlock what it holds (C1.4). So
  // main finishes when no carrier runs any more.
  void endMain(sched::Carrier& carrier, bool failed);
  // run() was ended by stop().
  bool stopped() const { return stopped_; }

  static Vm& of(sched::Carrier* ca) { return *static_cast<Vm*>(ca->vm); }

  heap::Heap& heap() { return heap_; }
  sched::Scheduler& scheduler() { return scheduler_; }
  Output& output() { return output_; }
  Output& errors() { return errors_; }
  // How a program's text is written. Where runs are to be the same each time, it does not depend on who reads it.
  Output::Patience patience() const {
    return scheduler_.isReproducible() ? Output::Patience::kWaits : Output::Patience::kNone;
  }
  Input& input() { return input_; }
  Resources& resources() { return resources_; }
  const VmOptions& options() const { return options_; }
  const bytecode::Program& program() const { return *program_; }
  const bytecode::LoadedFunction* functions() const { return functions_.get(); }

  // ---- exceptions
  // A new exception of a well-known class; null message if the text is empty. Never collects (so faults
  // may call it), never null: when memory is out it is the reserved OutOfMemoryException.
  object::ExceptionObject* makeException(sched::Carrier& carrier, bytecode::WellKnown cls, std::string_view message);
  object::ExceptionObject* outOfMemoryException() { return outOfMemory_; }
  // `Type: message`, as reports say it.
  std::string describe(const Object* exception);
  // Fills the trace at the first throw, from the running context's frames (saved), innermost first. Never collects.
  void fillTrace(sched::Carrier& carrier, object::ExceptionObject* exception);

  // A finished context's struct result, packed in an array of one element. Never collects; null: out of memory.
  Object* packResult(sched::Carrier* ca, const heap::Class& futureClass, const Slot* leaves);

  // A context's name: its own, or thread-ID.
  std::string contextName(const sched::Context& context);
  // Prints what the collector found to have failed unobserved. Any carrier.
  void reportUnobserved();

  // ---- seeing (dump.h)
  // All threads, grouped; the calling carrier is at a safepoint.
  std::string dumpThreads();
  // The contexts that nothing can ever unpark, in order of id. The world is stopped; collects.
  std::vector<sched::Context*> findLeaked();
  // Prints them; after run().
  void reportLeaks();
  // A native has run on the carrier for so long: reports it if that is longer than it may be. Its frame is current.
  void noteNativeCall(const sched::Carrier& carrier, int64_t nanos);
  // Prints a dump when the process gets one of the signals, which the host has blocked, of a non-blocking signalfd.
  // Before run().
  void dumpAtSignals(int descriptor) { scheduler_.watchSignals(descriptor); }

  // ---- what no program determines: all seeds and calendar times come from here
  // From the operating system; under virtual time always the same sequence, so that a run can be repeated.
  uint64_t makeSeed();
  // Milliseconds since 1970, UTC; under virtual time those of the scheduler's clock, which begins at 0.
  int64_t wallMillis();

  // ---- heap::RootProvider
  void markRoots(heap::Marker& marker) override;

  // ---- sched::SchedulerOwner
  sched::Carrier* startCarrier(uint32_t index) override;
  void signalled(int signal) override;

 private:
  // A carrier of this Vm beside the first, and its thread.
  struct OtherCarrier {
    explicit OtherCarrier(heap::Heap& heap) : carrier(heap) {}
    sched::Carrier carrier;
    std::thread thread;
  };
  void prepare(sched::Carrier& carrier);
  void runCarrier(sched::Carrier& carrier);
  void stopOtherCarriers();
  bool loadFunctions(const bytecode::Program& program, std::string& error);
  void markGlobals(heap::Marker& marker);
  bool loadConstants(const bytecode::Program& program);
  const NativeDefinition* findNative(std::string_view name) const;
  int runMain(uint32_t entry);
  int failedToStart(); // there is no memory for the main context
  int finishRun(sched::Context& main);
  void flushIdle();
  // What the run-time system has to say, to standard error.
  void report(std::string_view text);
  void reportFailure(const std::string& heading, Object* failure);
  void reportOneUnobserved(sched::Context& context);
  void reportRemainingUnobserved();
  void reportDeadlock();

  VmOptions options_;
  heap::ClassTable classes_;
  heap::Heap heap_;
  sched::Scheduler scheduler_;
  sched::Carrier carrier_; // of the thread that calls run()
  std::vector<std::unique_ptr<OtherCarrier>>
      others_; // changed by the carrier that starts one, under the scheduler's lock
  Output output_, errors_;
  Input input_;
  Resources resources_;
  const bytecode::Program* program_ = nullptr;
  std::vector<std::span<const NativeDefinition>> natives_;
  std::unique_ptr<bytecode::LoadedFunction[]> functions_;
  std::unique_ptr<bytecode::Instruction[][2]> stubs_; // {native, native_resume} for each function that is native
  std::vector<Slot> constants_;
  std::vector<bool> constantIsReference_;
  std::vector<Slot> globals_;
  bool cancelsThreads_ = false; // the program contains a call of Thread.cancel
  sched::Context* main_ = nullptr;
  enum class MainEnd : uint8_t { kNone, kDone, kFailed };
  std::atomic<MainEnd> mainEnd_ = MainEnd::kNone;  // how main has ended while other carriers run, see endMain()
  Slot mainResult_;                                // what it has ended with, once it has
  object::ExceptionObject* outOfMemory_ = nullptr; // reserved: its throw needs no memory
  std::atomic<uint64_t> virtualSeeds_ = 0;         // given out by makeSeed under virtual time
  std::mutex reportMutex_;                         // guards the two that follow
  uint32_t reportedUnobserved_ = 0;                // after kMaxReports only a count follows
  bool stopped_ = false;                           // see stopped()
  bool failedUnobserved_ = false;                  // some unobserved failure was reported: the exit status is not 0
};

} // namespace nlang::vm
