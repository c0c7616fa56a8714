// The types of operators and common types.
#include "type_world.h"

namespace nlang::sema {
namespace {

class OperatorTypesTest : public TypeWorld {
 protected:
  using Op = BinaryOp;
  using E = OperationError;

  const Type* typeOf(Op op, const Type* left, const Type* right) {
    return conversions.binaryOperation(op, {left}, {right}).operand;
  }
  E errorOf(Op op, const Type* left, const Type* right) {
    return conversions.binaryOperation(op, {left}, {right}).error;
  }
  const Type* common(Types list) {
    std::vector<Operand> operands;
    for (const Type* type : list) operands.push_back({type});
    return conversions.commonType(operands);
  }
};

// rule: L2.4
TEST_F(OperatorTypesTest, ArithmeticHappensInTheSmallestTypeThatHoldsBoth) {
  struct Case {
    const Type* left;
    const Type* right;
    const Type* result;
  };
  for (const Case& c : std::initializer_list<Case>{
           {Byte, Byte, Int},     {UByte, UShort, Int},    {Byte, Int, Int},      {UShort, UInt, UInt},
           {UByte, ULong, ULong}, {Int, UInt, Long},       {Byte, UInt, Long},    {UByte, UInt, UInt},
           {UByte, Int, Int},     {Int, Long, Long},       {UInt, Long, Long},    {UInt, ULong, ULong},
           {Int, Float, Float},   {UInt, Float, Float},    {Long, Float, Double}, {ULong, Float, Double},
           {Float, Float, Float}, {Float, Double, Double}, {Int, Double, Double}, {ULong, ULong, ULong}}) {
    for (Op op : {Op::kAdd, Op::kRemainder}) {
      EXPECT_EQ(typeOf(op, c.left, c.right), c.result) << typeName(c.left) << " and " << typeName(c.right);
      EXPECT_EQ(typeOf(op, c.right, c.left), c.result) << typeName(c.right) << " and " << typeName(c.left);
    }
  }
}

// rule: L2.4
TEST_F(OperatorTypesTest, SignedWithULongIsAnError) {
  for (const Type* type : {Byte, Short, Int, Long}) {
    EXPECT_EQ(errorOf(Op::kAdd, type, ULong), E::kSignedWithULong) << typeName(type);
    EXPECT_EQ(errorOf(Op::kLess, ULong, type), E::kSignedWithULong) << typeName(type);
    EXPECT_EQ(errorOf(Op::kEqual, ULong, type), E::kSignedWithULong) << typeName(type);
    EXPECT_EQ(errorOf(Op::kAnd, ULong, type), E::kSignedWithULong) << typeName(type);
  }
  for (const Type* type : {UByte, UShort, UInt}) EXPECT_EQ(typeOf(Op::kAdd, type, ULong), ULong) << typeName(type);
  ConstantValue five = integer(5);
  ConstantValue minusOne = integer(-1);
  EXPECT_EQ(conversions.binaryOperation(Op::kAdd, {ULong}, {Int, &five}).operand, ULong);
  EXPECT_EQ(conversions.binaryOperation(Op::kLess, {Long, &five}, {ULong}).operand, ULong);
  EXPECT_EQ(conversions.binaryOperation(Op::kAdd, {ULong}, {Int, &minusOne}).error, E::kSignedWithULong);
  EXPECT_EQ(conversions.binaryOperation(Op::kAdd, {Int}, {ULong, &five}).error, E::kSignedWithULong);
}

// rule: L2.3
TEST_F(OperatorTypesTest, ConstantsTakeTheOtherOperandsType) {
  ConstantValue five = integer(5);
  ConstantValue minusOne = integer(-1);
  ConstantValue mask = integer(0xffffffff);
  ConstantValue huge = integer(5000000000);
  auto add = [&](Operand left, Operand right) { return conversions.binaryOperation(Op::kAdd, left, right).operand; };
  EXPECT_EQ(add({UInt}, {Int, &five}), UInt);
  EXPECT_EQ(add({Int, &five}, {UInt}), UInt);
  EXPECT_EQ(add({UInt}, {Int, &minusOne}), Long);
  EXPECT_EQ(add({UInt}, {Long, &mask}), UInt) << "0xffffffff is a long only because an int cannot hold it";
  EXPECT_EQ(add({UInt}, {Long, &huge}), Long);
  EXPECT_EQ(add({Int}, {UInt, &five}), Int);
  EXPECT_EQ(add({Int}, {UInt, &mask}), Long);
  EXPECT_EQ(add({Byte}, {Int, &five}), Int) << "arithmetic is never narrower than int";
  EXPECT_EQ(add({Int}, {Long, &five}), Long) << "whoever writes 5L wants a long";
  EXPECT_EQ(add({UInt}, {Long, &five}), Long);
  EXPECT_EQ(add({UByte}, {Long, &five}), Long);
  EXPECT_EQ(add({UByte}, {Int, &minusOne}), Int);
  EXPECT_EQ(add({Int}, {Long, &huge}), Long);
  EXPECT_EQ(add({Int, &five}, {UInt, &five}), UInt);
  EXPECT_EQ(add({Float}, {Int, &five}), Float);
}

// rule: L2.4
TEST_F(OperatorTypesTest, ShiftsHaveTheirLeftOperandsType) {
  OperationTypes types = conversions.binaryOperation(Op::kShiftLeft, {Byte}, {Int});
  EXPECT_EQ(types.operand, Int);
  EXPECT_EQ(types.result, Int);
  types = conversions.binaryOperation(Op::kShiftRight, {Int}, {Long});
  EXPECT_EQ(types.operand, Int);
  EXPECT_EQ(types.right, Long);
  types = conversions.binaryOperation(Op::kShiftRightUnsigned, {ULong}, {UInt});
  EXPECT_EQ(types.operand, ULong);
  EXPECT_EQ(types.right, Int);
  EXPECT_EQ(errorOf(Op::kShiftLeft, Int, Double), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kShiftLeft, Float, Int), E::kMismatch);
}

TEST_F(OperatorTypesTest, BitsOfIntegersAndBools) {
  EXPECT_EQ(typeOf(Op::kAnd, Bool, Bool), Bool);
  EXPECT_EQ(typeOf(Op::kXor, Byte, UByte), Int);
  EXPECT_EQ(errorOf(Op::kOr, Bool, Int), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kOr, Double, Int), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kOr, Color, Color), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kAdd, Bool, Bool), E::kMismatch);
}

