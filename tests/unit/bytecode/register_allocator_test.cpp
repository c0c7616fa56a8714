#include "bytecode/register_allocator.h"

#include <gtest/gtest.h>

#include "bytecode/program.h"

namespace nlang::bytecode {
namespace {

TEST(RegisterAllocator, GivesConsecutiveRegistersOfTheKindsAskedFor) {
  RegisterAllocator registers;
  EXPECT_EQ(registers.allocate(true), 0);
  bool kinds[] = {false, true, false};
  uint16_t first = registers.allocate(kinds);
  EXPECT_EQ(first, 1);
  EXPECT_FALSE(registers.isReference(1));
  EXPECT_TRUE(registers.isReference(2));
  EXPECT_FALSE(registers.isReference(3));
  EXPECT_EQ(registers.count(), 4u);
  EXPECT_EQ(registers.referenceBits(), std::vector<uint64_t>{0b0101});
}

TEST(RegisterAllocator, ReusesARegisterOnlyForItsKind) {
  RegisterAllocator registers;
  uint16_t scalar = registers.allocate(false);
  registers.release(scalar);
  EXPECT_NE(registers.allocate(true), scalar);
  EXPECT_EQ(registers.allocate(false), scalar);
}

TEST(RegisterAllocator, ReusesARangeWhole) {
  RegisterAllocator registers;
  bool kinds[] = {true, false};
  uint16_t first = registers.allocate(kinds);
  registers.release(first, 2);
  EXPECT_EQ(registers.allocate(kinds), first);
  EXPECT_EQ(registers.count(), 2u);
}

TEST(RegisterAllocator, BreaksARangeWhenNoSingleRegisterIsFree) {
  RegisterAllocator registers;
  bool kinds[] = {true, false};
  uint16_t first = registers.allocate(kinds);
  registers.release(first, 2);
  EXPECT_EQ(registers.allocate(false), first + 1);
  EXPECT_EQ(registers.allocate(true), first);
  EXPECT_NE(registers.allocate(kinds), first) << "its pieces are in use";
  EXPECT_EQ(registers.count(), 4u);
}

TEST(RegisterAllocator, PrefersSingleRegistersToPiecesOfRanges) {
  RegisterAllocator registers;
  bool kinds[] = {true, true};
  uint16_t single = registers.allocate(true);
  uint16_t range = registers.allocate(kinds);
  registers.release(single);
  registers.release(range, 2);
  EXPECT_EQ(registers.allocate(true), single);
  EXPECT_EQ(registers.allocate(kinds), range);
}

TEST(RegisterAllocator, AScopeGivesBackWhatIsLeft) {
  RegisterAllocator registers;
  uint16_t outer = registers.allocate(true);
  uint16_t kept, released, range;
  bool kinds[] = {true, false, true};
  {
    RegisterScope scope(registers);
    kept = registers.allocate(true);
    released = registers.allocate(true);
    range = registers.allocate(kinds);
    registers.release(released);
    registers.release(static_cast<uint16_t>(range + 1));
  }
  EXPECT_TRUE(registers.isAllocated(outer));
  EXPECT_FALSE(registers.isAllocated(kept));
  EXPECT_FALSE(registers.isAllocated(released));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(registers.isAllocated(static_cast<uint16_t>(range + i)));
}

TEST(RegisterAllocator, AnEmptyRangeTakesNothing) {
  RegisterAllocator registers;
  EXPECT_EQ(registers.allocate(std::span<const bool>{}), 0);
  EXPECT_EQ(registers.count(), 0u);
}

TEST(RegisterAllocator, SaysWhenAFunctionIsTooLarge) {
  RegisterAllocator registers;
  for (unsigned i = 0; i < kMaxRegisters; ++i) registers.allocate(i % 2 == 0);
  EXPECT_FALSE(registers.overflowed());
  registers.allocate(true);
  EXPECT_TRUE(registers.overflowed());
  EXPECT_EQ(registers.count(), kMaxRegisters);
}

} // namespace
} // namespace nlang::bytecode
