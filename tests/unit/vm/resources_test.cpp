// Resources live as long as their holders, and many of them make the heap collect.
#include "vm/resources.h"

#include "minimal_program.h"

namespace nlang::vm::test {
namespace {

struct Counted : Resource {
  explicit Counted(int& alive) : alive(alive) { ++alive; }
  ~Counted() override { --alive; }
  int& alive;
};

class ResourcesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    addWellKnownClasses(program);
    std::string error;
    ASSERT_TRUE(machine->load(program, error)) << error;
    machine->heap().addRoots(&kept);
  }
  void TearDown() override {
    machine->heap().removeRoots(&kept);
    allocator.reset();
    machine.reset();
    EXPECT_EQ(alive, 0);
  }
  heap::Object* newHolder() {
    return machine->heap().allocate(*allocator, machine->heap().classes().wellKnown(WellKnown::kObject), 8);
  }
  void give(heap::Object* holder, size_t bytes) {
    machine->resources().give(*allocator, holder, std::make_unique<Counted>(alive), bytes);
  }

  struct Kept : heap::RootProvider {
    void markRoots(heap::Marker& marker) override {
      for (heap::Object* object : objects) marker.mark(object);
    }
    std::vector<heap::Object*> objects;
  };
  int alive = 0;
  Program program;
  std::unique_ptr<Vm> machine = std::make_unique<Vm>(VmOptions{});
  std::unique_ptr<heap::Allocator> allocator = std::make_unique<heap::Allocator>(machine->heap());
  Kept kept;
};

TEST_F(ResourcesTest, GoWithTheirHolders) {
  heap::Object* holder = newHolder();
  kept.objects.push_back(holder);
  give(holder, 100);
  give(holder, 100);
  give(newHolder(), 100);
  EXPECT_EQ(alive, 3);
  machine->heap().collect(*allocator);
  EXPECT_EQ(alive, 2);
  EXPECT_EQ(machine->resources().count(), 2u);
  kept.objects.clear();
  machine->heap().collect(*allocator);
  EXPECT_EQ(alive, 0);
}

TEST_F(ResourcesTest, AreClosedWithTheVm) {
  heap::Object* holder = newHolder();
  kept.objects.push_back(holder);
  give(holder, 1);
  EXPECT_EQ(alive, 1); // and TearDown sees none
}

TEST_F(ResourcesTest, MakeTheHeapCollectWhenThereAreMany) {
  constexpr size_t kBytes = 1 << 20;
  for (int i = 0; i < 1000; ++i) give(newHolder(), kBytes);
  EXPECT_LT(alive, 20);
}

TEST_F(ResourcesTest, ThatAreAllInUseMakeItCollectLessAndLessOften) {
  constexpr size_t kBytes = 1 << 20;
  for (int i = 0; i < 1024; ++i) {
    kept.objects.push_back(newHolder());
    give(kept.objects.back(), kBytes);
  }
  EXPECT_EQ(alive, 1024);
  EXPECT_LT(machine->heap().statistics().collections, 12u);
}

} // namespace
} // namespace nlang::vm::test
