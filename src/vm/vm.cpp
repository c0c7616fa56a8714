#include "vm/vm.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include <signal.h>
#include <unistd.h>

#include "object/exception.h"
#include "object/kinds.h"
#include "object/string.h"
#include "sync/kinds.h"
#include "sync/leaks.h"
#include "vm/interpreter.h"

namespace nlang::vm {

using bytecode::Instruction;
using bytecode::LoadedFunction;
using bytecode::Op;
using bytecode::WellKnown;
using sched::Carrier;
using sched::Context;

namespace {

constexpr std::string_view kCancelNative = "prelude.Thread.cancel";

uint64_t systemSeed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

// Hash codes in tables have fewer bits than those of keys, so how often a program's own `equals` is called depends, if
// rarely, on the seed: where a run is to be repeated it is fixed.
uint64_t hashSeed(const sched::SchedulerOptions& options) {
  constexpr uint64_t kFixed = 0x2545f4914f6cdd1d;
  return options.virtualTime || options.scheduleSeed ? kFixed : systemSeed();
}

// Several carriers want cache lines of their own.
VmOptions withHeapFor(VmOptions options) {
  options.heap.wholeLines = options.scheduler.carriers > 1;
  return options;
}

} // namespace

Vm::Vm(VmOptions options)
    : options_(withHeapFor(std::move(options))), heap_(classes_, options_.heap),
      scheduler_(heap_, options_.scheduler, this), carrier_(heap_),
      output_(STDOUT_FILENO, Output::Buffer::kLarge, options_.output),
      errors_(STDERR_FILENO, Output::Buffer::kNone, options_.errors), input_(STDIN_FILENO), resources_(heap_) {
  scheduler_.addFirstCarrier(carrier_);
  object::registerObjectKinds(classes_);
  sync::registerSyncKinds(classes_, options_.heap.wholeLines);
  classes_.registerKind(bytecode::ClassKind::kThread, sched::traceContext, sizeof(Context));
  heap_.setHashSeed(hashSeed(options_.scheduler));
  heap_.addRoots(this);
}

Vm::~Vm() { stopOtherCarriers(); }

void Vm::addNatives(std::span<const NativeDefinition> natives) { natives_.push_back(natives); }

const NativeDefinition* Vm::findNative(std::string_view name) const {
  for (auto table : natives_) {
    for (const NativeDefinition& native : table) {
      if (name == native.name) return &native;
    }
  }
  return nullptr;
}

// ---------------------------------------------------------------- what no program determines

uint64_t Vm::makeSeed() { return scheduler_.clock().isVirtual() ? virtualSeeds_++ : systemSeed(); }

int64_t Vm::wallMillis() {
  if (scheduler_.clock().isVirtual()) return scheduler_.clock().now() / 1'000'000;
  auto sinceEpoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(sinceEpoch).count();
}

// ---------------------------------------------------------------- loading

bool Vm::load(const bytecode::Program& program, std::string& error) {
  program_ = &program;
  if (!loadFunctions(program, error)) return false;
  classes_.load(program, functions_.get());
  globals_.assign(program.globalCount, Slot{0});
  prepare(carrier_);
  if (!loadConstants(program)) {
    error = "out of memory while loading the program";
    return false;
  }
  carrier_.constants = constants_.data();
  return true;
}

void Vm::prepare(Carrier& carrier) {
  carrier.functions = functions_.get();
  carrier.classes = classes_.all();
  carrier.classBase = classes_.base();
  carrier.globals = globals_.data();
  carrier.constants = constants_.data();
  carrier.scheduler = &scheduler_;
  carrier.vm = this;
}

bool Vm::loadFunctions(const bytecode::Program& program, std::string& error) {
  size_t count = program.functions.size();
  functions_ = std::make_unique<LoadedFunction[]>(count);
  stubs_ = std::make_unique<Instruction[][2]>(count);
  for (size_t i = 0; i < count; ++i) {
    const bytecode::Function& f = program.functions[i];
    LoadedFunction& loaded = functions_[i];
    loaded.registerCount = f.registerCount;
    loaded.parameterCount = f.parameterCount;
    loaded.resultCount = f.resultCount;
    loaded.definition = &f;
    loaded.flags = f.flags;
    loaded.index = static_cast<uint32_t>(i);
    if (f.flags & bytecode::kFunctionNative) {
      const NativeDefinition* native = findNative(f.nativeName);
      if (native == nullptr) {
        error = "no implementation of native function " + f.nativeName;
        return false;
      }
      cancelsThreads_ |= f.nativeName == kCancelNative;
      // Results of closures that a native calls land in its own result registers.
      stubs_[i][0] = bytecode::makeInstruction(Op::native, f.parameterCount);
      stubs_[i][1] = bytecode::makeInstruction(Op::native_resume);
      loaded.code = stubs_[i];
      loaded.nativeEntry = reinterpret_cast<bytecode::NativeEntry>(native->function);
      loaded.nativeLocals = native->locals;
      bool hasState = native->hasState || native->locals > 0;
      loaded.registerCount = f.parameterCount + f.resultCount + (hasState ? 1u : 0u) + native->locals;
    } else {
      loaded.code = f.code.data();
      loaded.safepoints = f.safepoints.data();
      loaded.safepointCount = static_cast<uint32_t>(f.safepoints.size());
      loaded.mapWords = f.mapWords.data();
      loaded.wordsPerMap = (f.registerCount + 63u) / 64u;
    }
  }
  return true;
}

bool Vm::loadConstants(const bytecode::Program& program) {
  size_t count = program.constants.size();
  constants_.assign(count, Slot{0});
  constantIsReference_.assign(count, false);
  for (size_t i = 0; i < count; ++i) {
    const bytecode::Constant& constant = program.constants[i];
    switch (constant.kind) {
    case bytecode::Constant::Kind::kBits: constants_[i].bits = constant.bits; break;
    case bytecode::Constant::Kind::kString: {
      constantIsReference_[i] = true;
      // The empty text as a constant is what an Object holds, so it is an object; as a string it is null and no
      // constant.
      object::String* text = constant.text.empty()
                                 ? object::newEmptyStringObject(heap_, carrier_.allocator)
                                 : object::newStringNoCollect(heap_, carrier_.allocator, constant.text);
      if (text == nullptr) return false;
      constants_[i].setObject(text);
      break;
    }
    case bytecode::Constant::Kind::kClosure: {
      constantIsReference_[i] = true;
      const heap::Class& cls = classes_.byIndex(static_cast<uint32_t>(constant.bits));
      auto* closure =
          reinterpret_cast<object::Closure*>(heap_.allocateNoCollect(carrier_.allocator, cls, cls.instanceSize));
      if (closure == nullptr) return false;
      closure->function = cls.closureFunction;
      constants_[i].setObject(closure);
      break;
    }
    }
  }
  outOfMemory_ = makeException(carrier_, WellKnown::kOutOfMemoryException, "the heap limit is reached");
  return outOfMemory_ != nullptr;
}

// ---------------------------------------------------------------- running

int Vm::run(uint32_t entry) {
  int status = runMain(entry);
  output_.flush(Output::Patience::kWaits);
  // A reader that has gone away wanted no more; anything else is a loss.
  if (int error = output_.lost(); error != 0 && error != EPIPE) {
    report(std::string("cannot write to standard output: ") + std::strerror(error) + '\n');
    if (status == 0) status = kExitUncaught;
  }
  errors_.flush(Output::Patience::kWaits);
  return status;
}

int Vm::runMain(uint32_t entryFunction) {
  const LoadedFunction& entry = functions_[entryFunction];
  // The main context starts like any other: with a closure, without captures, around the entry function. Nothing but
  // the context refers to the closure and the name, so they are made after it, and without collecting.
  Context* main = scheduler_.spawn(carrier_, classes_.wellKnown(WellKnown::kThread), nullptr, nullptr);
  if (main == nullptr) return failedToStart();
  const heap::Class& closureClass = classes_.wellKnown(WellKnown::kEntryClosure);
  auto* closure = reinterpret_cast<object::Closure*>(
      heap_.allocateNoCollect(carrier_.allocator, closureClass, sizeof(object::Closure)));
  object::String* name = object::newStringNoCollect(heap_, carrier_.allocator, "main");
  if (closure == nullptr || name == nullptr) return failedToStart();
  closure->function = &entry;
  main->result.setObject(closure);
  sched::ensureExtra(*main).name = &name->header;
  main->setFlag(sched::kObserved);
  main_ = main;
  runCarrier(carrier_);
  stopOtherCarriers();
  if (mainEnd_ != MainEnd::kNone) {
    main->result = mainResult_;
    scheduler_.finish(carrier_, *main, mainEnd_ == MainEnd::kFailed, false);
  }
  if (scheduler_.deadlocked()) {
    reportDeadlock();
    return kExitDeadlock;
  }
  stopped_ = !main->finished();
  return stopped_ ? kExitUncaught : finishRun(*main);
}

int Vm::failedToStart() {
  reportFailure("Uncaught ", &outOfMemory_->header);
  return kExitUncaught;
}

void Vm::endMain(Carrier& carrier, bool failed) {
  mainResult_ = std::exchange(main_->result, Slot());
  mainEnd_ = failed ? MainEnd::kFailed : MainEnd::kDone;
  scheduler_.retire(carrier, *main_, failed);
  main_->state.store(sched::ContextState::kPending, std::memory_order_relaxed);
  scheduler_.requestExit();
}

// Runs contexts, and sleeps when there is none to run, until the main context has ended or nothing can happen any more.
void Vm::runCarrier(Carrier& carrier) {
  for (;;) {
    runContexts(carrier, main_);
    reportUnobserved();
    if (main_->finished()) return scheduler_.requestExit();
    bool allIdle = false;
    switch (scheduler_.prepareSleep(carrier, allIdle)) {
    case sched::Scheduler::Idle::kExit: return;
    case sched::Scheduler::Idle::kWork: break;
    case sched::Scheduler::Idle::kSleep:
      if (allIdle) flushIdle();
      scheduler_.sleep(carrier);
      break;
    }
  }
}

// Nobody waits for the rest that is not taken now: it goes out when there is room again, at the latest at the end.
void Vm::flushIdle() {
  for (Output* output : {&output_, &errors_}) {
    if (output->flush(Output::Patience::kNone) == Output::kFull) scheduler_.watch(output->wait());
  }
}

Carrier* Vm::startCarrier(uint32_t) {
  auto other = std::make_unique<OtherCarrier>(heap_);
  Carrier& carrier = other->carrier;
  prepare(carrier);
  // Signals are for the threads that the host knows.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    other->thread = std::thread([this, &carrier] {
      heap_.world().enter();
      runCarrier(carrier);
      heap_.world().leave();
    });
  } catch (const std::system_error&) {
    other = nullptr;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (other == nullptr) return nullptr;
  others_.push_back(std::move(other));
  return &carrier;
}

