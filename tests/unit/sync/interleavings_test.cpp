// The search that the other tests of this room rely on: what it runs, and that it leaves out only repetitions.
#ifdef NLANG_PLANTED_FAULTS

#include "interleavings.h"

#include <set>

namespace nlang::sync::test {
namespace {

using Parties = std::vector<std::function<void()>>;

// Writes to `cells`, each party its letter, are noted in the order in which they come.
struct Board {
  std::string cells[2];
  bool taken = false;

  void write(unsigned cell, char letter) {
    NLANG_STEP("writes", &cells[cell]);
    cells[cell] += letter;
  }
  size_t read(unsigned cell) {
    NLANG_LOOK("reads", &cells[cell]);
    return cells[cell].size();
  }
  void lock() {
    NLANG_STEP_WHEN("locks", &taken, !taken);
    EXPECT_FALSE(std::exchange(taken, true));
  }
  void unlock() {
    NLANG_STEP("unlocks", &taken);
    taken = false;
  }
};

class InterleavingsTest : public ::testing::Test {
 protected:
  Interleavings::Count explore(const Parties& parties) {
    results.clear();
    return interleavings.explore({[this] { board = {}; }, parties,
                                  [this] {
                                    EXPECT_FALSE(board.taken);
                                    results.insert(board.cells[0] + "/" + board.cells[1]);
                                  }});
  }

  Interleavings interleavings;
  Board board;
  std::set<std::string> results;
};

TEST_F(InterleavingsTest, WritesToOneCellComeInEveryOrder) {
  auto count = explore({[this] {
                          board.write(0, 'a');
                          board.write(0, 'b');
                        },
                        [this] {
                          board.write(0, 'c');
                          board.write(0, 'd');
                        }});
  EXPECT_EQ(results, (std::set<std::string>{"abcd/", "acbd/", "acdb/", "cabd/", "cadb/", "cdab/"}));
  EXPECT_EQ(count.schedules, 6u);
}

TEST_F(InterleavingsTest, WritesToDifferentCellsComeInOne) {
  auto count = explore({[this] {
                          board.write(0, 'a');
                          board.write(0, 'b');
                        },
                        [this] {
                          board.write(1, 'c');
                          board.write(1, 'd');
                        }});
  EXPECT_EQ(count.runs, 1u);
}

TEST_F(InterleavingsTest, ReadsDependOnWritesAlone) {
  std::set<std::string> seen;
  auto reader = [&](size_t& first) { return [this, &first] { first = board.read(0); }; };
  size_t a, b;
  auto count = interleavings.explore({[this] { board = {}; },
                                      {reader(a), reader(b), [this] { board.write(0, 'x'); }},
                                      [&] { seen.insert(std::to_string(a) + std::to_string(b)); }});
  EXPECT_EQ(seen, (std::set<std::string>{"00", "01", "10", "11"}));
  EXPECT_EQ(count.schedules, 4u);
}

TEST_F(InterleavingsTest, ThreePartiesOverTwoCells) {
  auto mixed = [this](char letter) {
    return [this, letter] {
      board.write(0, letter);
      board.write(1, letter);
    };
  };
  auto count = explore({mixed('a'), mixed('b'), mixed('c')});
  // Each cell sees the three in any order, and each pair of orders can be had: 3! times 3!.
  EXPECT_EQ(results.size(), 36u);
  EXPECT_EQ(count.schedules, 36u);
}

TEST_F(InterleavingsTest, ALockIsTakenInEveryOrder) {
  auto locked = [this](char letter) {
    return [this, letter] {
      board.lock();
      board.write(0, letter);
      board.write(0, letter);
      board.unlock();
    };
  };
  auto count = explore({locked('a'), locked('b'), locked('c')});
  EXPECT_EQ(results, (std::set<std::string>{"aabbcc/", "aaccbb/", "bbaacc/", "bbccaa/", "ccaabb/", "ccbbaa/"}));
  EXPECT_EQ(count.schedules, 6u);
}

TEST_F(InterleavingsTest, AMissedWriteIsAChoice) {
  std::set<bool> answers;
  interleavings.explore({[] {},
                         {[&] {
                           board.write(0, 'a');
                           answers.insert(NLANG_MISSES("something"));
                         }},
                         [] {}});
  EXPECT_EQ(answers, (std::set<bool>{false, true}));
}

} // namespace
} // namespace nlang::sync::test

#endif
