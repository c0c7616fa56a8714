// Implicit and explicit conversions, type tests, bounds, distances.
#include "type_world.h"

namespace nlang::sema {
namespace {

class ConversionsTest : public TypeWorld {
 protected:
  using K = ImplicitKind;
  struct Case {
    const Type* source;
    const Type* target;
    ImplicitKind kind;
  };
  void check(std::initializer_list<Case> cases) {
    for (const Case& c : cases) {
      EXPECT_EQ(conversions.implicit(c.source, c.target), c.kind) << typeName(c.source) << " to " << typeName(c.target);
    }
  }
};

// rule: L2.3
TEST_F(ConversionsTest, NumbersWidenIfEveryValueFits) {
  check({{Byte, Short, K::kNumeric},   {Byte, Int, K::kNumeric},     {Byte, UShort, K::kNone},
         {UByte, Short, K::kNumeric},  {UByte, Byte, K::kNone},      {Short, UShort, K::kNone},
         {UShort, Int, K::kNumeric},   {UShort, Short, K::kNone},    {Int, Long, K::kNumeric},
         {Int, UInt, K::kNone},        {Int, ULong, K::kNone},       {UInt, Long, K::kNumeric},
         {UInt, ULong, K::kNumeric},   {UInt, Int, K::kNone},        {Long, Int, K::kNone},
         {Long, ULong, K::kNone},      {ULong, Long, K::kNone},      {Int, Float, K::kNumeric},
         {UInt, Float, K::kNumeric},   {Long, Float, K::kNone},      {ULong, Float, K::kNone},
         {Long, Double, K::kNumeric},  {ULong, Double, K::kNumeric}, {Int, Double, K::kNumeric},
         {Float, Double, K::kNumeric}, {Double, Float, K::kNone},    {Float, Int, K::kNone},
         {Int, Int, K::kIdentity}});
}

TEST_F(ConversionsTest, CharBoolAndEnumsAreNoNumbers) {
  check({{Char, Int, K::kNone},
         {Int, Char, K::kNone},
         {Bool, Int, K::kNone},
         {Int, Bool, K::kNone},
         {Color, Int, K::kNone},
         {Int, Color, K::kNone},
         {Color, Size, K::kNone},
         {Char, String, K::kNone},
         {Int, String, K::kNone}});
}

// rule: L2.3
TEST_F(ConversionsTest, ConstantsThatFitConvertToAnyIntegerType) {
  struct ConstantCase {
    int64_t value;
    const Type* source;
    const Type* target;
    bool fits;
  };
  for (const ConstantCase& c : std::initializer_list<ConstantCase>{{127, Int, Byte, true},
                                                                   {128, Int, Byte, false},
                                                                   {-128, Int, Byte, true},
                                                                   {-129, Int, Byte, false},
                                                                   {255, Int, UByte, true},
                                                                   {256, Int, UByte, false},
                                                                   {-1, Int, UByte, false},
                                                                   {-1, Int, UInt, false},
                                                                   {1, Int, ULong, true},
                                                                   {-1, Int, ULong, false},
                                                                   {4294967295, Long, UInt, true},
                                                                   {4294967296, Long, UInt, false},
                                                                   {5, Long, Int, true},
                                                                   {-1, ULong, Long, false},
                                                                   {1, ULong, Long, true},
                                                                   {1000, Int, Char, false},
                                                                   {1, Int, Bool, false},
                                                                   {5000000000, Long, Float, false}}) {
    ConstantValue value = integer(c.value);
    EXPECT_EQ(conversions.converts(c.source, c.target, &value), c.fits) << c.value << " to " << typeName(c.target);
  }
}

// rule: L2.3
TEST_F(ConversionsTest, EverythingBecomesAnObject) {
  check({{Int, Object, K::kBox},
         {String, Object, K::kBox},
         {Color, Object, K::kBox},
         {Point, Object, K::kBox},
         {T, Object, K::kBox},
         {Animal, Object, K::kUpcast},
         {Shape, Object, K::kUpcast},
         {arrayOf(Int), Object, K::kUpcast},
         {func(Void, {}), Object, K::kUpcast},
         {Null, Object, K::kNull},
         {Void, Object, K::kNone}});
}

TEST_F(ConversionsTest, NullBecomesAnyReference) {
  check({{Null, Animal, K::kNull},
         {Null, Shape, K::kNull},
         {Null, arrayOf(Int), K::kNull},
         {Null, func(Int, {}), K::kNull},
         {Null, Int, K::kNone},
         {Null, String, K::kNone},
         {Null, Point, K::kNone},
         {Null, T, K::kNone},
         {Null, Void, K::kNone}});
}

TEST_F(ConversionsTest, ClassesBecomeTheirBasesAndInterfaces) {
  check({{Puppy, Animal, K::kUpcast},
         {Dog, Shape, K::kUpcast},
         {Puppy, roundShape->selfType, K::kUpcast},
         {Animal, Dog, K::kNone},
         {Cat, Shape, K::kNone},
         {Point, Shape, K::kBox},
         {roundShape->selfType, Shape, K::kUpcast},
         {of(future, {Int}), Thread, K::kUpcast},
         {listOf(Int), iterableOf(Int), K::kUpcast},
         {arrayOf(Int), iterableOf(Int), K::kUpcast},
         {Int, of(comparable, {Int}), K::kBox},
         {String, of(comparable, {String}), K::kBox},
         {Color, of(comparable, {Color}), K::kBox},
         {Int, of(comparable, {Long}), K::kNone},
         {Point, of(comparable, {Point}), K::kNone}});
}

// rule: L2.1
TEST_F(ConversionsTest, GenericTypesAndArraysAreInvariant) {
  check({{listOf(Dog), listOf(Animal), K::kNone},
         {listOf(Int), listOf(Long), K::kNone},
         {listOf(Dog), iterableOf(Animal), K::kNone},
         {arrayOf(Dog), arrayOf(Animal), K::kNone},
         {arrayOf(Int), arrayOf(Long), K::kNone},
         {func(Dog, {}), func(Animal, {}), K::kNone},
         {func(Int, {}), func(Void, {}), K::kNone}});
}

TEST_F(ConversionsTest, TypeParametersConvertThroughTheirBound) {
  check({{C, of(comparable, {C}), K::kBox},
         {T, C, K::kNone},
         {T, Int, K::kNone},
         {Int, T, K::kNone},
         {C, Object, K::kBox}});
}

TEST_F(ConversionsTest, ErrorsConvertSilently) {
  check({{Error, Int, K::kIdentity}, {Int, Error, K::kIdentity}, {Error, Void, K::kIdentity}});
}

TEST_F(ConversionsTest, SuperTypesHaveTheirArgumentsPutIn) {
  EXPECT_EQ(conversions.asSuper(of(future, {Int}), thread), Thread);
  EXPECT_EQ(conversions.asSuper(arrayOf(String), iterable), iterableOf(String));
  EXPECT_EQ(conversions.asSuper(listOf(arrayOf(Int)), iterable), iterableOf(arrayOf(Int)));
  EXPECT_EQ(conversions.asSuper(Int, comparable), of(comparable, {Int}));
  EXPECT_EQ(conversions.asSuper(C, comparable), of(comparable, {C}));
  EXPECT_EQ(conversions.asSuper(T, comparable), nullptr);
  EXPECT_EQ(conversions.asSuper(T, object), Object);
  EXPECT_EQ(conversions.asSuper(Cat, shape), nullptr);
  EXPECT_EQ(conversions.asSuper(Null, object), nullptr);
  EXPECT_EQ(conversions.superType(Puppy), Dog);
  EXPECT_EQ(conversions.superType(Object), nullptr);
}

TEST_F(ConversionsTest, LatticesOfInterfacesAreSearchedOnce) {
  // Each level implements both of the next: 2^40 ways to the top, one of each interface.
  std::deque<ClassSymbol> levels(80);
  const Type* left = Shape;
  const Type* right = Shape;
  for (size_t i = 0; i < 40; ++i) {
    for (size_t side = 0; side < 2; ++side) {
      ClassSymbol& level = levels[2 * i + side];
      level.kind = ClassKind::kInterface;
      level.interfaces = {left, right};
      level.selfType = types.named(&level, {});
    }
    left = levels[2 * i].selfType;
    right = levels[2 * i + 1].selfType;
  }
  EXPECT_EQ(conversions.asSuper(left, shape), Shape);
  EXPECT_EQ(conversions.stepsTo(left, Shape), 40u);
  EXPECT_EQ(conversions.asSuper(left, roundShape), nullptr);
}

// rule: L2.1
TEST_F(ConversionsTest, Bounds) {
  auto comparableTo = [&](const Type* type) { return of(comparable, {type}); };
  EXPECT_TRUE(conversions.satisfiesBound(Int, comparableTo(Int)));
  EXPECT_TRUE(conversions.satisfiesBound(Bool, comparableTo(Bool)));
  EXPECT_TRUE(conversions.satisfiesBound(Char, comparableTo(Char)));
  EXPECT_TRUE(conversions.satisfiesBound(String, comparableTo(String)));
  EXPECT_TRUE(conversions.satisfiesBound(Color, comparableTo(Color)));
  EXPECT_TRUE(conversions.satisfiesBound(C, comparableTo(C)));
  EXPECT_FALSE(conversions.satisfiesBound(T, comparableTo(T)));
  EXPECT_FALSE(conversions.satisfiesBound(Point, comparableTo(Point)));
  EXPECT_FALSE(conversions.satisfiesBound(Int, comparableTo(Long)));
  EXPECT_TRUE(conversions.satisfiesBound(Puppy, Shape));
  EXPECT_TRUE(conversions.satisfiesBound(Point, Shape));
  EXPECT_FALSE(conversions.satisfiesBound(Cat, Shape));
  EXPECT_TRUE(conversions.satisfiesBound(Cat, nullptr));
  EXPECT_FALSE(conversions.satisfiesBound(Void, nullptr));
  EXPECT_FALSE(conversions.satisfiesBound(Null, nullptr));
}

// rule: L2.5
TEST_F(ConversionsTest, Casts) {
  struct CastCase {
    const Type* source;
    const Type* target;
    bool allowed;
    Conversion conversion;
    const Type* via;
  };
  using X = Conversion;
  for (const CastCase& c : std::initializer_list<CastCase>{
           {Long, Int, true, X::kNumeric, nullptr},
           {Double, UByte, true, X::kNumeric, nullptr},
           {Char, Int, true, X::kNumeric, nullptr},
           {Color, Double, true, X::kNumeric, nullptr},
           {Int, Char, true, X::kToChar, nullptr},
           {UByte, Char, true, X::kToChar, Int},
           {Long, Char, true, X::kToChar, Int},
           {Double, Char, true, X::kToChar, Int},
           {Color, Char, true, X::kToChar, Int},
           {Int, Color, true, X::kToEnum, nullptr},
           {Char, Color, true, X::kToEnum, Int},
           {Size, Color, true, X::kToEnum, Int},
           {Bool, Int, false, {}, nullptr},
           {Int, Bool, false, {}, nullptr},
           {Int, String, false, {}, nullptr},
           {String, Int, false, {}, nullptr},
           {Char, String, false, {}, nullptr},
           {Object, Int, true, X::kUnbox, nullptr},
           {Object, String, true, X::kUnbox, nullptr},
           {Object, Point, true, X::kUnbox, nullptr},
           {Object, Dog, true, X::kDowncast, nullptr},
           {Object, listOf(Int), true, X::kDowncast, nullptr},
           {Object, arrayOf(Int), true, X::kDowncast, nullptr},
           {Object, func(Int, {}), true, X::kDowncast, nullptr},
           {Animal, Puppy, true, X::kDowncast, nullptr},
           {Puppy, Animal, true, X::kUpcast, nullptr},
           {Dog, Cat, false, {}, nullptr},
           {Cat, Shape, true, X::kDowncast, nullptr},
           {Shape, Cat, true, X::kDowncast, nullptr},
           {Shape, Point, true, X::kUnbox, nullptr},
           {Shape, Int, false, {}, nullptr},
           {Shape, of(comparable, {Int}), true, X::kDowncast, nullptr},
           {of(comparable, {Int}), Int, true, X::kUnbox, nullptr},
           {of(comparable, {Int}), Long, false, {}, nullptr},
           {iterableOf(Int), listOf(Int), true, X::kDowncast, nullptr},
           {iterableOf(Int), listOf(String), false, {}, nullptr},
           {iterableOf(Int), arrayOf(Int), true, X::kDowncast, nullptr},
           {iterableOf(Int), arrayOf(Long), false, {}, nullptr},
           {Thread, of(future, {Int}), true, X::kDowncast, nullptr},
           {listOf(Int), listOf(Object), false, {}, nullptr},
           {arrayOf(Int), arrayOf(Object), false, {}, nullptr},
           {func(Int, {}), func(Void, {}), false, {}, nullptr},
           {Point, Int, false, {}, nullptr},
           {Int, Object, true, X::kBox, nullptr},
           {Null, Animal, true, X::kUpcast, nullptr},
           {Null, Int, false, {}, nullptr},
           {Void, Object, false, {}, nullptr},
           {T, Int, true, X::kGeneric, nullptr},
           {Int, T, true, X::kGeneric, nullptr},
           {Object, T, true, X::kGeneric, nullptr},
           {T, Object, true, X::kGeneric, nullptr},
           {Object, listOf(T), true, X::kGeneric, nullptr},
           {iterableOf(Int), listOf(T), true, X::kGeneric, nullptr},
           {listOf(T), listOf(Int), true, X::kGeneric, nullptr},
           {arrayOf(T), arrayOf(Int), true, X::kGeneric, nullptr},
           {listOf(T), iterableOf(T), true, X::kUpcast, nullptr},
           {listOf(T), Dog, false, {}, nullptr},
           {listOf(T), Int, false, {}, nullptr},
           {of(pair, {T, Int}), of(pair, {Int, Int}), true, X::kGeneric, nullptr},
       }) {
    ExplicitConversion result = conversions.explicitly(c.source, c.target);
    EXPECT_EQ(result.allowed, c.allowed) << typeName(c.source) << " as " << typeName(c.target);
    if (!c.allowed || !result.allowed) continue;
    EXPECT_FALSE(result.isIdentity);
    EXPECT_EQ(result.conversion, c.conversion) << typeName(c.source) << " as " << typeName(c.target);
    EXPECT_EQ(result.via, c.via) << typeName(c.source) << " as " << typeName(c.target);
  }
  EXPECT_TRUE(conversions.explicitly(Int, Int).isIdentity);
  EXPECT_TRUE(conversions.explicitly(Error, Int).allowed);
}

// rule: L2.5
TEST_F(ConversionsTest, TypeTests) {
  using R = TypeTestResult;
  EXPECT_EQ(conversions.typeTest(Object, Int), R::kDynamic);
  EXPECT_EQ(conversions.typeTest(Animal, Dog), R::kDynamic);
  EXPECT_EQ(conversions.typeTest(Dog, Animal), R::kDynamic) << "null is no Animal";
  EXPECT_EQ(conversions.typeTest(Dog, Cat), R::kNever);
  EXPECT_EQ(conversions.typeTest(Cat, Shape), R::kDynamic);
  EXPECT_EQ(conversions.typeTest(Int, Int), R::kAlways);
  EXPECT_EQ(conversions.typeTest(Int, Object), R::kAlways);
  EXPECT_EQ(conversions.typeTest(Point, Shape), R::kAlways);
  EXPECT_EQ(conversions.typeTest(Int, Long), R::kNever) << "a test converts nothing";
  EXPECT_EQ(conversions.typeTest(Int, String), R::kNever);
  EXPECT_EQ(conversions.typeTest(T, Int), R::kDynamic);
  EXPECT_EQ(conversions.typeTest(Int, T), R::kDynamic);
  EXPECT_EQ(conversions.typeTest(listOf(Int), listOf(T)), R::kDynamic);
  EXPECT_EQ(conversions.typeTest(listOf(Int), listOf(String)), R::kNever);
  EXPECT_EQ(conversions.typeTest(Null, Dog), R::kNever);
}

// rule: L6.1
TEST_F(ConversionsTest, DistancesFollowTheRule) {
  // Each is nearer than the next.
  auto ordered = [&](const Type* source, Types targets, const ConstantValue* constant = nullptr) {
    for (size_t i = 0; i + 1 < targets.size(); ++i) {
      EXPECT_LT(conversions.distance(source, targets[i], constant),
                conversions.distance(source, targets[i + 1], constant))
          << typeName(source) << ": " << typeName(targets[i]) << " before " << typeName(targets[i + 1]);
    }
  };
  ordered(Byte, {Byte, Short, Int, Long, Float, Double, of(comparable, {Byte}), Object});
  ordered(UByte, {UByte, Short, UShort, Int, UInt, Long, ULong, Float, Double, Object});
  ConstantValue five = integer(5);
  ordered(Int, {Int, Long, Byte, UByte, Short, UShort, UInt, ULong, Float, Double, Object}, &five);
  ordered(Puppy, {Puppy, Dog, Animal, Object});
  ordered(Puppy, {roundShape->selfType, Shape, Object});
  ordered(Float, {Float, Double, Object});
  EXPECT_EQ(conversions.distance(Puppy, Animal), conversions.distance(Puppy, roundShape->selfType))
      << "both are two steps away";
  EXPECT_EQ(conversions.distance(Int, String), kNoConversion);
  EXPECT_EQ(conversions.distance(Int, UInt), kNoConversion);
  EXPECT_EQ(conversions.distance(Error, String), 0u);
}

// rule: L4.7
TEST_F(ConversionsTest, ExactLambdaResultsAreNearest) {
  EXPECT_EQ(conversions.resultDistance(Int, Int), 0u);
  EXPECT_EQ(conversions.resultDistance(Void, Void), 0u);
  EXPECT_LT(conversions.resultDistance(Int, Object), conversions.resultDistance(Int, Void));
  EXPECT_EQ(conversions.resultDistance(Void, Int), kNoConversion);
}

} // namespace
} // namespace nlang::sema
