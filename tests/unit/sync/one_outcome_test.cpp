// One outcome (C4.4): every interleaving of a context that waits twice in a row and of two that would wake it.
//
// The code is that of the run-time system, stopped at each point where another carrier could come between
// (base/steps.h). For each way to wait, each pair of wakers, and each choice of shielded waits, every run must show
// - one outcome for each wait, which one of the wakers may have brought about, and from which a shield protects;
// - nothing lost: who still waits in the end has been told nothing, and can be woken; a value is either received, once,
//   or still its sender's;
// - nothing left: no timer set, no node queued, no lock taken; the context was queued once for each time that it
//   parked.
#ifdef NLANG_PLANTED_FAULTS

#include <algorithm>

#include "interleavings.h"
#include "sync/select.h"
#include "world.h"

namespace nlang::sync::test {
namespace {

enum class Waker : uint8_t { kServe, kServeOther, kFail, kClose, kExpire, kCancel };
const char* const kWakerNames[] = {"serve", "serve otherwise", "fail", "close", "expire", "cancel"};

constexpr int64_t kNothing = -1; // in the place for a value that has not come
constexpr int64_t kTimeLimit = 10;

class OneOutcomeTest : public SyncTest {
 protected:
  struct Outcome {
    Wake wake;
    int64_t value; // with kValue: what was received or sent
  };
  // One of the wakers.
  struct Actor {
    std::unique_ptr<Carrier> carrier;
    Context* self; // with a frame for its values
    int64_t value; // that it has to give
  };

  // ---- the way to wait
  virtual std::vector<Waker> wakers() const = 0;
  virtual bool hasTimeout() const { return true; }
  // As if the objects were new.
  virtual void resetObjects() = 0;
  // Wait number `turn` (0 or 1) of the parker. True: it has parked. False: `outcome` is there at once.
  virtual bool begin(int turn, int64_t limit, Outcome& outcome) = 0;
  // The parker goes on after it has parked: leaves the wait, and what it got.
  virtual Outcome resume(int turn) = 0;
  virtual void wake(Waker how, Actor& actor) = 0;
  // Lets the parker have what it still waits for.
  virtual void serveAtLast(Actor& actor) { wake(Waker::kServe, actor); }
  virtual bool isClosed() const { return false; }
  virtual void check() = 0;

  void SetUp() override {
    SyncTest::SetUp();
    parker = &running();
    for (int i = 0; i < 2; ++i) actors.push_back({std::make_unique<Carrier>(*heap), &running(), 0});
    scheduler->startSeveral(*carrier);
  }
  void TearDown() override {
    actors.clear();
    SyncTest::TearDown();
  }

  void exploreAll() {
    std::vector<Waker> kinds = wakers();
    Interleavings::Count sum;
    for (size_t first = 0; first < kinds.size(); ++first) {
      for (size_t second = first; second < kinds.size(); ++second) {
        wakerKinds[0] = kinds[first];
        wakerKinds[1] = kinds[second];
        for (int shielded = 0; shielded < (has(Waker::kCancel) ? 4 : 1); ++shielded) {
          shields[0] = shielded & 1;
          shields[1] = shielded & 2;
          SCOPED_TRACE(std::string("party 1: ") + kWakerNames[static_cast<int>(wakerKinds[0])] + ", party 2: " +
                       kWakerNames[static_cast<int>(wakerKinds[1])] + ", shields: " + std::to_string(shielded));
          Interleavings::Count one =
              interleavings.explore({[this] { reset(); },
                                     {[this] { waitTwice(); }, [this] { act(0); }, [this] { act(1); }},
                                     [this] { finish(); }});
          if (HasFailure()) return;
          sum.schedules += one.schedules;
          sum.runs += one.runs;
        }
      }
    }
    RecordProperty("schedules", std::to_string(sum.schedules));
    RecordProperty("runs", std::to_string(sum.runs));
  }

