// Inference of type arguments.
#include "sema/inference.h"
#include "type_world.h"

namespace nlang::sema {
namespace {

class InferenceTest : public TypeWorld {
 protected:
  TypeParameterSymbol* a = newParameter("A", 0);
  TypeParameterSymbol* b = newParameter("B", 1);
  TypeParameterSymbol* bounded = newParameter("S", 2);
  const Type* A = a->type;
  const Type* B = b->type;
  const Type* S = bounded->type;
  std::vector<TypeParameterSymbol*> one{a};
  std::vector<TypeParameterSymbol*> two{a, b};
  std::vector<TypeParameterSymbol*> three{a, b, bounded};
  ConstantValue five = integer(5);

  InferenceTest() { bounded->bound = of(comparable, {S}); }

  // Infers A from (parameter, argument) pairs; null if it fails.
  const Type* infer(std::vector<std::pair<const Type*, const Type*>> pairs) {
    Inference inference(conversions, one);
    for (auto [parameter, argument] : pairs) inference.learn(parameter, argument);
    return inference.finish() ? inference.arguments()[0] : nullptr;
  }
};

// rule: L2.1
TEST_F(InferenceTest, FromTheShapeOfTheArgument) {
  EXPECT_EQ(infer({{A, Int}}), Int);
  EXPECT_EQ(infer({{arrayOf(A), arrayOf(String)}}), String);
  EXPECT_EQ(infer({{listOf(listOf(A)), listOf(listOf(Bool))}}), Bool);
  EXPECT_EQ(infer({{func(A, {Int}), func(String, {Int})}}), String);
  EXPECT_EQ(infer({{func(Void, {A}, 1), func(Void, {Long}, 1)}}), Long);
  EXPECT_EQ(infer({{of(pair, {Int, A}), of(pair, {Int, Dog})}}), Dog);
}

// rule: L2.1
TEST_F(InferenceTest, ThroughBaseClassesAndInterfaces) {
  EXPECT_EQ(infer({{iterableOf(A), listOf(Int)}}), Int);
  EXPECT_EQ(infer({{iterableOf(A), arrayOf(listOf(Int))}}), listOf(Int));
  EXPECT_EQ(infer({{of(comparable, {A}), String}}), String);
  EXPECT_EQ(infer({{of(comparable, {A}), C}}), C);
  EXPECT_EQ(infer({{listOf(iterableOf(A)), listOf(listOf(Int))}}), nullptr) << "a type argument is exact";
}

TEST_F(InferenceTest, WhatDoesNotFitTeachesNothing) {
  EXPECT_EQ(infer({{arrayOf(A), Int}}), nullptr);
  EXPECT_EQ(infer({{listOf(A), iterableOf(Int)}}), nullptr);
  EXPECT_EQ(infer({{func(A, {}), func(Int, {Int})}}), nullptr);
  EXPECT_EQ(infer({{A, Null}}), nullptr);
  EXPECT_EQ(infer({{A, Null}, {A, Dog}}), Dog);
  EXPECT_EQ(infer({{Int, Int}}), nullptr);
}

TEST_F(InferenceTest, LaterArgumentsMayWiden) {
  EXPECT_EQ(infer({{A, Int}, {A, Double}}), Double);
  EXPECT_EQ(infer({{A, Double}, {A, Int}}), Double);
  EXPECT_EQ(infer({{A, Dog}, {A, Animal}}), Animal);
  EXPECT_EQ(infer({{A, Int}, {A, Object}}), Object);
  EXPECT_EQ(infer({{A, Dog}, {A, Cat}}), nullptr) << "neither is the other's base";
  EXPECT_EQ(infer({{A, Int}, {A, Float}, {A, Long}}), nullptr);
}

TEST_F(InferenceTest, ExactOnesDoNotGiveWay) {
  EXPECT_EQ(infer({{listOf(A), listOf(Long)}, {A, Int}}), Long);
  EXPECT_EQ(infer({{A, Int}, {listOf(A), listOf(Long)}}), Long);
  EXPECT_EQ(infer({{listOf(A), listOf(Int)}, {A, Long}}), nullptr);
  EXPECT_EQ(infer({{A, Long}, {listOf(A), listOf(Int)}}), nullptr);
  EXPECT_EQ(infer({{listOf(A), listOf(Int)}, {listOf(A), listOf(Long)}}), nullptr);
}

TEST_F(InferenceTest, ConstantsAdapt) {
  Inference inference(conversions, one);
  EXPECT_TRUE(inference.learn(A, Int, &five));
  EXPECT_TRUE(inference.learn(A, ULong));
  ASSERT_TRUE(inference.finish());
  EXPECT_EQ(inference.arguments()[0], ULong);

  Inference exact(conversions, one);
  EXPECT_TRUE(exact.learn(listOf(A), listOf(Byte)));
  EXPECT_TRUE(exact.learn(A, Int, &five));
  EXPECT_FALSE(exact.learn(A, Int));
}

TEST_F(InferenceTest, ConflictsNameBothTypes) {
  Inference inference(conversions, two);
  EXPECT_TRUE(inference.learn(B, String));
  EXPECT_FALSE(inference.learn(B, Int));
  EXPECT_FALSE(inference.finish());
  EXPECT_EQ(inference.failure().error, InferenceError::kConflict);
  EXPECT_EQ(inference.failure().parameter, b);
  EXPECT_EQ(inference.failure().first, String);
  EXPECT_EQ(inference.failure().second, Int);
}

TEST_F(InferenceTest, UnknownOnesAreNamed) {
  Inference inference(conversions, two);
  EXPECT_TRUE(inference.learn(A, Int));
  EXPECT_FALSE(inference.finish());
  EXPECT_EQ(inference.failure().error, InferenceError::kUnknown);
  EXPECT_EQ(inference.failure().parameter, b);
}

// rule: L2.1
TEST_F(InferenceTest, VoidIsNoTypeArgument) {
  Inference inference(conversions, one);
  EXPECT_FALSE(inference.learnResult(func(A, {}), Void));
  EXPECT_EQ(inference.failure().error, InferenceError::kVoid);
  EXPECT_EQ(infer({{func(A, {}), func(Void, {})}}), nullptr);
}

TEST_F(InferenceTest, BoundsAreCheckedAtTheEnd) {
  Inference good(conversions, three);
  good.learn(A, Int);
  good.learn(B, Point);
  good.learn(S, String);
  EXPECT_TRUE(good.finish());

  Inference bad(conversions, three);
  bad.learn(A, Int);
  bad.learn(B, Int);
  bad.learn(S, Point);
  EXPECT_FALSE(bad.finish());
  EXPECT_EQ(bad.failure().error, InferenceError::kBound);
  EXPECT_EQ(bad.failure().parameter, bounded);
  EXPECT_EQ(bad.failure().first, Point);
  EXPECT_EQ(bad.failure().second, of(comparable, {Point}));
}

// rule: L2.1
TEST_F(InferenceTest, LambdasComeLast) {
  // R reduce<R>(List<T>, R init, func<R, R, T>), with A for R and B for T.
  const Type* step = func(A, {A, B});
  Inference inference(conversions, two);
  EXPECT_TRUE(inference.learn(listOf(B), listOf(String)));
  EXPECT_TRUE(inference.isOpen(step));
  EXPECT_TRUE(inference.learn(A, Int, &five));
  EXPECT_FALSE(inference.isOpen(step));
  ASSERT_TRUE(inference.fixForLambda(step));
  EXPECT_EQ(inference.apply(step), func(Int, {Int, String}));
  EXPECT_TRUE(inference.learnResult(step, Int));
  EXPECT_FALSE(inference.learnResult(step, Double)) << "the lambda was typed with int already";
}

TEST_F(InferenceTest, LambdaResultsBindWhatTheirParametersLeaveOpen) {
  const Type* f = func(A, {B});
  Inference inference(conversions, two);
  EXPECT_TRUE(inference.learn(listOf(B), listOf(Int)));
  ASSERT_TRUE(inference.fixForLambda(f));
  EXPECT_EQ(inference.apply(f), func(A, {Int}));
  EXPECT_TRUE(inference.learnResult(f, String));
  ASSERT_TRUE(inference.finish());
  EXPECT_EQ(inference.apply(f), func(String, {Int}));
}

TEST_F(InferenceTest, UnknownLambdaParametersFail) {
  Inference inference(conversions, two);
  EXPECT_FALSE(inference.fixForLambda(func(A, {listOf(B)})));
  EXPECT_EQ(inference.failure().error, InferenceError::kUnknown);
  EXPECT_EQ(inference.failure().parameter, b);
}

TEST_F(InferenceTest, WrittenLambdaParametersAreExact) {
  Inference inference(conversions, two);
  EXPECT_TRUE(inference.learnLambdaParameters(func(A, {B, B}), Types{Int, nullptr}));
  ASSERT_TRUE(inference.fixForLambda(func(A, {B, B})));
  EXPECT_EQ(inference.argument(1), Int);
  EXPECT_FALSE(inference.learnLambdaParameters(func(A, {B, B}), Types{nullptr, Long}));
}

TEST_F(InferenceTest, GivenOnesStay) {
  Inference inference(conversions, one);
  inference.set(0, Double);
  EXPECT_TRUE(inference.learn(A, Int));
  EXPECT_FALSE(inference.learn(A, String));
}

TEST_F(InferenceTest, OtherTypeParametersAreOrdinaryTypes) {
  EXPECT_EQ(infer({{A, T}}), T);
  EXPECT_EQ(infer({{listOf(A), listOf(T)}}), T);
  Inference inference(conversions, one);
  EXPECT_TRUE(inference.learn(T, Int));
  EXPECT_FALSE(inference.isOpen(listOf(T)));
}

} // namespace
} // namespace nlang::sema
