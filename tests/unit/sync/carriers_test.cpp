// Real carriers without an interpreter: threads of the system run contexts whose code is coroutines. They send, select,
// lock, sleep, cancel and wait for futures at random, allocate and are collected; books are kept on both sides.
#include <coroutine>
#include <deque>
#include <optional>
#include <random>
#include <thread>

#include "sync/select.h"
#include "unit/threads.h"
#include "world.h"

namespace nlang::sync::test {
namespace {

using nlang::test::kThreads;
using nlang::test::stressRounds;

// What a context does: a coroutine, which may call others.
class Script {
 public:
  struct promise_type {
    std::coroutine_handle<> caller = std::noop_coroutine();

    Script get_return_object() { return Script(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct ToCaller {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          return ended.promise().caller;
        }
        void await_resume() noexcept {}
      };
      return ToCaller{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  Script() = default;
  explicit Script(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Script(Script&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Script& operator=(Script&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Script() {
    if (handle_) handle_.destroy();
  }
  std::coroutine_handle<> handle() const { return handle_; }
  bool done() const { return handle_.done(); }
  // co_await script: runs it to its end.
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().caller = caller;
    return handle_;
  }
  void await_resume() {}

 private:
  std::coroutine_handle<promise_type> handle_;
};

struct Books {
  uint64_t sent = 0, received = 0;       // messages
  uint64_t sentSum = 0, receivedSum = 0; // of their numbers
  uint64_t locked = 0, cancelled = 0, timedOut = 0, wrong = 0;

  void add(const Books& other) {
    for (auto [to, from] : {std::pair{&sent, other.sent},
                            {&received, other.received},
                            {&sentSum, other.sentSum},
                            {&receivedSum, other.receivedSum},
                            {&locked, other.locked},
                            {&cancelled, other.cancelled},
                            {&timedOut, other.timedOut},
                            {&wrong, other.wrong}})
      *to += from;
  }
};

struct Task {
  Script script;
  std::coroutine_handle<> suspended; // where it goes on: the script or one that it has called
  bool parks = false;                // it has stopped for a wait, else to let others run
  std::atomic<Context*> context{nullptr};
  Carrier* carrier = nullptr; // that runs it now
  std::mt19937 random;
  Books books;

  Context& self() { return *context.load(std::memory_order_acquire); }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random() % limit); }
};

constexpr unsigned kChannels = 6, kMutexes = 3, kFutures = 40, kPermits = 2;
constexpr uint32_t kMessage = kReference; // slots of a context's frame
constexpr uint32_t kOffered = kReference + 1;
constexpr uint32_t kCount = kScalar; // of a wait for all

class CarriersTest : public SyncTest, public sched::SchedulerOwner {
 protected:
  void SetUp() override {}

  void run(bool carrierStress, bool virtualTime) {
    heap::HeapOptions heapOptions;
    heapOptions.wholeLines = true;
    heapOptions.poison = true;
    SyncTest::start(heapOptions, {.carriers = kThreads, .carrierStress = carrierStress, .virtualTime = virtualTime},
                    this);
    makeObjects();
    workers = std::deque<Task>(stressRounds(150));
    Slot closure{};
    spawn(mainTask, *carrier, mainScript(mainTask), closure);
    runCarrier(*carrier);
    ASSERT_FALSE(scheduler->deadlocked());
    stopOthers();
    check();
  }

  // ---- carriers
  Carrier* startCarrier(uint32_t) override {
    others.push_back(std::make_unique<Carrier>(*heap));
    Carrier& one = *others.back();
    one.scheduler = scheduler.get();
    threads.emplace_back([this, &one] {
      heap->world().enter();
      runCarrier(one);
      heap->world().leave();
    });
    return &one;
  }
  void runCarrier(Carrier& on) {
    for (;;) {
      while (!mainTask.self().finished()) {
        Context* context = scheduler->next(on);
        if (context == nullptr) break;
        runContext(on, *context);
      }
      if (mainTask.self().finished()) return scheduler->requestExit();
      bool allIdle = false;
      switch (scheduler->prepareSleep(on, allIdle)) {
      case Scheduler::Idle::kExit: return;
      case Scheduler::Idle::kWork: break;
      case Scheduler::Idle::kSleep: scheduler->sleep(on);
      }
    }
  }
  void runContext(Carrier& on, Context& context) {
    bool isNew = context.state.load() == ContextState::kNew;
    EXPECT_EQ(context.state.load(), isNew ? ContextState::kNew : ContextState::kReady);
    context.state.store(ContextState::kRunning, std::memory_order_relaxed);
    on.current = &context;
    if (isNew) giveStack(on, context);
    Task& task = *reinterpret_cast<Task*>(context.stack[kScalar + 1].bits);
    if (isNew) task.context.store(&context, std::memory_order_release);
    task.carrier = &on;
    for (;;) {
      task.suspended.resume();
      if (task.script.done()) {
        context.result.bits = 0;
        return scheduler->finish(on, context, false, false);
      }
      if (!task.parks) return scheduler->enqueue(on, context);
      if (!scheduler->finishPark(on, context)) return;
    }
  }
  void giveStack(Carrier& on, Context& context) {
    uint32_t slots = sched::kFrameHeader + kRegisters;
    Slot* stack = heap->allocateStack(on.allocator, slots);
    ASSERT_NE(stack, nullptr);
    Slot* base = stack + sched::kFrameHeader;
    for (uint32_t i = 0; i < kRegisters; ++i) base[i].bits = 0;
    sched::setFrameHeader(base, &function, nullptr, 0);
    // The closure is an array with the task's address.
    stack[kScalar + 1].bits = *reinterpret_cast<uint64_t*>(context.result.as<object::Array>()->elements());
    context.result.bits = 0;
    context.frame = sched::kFrameHeader;
    context.stackSlots = slots;
    context.stack = stack;
  }
  void stopOthers() {
    if (!heap->severalCarriers()) return;
    scheduler->requestExit();
    heap->world().leave();
    for (std::thread& thread : threads) thread.join();
    heap->world().enter();
  }
  void TearDown() override {
    threads.clear();
    others.clear();
    SyncTest::TearDown();
  }

  // ---- objects
  void makeObjects() {
    for (unsigned i = 0; i < kChannels; ++i) channels.push_back(&newChannel(kNodeChannel, i / 2 * 3));
    for (unsigned i = 0; i < kMutexes; ++i) mutexes.push_back(&newMutex());
    semaphore = &newSemaphore(kPermits);
    std::vector<Context*> some;
    for (unsigned i = 0; i < kFutures; ++i) {
      some.push_back(scheduler->newPending(*carrier, classes->byIndex(kLongFuture)));
      roots.push_back(&some.back()->header);
    }
    for (unsigned i = 0; i + 1 < kFutures; i += 2) pairs.push_back(&arrayOf({some[i], some[i + 1]}));
    futures = some;
  }
  object::Array* newNumber(Carrier& on, uint64_t number) {
    object::Array* made = object::newArray(*heap, on.allocator, classes->byIndex(kLongArray), 1);
    *reinterpret_cast<uint64_t*>(made->elements()) = number;
    return made;
  }
  static uint64_t numberOf(Slot message) {
    return *reinterpret_cast<const uint64_t*>(message.as<object::Array>()->elements());
  }
  // `closure` keeps the array with the task's address alive meanwhile.
  void spawn(Task& task, Carrier& on, Script script, Slot& closure) {
    task.script = std::move(script);
    task.suspended = task.script.handle();
    closure.setObject(newNumber(on, reinterpret_cast<uint64_t>(&task)));
    Context* context = scheduler->spawn(on, classes->byIndex(kThread), closure.object(), nullptr);
    task.context.store(context, std::memory_order_release);
  }
  void markRoots(heap::Marker& marker) override {
    SyncTest::markRoots(marker);
    if (Context* main = mainTask.context.load()) marker.mark(&main->header);
    for (Task& task : workers)
      if (Context* context = task.context.load()) marker.mark(&context->header);
  }

  // ---- waits. `begin` gives how it ended at once, or nothing: it has parked.
  template <class Begin, class End> auto wait(Task& task, Begin begin, End end) {
    struct Wait {
      Task& task;
      Begin begin;
      End end;
      std::optional<Wake> atOnce;

      bool await_ready() {
        atOnce = begin();
        return atOnce.has_value();
      }
      void await_suspend(std::coroutine_handle<> at) {
        task.suspended = at;
        task.parks = true;
      }
      Wake await_resume() {
        if (atOnce) return *atOnce;
        end();
        Wake wake = task.self().wake;
        task.books.cancelled += wake == Wake::kCancelled;
        task.books.timedOut += wake == Wake::kTimeout;
        return wake;
      }
    };
    return Wait{task, begin, end, {}};
  }
  template <class Begin> auto wait(Task& task, Begin begin) {
    return wait(task, begin, [this, &task] { scheduler->leaveWait(*task.carrier, task.self()); });
  }
  auto letOthersRun(Task& task) {
    struct Yield {
      Task& task;
      bool await_ready() { return false; }
      void await_suspend(std::coroutine_handle<> at) {
        task.suspended = at;
        task.parks = false;
      }
      void await_resume() {}
    };
    return Yield{task};
  }
  static std::optional<Wake> ended(ChannelStatus status) {
    switch (status) {
    case ChannelStatus::kDone: return Wake::kValue;
    case ChannelStatus::kClosed: return Wake::kClosed;
    case ChannelStatus::kWouldBlock: return Wake::kTimeout;
    case ChannelStatus::kParked: return std::nullopt;
    }
    return std::nullopt;
  }
  static std::optional<Wake> ended(JoinStatus status) {
    if (status == JoinStatus::kParked) return std::nullopt;
    return status == JoinStatus::kFinished ? Wake::kValue : Wake::kTimeout;
  }
  auto join(Task& task, Context& target, int64_t limit) {
    return wait(task, [this, &task, &target, limit] {
      return ended(sync::join(*scheduler, *task.carrier, task.self(), target, ParkReason::kJoin, limit));
    });
  }
  // Not at all, a moment, or until somebody comes (or main cancels the wait in the end).
  static int64_t anyLimit(Task& task) {
    unsigned kind = task.below(8);
    return kind == 0 ? 0 : kind == 1 ? kForever : 1 + task.below(2);
  }

  // ---- what workers do
  Script sendOne(Task& task) {
    uint64_t number = task.random();
    Slot* frame = task.self().stack;
    frame[kMessage].setObject(newNumber(*task.carrier, number));
    Channel& to = *channels[task.below(kChannels)];
    Wake wake = co_await wait(task, [&, limit = anyLimit(task)] {
      return ended(send(*scheduler, *task.carrier, task.self(), to, kMessage, limit));
    });
    noteSent(task, wake, number);
  }
  void noteSent(Task& task, Wake wake, uint64_t number) {
    if (wake != Wake::kValue) return;
    ++task.books.sent;
    task.books.sentSum += number;
  }
  Script receiveOne(Task& task) {
    task.self().stack[kMessage].bits = 0;
    Channel& from = *channels[task.below(kChannels)];
    Wake wake = co_await wait(task, [&, limit = anyLimit(task)] {
      return ended(receive(*scheduler, *task.carrier, task.self(), from, kMessage, limit));
    });
    noteReceived(task, wake);
  }
  void noteReceived(Task& task, Wake wake) {
    Slot message = task.self().stack[kMessage];
    if (wake != Wake::kValue) {
      task.books.wrong += message.bits != 0;
      return;
    }
    ++task.books.received;
    task.books.receivedSum += numberOf(message);
  }
  Script selectOne(Task& task) {
    uint64_t number = task.random();
    Slot* frame = task.self().stack;
    frame[kOffered].setObject(newNumber(*task.carrier, number));
    frame[kMessage].bits = 0;
    using bytecode::SelectOperation;
    SelectBranch branches[3] = {{SelectOperation::kReceive, &channels[task.below(kChannels)]->header, kMessage, 0},
                                {SelectOperation::kSend, &channels[task.below(kChannels)]->header, kOffered, 0},
                                {SelectOperation::kTimeout, nullptr, 0, 1 + task.below(2)}};
    uint32_t branch = 2;
    Wake wake = co_await wait(
        task,
        [&]() -> std::optional<Wake> {
          SelectOutcome outcome = select(*scheduler, *task.carrier, task.self(), branches, false);
          branch = outcome.branch;
          if (outcome.status == SelectStatus::kParked) return std::nullopt;
          return outcome.status == SelectStatus::kClosed ? Wake::kClosed : Wake::kValue;
        },
        [&] {
          if (task.self().wake == Wake::kValue) branch = selectedBranch(task.self());
          scheduler->leaveWait(*task.carrier, task.self());
        });
    if (branch == 1)
      noteSent(task, wake, number);
    else
      noteReceived(task, branch == 0 ? wake : Wake::kTimeout);
  }
  Script lockOne(Task& task) {
    unsigned which = task.below(kMutexes);
    Mutex& mutex = *mutexes[which];
    std::vector<Context*> cycle;
    Wake wake = co_await wait(
        task,
        [&, limit = anyLimit(task)]() -> std::optional<Wake> {
          LockStatus status = lock(*scheduler, *task.carrier, task.self(), mutex, false, limit, cycle);
          if (status == LockStatus::kParked) return std::nullopt;
          return status == LockStatus::kDone ? Wake::kValue : Wake::kTimeout;
        },
        [&] { task.books.wrong += resumeLock(*scheduler, *task.carrier, task.self(), mutex) != LockStatus::kDone; });
    if (wake != Wake::kValue) co_return;
    ++task.books.locked;
    ++guarded[which];
    if (task.below(4) == 0) co_await letOthersRun(task);
    --guarded[which];
    ++guarded[which];
    task.books.wrong += unlock(*scheduler, *task.carrier, task.self(), mutex) != LockStatus::kDone;
  }
  Script acquireOne(Task& task) {
    Wake wake = co_await wait(task, [&, limit = anyLimit(task)]() -> std::optional<Wake> {
      AcquireStatus status = acquire(*scheduler, *task.carrier, task.self(), *semaphore, limit);
      if (status == AcquireStatus::kParked) return std::nullopt;
      return status == AcquireStatus::kDone ? Wake::kValue : Wake::kTimeout;
    });
    if (wake != Wake::kValue) co_return;
    task.books.wrong += ++inside > kPermits;
    if (task.below(4) == 0) co_await letOthersRun(task);
    --inside;
    task.books.wrong += !release(*scheduler, *task.carrier, *semaphore);
  }
  // A sleep ends by its time or a cancel. In a shield, by its time.
  Script sleepOne(Task& task) {
    bool shielded = task.below(2) == 0;
    if (shielded) task.self().changeShield(1);
    Wake wake = co_await wait(task, [&]() -> std::optional<Wake> {
      scheduler->beginPark(*task.carrier, task.self());
      task.carrier->park = {ParkReason::kSleep, nullptr, scheduler->deadlineAfter(1)};
      return std::nullopt;
    });
    task.books.wrong += wake != Wake::kTimeout && (shielded || wake != Wake::kCancelled);
    if (shielded) task.self().changeShield(-1);
  }
  Script awaitFutures(Task& task) {
    object::Array& pair = *pairs[task.below(static_cast<unsigned>(pairs.size()))];
    bool all = task.below(2) == 0;
    Wake wake = co_await wait(task, [&] {
      return ended(all ? waitForAll(*scheduler, *task.carrier, task.self(), pair, kCount)
                       : waitForAny(*scheduler, *task.carrier, task.self(), pair));
    });
    if (wake != Wake::kValue) co_return;
    unsigned finished = futureAt(pair, 0)->finished() + futureAt(pair, 1)->finished();
    task.books.wrong += finished < (all ? 2 : 1);
  }
  void bother(Task& task) {
    if (task.below(4) == 0) {
      complete(*scheduler, *task.carrier, *futures[task.below(kFutures)], Slot{1}, false);
    } else if (Context* other = workers[task.below(static_cast<unsigned>(workers.size()))].context.load()) {
      if (task.below(8) == 0) scheduler->cancel(*task.carrier, *other);
    }
    if (task.below(64) == 0) heap->collect(task.carrier->allocator);
  }

  Script workerScript(Task& task) {
    for (int act = 0; act < 60 && !task.self().mustThrowCancelled(); ++act) {
      switch (task.below(9)) {
      case 0: co_await sendOne(task); break;
      case 1: co_await receiveOne(task); break;
      case 2:
      case 3: co_await selectOne(task); break;
      case 4: co_await lockOne(task); break;
      case 5: co_await acquireOne(task); break;
      case 6: co_await sleepOne(task); break;
      case 7: co_await awaitFutures(task); break;
      default: bother(task);
      }
    }
  }

  // Starts the workers and waits for them; who waits for nobody is cancelled.
  Script mainScript(Task& task) {
    for (Task& worker : workers) {
      worker.random.seed(static_cast<unsigned>(&worker - &workers[0]) + 1);
      spawn(worker, *task.carrier, workerScript(worker), task.self().stack[kOffered]);
      if (task.below(4) == 0) co_await letOthersRun(task);
    }
    for (Task& worker : workers) {
      while (co_await join(task, worker.self(), 20) != Wake::kValue) scheduler->cancel(*task.carrier, worker.self());
    }
  }

  // ---- the balance
  void check() {
    Books all;
    for (Task& worker : workers) {
      all.add(worker.books);
      EXPECT_EQ(worker.self().timer.load(), 0u);
      EXPECT_EQ(worker.self().waits, nullptr);
    }
    EXPECT_EQ(all.wrong, 0u);
    for (Channel* channel : channels) {
      EXPECT_TRUE(channel->senders.empty() && channel->receivers.empty());
      for (uint32_t i = 0; i < channel->length; ++i) {
        auto* elements = reinterpret_cast<Slot*>(channel->storage->elements());
        ++all.received;
        all.receivedSum += numberOf(elements[(channel->head + i) % channel->capacity]);
      }
    }
    EXPECT_EQ(all.sent, all.received);
    EXPECT_EQ(all.sentSum, all.receivedSum);
    uint64_t counted = 0;
    for (unsigned i = 0; i < kMutexes; ++i) {
      counted += guarded[i];
      EXPECT_EQ(mutexes[i]->holder, nullptr);
    }
    EXPECT_EQ(counted, all.locked);
    EXPECT_EQ(semaphore->permits, kPermits);
    EXPECT_GT(scheduler->statistics().carriers, 1u);
    EXPECT_EQ(scheduler->aliveCount(), 0u);
    EXPECT_GT(all.sent, 0u);
    EXPECT_GT(all.timedOut, 0u);
    EXPECT_GT(all.cancelled, 0u);
    heap->verifyRemembered();
  }

  std::deque<Task> workers;
  Task mainTask;
  std::vector<std::unique_ptr<Carrier>> others;
  std::vector<std::thread> threads;
  std::vector<Channel*> channels;
  std::vector<Mutex*> mutexes;
  uint64_t guarded[kMutexes] = {}; // each counted up by who holds the mutex; plain
  Semaphore* semaphore = nullptr;
  std::atomic<unsigned> inside{0}; // holders of permits
  std::vector<Context*> futures;
  std::vector<object::Array*> pairs;
};

TEST_F(CarriersTest, BooksBalance) { run(false, false); }
TEST_F(CarriersTest, BooksBalanceWhenContextsMoveAtEveryChance) { run(true, false); }
TEST_F(CarriersTest, BooksBalanceInVirtualTime) { run(false, true); }

} // namespace
} // namespace nlang::sync::test