// rule: L2.6
TEST_F(OperatorTypesTest, PlusWithAStringIsText) {
  for (const Type* other : {Int, Char, Object, Null, Point, listOf(Int), T, String}) {
    EXPECT_TRUE(conversions.binaryOperation(Op::kAdd, {String}, {other}).isText) << typeName(other);
    EXPECT_EQ(typeOf(Op::kAdd, other, String), String) << typeName(other);
  }
  EXPECT_EQ(errorOf(Op::kAdd, String, Void), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kSubtract, String, String), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kAdd, Char, Int), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kAdd, Char, Char), E::kMismatch);
}

TEST_F(OperatorTypesTest, Order) {
  EXPECT_EQ(typeOf(Op::kLess, String, String), String);
  EXPECT_EQ(typeOf(Op::kLess, Char, Char), Char);
  EXPECT_EQ(typeOf(Op::kLess, Color, Color), Color);
  EXPECT_EQ(conversions.binaryOperation(Op::kLess, {Int}, {Double}).result, Bool);
  EXPECT_EQ(errorOf(Op::kLess, Bool, Bool), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kLess, Color, Size), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kLess, Char, Int), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kLess, Animal, Animal), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kLess, C, C), E::kMismatch);
}

// rule: L4.3
TEST_F(OperatorTypesTest, Equality) {
  for (const Type* type : {Bool, Char, String, Color, Point, Animal, func(Int, {}), arrayOf(Int), T}) {
    EXPECT_EQ(typeOf(Op::kEqual, type, type), type) << typeName(type);
  }
  EXPECT_EQ(typeOf(Op::kEqual, Shape, Shape), Object) << "an interface may hold a boxed struct";
  EXPECT_EQ(typeOf(Op::kEqual, Dog, Animal), Animal);
  EXPECT_EQ(typeOf(Op::kNotEqual, Object, Int), Object);
  EXPECT_EQ(typeOf(Op::kEqual, Shape, Point), Object);
  EXPECT_EQ(typeOf(Op::kEqual, Cat, Shape), Object) << "a subclass of Cat may be a Shape";
  EXPECT_EQ(typeOf(Op::kEqual, Null, Animal), Animal);
  EXPECT_EQ(typeOf(Op::kEqual, Shape, Null), Object);
  EXPECT_EQ(typeOf(Op::kEqual, Null, Null), Object);
  EXPECT_EQ(typeOf(Op::kEqual, T, Null), Object);
  EXPECT_EQ(typeOf(Op::kEqual, T, Object), Object);
  EXPECT_EQ(errorOf(Op::kEqual, Dog, Cat), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kEqual, String, Null), E::kNeverNull);
  EXPECT_EQ(errorOf(Op::kEqual, Int, Null), E::kNeverNull);
  EXPECT_EQ(errorOf(Op::kEqual, Int, String), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kEqual, Int, Color), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kEqual, Int, Char), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kEqual, listOf(Int), listOf(Long)), E::kMismatch);
  EXPECT_EQ(errorOf(Op::kEqual, Void, Void), E::kMismatch);
}