  bool has(Waker kind) const { return wakerKinds[0] == kind || wakerKinds[1] == kind; }
  // Values received by one side are those sent by the other, each once.
  void expectSameValues() {
    std::vector<int64_t> values;
    for (const Outcome& outcome : outcomes)
      if (outcome.wake == Wake::kValue) values.push_back(outcome.value);
    std::sort(values.begin(), values.end());
    std::sort(exchanged.begin(), exchanged.end());
    EXPECT_EQ(values, exchanged);
  }
  static void expectFree(const Object& object) { EXPECT_FALSE(object.flags.load() & heap::kLockBit); }

  void giveTo(Channel& channel, Actor& actor) {
    actor.self->stack[kScalar].setI64(actor.value);
    if (send(*scheduler, *actor.carrier, *actor.self, channel, kScalar, 0) == ChannelStatus::kDone)
      exchanged.push_back(actor.value);
  }
  void takeFrom(Channel& channel, Actor& actor) {
    if (receive(*scheduler, *actor.carrier, *actor.self, channel, kScalar, 0) == ChannelStatus::kDone)
      exchanged.push_back(actor.self->stack[kScalar].i64());
  }
  void resetChannel(Channel& channel) {
    EXPECT_TRUE(channel.senders.empty() && channel.receivers.empty());
    expectFree(channel.header);
    channel.closed = false;
  }
  void expectQuiet(const Channel& channel) {
    EXPECT_TRUE(channel.senders.empty() && channel.receivers.empty()) << "a node is left in a queue";
    expectFree(channel.header);
  }

  Context* parker = nullptr;
  std::vector<Actor> actors;
  Outcome outcomes[2] = {};
  std::vector<int64_t> exchanged; // what the wakers have given to, or taken from, the parker

 private:
  // ---- the parties
  void waitTwice() {
    for (turn = 0; turn < 2; ++turn) {
      if (shields[turn]) changeShield(1);
      outcomes[turn] = waitOnce();
      if (shields[turn]) changeShield(-1);
    }
  }

  Outcome waitOnce() {
    Context& self = *parker;
    self.wake = Wake::kNone;
    Outcome outcome{};
    if (!begin(turn, turn == 0 && hasTimeout() ? kTimeLimit : kForever, outcome)) return outcome;
    if (!scheduler->finishPark(*carrier, self)) {
      NLANG_STEP_WHEN("goes on", &self.queueNext, timesQueued() != 0);
      EXPECT_EQ(timesQueued(), 1u) << "queued twice";
      takeFromQueue();
      EXPECT_EQ(self.state.load(), ContextState::kReady);
      self.state.store(ContextState::kRunning);
    }
    EXPECT_EQ(self.state.load(), ContextState::kRunning);
    EXPECT_EQ(self.timer.load(), 0u) << "its timer is still set";
    outcome = resume(turn);
    EXPECT_EQ(self.waits, nullptr);
    return outcome;
  }

  void changeShield(int by) {
    NLANG_STEP("changes its shield", &parker->shieldDepth);
    parker->changeShield(by);
  }

  void act(int which) {
    Actor& actor = actors[which];
    switch (wakerKinds[which]) {
    case Waker::kExpire:
      NLANG_STEP("lets time pass", &scheduler->clock());
      letTimePass(*actor.carrier);
      break;
    case Waker::kCancel: scheduler->cancel(*actor.carrier, *parker); break;
    default: wake(wakerKinds[which], actor);
    }
  }

  void letTimePass(Carrier& on) {
    scheduler->clock().advanceTo(scheduler->clock().now() + (kTimeLimit + 1) * 1'000'000);
    scheduler->othersReady(on);
  }

  std::vector<Carrier*> carriers() { return {carrier.get(), actors[0].carrier.get(), actors[1].carrier.get()}; }
  unsigned timesQueued() {
    unsigned times = 0;
    for (Carrier* one : carriers()) times += (one->nextUp != nullptr) + one->queue.length();
    return times;
  }
  void takeFromQueue() {
    for (Carrier* one : carriers()) {
      if (std::exchange(one->nextUp, nullptr) != nullptr || one->queue.pop() != nullptr) return;
    }
  }

