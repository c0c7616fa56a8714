// What the class table makes of a program's classes.
#include <gtest/gtest.h>

#include "bytecode/loaded_function.h"
#include "heap/object.h"

namespace nlang::heap {
namespace {

using bytecode::ClassKind;

TEST(ClassTable, SubclassTestsFollowTheTree) {
  bytecode::Program program;
  // Object <- A <- B <- C, A <- D, and I <- J implemented by B and D.
  program.classes.resize(7);
  enum { kObject, kA, kC, kB, kD, kI, kJ };
  for (auto [index, super] : {std::pair{kA, kObject}, {kB, kA}, {kC, kB}, {kD, kA}})
    program.classes[index].superIndex = super;
  program.classes[kI].kind = program.classes[kJ].kind = ClassKind::kInterface;
  program.classes[kJ].interfaces = {kI};
  for (int index : {kB, kC}) program.classes[index].interfaces = {kJ, kI};
  program.classes[kD].interfaces = {kI};
  program.wellKnown = {kObject};
  ClassTable table;
  table.load(program, nullptr);
  auto is = [&](int sub, int super) { return table.byIndex(sub).isSubclassOf(table.byIndex(super)); };
  for (int index : {kObject, kA, kB, kC, kD}) {
    EXPECT_TRUE(is(index, kObject));
    EXPECT_TRUE(is(index, index));
  }
  EXPECT_TRUE(is(kC, kA) && is(kC, kB) && is(kB, kA) && is(kD, kA));
  EXPECT_FALSE(is(kA, kB) || is(kD, kB) || is(kB, kC) || is(kD, kC) || is(kC, kD) || is(kObject, kA));
  EXPECT_TRUE(is(kB, kI) && is(kB, kJ) && is(kC, kJ) && is(kD, kI));
  EXPECT_FALSE(is(kA, kI) || is(kD, kJ));
  EXPECT_EQ(&table.wellKnown(bytecode::WellKnown::kObject), &table.byIndex(kObject));
  EXPECT_EQ(table.byIndex(kB).superclass, &table.byIndex(kA));
  EXPECT_EQ(&table.at(table.byIndex(kC).offset), &table.byIndex(kC));
}

TEST(ClassTable, MethodTablesHaveNoCollisions) {
  bytecode::Program program;
  program.functions.resize(40);
  program.classes.resize(2);
  auto& cls = program.classes[0];
  for (uint32_t i = 0; i < 20; ++i) cls.methods.push_back({i * 37 + 5, i});
  cls.virtualTable = {7, bytecode::kNone, 9};
  std::vector<bytecode::LoadedFunction> functions(40);
  ClassTable table;
  table.load(program, functions.data());
  const Class& loaded = table.byIndex(0);
  for (const auto& method : cls.methods) {
    EXPECT_EQ(loaded.methods[method.selector & loaded.methodMask].selector, method.selector);
    EXPECT_EQ(loaded.methods[method.selector & loaded.methodMask].function, &functions[method.function]);
  }
  EXPECT_EQ(loaded.virtualTable[0], &functions[7]);
  EXPECT_EQ(loaded.virtualTable[1], nullptr);
  EXPECT_EQ(loaded.virtualTable[2], &functions[9]);
  const Class& empty = table.byIndex(1);
  EXPECT_NE(empty.methods[123 & empty.methodMask].selector, 123u);
}

TEST(ClassTable, LayoutsKeepLeavesAndKnowReferences) {
  bytecode::Program program;
  program.classes.resize(2);
  program.classes[0].kind = ClassKind::kArray;
  program.classes[0].element = {24,
                                {{0, bytecode::StorageKind::k32, false},
                                 {8, bytecode::StorageKind::kReference, false},
                                 {16, bytecode::StorageKind::kU8, true}}};
  program.classes[1].kind = ClassKind::kDict;
  program.classes[1].key = {4, {{0, bytecode::StorageKind::k32, false}}};
  ClassTable table;
  table.registerKind(ClassKind::kArray, traceFields, 16);
  table.load(program, nullptr);
  const Layout& layout = table.byIndex(0).element;
  EXPECT_EQ(layout.size, 24u);
  EXPECT_EQ(layout.leafCount, 3u);
  EXPECT_TRUE(layout.hasReferences);
  EXPECT_EQ(layout.leaves[1].offset, 8u);
  EXPECT_TRUE(layout.leaves[2].isFloating);
  EXPECT_EQ(table.byIndex(0).instanceSize, 16u);
  EXPECT_NE(table.byIndex(0).trace, nullptr);
  EXPECT_FALSE(table.byIndex(1).key.hasReferences);
}

TEST(ClassTable, ManyClassesFit) {
  bytecode::Program program;
  program.classes.resize(50000);
  for (uint32_t i = 1; i < program.classes.size(); ++i) program.classes[i].superIndex = i - 1;
  ClassTable table;
  table.load(program, nullptr);
  EXPECT_TRUE(table.byIndex(49999).isSubclassOf(table.byIndex(0)));
  EXPECT_FALSE(table.byIndex(0).isSubclassOf(table.byIndex(1)));
}

} // namespace
} // namespace nlang::heap
