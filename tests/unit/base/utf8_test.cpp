#include "base/utf8.h"

#include <gtest/gtest.h>

namespace nlang::base {
namespace {

TEST(Utf8, EveryScalarValueSurvivesEncodingAndDecoding) {
  for (char32_t c = 0; c <= kLastCodePoint; ++c) {
    if (!isScalarValue(c)) continue;
    std::string text;
    appendUtf8(text, c);
    const Decoded d = decodeUtf8(text, 0);
    ASSERT_TRUE(d.valid) << static_cast<std::uint32_t>(c);
    ASSERT_EQ(d.value, c);
    ASSERT_EQ(d.length, text.size());
    ASSERT_EQ(findInvalidUtf8(text), text.size());
  }
}

TEST(Utf8, WhatIsNoScalarValueEncodesAsReplacement) {
  std::string text;
  appendUtf8(text, 0xD800);
  appendUtf8(text, 0x110000);
  EXPECT_EQ(text, "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Utf8, InvalidBytesDecodeAsOneReplacementEach) {
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xED\xA0\x80", "\xE0\x80\x80", "\xF0\x80\x80\x80",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE4\xB8", "\xC3", "\xF0\x9F\x98"}) {
    const Decoded d = decodeUtf8(bad, 0);
    EXPECT_FALSE(d.valid);
    EXPECT_EQ(d.length, 1);
    EXPECT_EQ(d.value, kReplacementCharacter);
    EXPECT_EQ(findInvalidUtf8(bad), 0U);
  }
}

TEST(Utf8, FindsTheFirstInvalidByte) {
  EXPECT_EQ(findInvalidUtf8("abcdefghijklmnop\xFFqrstuvwxyz"), 16U);
  EXPECT_EQ(findInvalidUtf8("h\xC3\xA9llo \xE4\xB8"), 7U);
  EXPECT_EQ(findInvalidUtf8(""), 0U);
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(countCodePoints("h\xC3\xA9llo, \xE4\xB8\x96\xE7\x95\x8C"), 9U);
  EXPECT_EQ(countCodePoints("\xFF\xFF"), 2U);
}

TEST(Utf8, KnowsWidths) {
  EXPECT_EQ(displayWidth('a'), 1U);
  EXPECT_EQ(displayWidth(0x4E16), 2U);
  EXPECT_EQ(displayWidth(0x0301), 0U);
  EXPECT_EQ(displayWidth('\n'), 0U);
}

TEST(Utf8, LettersOfAnyScriptMakeNames) {
  EXPECT_TRUE(isIdentifierStart('_'));
  EXPECT_TRUE(isIdentifierStart(0xE9));
  EXPECT_TRUE(isIdentifierStart(0x4E16));
  EXPECT_FALSE(isIdentifierStart('1'));
  EXPECT_TRUE(isIdentifierPart('1'));
  EXPECT_FALSE(isIdentifierStart(0x0301));
  EXPECT_TRUE(isIdentifierPart(0x0301));
  EXPECT_FALSE(isIdentifierPart(0x20AC));
}

} // namespace
} // namespace nlang::base