  // ---- before and after a run
  void reset() {
    parker->flags.store(0);
    parker->result.bits = 0;
    outcomes[0] = outcomes[1] = {};
    exchanged.clear();
    actors[0].value = 10;
    actors[1].value = 11;
    resetObjects();
  }

  // Nobody can go on by himself. If the parker waits, that is right, and it can be woken.
  void finish() {
    for (int more = 0; !interleavings.runOn(0) && more < 2; ++more) {
      EXPECT_EQ(parker->state.load(), ContextState::kParked);
      EXPECT_EQ(parker->ticket.load() & 1, 1u);
      EXPECT_FALSE(parker->mustThrowCancelled()) << "a cancel is lost";
      EXPECT_FALSE(isClosed()) << "a close is lost";
      bool hasTimer = turn == 0 && hasTimeout();
      EXPECT_EQ(parker->timer.load() != 0, hasTimer);
      if (hasTimer) {
        letTimePass(*actors[0].carrier);
      } else {
        actors[0].value = 20 + turn;
        serveAtLast(actors[0]);
      }
    }
    letTimePass(*carrier);
    EXPECT_EQ(timesQueued(), 0u) << "queued again";
    EXPECT_EQ(parker->timer.load(), 0u);
    EXPECT_EQ(parker->ticket.load() & 1, 0u);
    for (turn = 0; turn < 2; ++turn) checkOutcome(outcomes[turn].wake);
    check();
  }

  void checkOutcome(Wake wake) {
    switch (wake) {
    case Wake::kValue:
    case Wake::kFailed: break; // check() knows more
    case Wake::kTimeout: EXPECT_EQ(turn, 0) << "a timer has hit a later wait"; break;
    case Wake::kCancelled:
      EXPECT_TRUE(has(Waker::kCancel));
      EXPECT_FALSE(shields[turn]) << "a cancel has passed a shield";
      break;
    case Wake::kClosed: EXPECT_TRUE(isClosed()); break;
    default: ADD_FAILURE() << "no outcome";
    }
  }

  Waker wakerKinds[2] = {};
  bool shields[2] = {}; // of the waits
  int turn = 0;         // the wait that the parker is in
  Interleavings interleavings;
};

// ---------------------------------------------------------------- channels

class ReceiveOutcomeTest : public OneOutcomeTest {
 protected:
  std::vector<Waker> wakers() const override { return {Waker::kServe, Waker::kClose, Waker::kExpire, Waker::kCancel}; }
  void SetUp() override {
    OneOutcomeTest::SetUp();
    channel = &newChannel(kLongChannel, 0);
  }
  void resetObjects() override { resetChannel(*channel); }
  bool begin(int, int64_t limit, Outcome& outcome) override {
    ChannelStatus status = receiveLong(*parker, *channel, limit);
    outcome = {Wake::kClosed, kNothing};
    return status == ChannelStatus::kParked;
  }
  Outcome resume(int) override {
    scheduler->leaveWait(*carrier, *parker);
    if (parker->wake != Wake::kValue) EXPECT_EQ(received(*parker), kNothing);
    return {parker->wake, received(*parker)};
  }
  void wake(Waker how, Actor& actor) override {
    if (how == Waker::kClose)
      close(*scheduler, *actor.carrier, *channel);
    else
      giveTo(*channel, actor);
  }
  bool isClosed() const override { return channel->closed; }
  void check() override {
    expectSameValues();
    expectQuiet(*channel);
  }

