// Runs several parties under every schedule of their steps (base/steps.h).
//
// A party is a function on a stack of its own, all in one thread of the system. At each point it gives the turn back,
// and a depth-first search decides who goes on; every schedule is a run from the beginning.
//
// Two steps of different parties depend on each other if they touch the same cell and one changes it; others may be
// exchanged without anybody noticing. Of the schedules that differ only by such exchanges one is run to its end:
// - dynamic partial-order reduction (Flanagan and Godefroid, 2005): at a decision, a party is tried only if its step,
// or one that leads to it, turns out to depend on what was done instead;
// - sleep sets (Godefroid, 1990): a party that another choice has already tried sleeps until somebody makes a step that
// depends on its own.
//
// What the search sees is sequentially consistent. Where a relaxed read may miss a write that sequential consistency
// would show, the code asks StepListener::misses, and both answers are tried.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <ucontext.h>

#include "base/steps.h"
#include "heap/sanitizers.h"

#if NLANG_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace nlang::sync::test {

// A function that runs on its own stack and stops when it wants to.
class Fiber {
 public:
  Fiber() : stack_(std::make_unique<char[]>(kStackBytes)) {
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack_.get();
    own_.uc_stack.ss_size = kStackBytes;
    auto self = reinterpret_cast<uintptr_t>(this);
    makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<uint32_t>(self),
                static_cast<uint32_t>(self >> 32));
  }
  Fiber(const Fiber&) = delete;

  void start(std::function<void()> body) {
    body_ = std::move(body);
    finished_ = false;
  }
  bool finished() const { return finished_; }
  // From outside: until it stops or ends.
  void resume() {
    leave(&outsideFake_, stack_.get(), kStackBytes);
    swapcontext(&outside_, &own_);
    arrive(outsideFake_);
  }
  // From inside.
  void stop() {
    leave(&ownFake_, outsideBottom_, outsideSize_);
    swapcontext(&own_, &outside_);
    arrive(ownFake_);
  }

 private:
  static constexpr size_t kStackBytes = 256 * 1024;

  static void enter(uint32_t low, uint32_t high) { reinterpret_cast<Fiber*>(uintptr_t{high} << 32 | low)->run(); }
  [[noreturn]] void run() {
    arrive(nullptr);
    for (;;) {
      body_();
      finished_ = true;
      stop();
    }
  }
  // What the address sanitizer wants to know about a change of stacks.
  static void leave([[maybe_unused]] void** fake, [[maybe_unused]] const void* bottom, [[maybe_unused]] size_t size) {
#if NLANG_ASAN
    __sanitizer_start_switch_fiber(fake, bottom, size);
#endif
  }
  void arrive([[maybe_unused]] void* fake) {
#if NLANG_ASAN
    const void* bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(fake, &bottom, &size);
    if (bottom == stack_.get()) return; // the fiber's own, seen from outside
    outsideBottom_ = bottom;
    outsideSize_ = size;
#endif
  }

  std::unique_ptr<char[]> stack_;
  ucontext_t own_, outside_;
  std::function<void()> body_;
  bool finished_ = true;
  void *ownFake_ = nullptr, *outsideFake_ = nullptr;
  const void* outsideBottom_ = nullptr;
  size_t outsideSize_ = 0;
};

class Interleavings final : public StepListener {
 public:
  struct Plan {
    std::function<void()> begin; // before each run
    std::vector<std::function<void()>> parties;
    std::function<void()> end; // when nobody can go on by himself: wakes who still waits (runOn), and checks
  };
  struct Count {
    uint64_t schedules = 0; // that differ
    uint64_t runs = 0;      // with those that turned out to repeat one
  };

  // Stops at the first schedule with a failure, and prints it.
  Count explore(const Plan& plan) {
    while (parties_.size() < plan.parties.size()) parties_.push_back(std::make_unique<Party>());
    count_ = static_cast<unsigned>(plan.parties.size());
    path_.clear();
    Count count;
    do {
      ++count.runs;
      run(plan);
      count.schedules += !repeats_;
      if (!::testing::Test::HasFailure()) continue;
      ADD_FAILURE() << "run " << count.runs << ":\n" << scheduleText();
      break;
    } while (backtrack());
    return count;
  }

