// Ranking of applicable overloads.
#include "sema/overloads.h"
#include "type_world.h"

namespace nlang::sema {
namespace {

class OverloadsTest : public TypeWorld {
 protected:
  // Each row of `parameters` is a candidate; the arguments have the types given.
  OverloadChoice choose(Types arguments, std::vector<Types> parameters, std::vector<size_t> withDefaults = {}) {
    std::vector<Candidate> candidates;
    for (const Types& list : parameters) {
      Candidate& candidate = candidates.emplace_back();
      for (size_t i = 0; i < arguments.size(); ++i) {
        candidate.arguments.push_back({conversions.distance(arguments[i], list[i]), list[i], arguments[i] == Null});
      }
    }
    for (size_t index : withDefaults) candidates[index].usesDefaults = true;
    return chooseOverload(candidates, conversions);
  }
  static constexpr size_t kNone = OverloadChoice::kNoWinner;
};

TEST_F(OverloadsTest, NothingToChooseFrom) {
  EXPECT_EQ(choose({}, {}).winner, kNone);
  EXPECT_TRUE(choose({}, {}).ambiguous.empty());
}

// rule: L6.1
TEST_F(OverloadsTest, TheNearestWins) {
  EXPECT_EQ(choose({Int}, {{Object}, {Double}, {Long}}).winner, 2u);
  EXPECT_EQ(choose({Int}, {{Long}, {Int}}).winner, 1u);
  EXPECT_EQ(choose({Byte}, {{Long}, {Short}, {Double}}).winner, 1u);
  EXPECT_EQ(choose({UByte}, {{UShort}, {Short}}).winner, 1u) << "signed first";
  EXPECT_EQ(choose({Puppy}, {{Animal}, {Dog}, {Object}}).winner, 1u);
}

// rule: L6.1
TEST_F(OverloadsTest, NoArgumentMayBeWorse) {
  EXPECT_EQ(choose({Int, Int}, {{Long, Int}, {Int, Int}}).winner, 1u);
  OverloadChoice choice = choose({Int, Int}, {{Long, Int}, {Int, Long}, {Double, Double}});
  EXPECT_EQ(choice.winner, kNone);
  EXPECT_EQ(choice.ambiguous, (std::vector<size_t>{0, 1}));
}

TEST_F(OverloadsTest, TheWinnerMayStandAnywhere) {
  // The first two beat each other in one argument each; the third beats both.
  EXPECT_EQ(choose({Int, Int}, {{Long, Int}, {Int, Long}, {Int, Int}}).winner, 2u);
  EXPECT_EQ(choose({Int, Int}, {{Int, Int}, {Long, Int}, {Int, Long}}).winner, 0u);
  EXPECT_EQ(choose({Int, Int}, {{Long, Int}, {Int, Int}, {Int, Long}}).winner, 1u);
}

// rule: L6.1
TEST_F(OverloadsTest, WithoutDefaultsBeforeWith) {
  EXPECT_EQ(choose({Int}, {{Int}, {Int}}, {0}).winner, 1u);
  EXPECT_EQ(choose({Int}, {{Int}, {Long}}, {0}).winner, 0u) << "a nearer argument counts more";
  EXPECT_EQ(choose({Int}, {{Int}, {Int}}, {0, 1}).ambiguous, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(choose({}, {{}, {}}, {1}).winner, 0u);
}

TEST_F(OverloadsTest, NullPrefersTheSubtype) {
  EXPECT_EQ(choose({Null}, {{Animal}, {Dog}}).winner, 1u);
  EXPECT_EQ(choose({Null}, {{Object}, {Animal}}).winner, 1u);
  EXPECT_EQ(choose({Null}, {{Shape}, {Dog}}).winner, 1u);
  EXPECT_EQ(choose({Null}, {{Cat}, {Dog}}).ambiguous, (std::vector<size_t>{0, 1}));
}

TEST_F(OverloadsTest, BaseClassAndInterfaceAsNearAreAmbiguous) {
  EXPECT_EQ(choose({Dog}, {{Animal}, {roundShape->selfType}}).ambiguous.size(), 2u);
}

} // namespace
} // namespace nlang::sema
