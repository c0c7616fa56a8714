// A scheduler without an interpreter: contexts are stacks with one frame, and the test does what their code would.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bytecode/program.h"
#include "heap/heap.h"
#include "object/list.h"
#include "sched/scheduler.h"
#include "sync/channel.h"
#include "sync/future.h"
#include "sync/kinds.h"
#include "sync/mutex.h"
#include "sync/semaphore.h"

namespace nlang::sync::test {

using sched::ContextState;

enum Classes : uint32_t {
  kNode,      // a plain object with one reference at offset 8
  kPairArray, // struct {int; Node}[]
  kLongArray,
  kNodeArray,
  kThread,
  kLongFuture,
  kNodeFuture,
  kPairFuture,
  kFutureArray,
  kLongPromise,
  kLongChannel,
  kNodeChannel,
  kPairChannel,
  kMutexClass,
  kSemaphoreClass,
  kClassCount
};

inline const bytecode::ElementLayout kLongElement = {8, {{0, bytecode::StorageKind::k64, false}}};
inline const bytecode::ElementLayout kNodeElement = {8, {{0, bytecode::StorageKind::kReference, false}}};
inline const bytecode::ElementLayout kPairElement = {
    16, {{0, bytecode::StorageKind::k32, false}, {8, bytecode::StorageKind::kReference, false}}};

inline bytecode::Program makeProgram() {
  using Kind = bytecode::ClassKind;
  bytecode::Program program;
  program.classes.resize(kClassCount);
  auto define = [&](Classes which, const char* name, Kind kind, const bytecode::ElementLayout& element = {},
                    uint32_t arrayClass = bytecode::kNone) {
    program.classes[which].name = name;
    program.classes[which].kind = kind;
    program.classes[which].element = element;
    program.classes[which].arrayClass = arrayClass;
  };
  define(kNode, "Node", Kind::kPlain);
  program.classes[kNode].instanceSize = 16;
  program.classes[kNode].referenceOffsets = {8};
  define(kPairArray, "Pair[]", Kind::kArray, kPairElement);
  define(kLongArray, "long[]", Kind::kArray, kLongElement);
  define(kNodeArray, "Node[]", Kind::kArray, kNodeElement);
  define(kThread, "Thread", Kind::kThread);
  define(kLongFuture, "Future<long>", Kind::kThread, kLongElement, kLongArray);
  define(kNodeFuture, "Future<Node>", Kind::kThread, kNodeElement, kNodeArray);
  define(kPairFuture, "Future<Pair>", Kind::kThread, kPairElement, kPairArray);
  define(kFutureArray, "Future<long>[]", Kind::kArray, kNodeElement);
  define(kLongPromise, "Promise<long>", Kind::kPromise, kLongElement, kLongFuture);
  define(kLongChannel, "Channel<long>", Kind::kChannel, kLongElement, kLongArray);
  define(kNodeChannel, "Channel<Node>", Kind::kChannel, kNodeElement, kNodeArray);
  define(kPairChannel, "Channel<Pair>", Kind::kChannel, kPairElement, kPairArray);
  define(kMutexClass, "Mutex", Kind::kMutex);
  define(kSemaphoreClass, "Semaphore", Kind::kSemaphore);
  return program;
}

// Slots of each context's one frame, counted from the stack's start: what a native's arguments and results would be.
constexpr uint32_t kScalar = 2;    // two scalars
constexpr uint32_t kMixed = 4;     // a scalar, then a reference (a Pair)
constexpr uint32_t kReference = 6; // two references
constexpr uint32_t kRegisters = 6;

class SyncTest : public ::testing::Test, public heap::RootProvider {
 protected:
  void SetUp() override { start({}); }

  void start(const heap::HeapOptions& options, const sched::SchedulerOptions& schedulerOptions = {.virtualTime = true},
             sched::SchedulerOwner* starter = nullptr) {
    definition.referenceRegisters = {0b111000}; // registers 3, 4, 5: slots 5, 6, 7
    function.definition = &definition;
    function.registerCount = kRegisters;
    function.nativeEntry = reinterpret_cast<bytecode::NativeEntry>(1);
    carrier.reset();
    scheduler.reset();
    heap.reset();
    classes = std::make_unique<heap::ClassTable>();
    classes->registerKind(bytecode::ClassKind::kPlain, heap::traceFields, 0);
    classes->registerKind(bytecode::ClassKind::kArray, object::traceArray, sizeof(object::Array));
    classes->registerKind(bytecode::ClassKind::kThread, sched::traceContext, sizeof(Context));
    registerSyncKinds(*classes);
    classes->load(program, nullptr);
    heap = std::make_unique<heap::Heap>(*classes, options);
    heap->addRoots(this);
    scheduler = std::make_unique<Scheduler>(*heap, schedulerOptions, starter);
    carrier = std::make_unique<Carrier>(*heap);
    carrier->scheduler = scheduler.get();
    scheduler->addFirstCarrier(*carrier);
  }
  void TearDown() override {
    carrier.reset();
    scheduler.reset();
  }