  Channel* channel = nullptr;
};

TEST_F(ReceiveOutcomeTest, EveryInterleaving) { exploreAll(); }

class SendOutcomeTest : public ReceiveOutcomeTest {
 protected:
  bool begin(int turn, int64_t limit, Outcome& outcome) override {
    ChannelStatus status = sendLong(*parker, *channel, 100 + turn, limit);
    outcome = {Wake::kClosed, kNothing};
    return status == ChannelStatus::kParked;
  }
  Outcome resume(int turn) override {
    scheduler->leaveWait(*carrier, *parker);
    return {parker->wake, 100 + turn};
  }
  void wake(Waker how, Actor& actor) override {
    if (how == Waker::kClose)
      close(*scheduler, *actor.carrier, *channel);
    else
      takeFrom(*channel, actor);
  }
};

TEST_F(SendOutcomeTest, EveryInterleaving) { exploreAll(); }

// Receives from one channel or sends to the other, whichever comes first.
class SelectOutcomeTest : public OneOutcomeTest {
 protected:
  std::vector<Waker> wakers() const override {
    return {Waker::kServe, Waker::kServeOther, Waker::kClose, Waker::kExpire, Waker::kCancel};
  }
  void SetUp() override {
    OneOutcomeTest::SetUp();
    in = &newChannel(kLongChannel, 0);
    out = &newChannel(kLongChannel, 0);
  }
  void resetObjects() override {
    resetChannel(*in);
    resetChannel(*out);
  }
  bool begin(int turn, int64_t limit, Outcome& outcome) override {
    using bytecode::SelectOperation;
    parker->stack[kScalar].setI64(kNothing);
    parker->stack[kScalar + 1].setI64(100 + turn);
    std::vector<SelectBranch> branches = {{SelectOperation::kReceive, &in->header, kScalar, 0},
                                          {SelectOperation::kSend, &out->header, kScalar + 1, 0}};
    if (limit != kForever) branches.push_back({SelectOperation::kTimeout, nullptr, 0, limit});
    outcome = {Wake::kClosed, kNothing};
    return select(*scheduler, *carrier, *parker, branches, false).status == SelectStatus::kParked;
  }
  Outcome resume(int) override {
    Outcome outcome{parker->wake, kNothing};
    if (outcome.wake == Wake::kValue) outcome.value = parker->stack[kScalar + selectedBranch(*parker)].i64();
    scheduler->leaveWait(*carrier, *parker);
    return outcome;
  }
  void wake(Waker how, Actor& actor) override {
    if (how == Waker::kClose)
      close(*scheduler, *actor.carrier, *in);
    else if (how == Waker::kServe)
      giveTo(*in, actor);
    else
      takeFrom(*out, actor);
  }
  bool isClosed() const override { return in->closed; }
  void check() override {
    expectSameValues();
    expectQuiet(*in);
    expectQuiet(*out);
  }

  Channel* in = nullptr;
  Channel* out = nullptr;
};

TEST_F(SelectOutcomeTest, EveryInterleaving) { exploreAll(); }

// ---------------------------------------------------------------- mutex

// The first waker holds the mutex; the parker gives it up again when it has got it.
class LockOutcomeTest : public OneOutcomeTest {
 protected:
  std::vector<Waker> wakers() const override { return {Waker::kServe, Waker::kExpire, Waker::kCancel}; }
  void SetUp() override {
    OneOutcomeTest::SetUp();
    mutex = &newMutex();
  }
  void resetObjects() override {
    std::vector<Context*> cycle;
    EXPECT_EQ(lock(*scheduler, *carrier, *actors[0].self, *mutex, false, 0, cycle), LockStatus::kDone);
  }
  bool begin(int, int64_t limit, Outcome& outcome) override {
    std::vector<Context*> cycle;
    LockStatus status = lock(*scheduler, *carrier, *parker, *mutex, false, limit, cycle);
    if (status == LockStatus::kParked) return true;
    EXPECT_EQ(status, LockStatus::kDone);
    outcome = {Wake::kValue, kNothing};
    giveUp();
    return false;
  }
  Outcome resume(int) override {
    EXPECT_EQ(resumeLock(*scheduler, *carrier, *parker, *mutex), LockStatus::kDone);
    if (parker->wake == Wake::kValue)
      giveUp();
    else
      EXPECT_NE(mutex->holder, parker);
    return {parker->wake, kNothing};
  }
  void giveUp() {
    EXPECT_EQ(mutex->holder, parker);
    EXPECT_EQ(unlock(*scheduler, *carrier, *parker, *mutex), LockStatus::kDone);
  }
  void wake(Waker, Actor& actor) override {
    LockStatus status = unlock(*scheduler, *actor.carrier, *actor.self, *mutex);
    EXPECT_EQ(status, &actor == &actors[0] ? LockStatus::kDone : LockStatus::kNotHolder);
  }
  void check() override {
    unlock(*scheduler, *carrier, *actors[0].self, *mutex);
    EXPECT_EQ(mutex->holder, nullptr);
    EXPECT_FALSE(mutex->watched);
    EXPECT_TRUE(mutex->waiters.empty());
    expectFree(mutex->header);
  }

