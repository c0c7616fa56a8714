// Folding has the meaning of the run time.
#include <cmath>
#include <limits>
#include <optional>

#include "type_world.h"

namespace nlang::sema {
namespace {

class ConstantsTest : public TypeWorld {
 protected:
  using Op = BinaryOp;
  base::Arena arena;
  ConstantFolder folder{arena};

  // The folded integer, read as the type says; none if it is not folded.
  std::optional<int64_t> fold(Op op, const Type* type, int64_t left, int64_t right) {
    ConstantValue result;
    if (!folder.binary(op, type, integer(left), integer(right), result)) return std::nullopt;
    EXPECT_EQ(result.kind, ConstantValue::Kind::kInteger);
    return static_cast<int64_t>(result.bits);
  }
  std::optional<double> foldFloating(Op op, const Type* type, double left, double right) {
    ConstantValue result;
    if (!folder.binary(op, type, floatingConstant(left), floatingConstant(right), result)) return std::nullopt;
    return result.kind == ConstantValue::Kind::kFloating ? result.number : static_cast<double>(result.bits);
  }
  std::optional<int64_t> convert(const Type* source, const Type* target, ConstantValue value,
                                 Conversion conversion = Conversion::kNumeric) {
    ConstantValue result;
    if (!folder.convert(conversion, source, target, value, result)) return std::nullopt;
    return static_cast<int64_t>(result.bits);
  }
  double toFloating(const Type* source, const Type* target, ConstantValue value) {
    ConstantValue result;
    EXPECT_TRUE(folder.convert(Conversion::kNumeric, source, target, value, result));
    EXPECT_EQ(result.kind, ConstantValue::Kind::kFloating);
    return result.number;
  }
  std::string text(const Type* source, ConstantValue value) {
    ConstantValue result;
    if (!folder.convert(Conversion::kToText, source, String, value, result)) return "(not folded)";
    return std::string(result.text);
  }
};

constexpr int64_t kIntMin = std::numeric_limits<int32_t>::min();
constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kLongMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kLongMax = std::numeric_limits<int64_t>::max();

// rule: L2
TEST_F(ConstantsTest, ArithmeticWrapsInItsType) {
  EXPECT_EQ(fold(Op::kAdd, Int, kIntMax, 1), kIntMin);
  EXPECT_EQ(fold(Op::kSubtract, Int, kIntMin, 1), kIntMax);
  EXPECT_EQ(fold(Op::kMultiply, Int, 65536, 65536), 0);
  EXPECT_EQ(fold(Op::kAdd, Long, kLongMax, 1), kLongMin);
  EXPECT_EQ(fold(Op::kAdd, UInt, 0xffffffff, 1), 0);
  EXPECT_EQ(fold(Op::kSubtract, UInt, 0, 1), 0xffffffff);
  EXPECT_EQ(fold(Op::kMultiply, UInt, 2166136261, 16777619), int64_t{2166136261} * 16777619 % (int64_t{1} << 32));
  EXPECT_EQ(fold(Op::kSubtract, ULong, 0, 1), -1) << "all bits set";
}

// rule: L4.2
TEST_F(ConstantsTest, Division) {
  EXPECT_EQ(fold(Op::kDivide, Int, 7, -2), -3);
  EXPECT_EQ(fold(Op::kRemainder, Int, -7, 2), -1);
  EXPECT_EQ(fold(Op::kRemainder, Int, 7, -2), 1);
  EXPECT_EQ(fold(Op::kDivide, Int, 1, 0), std::nullopt) << "throws at run time";
  EXPECT_EQ(fold(Op::kRemainder, ULong, 1, 0), std::nullopt);
  EXPECT_EQ(fold(Op::kDivide, Int, kIntMin, -1), kIntMin);
  EXPECT_EQ(fold(Op::kRemainder, Int, kIntMin, -1), 0);
  EXPECT_EQ(fold(Op::kDivide, Long, kLongMin, -1), kLongMin);
  EXPECT_EQ(fold(Op::kRemainder, Long, kLongMin, -1), 0);
  EXPECT_EQ(fold(Op::kDivide, ULong, -1, 2), kLongMax);
  EXPECT_EQ(fold(Op::kDivide, UInt, 0xffffffff, 2), 0x7fffffff);
}

// rule: L2.4
TEST_F(ConstantsTest, ShiftCountsAreTakenModuloTheWidth) {
  EXPECT_EQ(fold(Op::kShiftLeft, Int, 1, 31), kIntMin);
  EXPECT_EQ(fold(Op::kShiftLeft, Int, 1, 33), 2);
  EXPECT_EQ(fold(Op::kShiftLeft, Long, 1, 33), int64_t{1} << 33);
  EXPECT_EQ(fold(Op::kShiftLeft, Int, 1, -1), kIntMin);
  EXPECT_EQ(fold(Op::kShiftRight, Int, -8, 1), -4);
  EXPECT_EQ(fold(Op::kShiftRight, UInt, 0xfffffff8, 1), 0x7ffffffc);
  EXPECT_EQ(fold(Op::kShiftRightUnsigned, Int, -1, 28), 15);
  EXPECT_EQ(fold(Op::kShiftRightUnsigned, Int, -1, 32), -1);
  EXPECT_EQ(fold(Op::kShiftRightUnsigned, Long, -1, 60), 15);
  EXPECT_EQ(fold(Op::kShiftRight, ULong, -1, 60), 15);
}

TEST_F(ConstantsTest, Bits) {
  EXPECT_EQ(fold(Op::kAnd, Int, 12, 10), 8);
  EXPECT_EQ(fold(Op::kOr, Long, 12, 10), 14);
  EXPECT_EQ(fold(Op::kXor, UInt, 0xffffffff, 0xf), 0xfffffff0);
  EXPECT_EQ(fold(Op::kXor, Bool, 1, 1), 0);
  EXPECT_EQ(fold(Op::kOr, Bool, 0, 1), 1);
}

TEST_F(ConstantsTest, ComparisonsReadTheSign) {
  EXPECT_EQ(fold(Op::kLess, Int, -1, 1), 1);
  EXPECT_EQ(fold(Op::kLess, ULong, -1, 1), 0) << "the largest ulong";
  EXPECT_EQ(fold(Op::kGreaterEqual, Long, kLongMin, kLongMax), 0);
  EXPECT_EQ(fold(Op::kEqual, Char, 'a', 'a'), 1);
  EXPECT_EQ(fold(Op::kLessEqual, Color, 5, 6), 1);
  EXPECT_EQ(fold(Op::kNotEqual, Bool, 1, 0), 1);
}

TEST_F(ConstantsTest, Unary) {
  using U = UnaryExpression::Op;
  auto fold = [&](U op, const Type* type, int64_t value) {
    ConstantValue result;
    EXPECT_TRUE(folder.unary(op, type, integer(value), result));
    return static_cast<int64_t>(result.bits);
  };
  EXPECT_EQ(fold(U::kNegate, Int, kIntMin), kIntMin);
  EXPECT_EQ(fold(U::kNegate, UInt, 1), 0xffffffff);
  EXPECT_EQ(fold(U::kComplement, Int, 0), -1);
  EXPECT_EQ(fold(U::kComplement, UInt, 0), 0xffffffff);
  EXPECT_EQ(fold(U::kNot, Bool, 1), 0);
  ConstantValue result;
  EXPECT_TRUE(folder.unary(U::kNegate, Double, floatingConstant(0.0), result));
  EXPECT_TRUE(std::signbit(result.number));
}

TEST_F(ConstantsTest, FloatIsRoundedToFloat) {
  EXPECT_EQ(foldFloating(Op::kAdd, Double, 0.1, 0.2), 0.1 + 0.2);
  EXPECT_EQ(foldFloating(Op::kAdd, Float, 0.1f, 0.2f), static_cast<double>(0.1f + 0.2f));
  EXPECT_EQ(foldFloating(Op::kMultiply, Float, 16777217.0, 1.0), 16777216.0);
  EXPECT_EQ(foldFloating(Op::kMultiply, Float, 1e38, 10.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(foldFloating(Op::kDivide, Double, 1.0, 0.0), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*foldFloating(Op::kDivide, Double, 0.0, 0.0)));
  EXPECT_EQ(foldFloating(Op::kRemainder, Double, 7.5, -2.0), 1.5);
  double nan = std::nan("");
  EXPECT_EQ(foldFloating(Op::kEqual, Double, nan, nan), 0);
  EXPECT_EQ(foldFloating(Op::kNotEqual, Double, nan, nan), 1);
  EXPECT_EQ(foldFloating(Op::kLess, Double, nan, 1.0), 0);
  EXPECT_EQ(foldFloating(Op::kEqual, Double, 0.0, -0.0), 1);
  EXPECT_EQ(foldFloating(Op::kAnd, Double, 1.0, 1.0), std::nullopt);
}

// rule: L2.5
TEST_F(ConstantsTest, IntegersTruncate) {
  EXPECT_EQ(convert(Int, UByte, integer(300)), 44);
  EXPECT_EQ(convert(Int, Byte, integer(200)), -56);
  EXPECT_EQ(convert(Int, UInt, integer(-1)), 0xffffffff);
  EXPECT_EQ(convert(Int, ULong, integer(-1)), -1);
  EXPECT_EQ(convert(UInt, Long, integer(0xffffffff)), 0xffffffff);
  EXPECT_EQ(convert(Long, Int, integer(int64_t{1} << 32)), 0);
  EXPECT_EQ(convert(Char, Byte, integer(0x1F600)), 0);
  EXPECT_EQ(convert(Color, Int, integer(5)), 5);
}

// rule: L2.5
TEST_F(ConstantsTest, FloatingValuesSaturate) {
  auto to = [&](const Type* type, double value) { return *convert(Double, type, floatingConstant(value)); };
  EXPECT_EQ(to(Int, 3.99), 3);
  EXPECT_EQ(to(Int, -3.99), -3);
  EXPECT_EQ(to(Int, 1e10), kIntMax);
  EXPECT_EQ(to(Int, -1e10), kIntMin);
  EXPECT_EQ(to(Int, 2147483647.5), kIntMax);
  EXPECT_EQ(to(Int, -2147483648.5), kIntMin);
  EXPECT_EQ(to(Long, 1e19), kLongMax);
  EXPECT_EQ(to(Long, -9223372036854775808.0), kLongMin);
  EXPECT_EQ(to(UByte, 300), 255);
  EXPECT_EQ(to(UByte, -5), 0);
  EXPECT_EQ(to(Byte, 127.9), 127);
  EXPECT_EQ(to(ULong, 1.8446744073709552e19), -1);
  EXPECT_EQ(static_cast<uint64_t>(to(ULong, 9223372036854775808.0)), uint64_t{1} << 63);
  EXPECT_EQ(to(ULong, -0.5), 0);
  EXPECT_EQ(to(Int, std::nan("")), 0);
  EXPECT_EQ(to(Int, std::numeric_limits<double>::infinity()), kIntMax);
}

TEST_F(ConstantsTest, IntegersRoundToFloating) {
  EXPECT_EQ(toFloating(Int, Double, integer(-7)), -7.0);
  EXPECT_EQ(toFloating(Int, Float, integer(16777217)), 16777216.0);
  EXPECT_EQ(toFloating(ULong, Double, integer(-1)), 18446744073709551616.0);
  EXPECT_EQ(toFloating(Long, Float, integer((int64_t{1} << 54) + (int64_t{1} << 30) + 1)),
            static_cast<double>(static_cast<float>((int64_t{1} << 54) + (int64_t{1} << 30) + 1)));
  EXPECT_EQ(toFloating(Double, Float, floatingConstant(0.1)), static_cast<double>(0.1f));
  EXPECT_EQ(toFloating(Double, Float, floatingConstant(1e300)), std::numeric_limits<double>::infinity());
}

// rule: L2.5
TEST_F(ConstantsTest, CheckedConversionsThatWouldThrowAreNotFolded) {
  EXPECT_EQ(convert(Int, Char, integer('x'), Conversion::kToChar), 'x');
  EXPECT_EQ(convert(Int, Char, integer(0x10FFFF), Conversion::kToChar), 0x10FFFF);
  EXPECT_EQ(convert(Int, Char, integer(0x110000), Conversion::kToChar), std::nullopt);
  EXPECT_EQ(convert(Int, Char, integer(0xD800), Conversion::kToChar), std::nullopt);
  EXPECT_EQ(convert(Int, Char, integer(-1), Conversion::kToChar), std::nullopt);
  EXPECT_EQ(convert(Int, Color, integer(5), Conversion::kToEnum), 5);
  EXPECT_EQ(convert(Int, Color, integer(1), Conversion::kToEnum), std::nullopt);
  EXPECT_EQ(convert(Int, Object, integer(1), Conversion::kBox), std::nullopt);
}

TEST_F(ConstantsTest, Texts) {
  EXPECT_EQ(text(Int, integer(-42)), "-42");
  EXPECT_EQ(text(ULong, integer(-1)), "18446744073709551615");
  EXPECT_EQ(text(Bool, integer(1)), "true");
  EXPECT_EQ(text(Char, integer(0x4e2d)), "中");
  EXPECT_EQ(text(String, stringConstant("as it is")), "as it is");
  EXPECT_EQ(text(Color, integer(5)), "(not folded)");
  EXPECT_EQ(text(Double, floatingConstant(1.5)), "(not folded)");
}

TEST_F(ConstantsTest, Strings) {
  ConstantValue result;
  ASSERT_TRUE(folder.binary(Op::kAdd, String, stringConstant("ab"), stringConstant("cd"), result));
  EXPECT_EQ(result.text, "abcd");
  ASSERT_TRUE(folder.binary(Op::kAdd, String, stringConstant(""), stringConstant(""), result));
  EXPECT_EQ(result.text, "");
  ASSERT_TRUE(folder.binary(Op::kLess, String, stringConstant("a\x7f"), stringConstant("a\xc3\xa9"), result));
  EXPECT_EQ(result.bits, 1u) << "bytes are unsigned";
  ASSERT_TRUE(folder.binary(Op::kEqual, String, stringConstant("a"), stringConstant("b"), result));
  EXPECT_EQ(result.bits, 0u);
  std::string half(600'000, 'x');
  EXPECT_FALSE(folder.binary(Op::kAdd, String, stringConstant(half), stringConstant(half), result))
      << "too long for the image";
}

// rule: L2.2
TEST_F(ConstantsTest, LimitsOfNumbers) {
  EXPECT_EQ(static_cast<int64_t>(minimumOf(Byte).bits), -128);
  EXPECT_EQ(maximumOf(UByte).bits, 255u);
  EXPECT_EQ(static_cast<int64_t>(minimumOf(Int).bits), kIntMin);
  EXPECT_EQ(static_cast<int64_t>(maximumOf(Long).bits), kLongMax);
  EXPECT_EQ(maximumOf(ULong).bits, ~uint64_t{0});
  EXPECT_EQ(minimumOf(ULong).bits, 0u);
  EXPECT_EQ(minimumOf(Double).number, -std::numeric_limits<double>::max());
  EXPECT_EQ(maximumOf(Float).number, static_cast<double>(std::numeric_limits<float>::max()));
}

TEST_F(ConstantsTest, Defaults) {
  EXPECT_EQ(defaultConstant(Color).bits, 0u);
  EXPECT_EQ(defaultConstant(Double).kind, ConstantValue::Kind::kFloating);
  EXPECT_EQ(defaultConstant(String).kind, ConstantValue::Kind::kString);
  EXPECT_EQ(defaultConstant(listOf(Int)).kind, ConstantValue::Kind::kNull);
  EXPECT_EQ(defaultConstant(Point).kind, ConstantValue::Kind::kNone);
  EXPECT_EQ(defaultConstant(T).kind, ConstantValue::Kind::kNone);
}

TEST_F(ConstantsTest, SameConstants) {
  EXPECT_TRUE(sameConstant(integer(3), integer(3)));
  EXPECT_FALSE(sameConstant(integer(3), integer(4)));
  EXPECT_TRUE(sameConstant(stringConstant("a"), stringConstant("a")));
  EXPECT_TRUE(sameConstant(floatingConstant(0.0), floatingConstant(-0.0)));
  EXPECT_FALSE(sameConstant(floatingConstant(NAN), floatingConstant(NAN)));
  EXPECT_FALSE(sameConstant(integer(0), nullConstant()));
}

TEST_F(ConstantsTest, CanonicalForms) {
  EXPECT_EQ(canonicalBits(0xffffffff, Int), ~uint64_t{0});
  EXPECT_EQ(canonicalBits(~uint64_t{0}, UInt), 0xffffffffu);
  EXPECT_EQ(canonicalBits(0x80, Byte), static_cast<uint64_t>(int64_t{-128}));
  EXPECT_EQ(canonicalBits(3, Bool), 1u);
  EXPECT_EQ(canonicalBits(0xffffffff, Color), ~uint64_t{0});
}

} // namespace
} // namespace nlang::sema
