#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace nlang::base {
namespace {

TEST(Arena, KeepsObjectsApartAndAligned) {
  Arena arena;
  auto* a = arena.make<char>('a');
  auto* b = arena.make<std::uint64_t>(7U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % alignof(std::uint64_t), 0U);
  EXPECT_EQ(*a, 'a');
  EXPECT_EQ(*b, 7U);
}

TEST(Arena, PointersStayWhereTheyAreWhenItGrows) {
  Arena arena;
  auto* first = arena.make<int>(1);
  for (int i = 0; i < 100000; ++i) arena.make<int>(i);
  EXPECT_EQ(*first, 1);
}

TEST(Arena, GivesMoreThanABlockAtOnce) {
  Arena arena;
  const std::string text(10'000'000, 'x');
  EXPECT_EQ(arena.copyText(text), text);
  EXPECT_GE(arena.reservedBytes(), text.size());
}

TEST(Arena, CopiesLists) {
  Arena arena;
  std::vector<int> list = {1, 2, 3};
  const std::span<int> copy = arena.copyList(list);
  list.clear();
  ASSERT_EQ(copy.size(), 3U);
  EXPECT_EQ(copy[2], 3);
  EXPECT_TRUE(arena.copyList(list).empty());
}

} // namespace
} // namespace nlang::base