  // From Plan::end: lets a party go on without a schedule until it ends or has to wait. Whether it has ended.
  bool runOn(unsigned party) {
    Party& state = *parties_[party];
    free_ = true;
    while (!state.fiber.finished() && state.canGoOn()) resume(party);
    free_ = false;
    return state.fiber.finished();
  }

 private:
  static constexpr unsigned kMostParties = 4;
  // For each party the number of the last event of it that came before, plus one.
  struct Clock {
    uint32_t seen[kMostParties] = {};
    void join(const Clock& other) {
      for (unsigned p = 0; p < kMostParties; ++p) seen[p] = std::max(seen[p], other.seen[p]);
    }
  };
  struct Party {
    Fiber fiber;
    Step next{};
    Clock clock; // what came before its next step

    bool canGoOn() const { return next.isPossible == nullptr || next.isPossible(next.data); }
  };
  // A step that was made.
  struct Event {
    unsigned party;
    Step step;
    bool isMiss;     // not a step, but the answer to misses()
    size_t decision; // its place in the path
    Clock clock;     // what came before it, itself included

    bool comesBefore(const Clock& other, size_t place) const { return other.seen[party] > place; }
  };
  // A decision: whose turn it is, or whether a read misses a write.
  struct Decision {
    bool isTurn;
    bool misses;
    unsigned chosen;
    uint32_t possible, sleeping, wanted, tried; // sets of parties
  };

  void stopBefore(const Step& step) override {
    Party& state = *parties_[running_];
    state.next = step;
    state.fiber.stop();
  }
  bool misses(const char* what) override {
    if (free_ || repeats_) return false;
    if (depth_ == path_.size()) path_.push_back({false, false, running_, 0, 0, 0, 0});
    bool answer = path_[depth_++].misses;
    if (answer) events_.push_back({running_, {what, nullptr, false, nullptr, nullptr}, true, 0, {}});
    return answer;
  }

  void resume(unsigned party) {
    running_ = party;
    stepListener = this;
    parties_[party]->fiber.resume();
    stepListener = nullptr;
  }

  void run(const Plan& plan) {
    plan.begin();
    events_.clear();
    depth_ = 0;
    known_ = path_.size();
    repeats_ = false;
    for (unsigned p = 0; p < count_; ++p) {
      parties_[p]->fiber.start(plan.parties[p]);
      parties_[p]->next = {};
      parties_[p]->clock = {};
      runToFirstPoint(p);
    }
    uint32_t sleeping = 0;
    for (;;) {
      if (depth_ >= known_ && !repeats_) noteRaces();
      uint32_t possible = possibleParties();
      if (possible == 0) break;
      unsigned chosen = choose(possible, sleeping);
      makeStep(chosen);
    }
    plan.end();
    for (unsigned p = 0; p < count_; ++p) {
      if (parties_[p]->fiber.finished()) continue;
      ADD_FAILURE() << "party " << p << " waits for ever:\n" << scheduleText();
      std::abort(); // its stack cannot be used again
    }
  }

  // So far a party touches nothing of the others.
  void runToFirstPoint(unsigned party) {
    free_ = true;
    resume(party);
    free_ = false;
  }

  void makeStep(unsigned chosen) {
    Party& state = *parties_[chosen];
    Clock clock = state.clock;
    for (const Event& event : events_) {
      if (!event.isMiss && depend(event.step, state.next)) clock.join(event.clock);
    }
    clock.seen[chosen] = static_cast<uint32_t>(events_.size() + 1);
    events_.push_back({chosen, state.next, false, depth_ - 1, clock});
    state.clock = clock;
    resume(chosen);
  }

  // Whose turn it is, as the path says or as the next new branch of it; `sleeping` becomes that of the next decision.
  unsigned choose(uint32_t possible, uint32_t& sleeping) {
    if (depth_ == path_.size()) {
      uint32_t awake = possible & ~sleeping;
      repeats_ |= awake == 0;
      if (repeats_) return lowest(possible); // to the end in any order
      unsigned chosen = lowest(awake);
      path_.push_back({true, false, chosen, possible, sleeping, bit(chosen), bit(chosen)});
    }
    const Decision& decision = path_[depth_++];
    const Step& step = parties_[decision.chosen]->next;
    uint32_t others = (decision.sleeping | decision.tried) & ~bit(decision.chosen);
    sleeping = 0;
    for (unsigned p = 0; p < count_; ++p)
      if ((others & bit(p)) && !depend(parties_[p]->next, step)) sleeping |= bit(p);
    return decision.chosen;
  }

