// Interning, substitution and the texts of types.
#include "type_world.h"

namespace nlang::sema {
namespace {

class TypesTest : public TypeWorld {};

TEST_F(TypesTest, EqualShapesAreOneType) {
  EXPECT_EQ(listOf(Int), listOf(Int));
  EXPECT_NE(listOf(Int), listOf(Long));
  EXPECT_EQ(arrayOf(listOf(String)), arrayOf(listOf(String)));
  EXPECT_EQ(func(Int, {String, Bool}), func(Int, {String, Bool}));
  EXPECT_NE(func(Int, {String, Bool}), func(Int, {Bool, String}));
  EXPECT_NE(func(Void, {Int}), func(Void, {Int}, 1)) << "out parameters make another type";
  EXPECT_NE(of(iterable, {Int}), listOf(Int));
  EXPECT_EQ(types.simple(TypeKind::kInt), Int);
  EXPECT_EQ(types.enumType(color), Color);
}

TEST_F(TypesTest, ManyTypesStayDistinct) {
  const Type* type = Int;
  std::vector<const Type*> chain;
  for (int i = 0; i < 1000; ++i) chain.push_back(type = arrayOf(type));
  type = Int;
  for (int i = 0; i < 1000; ++i) {
    type = arrayOf(type);
    EXPECT_EQ(type, chain[static_cast<size_t>(i)]);
  }
}

TEST_F(TypesTest, KindFollowsTheDeclaration) {
  EXPECT_EQ(Point->kind, TypeKind::kStruct);
  EXPECT_EQ(Shape->kind, TypeKind::kInterface);
  EXPECT_EQ(Animal->kind, TypeKind::kClass);
  EXPECT_EQ(Color->kind, TypeKind::kEnum);
}

TEST_F(TypesTest, SubstitutionReachesEveryPlace) {
  TypeParameterSymbol* t = list->typeParameters[0];
  Types arguments{Int};
  Substitution toInt{list->typeParameters, arguments};
  EXPECT_EQ(types.substitute(t->type, toInt), Int);
  EXPECT_EQ(types.substitute(list->selfType, toInt), listOf(Int));
  EXPECT_EQ(types.substitute(arrayOf(arrayOf(t->type)), toInt), arrayOf(arrayOf(Int)));
  EXPECT_EQ(types.substitute(func(t->type, {t->type, String}, 1), toInt), func(Int, {Int, String}, 1));
  EXPECT_EQ(types.substitute(listOf(String), toInt), listOf(String));
  EXPECT_EQ(types.substitute(T, toInt), T) << "another parameter of the same name stays";
}

TEST_F(TypesTest, SubstitutionsChain) {
  Types listArguments{Int};
  Types pairArguments{String, Bool};
  Substitution outer{list->typeParameters, listArguments};
  Substitution inner{pair->typeParameters, pairArguments, &outer};
  const Type* mixed = of(pair, {list->typeParameters[0]->type, pair->typeParameters[1]->type});
  EXPECT_EQ(types.substitute(mixed, inner), of(pair, {Int, Bool}));
}

TEST_F(TypesTest, MentionsOfParametersAreKnown) {
  EXPECT_FALSE(listOf(Int)->hasParameters);
  EXPECT_TRUE(listOf(arrayOf(T))->hasParameters);
  EXPECT_TRUE(func(Void, {T})->hasParameters);
}

TEST_F(TypesTest, Names) {
  EXPECT_EQ(typeName(Int), "int");
  EXPECT_EQ(typeName(Null), "null");
  EXPECT_EQ(typeName(arrayOf(arrayOf(ULong))), "ulong[][]");
  EXPECT_EQ(typeName(listOf(arrayOf(String))), "List<string[]>");
  EXPECT_EQ(typeName(of(pair, {Int, listOf(Color)})), "Pair<int, List<Color>>");
  EXPECT_EQ(typeName(func(Void, {})), "func<void>");
  EXPECT_EQ(typeName(func(Bool, {String, Int}, 2)), "func<bool, string, out int>");
  EXPECT_EQ(typeName(listOf(T)), "List<T>");
}

TEST_F(TypesTest, NamesOfDoublingTypesAreCut) {
  const Type* type = Int;
  for (int i = 0; i < 60; ++i) type = of(pair, {type, type});
  EXPECT_LT(typeName(type).size(), 2000u);
}

TEST_F(TypesTest, WidthsOfIntegers) {
  EXPECT_EQ(Byte->integerBits(), 8u);
  EXPECT_EQ(UShort->integerBits(), 16u);
  EXPECT_EQ(Int->integerBits(), 32u);
  EXPECT_EQ(ULong->integerBits(), 64u);
  EXPECT_TRUE(Short->isSigned());
  EXPECT_FALSE(UInt->isSigned());
}

} // namespace
} // namespace nlang::sema