  Mutex* mutex = nullptr;
};

TEST_F(LockOutcomeTest, EveryInterleaving) { exploreAll(); }

// ---------------------------------------------------------------- futures

// Two futures; the wakers complete one, complete the other, or let it fail.
class AnyOutcomeTest : public OneOutcomeTest {
 protected:
  std::vector<Waker> wakers() const override {
    return {Waker::kServe, Waker::kServeOther, Waker::kFail, Waker::kCancel};
  }
  bool hasTimeout() const override { return false; }
  void SetUp() override {
    OneOutcomeTest::SetUp();
    for (Context*& future : futures) {
      future = scheduler->newPending(*carrier, classes->byIndex(kLongFuture));
      roots.push_back(&future->header);
    }
    array = &arrayOf({futures[0], futures[1]});
  }
  void resetObjects() override {
    for (Context* future : futures) {
      EXPECT_TRUE(future->waiters.empty());
      expectFree(future->header);
      future->state.store(ContextState::kPending);
      future->ticket.store(0);
      future->flags.store(0);
    }
  }
  bool begin(int, int64_t, Outcome& outcome) override {
    outcome = {Wake::kValue, kNothing};
    if (waitForAny(*scheduler, *carrier, *parker, *array) == JoinStatus::kParked) return true;
    expectEnough();
    return false;
  }
  Outcome resume(int) override {
    scheduler->leaveWait(*carrier, *parker);
    if (parker->wake == Wake::kValue) expectEnough();
    return {parker->wake, kNothing};
  }
  virtual void expectEnough() { EXPECT_NE(firstFinished(*array), -1); }
  void wake(Waker how, Actor& actor) override {
    if (how == Waker::kFail)
      fail(*scheduler, *actor.carrier, *futures[1], nullptr);
    else
      complete(*scheduler, *actor.carrier, *futures[how == Waker::kServe ? 0 : 1], Slot{0}, false);
  }
  void check() override {
    for (Context* future : futures) {
      EXPECT_TRUE(future->waiters.empty());
      expectFree(future->header);
    }
  }

  Context* futures[2] = {};
  object::Array* array = nullptr;
};

TEST_F(AnyOutcomeTest, EveryInterleaving) { exploreAll(); }

class AllOutcomeTest : public AnyOutcomeTest {
 protected:
  bool begin(int, int64_t, Outcome& outcome) override {
    if (waitForAll(*scheduler, *carrier, *parker, *array, kScalar) == JoinStatus::kParked) return true;
    outcome = {firstFailed(*array) == -1 ? Wake::kValue : Wake::kFailed, kNothing};
    expectEnough();
    return false;
  }
  Outcome resume(int) override {
    scheduler->leaveWait(*carrier, *parker);
    if (parker->wake == Wake::kValue) expectEnough();
    if (parker->wake == Wake::kFailed) EXPECT_NE(firstFailed(*array), -1);
    return {parker->wake, kNothing};
  }
  void expectEnough() override {
    if (firstFailed(*array) != -1) return;
    for (Context* future : futures) EXPECT_TRUE(future->finished());
  }
  void serveAtLast(Actor& actor) override {
    for (Context* future : futures) complete(*scheduler, *actor.carrier, *future, Slot{0}, false);
  }
};

TEST_F(AllOutcomeTest, EveryInterleaving) { exploreAll(); }

} // namespace
} // namespace nlang::sync::test

#endif
