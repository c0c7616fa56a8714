// What is said of texts that are no JSON, and which integers are too long for 64 bits.
#include "lib/json_faults.h"

#include <gtest/gtest.h>

namespace nlang::lib {
namespace {

constexpr size_t kDepth = 3;

std::string faultOf(std::string_view text) {
  std::vector<size_t> longIntegers;
  auto fault = findJsonFault(text, kDepth, longIntegers);
  return fault ? std::to_string(fault->offset) + " " + fault->reason : "none";
}

std::vector<size_t> longIntegersOf(std::string_view text) {
  std::vector<size_t> longIntegers;
  EXPECT_FALSE(findJsonFault(text, kDepth, longIntegers));
  return longIntegers;
}

TEST(JsonFaults, JsonHasNone) {
  for (std::string_view text :
       {"1", " -0.5e+3 ", "[]", "{}", "[1, [2, {\"a\": null}], true, false]", "\"\\u00e4\\ud83d\\ude00\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "{\"\": {}, \"\": []}", "1e-999"}) {
    EXPECT_EQ(faultOf(text), "none") << text;
  }
}

TEST(JsonFaults, AreWhereTheTextGoesWrong) {
  EXPECT_EQ(faultOf(""), "0 the text ends too early");
  EXPECT_EQ(faultOf("[1,]"), "3 a value is expected");
  EXPECT_EQ(faultOf("[1 2]"), "3 a comma or ] is expected");
  EXPECT_EQ(faultOf("{\"a\":1]"), "6 a comma or } is expected");
  EXPECT_EQ(faultOf("{\"a\";1}"), "4 a colon is expected");
  EXPECT_EQ(faultOf("{1:2}"), "1 a name is expected");
  EXPECT_EQ(faultOf("null,"), "4 something follows the value");
  EXPECT_EQ(faultOf("-a"), "1 a digit is expected");
  EXPECT_EQ(faultOf("1.e2"), "2 a digit is expected");
  EXPECT_EQ(faultOf("-00"), "2 a number does not begin with 0");
  EXPECT_EQ(faultOf("[1e999]"), "1 the number is too large");
  EXPECT_EQ(faultOf("\"\\q\""), "1 there is no such escape");
  EXPECT_EQ(faultOf("\"\\ud800\\u0041\""), "1 a high surrogate without a low one");
  EXPECT_EQ(faultOf("\"\\udc00\""), "1 a low surrogate without a high one");
  EXPECT_EQ(faultOf("\"\\u00g0\""), "5 four hexadecimal digits are expected");
  EXPECT_EQ(faultOf("\"\t\""), "1 a control character in a string");
  EXPECT_EQ(faultOf("\"\xc3\""), "1 not UTF-8");
  EXPECT_EQ(faultOf("\"abc"), "4 the string has no end");
}

TEST(JsonFaults, DepthIsOne) {
  EXPECT_EQ(faultOf("[[{}], [[]]]"), "none");
  EXPECT_EQ(faultOf("[[{\"a\": []}]]"), "8 nested too deeply");
  EXPECT_EQ(faultOf(std::string(1'000'000, '[')), "3 nested too deeply");
}

TEST(JsonFaults, AreDescribedByLineAndCharacter) {
  EXPECT_EQ(describeJsonFault("abc", {0, "why"}), "line 1, column 1: why");
  EXPECT_EQ(describeJsonFault("a\n\xc3\xa4x", {4, "why"}), "line 2, column 2: why");
  EXPECT_EQ(describeJsonFault("a\n", {2, "why"}), "line 2, column 1: why");
}

TEST(JsonFaults, LongIntegersAreFoundOnTheWay) {
  EXPECT_EQ(longIntegersOf("[18446744073709551615, -9223372036854775808, 1e30, 99999999999999999999.5]"),
            std::vector<size_t>{});
  EXPECT_EQ(longIntegersOf("18446744073709551616"), std::vector<size_t>{20});
  EXPECT_EQ(longIntegersOf("[-9223372036854775809, 99999999999999999999]"), (std::vector<size_t>{21, 43}));
}

} // namespace
} // namespace nlang::lib