  void markRoots(heap::Marker& marker) override {
    for (Object* root : roots) marker.mark(root);
  }

  // A context with a stack, taken off the run queue as if it ran. It stays alive for the test.
  Context& running(Classes cls = kThread) {
    Context* context = scheduler->spawn(*carrier, classes->byIndex(cls), nullptr, nullptr);
    EXPECT_EQ(scheduler->next(*carrier), context);
    roots.push_back(&context->header);
    uint32_t slots = sched::kFrameHeader + kRegisters;
    context->stack = heap->allocateStack(carrier->allocator, slots);
    context->stackSlots = slots;
    context->frame = sched::kFrameHeader;
    Slot* base = context->stack + context->frame;
    for (uint32_t i = 0; i < kRegisters; ++i) base[i].bits = 0;
    sched::setFrameHeader(base, &function, nullptr, 0);
    context->state.store(ContextState::kRunning);
    return *context;
  }

  // What the interpreter does with a native's answer "parked". True: the context goes on at once.
  bool park(Context& context) { return scheduler->finishPark(*carrier, context); }

  // The contexts that can run, in order; each is made running again and has left its wait.
  std::vector<Context*> runReady() {
    std::vector<Context*> ran;
    while (Context* context = scheduler->next(*carrier)) {
      context->state.store(ContextState::kRunning);
      scheduler->leaveWait(*carrier, *context);
      EXPECT_EQ(context->waits, nullptr);
      ran.push_back(context);
    }
    return ran;
  }

  // Time goes on to the next timer, which fires. False: there is none.
  bool waitForEvent() {
    bool allIdle = false;
    if (scheduler->prepareSleep(*carrier, allIdle) != Scheduler::Idle::kWork) return false;
    scheduler->othersReady(*carrier);
    return true;
  }

  Object* allocate(Classes cls, uint32_t bytes) {
    Object* object = heap->allocate(carrier->allocator, classes->byIndex(cls), bytes);
    roots.push_back(object);
    return object;
  }
  Object* newNode() { return heap->allocate(carrier->allocator, classes->byIndex(kNode), 16); }
  Channel& newChannel(Classes cls, uint32_t capacity) {
    auto* channel = reinterpret_cast<Channel*>(allocate(cls, sizeof(Channel)));
    EXPECT_TRUE(initializeChannel(*carrier, *channel, capacity));
    return *channel;
  }
  Mutex& newMutex() { return *reinterpret_cast<Mutex*>(allocate(kMutexClass, sizeof(Mutex))); }
  Semaphore& newSemaphore(uint32_t permits) {
    auto* semaphore = reinterpret_cast<Semaphore*>(allocate(kSemaphoreClass, sizeof(Semaphore)));
    semaphore->permits = permits;
    return *semaphore;
  }
  object::Array& arrayOf(const std::vector<Context*>& contexts) {
    object::Array* array = object::newArray(*heap, carrier->allocator, classes->byIndex(kFutureArray), contexts.size());
    roots.push_back(&array->header);
    auto** elements = reinterpret_cast<Object**>(array->elements());
    for (size_t i = 0; i < contexts.size(); ++i)
      heap::storeReference(*heap, &array->header, elements + i, &contexts[i]->header);
    return *array;
  }

  // Sends and receives of one scalar.
  ChannelStatus sendLong(Context& self, Channel& channel, int64_t value, int64_t limit = kForever) {
    self.stack[kScalar].setI64(value);
    return send(*scheduler, *carrier, self, channel, kScalar, limit);
  }
  ChannelStatus receiveLong(Context& self, Channel& channel, int64_t limit = kForever) {
    self.stack[kScalar].setI64(-1);
    return receive(*scheduler, *carrier, self, channel, kScalar, limit);
  }
  static int64_t received(const Context& self) { return self.stack[kScalar].i64(); }

  // The running context ends.
  void end(Context& context, Slot result, bool failed, bool isReference) {
    context.result = result;
    scheduler->finish(*carrier, context, failed, isReference || failed);
  }

  bytecode::Program program = makeProgram();
  bytecode::Function definition;
  bytecode::LoadedFunction function = {};
  std::unique_ptr<heap::ClassTable> classes;
  std::unique_ptr<heap::Heap> heap;
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<Carrier> carrier;
  std::vector<Object*> roots;
};

using Ran = std::vector<Context*>;

} // namespace nlang::sync::test
