#include "base/intern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nlang::base {
namespace {

TEST(Interner, EqualTextsShareOneAddress) {
  Interner names;
  const std::string a = "counter";
  const std::string b = "counter";
  EXPECT_EQ(names.intern(a).data(), names.intern(b).data());
  EXPECT_NE(names.intern("counter").data(), names.intern("counters").data());
  EXPECT_EQ(names.count(), 2U);
}

TEST(Interner, TextsDoNotMoveWhenItGrows) {
  Interner names;
  std::vector<std::string_view> first;
  for (int i = 0; i < 20000; ++i) first.push_back(names.intern("name" + std::to_string(i)));
  for (int i = 0; i < 20000; ++i) {
    const std::string text = "name" + std::to_string(i);
    ASSERT_EQ(names.intern(text).data(), first[static_cast<std::size_t>(i)].data());
    ASSERT_EQ(first[static_cast<std::size_t>(i)], text);
  }
}

TEST(Interner, IdsCountFromZeroInOrderOfFirstUse) {
  Interner names;
  EXPECT_EQ(names.idOf("a"), 0U);
  EXPECT_EQ(names.idOf("b"), 1U);
  EXPECT_EQ(names.idOf("a"), 0U);
  EXPECT_EQ(names.textOf(1), "b");
}

TEST(Interner, TheEmptyTextIsATextLikeOthers) {
  Interner names;
  EXPECT_EQ(names.intern(""), "");
  EXPECT_NE(names.intern("").data(), nullptr);
  EXPECT_EQ(names.intern("").data(), names.intern(std::string_view()).data());
}

} // namespace
} // namespace nlang::base