void Vm::stopOtherCarriers() {
  if (!heap_.severalCarriers()) return;
  scheduler_.requestExit();
  heap_.world().leave();
  for (auto& other : others_) {
    if (other->thread.joinable()) other->thread.join();
  }
  heap_.world().enter();
}

int Vm::finishRun(Context& main) {
  output_.flush(Output::Patience::kWaits);
  int status = 0;
  if (main.state.load(std::memory_order_relaxed) == sched::ContextState::kFailed) {
    reportFailure("Uncaught ", main.result.object());
    status = kExitUncaught;
  } else {
    status = main.result.i32();
  }
  reportRemainingUnobserved();
  return status == 0 && failedUnobserved_ ? kExitUncaught : status;
}

void Vm::markRoots(heap::Marker& marker) {
  markGlobals(marker);
  if (main_ != nullptr) marker.mark(&main_->header);
  if (mainEnd_ == MainEnd::kFailed) marker.markSlot(mainResult_);
}

// What every running context can reach.
void Vm::markGlobals(heap::Marker& marker) {
  for (size_t i = 0; i < constants_.size(); ++i) {
    if (constantIsReference_[i]) marker.markSlot(constants_[i]);
  }
  if (program_ != nullptr) {
    for (size_t i = 0; i < globals_.size(); ++i) {
      if ((program_->referenceGlobals[i / 64] >> (i % 64)) & 1) marker.markSlot(globals_[i]);
    }
  }
  if (outOfMemory_ != nullptr) marker.mark(&outOfMemory_->header);
}

