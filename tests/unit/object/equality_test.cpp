// == for operands of type Object.
#include "object/equality.h"

#include <cmath>
#include <limits>

#include "unit/object/fixture.h"

namespace nlang::object::test {
namespace {

class EqualityTest : public ObjectTest {
 protected:
  Object* boxInt(uint32_t value) {
    Object* box = newObject(kIntBox);
    *reinterpret_cast<uint32_t*>(box + 1) = value;
    return box;
  }
  Object* boxDouble(double value) {
    Object* box = newObject(kDoubleBox);
    *reinterpret_cast<double*>(box + 1) = value;
    return box;
  }
  Object* boxPair(uint32_t number, const void* reference) {
    Object* box = newObject(kPairBox);
    *reinterpret_cast<uint32_t*>(box + 1) = number;
    reinterpret_cast<const void**>(box)[2] = reference;
    return box;
  }
  Object* closure(uint32_t cls, const bytecode::LoadedFunction* function, const void* captured) {
    auto* made = reinterpret_cast<Closure*>(newObject(cls));
    made->function = function;
    reinterpret_cast<const void**>(made)[2] = captured;
    return &made->header;
  }
  bool same(const Object* a, const Object* b) {
    EXPECT_EQ(sameValue(*heap, a, b), sameValue(*heap, b, a));
    return sameValue(*heap, a, b);
  }
  static const Object* object(const void* p) { return static_cast<const Object*>(p); }
};

// rule: L4.3
TEST_F(EqualityTest, BoxedValuesByTypeAndValue) {
  EXPECT_TRUE(same(boxInt(5), boxInt(5)));
  EXPECT_FALSE(same(boxInt(5), boxInt(6)));
  EXPECT_FALSE(same(boxInt(5), boxDouble(5)));
  EXPECT_TRUE(same(boxDouble(0.0), boxDouble(-0.0)));
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(same(boxDouble(nan), boxDouble(nan)));
  EXPECT_TRUE(same(nullptr, nullptr));
  EXPECT_FALSE(same(boxInt(0), nullptr));
}

TEST_F(EqualityTest, StringsByText) {
  EXPECT_TRUE(same(object(make("a")), object(make("a"))));
  EXPECT_FALSE(same(object(make("a")), object(make("b"))));
  EXPECT_FALSE(same(object(make("a")), boxInt(1)));
}

TEST_F(EqualityTest, StructsFieldByField) {
  EXPECT_TRUE(same(boxPair(1, make("a")), boxPair(1, make("a"))));
  EXPECT_FALSE(same(boxPair(1, make("a")), boxPair(1, make("b"))));
  EXPECT_FALSE(same(boxPair(1, make("a")), boxPair(2, make("a"))));
  EXPECT_FALSE(same(boxPair(1, make("a")), boxPair(1, nullptr)));
  EXPECT_TRUE(same(boxPair(1, newEmptyStringObject(*heap, *allocator)), boxPair(1, nullptr)));
  EXPECT_FALSE(same(boxPair(1, newObject(kOther)), boxPair(1, newObject(kOther))));
}

TEST_F(EqualityTest, NestedBoxesOfAnyDepth) {
  Object* a = boxInt(1);
  Object* b = boxInt(1);
  Object* c = boxInt(2);
  for (uint32_t i = 0; i < 1000000; ++i) {
    frame[0] = slot(a = boxPair(i, a));
    frame[1] = slot(b = boxPair(i, b));
    frame[2] = slot(c = boxPair(i, c));
  }
  EXPECT_TRUE(same(a, b));
  EXPECT_FALSE(same(a, c));
}

TEST_F(EqualityTest, ObjectsByIdentity) {
  Object* one = newObject(kOther);
  EXPECT_TRUE(same(one, one));
  EXPECT_FALSE(same(one, newObject(kOther)));
}

TEST_F(EqualityTest, MethodValuesByTargetAndReceiver) {
  bytecode::LoadedFunction functions[2] = {};
  Object* receiver = newObject(kOther);
  Object* bound = closure(kBound, &functions[0], receiver);
  EXPECT_TRUE(same(bound, closure(kBound, &functions[0], receiver)));
  EXPECT_FALSE(same(bound, closure(kBound, &functions[1], receiver)));
  EXPECT_FALSE(same(bound, closure(kBound, &functions[0], newObject(kOther))));
  EXPECT_FALSE(same(closure(kLambda, &functions[0], receiver), closure(kLambda, &functions[0], receiver)));
}

} // namespace
} // namespace nlang::object::test
