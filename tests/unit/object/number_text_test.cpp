// rule: L2.7
#include "object/number_text.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace nlang::object {
namespace {

std::string text(double v) { return std::string(NumberText::ofDouble(v).view()); }
std::string text(float v) { return std::string(NumberText::ofFloat(v).view()); }

TEST(NumberText, Integers) {
  EXPECT_EQ(NumberText::ofLong(0).view(), "0");
  EXPECT_EQ(NumberText::ofLong(std::numeric_limits<int64_t>::min()).view(), "-9223372036854775808");
  EXPECT_EQ(NumberText::ofULong(std::numeric_limits<uint64_t>::max()).view(), "18446744073709551615");
}

TEST(NumberText, DoublesAreShortest) {
  EXPECT_EQ(text(0.0), "0");
  EXPECT_EQ(text(-0.0), "-0");
  EXPECT_EQ(text(1.0), "1");
  EXPECT_EQ(text(-1.5), "-1.5");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(text(100.0), "100");
  EXPECT_EQ(text(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(text(5e-324), "5e-324");
  EXPECT_EQ(text(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

TEST(NumberText, ExponentsFromMinusFiveAndSixteen) {
  EXPECT_EQ(text(1e15), "1000000000000000");
  EXPECT_EQ(text(123456789012345680.0), "1.2345678901234568e+17");
  EXPECT_EQ(text(9999999999999998.0), "9999999999999998");
  EXPECT_EQ(text(1e16), "1e+16");
  EXPECT_EQ(text(-2.5e16), "-2.5e+16");
  EXPECT_EQ(text(0.0001), "0.0001");
  EXPECT_EQ(text(0.00012345), "0.00012345");
  EXPECT_EQ(text(0.00001), "1e-05");
  EXPECT_EQ(text(1.5e-7), "1.5e-07");
  EXPECT_EQ(text(1e100), "1e+100");
}

TEST(NumberText, Floats) {
  EXPECT_EQ(text(0.1f), "0.1");
  EXPECT_EQ(text(16777216.0f), "16777216");
  EXPECT_EQ(text(1e15f), "1000000000000000");
  EXPECT_EQ(text(1e16f), "1e+16");
  EXPECT_EQ(text(123456790000.0f), "123456790000");
  EXPECT_EQ(text(3.4028235e38f), "3.4028235e+38");
  EXPECT_EQ(text(1e-5f), "1e-05");
}

TEST(NumberText, Specials) {
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(text(std::nan("")), "nan");
  EXPECT_EQ(text(-std::nan("")), "nan");
  EXPECT_EQ(text(-std::numeric_limits<float>::infinity()), "-inf");
}

TEST(NumberText, EveryTextReadsBackTheSame) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    double v;
    std::memcpy(&v, &bits, 8);
    if (!std::isfinite(v)) continue;
    ASSERT_EQ(std::strtod(text(v).c_str(), nullptr), v);
    float f;
    auto half = static_cast<uint32_t>(bits);
    std::memcpy(&f, &half, 4);
    if (std::isfinite(f)) ASSERT_EQ(std::strtof(text(f).c_str(), nullptr), f);
  }
}

TEST(NumberText, Characters) {
  EXPECT_EQ(NumberText::ofChar(U'a').view(), "a");
  EXPECT_EQ(NumberText::ofChar(U'中').view(), "中");
  EXPECT_EQ(NumberText::ofChar(U'😀').view(), "😀");
}

} // namespace
} // namespace nlang::object