std::vector<Context*> Vm::findLeaked() {
  return sync::findLeaked(heap_, [this](heap::Marker& marker) { markGlobals(marker); }, cancelsThreads_);
}

// ---------------------------------------------------------------- exceptions

object::ExceptionObject* Vm::makeException(Carrier& carrier, WellKnown cls, std::string_view message) {
  const heap::Class& exceptionClass = classes_.wellKnown(cls);
  object::String* text = nullptr;
  if (!message.empty()) {
    text = object::newStringNoCollect(heap_, carrier.allocator, message);
    if (text == nullptr) return outOfMemory_;
  }
  Object* made = heap_.allocateNoCollect(carrier.allocator, exceptionClass, exceptionClass.instanceSize);
  if (made == nullptr) return outOfMemory_;
  auto* exception = reinterpret_cast<object::ExceptionObject*>(made);
  heap::storeReference(heap_, made, reinterpret_cast<Object**>(&exception->message), reinterpret_cast<Object*>(text));
  return exception;
}

void Vm::fillTrace(Carrier& carrier, object::ExceptionObject* exception) {
  if (object::fieldOf(exception->trace) != nullptr || exception == outOfMemory_) return;
  object::TraceBuilder trace;
  sched::walkFrames(*carrier.current, [&](const Slot*, const LoadedFunction& f, uint32_t pc, bool) {
    if (!(f.flags & bytecode::kFunctionHidden)) trace.add(&f, pc);
    return true;
  });
  trace.store(heap_, carrier.allocator, exception);
}

std::string Vm::describe(const Object* object) {
  auto* exception = reinterpret_cast<const object::ExceptionObject*>(object);
  std::string text(classes_.of(object).definition->plainName());
  if (exception->message != nullptr) {
    text += ": ";
    text += object::bytes(exception->message);
  }
  return text;
}

Object* Vm::packResult(Carrier* ca, const heap::Class& futureClass, const Slot* leaves) {
  uint64_t bytes = sizeof(object::Array) + futureClass.element.size;
  auto* array =
      reinterpret_cast<object::Array*>(heap_.allocateNoCollect(ca->allocator, *futureClass.arrayClass, bytes));
  if (array == nullptr) return nullptr;
  array->length = 1;
  heap::storeElement(heap_, &array->header, array->elements(), futureClass.element, leaves);
  return &array->header;
}

} // namespace nlang::vm
