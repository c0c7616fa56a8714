#include "unit/syntax/support.h"

#include <gtest/gtest.h>

namespace nlang::syntax {
namespace {

// rule: L3.1
TEST(Expressions, IntegersHaveTheSmallestTypeTheyNeed) {
  EXPECT_EQ(expr("42"), "42");
  EXPECT_EQ(expr("2147483647"), "2147483647");
  EXPECT_EQ(expr("2147483648"), "2147483648L");
  EXPECT_EQ(expr("0xff"), "255");
  EXPECT_EQ(expr("0xffffffff"), "4294967295L");
  EXPECT_EQ(expr("0xffu"), "255u");
  EXPECT_EQ(expr("5000000000u"), "5000000000uL");
  EXPECT_EQ(expr("1L"), "1L");
  EXPECT_EQ(expr("18446744073709551615uL"), "18446744073709551615uL");
  EXPECT_EQ(expr("9223372036854775807"), "9223372036854775807L");
  EXPECT_EQ(expr("9223372036854775808"), "(<error>) !! 1:18 E0120");
  EXPECT_EQ(expr("0x8000000000000000L"), "(<error>) !! 1:18 E0120");
}

TEST(Expressions, AMinusBelongsToTheLiteralBehindIt) {
  EXPECT_EQ(expr("-5"), "-5");
  EXPECT_EQ(expr("-2147483648"), "-2147483648");
  EXPECT_EQ(expr("-2147483649"), "-2147483649L");
  EXPECT_EQ(expr("-9223372036854775808L"), "-9223372036854775808L");
  EXPECT_EQ(expr("-9223372036854775808"), "-9223372036854775808L");
  EXPECT_EQ(expr("-9223372036854775809"), "(<error>) !! 1:18 E0120");
  EXPECT_EQ(expr("-0x80000000"), "-2147483648");
  EXPECT_EQ(expr("-5u"), "(- 5u)");
  EXPECT_EQ(expr("-5.abs()"), "(- (call (. 5 abs)))");
  EXPECT_EQ(expr("1-5"), "(1 - 5)");
  EXPECT_EQ(expr("- -5"), "(- -5)");
  EXPECT_EQ(expr("-1.5"), "(- 1.5)");
}

TEST(Expressions, OtherLiterals) {
  EXPECT_EQ(expr("1.5f"), "1.5f");
  EXPECT_EQ(expr("2e9"), "2000000000");
  EXPECT_EQ(expr("'a'"), "'a'");
  EXPECT_EQ(expr("\"a\\n\""), "\"a\\n\"");
  EXPECT_EQ(expr("`a\\n`"), "\"a\\\\n\"");
  EXPECT_EQ(expr("true && false"), "(true && false)");
  EXPECT_EQ(expr("null"), "null");
  EXPECT_EQ(expr("this"), "this");
}

TEST(Expressions, PrecedenceFallsAsListed) {
  EXPECT_EQ(expr("a ?? b || c && d | e ^ f & g == h < i << j + k * l"),
            "(a ?? (b || (c && (d | (e ^ (f & (g == (h < (i << (j + (k * l)))))))))))");
  EXPECT_EQ(expr("l * k + j << i < h == g & f ^ e | d && c || b ?? a"),
            "(((((((((((l * k) + j) << i) < h) == g) & f) ^ e) | d) && c) || b) ?? a)");
  EXPECT_EQ(expr("7 & 3 | 8 ^ 1"), "((7 & 3) | (8 ^ 1))");
  EXPECT_EQ(expr("-a as int * b"), "((as (- a) int) * b)");
  EXPECT_EQ(expr("!a.b(c)[d]"), "(! (index (call (. a b) c) d))");
  EXPECT_EQ(expr("a != b"), "(a != b)");
}

TEST(Expressions, OperatorsOfOnePrecedenceMakeOneNode) {
  EXPECT_EQ(expr("a + b - c + d"), "(a + b - c + d)");
  EXPECT_EQ(expr("a * b / c % d"), "(a * b / c % d)");
  EXPECT_EQ(expr("a ?? b ?? c"), "(a ?? b ?? c)");
  EXPECT_EQ(expr("a + b * c + d"), "(a + (b * c) + d)");
}

// rule: L4.5
TEST(Expressions, ShiftsAreNeighbouringAngles) {
  EXPECT_EQ(expr("a >> b"), "(a >> b)");
  EXPECT_EQ(expr("a >>> b"), "(a >>> b)");
  EXPECT_EQ(expr("a > b"), "(a > b)");
  EXPECT_EQ(expr("a >= b"), "(a >= b)");
  EXPECT_EQ(expr("-8 >>> 28"), "(-8 >>> 28)");
  EXPECT_EQ(expr("a << b >> c >>> d"), "(a << b >> c >>> d)");
}

TEST(Expressions, CastsAndTests) {
  EXPECT_EQ(expr("a as int"), "(as a int)");
  EXPECT_EQ(expr("a is List<int> && b"), "((is a List<int>) && b)");
  EXPECT_EQ(expr("a as List<List<int>>"), "(as a List<List<int>>)");
  EXPECT_EQ(expr("a as int < b"), "((as a int) < b)");
  EXPECT_EQ(expr("a as T < b"), "((as a T) < b)");
  EXPECT_EQ(expr("a as int as double"), "(as (as a int) double)");
  EXPECT_EQ(expr("a as int[]"), "(as a int[])");
  EXPECT_EQ(expr("a is T ? b : c"), "(? (is a T) b c)");
  EXPECT_EQ(expr("a is m.T"), "(is a m.T)");
}

TEST(Expressions, Conditionals) {
  EXPECT_EQ(expr("a ? b : c"), "(? a b c)");
  EXPECT_EQ(expr("a ? b : c ? d : e"), "(? a b (? c d e))");
  EXPECT_EQ(expr("a ? b ? c : d : e"), "(? a (? b c d) e)");
  EXPECT_EQ(expr("a || b ? c : d"), "(? (a || b) c d)");
  EXPECT_EQ(expr("a ? x => 1 : y => 2"), "(? a (=> (x) 1) (=> (y) 2))");
}

TEST(Expressions, PostfixChains) {
  EXPECT_EQ(expr("a.b.c(d).e[f]"), "(index (. (call (. (. a b) c) d) e) f)");
  EXPECT_EQ(expr("f()()"), "(call (call f))");
  EXPECT_EQ(expr("a.int"), "(. a int)"); // after `.` any word is a name
  EXPECT_EQ(expr("a.class.new"), "(. (. a class) new)");
  EXPECT_EQ(expr("(a).b"), "(. (paren a) b)");
  EXPECT_EQ(expr("\"a\".length()"), "(call (. \"a\" length))");
}

// rule: L4.6
TEST(Expressions, ANullSafeChainIsEnclosed) {
  EXPECT_EQ(expr("a?.b"), "(chain (?. a b))");
  EXPECT_EQ(expr("a?.b.c()[0]"), "(chain (index (call (. (?. a b) c)) 0))");
  EXPECT_EQ(expr("a?.b?.c"), "(chain (?. (?. a b) c))");
  EXPECT_EQ(expr("(a?.b).c"), "(. (paren (chain (?. a b))) c)");
  EXPECT_EQ(expr("a?.b ?? c"), "((chain (?. a b)) ?? c)");
}

// rule: L4.5
TEST(Expressions, TypeArgumentsNeedTypesAndWhatFollows) {
  EXPECT_EQ(expr("List<int>()"), "(call List<int>)");
  EXPECT_EQ(expr("f<int, string>(x)"), "(call f<int, string> x)");
  EXPECT_EQ(expr("a.map<List<int>>(x)"), "(call (. a map<List<int>>) x)");
  EXPECT_EQ(expr("Dict<string, List<List<int>>>()"), "(call Dict<string, List<List<int>>>)");
  EXPECT_EQ(expr("Pair<A, B>.make"), "(. Pair<A, B> make)");
  EXPECT_EQ(expr("Dict<string, int>{\"a\": 1}"), "Dict<string, int>{\"a\": 1}");
  EXPECT_EQ(expr("a < b"), "(a < b)");
  EXPECT_EQ(expr("a < b > c"), "(a < b > c)");
  EXPECT_EQ(expr("f(a < b, c > d)"), "(call f (a < b) (c > d))");
  EXPECT_EQ(expr("f(a < b, c > (d))"), "(call f (call a<b, c> d))");
  EXPECT_EQ(expr("a < 3 > (c)"), "(a < 3 > (paren c))");
  EXPECT_EQ(expr("f<func<void, out int>>(x)"), "(call f<func<void, out int>> x)");
  EXPECT_EQ(expr("f<int[]>(x)"), "(call f<int[]> x)");
}

// rule: L4.4
TEST(Expressions, NewMeansTheSame) {
  EXPECT_EQ(expr("new Node(3)"), "(new Node 3)");
  EXPECT_EQ(expr("new m.Node<int>(3).next"), "(. (new (. m Node<int>) 3) next)");
  EXPECT_EQ(expr("new Point{x: 1}"), "Point{x: 1}");
  EXPECT_EQ(expr("new int()"), "(new int)");
}

// rule: L3.5
TEST(Expressions, NewArrays) {
  EXPECT_EQ(expr("new int[3]"), "(new-array int 3)");
  EXPECT_EQ(expr("new int[n][]"), "(new-array int[] n)");
  EXPECT_EQ(expr("new List<int>[n + 1][][]"), "(new-array List<int>[][] (n + 1))");
  EXPECT_EQ(expr("(new int[3])[0]"), "(index (paren (new-array int 3)) 0)");
  EXPECT_EQ(expr("new int[3][0]"), "(new-array int 3) !! 1:28 E0232");
  EXPECT_EQ(expr("new int"), "(<error>) !! 1:25 E0231");
  EXPECT_EQ(expr("new int[]{1, 2}"), "int[]{1, 2}");
}

// rule: L3.4
TEST(Expressions, BracketAndBraceValues) {
  EXPECT_EQ(expr("[1, [2, 3], []]"), "[1, [2, 3], []]");
  EXPECT_EQ(expr("[1, 2,]"), "[1, 2]");
  EXPECT_EQ(expr("{}"), "{}");
  EXPECT_EQ(expr("{1, 2}"), "{1, 2}");
  EXPECT_EQ(expr("{x: 1, \"y\": {z: 2}, 1 + 1: 3,}"), "{x: 1, \"y\": {z: 2}, (1 + 1): 3}");
  EXPECT_EQ(expr("{a ? b : c: d}"), "{(? a b c): d}");
  EXPECT_EQ(expr("Point{x: 1, y: 2}"), "Point{x: 1, y: 2}");
  EXPECT_EQ(expr("m.Point{x: 1}.x"), "(. m.Point{x: 1} x)");
  EXPECT_EQ(expr("int{}"), "int{}");
  EXPECT_EQ(expr("int[]{1, 2}"), "int[]{1, 2}");
  EXPECT_EQ(expr("Node[]{a, b}"), "Node[]{a, b}");
  EXPECT_EQ(expr("List<int>[]{}"), "List<int>[]{}");
}

TEST(Expressions, MembersOfPrimitives) {
  EXPECT_EQ(expr("int.max + double.min"), "((. int max) + (. double min))");
  EXPECT_EQ(expr("string.join(\",\", xs)"), "(call (. string join) \",\" xs)");
  EXPECT_EQ(expr("int(3)"), "(as 3 int) !! 1:21 E0201");
}

// rule: L6.2, L6.3
TEST(Expressions, Arguments) {
  EXPECT_EQ(expr("f(1, b = 2, c = x == y)"), "(call f 1 b=2 c=(x == y))");
  EXPECT_EQ(expr("f(out h, out a.b, out xs[0], out this.x)"),
            "(call f out h out (. a b) out (index xs 0) out (. this x))");
  EXPECT_EQ(expr("f(h = out x)"), "(call f h=out x)");
  EXPECT_EQ(expr("f(out, out + 1, out.x, out(2))"), "(call f out (out + 1) (. out x) (call out 2))");
  EXPECT_EQ(expr("f(a = 1, 2)"), "(call f a=1 2) !! 1:27 E0228");
  EXPECT_EQ(expr("f(out int h)"), "(call f out (<error> h)) !! 1:24 E0229");
  EXPECT_EQ(expr("f(out var h)"), "(call f out (<error> h)) !! 1:24 E0229");
  EXPECT_EQ(expr("f(out List<int>[] h)"), "(call f out (<error> h)) !! 1:24 E0229");
}

// rule: L4.7
TEST(Expressions, Lambdas) {
  EXPECT_EQ(expr("x => x + 1"), "(=> (x) (x + 1))");
  EXPECT_EQ(expr("(int x) => x"), "(=> (int x) x)");
  EXPECT_EQ(expr("(a, x) => a + x"), "(=> (a, x) (a + x))");
  EXPECT_EQ(expr("(a, int x, List<int> y) => a"), "(=> (a, int x, List<int> y) a)");
  EXPECT_EQ(expr("() => 1"), "(=> () 1)");
  EXPECT_EQ(expr("() => { return 1; }"), "(=> () (block (return 1)))");
  EXPECT_EQ(expr("x => y => x"), "(=> (x) (=> (y) x))");
  EXPECT_EQ(expr("(int v, out int h) => { h = v; }"), "(=> (int v, out int h) (block (= h v)))");
  EXPECT_EQ(expr("(v, out h) => { h = v; }"), "(=> (v, out h) (block (= h v)))");
  EXPECT_EQ(expr("(a, b)"), "(paren a) !! 1:20 E0201");
  EXPECT_EQ(expr("f(x => x, (y) => { }, 1)"), "(call f (=> (x) x) (=> (y) (block)) 1)");
  EXPECT_EQ(expr("x => ({a: 1})"), "(=> (x) (paren {a: 1}))");
}

// rule: L3.2, L3.3
TEST(Expressions, Interpolation) {
  EXPECT_EQ(expr(R"("a${b}c")"), "(text \"a\" ${b} \"c\")");
  EXPECT_EQ(expr(R"("${a}${b + 1}")"), "(text ${a} ${(b + 1)})");
  EXPECT_EQ(expr(R"("${f("${x}")}")"), "(text ${(call f (text ${x}))})");
  EXPECT_EQ(expr(R"("${x:08.3f}")"), "(text ${x:08.3f})");
  EXPECT_EQ(expr(R"("${c ? a : b:>5}")"), "(text ${(? c a b):>5})");
  EXPECT_EQ(expr(R"("${xs.map(x => { return {x: 1}; })}")"),
            "(text ${(call (. xs map) (=> (x) (block (return {x: 1}))))})");
  EXPECT_EQ(expr(R"("${x:}")"), "(text ${x:})");
}

// rule: L1.2
TEST(Expressions, LockIsANameBeforeParentheses) {
  EXPECT_EQ(expr("lock(5)"), "(call lock 5)");
  EXPECT_EQ(expr("m.lock(5)"), "(call (. m lock) 5)");
  EXPECT_EQ(expr("lock"), "(<error>) !! 1:18 E0202");
}

TEST(Expressions, SuperIsFollowedByADot) {
  EXPECT_EQ(expr("super.m(1)"), "(call (. super m) 1)");
  EXPECT_EQ(expr("super"), "(<error>) !! 1:18 E0230");
}

// rule: L4.1
TEST(Expressions, AssignmentsHaveNoValue) {
  EXPECT_EQ(expr("a = b"), "(<error> a) !! 1:20 E0211");
  EXPECT_EQ(expr("(a += b)"), "(paren (<error> a)) !! 1:21 E0211");
  EXPECT_EQ(expr("a >>>= b"), "(<error> a) !! 1:20 E0211");
  EXPECT_EQ(expr("a++"), "(<error> a) !! 1:19 E0212");
  EXPECT_EQ(expr("++a"), "a !! 1:18 E0212");
  EXPECT_EQ(expr("x => y = 1"), "(=> (x) (<error> y)) !! 1:25 E0211");
}

TEST(Expressions, FaultyOnesAreReportedOnce) {
  EXPECT_EQ(expr("a +"), "(a + (<error>)) !! 1:21 E0202");
  EXPECT_EQ(expr("a + * b"), "(a + ((<error>) * b)) !! 1:22 E0202");
  EXPECT_EQ(expr("+a"), "a !! 1:18 E0241");
  EXPECT_EQ(expr("f(a b)"), "(call f a b) !! 1:21 E0201");
  EXPECT_EQ(expr("f(a, )"), "(call f a)");
  EXPECT_EQ(expr("f(, a)"), "(call f (<error>)) !! 1:20 E0202");
  EXPECT_EQ(expr("f(a"), "(call f a) !! 1:21 E0201");
  EXPECT_EQ(expr("[a, b"), "[a, b] !! 1:23 E0201");
  EXPECT_EQ(expr("a[]"), "(index a (<error>)) !! 1:20 E0202");
  EXPECT_EQ(expr("a."), "(. a <missing>) !! 1:20 E0204");
  EXPECT_EQ(expr("a ? b"), "(? a b (<error>)) !! 1:23 E0201");
  EXPECT_EQ(expr("\"${}\""), "(text ${(<error>)}) !! 1:21 E0202");
  EXPECT_EQ(expr("\"${a b}\""), "(text ${a}) !! 1:22 E0201");
  EXPECT_EQ(expr("0..3"), "(<error> 0) !! 1:19 E0226");
  EXPECT_EQ(expr("a as"), "(as a <error-type>) !! 1:22 E0203");
}

} // namespace
} // namespace nlang::syntax