  // What a party is about to do may have come before an event that it depends on, if nothing lies between: somebody
  // with whom that other order can begin must be tried at the event's decision.
  void noteRaces() {
    for (unsigned p = 0; p < count_; ++p) {
      const Party& state = *parties_[p];
      if (state.fiber.finished()) continue;
      Clock before = state.clock;
      for (size_t i = events_.size(); i-- > 0;) {
        const Event& event = events_[i];
        if (event.isMiss || event.party == p || !depend(event.step, state.next)) continue;
        if (isUnderLock(event.step, state.next) || event.comesBefore(before, i)) continue;
        before.join(event.clock);
        Decision& decision = path_[event.decision];
        uint32_t firsts = firstsOfOtherOrder(i, p) & decision.possible;
        if (firsts == 0)
          decision.wanted = decision.possible;
        else if ((firsts & decision.wanted) == 0)
          decision.wanted |= bit(lowest(firsts));
      }
    }
  }

  // The parties that can make the first step of: all after event `at` that did not need it, then the next step of
  // `party`.
  uint32_t firstsOfOtherOrder(size_t at, unsigned party) const {
    std::vector<size_t> kept;
    uint32_t firsts = 0, seen = 0;
    auto addIfFirst = [&](unsigned who, const Clock& before) {
      if (seen & bit(who)) return;
      seen |= bit(who);
      for (size_t k : kept)
        if (events_[k].comesBefore(before, k)) return;
      firsts |= bit(who);
    };
    for (size_t j = at + 1; j < events_.size(); ++j) {
      const Event& event = events_[j];
      if (event.isMiss || events_[at].comesBefore(event.clock, at)) continue;
      addIfFirst(event.party, event.clock);
      kept.push_back(j);
    }
    Clock before = parties_[party]->clock;
    for (size_t k : kept)
      if (depend(events_[k].step, parties_[party]->next)) before.join(events_[k].clock);
    addIfFirst(party, before);
    return firsts;
  }

  bool backtrack() {
    for (; !path_.empty(); path_.pop_back()) {
      Decision& decision = path_.back();
      if (!decision.isTurn) {
        if (decision.misses) continue;
        decision.misses = true;
        return true;
      }
      uint32_t left = decision.wanted & ~decision.sleeping & ~decision.tried;
      if (left == 0) continue;
      decision.chosen = lowest(left);
      decision.tried |= bit(decision.chosen);
      return true;
    }
    return false;
  }

  uint32_t possibleParties() const {
    uint32_t possible = 0;
    for (unsigned p = 0; p < count_; ++p)
      if (!parties_[p]->fiber.finished() && parties_[p]->canGoOn()) possible |= bit(p);
    return possible;
  }
  static bool depend(const Step& a, const Step& b) { return a.cell == b.cell && (a.changes || b.changes); }
  // What is done under a lock, its release included, could never have come after somebody else took it.
  static bool isUnderLock(const Step& done, const Step& next) {
    return next.isPossible != nullptr && done.isPossible == nullptr && done.changes;
  }
  static uint32_t bit(unsigned party) { return 1u << party; }
  static unsigned lowest(uint32_t parties) { return static_cast<unsigned>(__builtin_ctz(parties)); }

  std::string scheduleText() const {
    std::string text;
    for (const Event& event : events_)
      text += "  party " + std::to_string(event.party) + (event.isMiss ? " misses " : " ") + event.step.what + "\n";
    return text;
  }

  std::vector<std::unique_ptr<Party>> parties_;
  unsigned count_ = 0, running_ = 0;
  bool free_ = false;    // no decisions are made
  bool repeats_ = false; // whatever this run comes to, another one does, too
  size_t depth_ = 0;     // decisions made in this run
  size_t known_ = 0;     // those that the path had before it
  std::vector<Decision> path_;
  std::vector<Event> events_; // of this run
};

} // namespace nlang::sync::test