TEST_F(OperatorTypesTest, ErrorsPassSilently) {
  OperationTypes types = conversions.binaryOperation(Op::kLess, {Error}, {String});
  EXPECT_EQ(types.error, E::kNone);
  EXPECT_EQ(types.result, Bool);
  EXPECT_EQ(conversions.binaryOperation(Op::kAdd, {Int}, {Error}).result, Error);
}

// rule: L2.4
TEST_F(OperatorTypesTest, UnaryOperatorsKeepThePromotedType) {
  using U = UnaryExpression::Op;
  EXPECT_EQ(conversions.unaryOperation(U::kNegate, Byte), Int);
  EXPECT_EQ(conversions.unaryOperation(U::kNegate, UShort), Int);
  EXPECT_EQ(conversions.unaryOperation(U::kNegate, UInt), UInt);
  EXPECT_EQ(conversions.unaryOperation(U::kComplement, ULong), ULong);
  EXPECT_EQ(conversions.unaryOperation(U::kNegate, Float), Float);
  EXPECT_EQ(conversions.unaryOperation(U::kComplement, Double), nullptr);
  EXPECT_EQ(conversions.unaryOperation(U::kNegate, Char), nullptr);
  EXPECT_EQ(conversions.unaryOperation(U::kNot, Bool), Bool);
  EXPECT_EQ(conversions.unaryOperation(U::kNot, Int), nullptr);
}

// rule: L3.4
TEST_F(OperatorTypesTest, CommonTypes) {
  EXPECT_EQ(common({Byte, Byte}), Byte) << "equal types stay";
  EXPECT_EQ(common({Byte, Short}), Int) << "numbers take the type of mixed arithmetic";
  EXPECT_EQ(common({Int, Double, Float}), Double);
  EXPECT_EQ(common({Int, UInt}), Long);
  EXPECT_EQ(common({Int, ULong}), nullptr);
  EXPECT_EQ(common({Dog, Animal, Puppy}), Animal);
  EXPECT_EQ(common({Dog, Null}), Dog);
  EXPECT_EQ(common({Null, Dog, Cat}), Animal) << "the nearest common base class";
  EXPECT_EQ(common({Puppy, Cat}), Animal);
  EXPECT_EQ(common({Dog, Object}), Object);
  EXPECT_EQ(common({Int, Object}), Object);
  EXPECT_EQ(common({Dog, Shape}), Shape);
  EXPECT_EQ(common({Dog, Thread}), nullptr) << "Object is no common base class";
  EXPECT_EQ(common({Int, String}), nullptr);
  EXPECT_EQ(common({Int, Null}), nullptr);
  EXPECT_EQ(common({Null, Null}), Null);
  EXPECT_EQ(common({Void, Void}), Void);
  EXPECT_EQ(common({Void, Int}), nullptr);
  EXPECT_EQ(common({}), nullptr);
  EXPECT_EQ(common({Error, Int}), Int);
  EXPECT_EQ(common({Error}), Error);
  EXPECT_EQ(common({listOf(Int), listOf(Long)}), nullptr);
  EXPECT_EQ(common({T, T}), T);
}

// rule: L3.4
TEST_F(OperatorTypesTest, CommonTypesOfConstants) {
  ConstantValue one = integer(1);
  ConstantValue minusOne = integer(-1);
  auto common = [&](std::vector<Operand> operands) { return conversions.commonType(operands); };
  EXPECT_EQ(common({{Int, &one}, {UInt}}), UInt);
  EXPECT_EQ(common({{UInt}, {Int, &one}, {Int, &one}}), UInt);
  EXPECT_EQ(common({{UInt}, {Int, &minusOne}}), Long);
  EXPECT_EQ(common({{ULong}, {Int, &one}}), ULong);
  EXPECT_EQ(common({{ULong}, {Int, &minusOne}}), nullptr);
  EXPECT_EQ(common({{Int, &one}, {UInt, &one}}), UInt);
  EXPECT_EQ(common({{Int, &minusOne}, {UInt, &one}}), Long);
  EXPECT_EQ(common({{Int, &one}, {ULong, &one}}), ULong);
  EXPECT_EQ(common({{Int, &minusOne}, {ULong, &one}}), nullptr);
  EXPECT_EQ(common({{Int, &one}, {Long, &one}, {Int, &minusOne}}), Long);
  EXPECT_EQ(common({{Int, &one}, {Double}}), Double);
}

} // namespace
} // namespace nlang::sema
