// Dictionaries and sets: their values, subscripts and loops.
#include "program_check.h"

namespace nlang::sema {
namespace {

// rule: L3.4, L4.10, L5.3, L10.2
TEST(Containers, DictionariesAndSets) {
  expectErrors(R"(
struct P { int x; }
void f(Dict<string, int> d, Set<int> s, Dict<int, P> points, Dict<string, List<int>> lists, Object o, int n) {
    d = {"a": 1, "b": 2}; d = {}; s = {1, 2}; s = [3]; s = {}; points = {1: {x: 2}, 3: {}}; lists = {"a": [1], "b": []}; string key = "k"; d = {key: 1};
    var inferred = {"a": 1, "b": 2.5}; double half = inferred["b"]; o = {key: n}; d = Dict<string, int>{"x": 1}; s = Set<int>{1};
    d["a"] = 1; d["a"] += 2; d["a"]++; n = d["a"] + d.get("b") + d.count(); lists["a"].add(1); lists["a"][0] = 2; lists["a"] = [];
    foreach (string k in d) { key = k; } foreach (string k, int v in d) { n += v; } foreach (var k, var v in lists) { n += v.length(); } foreach (int x in s) { n += x; }
    if (d.tryGet("a", out n)) { n = d.getOr("b", 5); }
    Iterable<string> keys = d; Iterable<int> values = s;
    d["a"] = "x";  //! E0401
    n = d[1];  //! E0401
    d = {"a": "b"};  //! E0401
    d = {1: 1};  //! E0401
    d = {"a", "b"};  //! E0447
    d = ["a"];  //! E0447
    s = {1: 2};  //! E0448
    s = {"a"};  //! E0401
    points[1].x = 2;  //! E0472
    s[0] = 1;  //! E0445
    foreach (int k, int v in d) { }  //! E0401
    foreach (string k, string v in d) { }  //! E0401
    foreach (int a, int b in s) { }  //! E0457
    var none = {"a": null};  //! E0412
    o = {1: "a", "b": 2};  //! E0412
    s.add("x");  //! E0401
    d.size();  //! E0303
}
void g<K, V>(Dict<K, V> d, func<K, V> f) { }
void h() { g({"a": 1}, v => "x"); g({"a": 1}, v => v); }  //! E0401
)");
}

TEST(Containers, SortingNeedsAnOrder) {
  CheckedProgram checked(R"(
class Plain { }
class Ordered implements Comparable<Ordered> { public int compareTo(Ordered o) { return 0; } }
void f(List<Plain> plain, List<Ordered> ordered, int[] numbers, Plain[] array) {
    ordered.sort(); numbers.sort(); plain.sort((Plain a, Plain b) => 0); array.sort((a, b) => 1);
    plain.sort();
    array.sort();
}
void g<T>(List<T> xs) { xs.sort(); }
void h<T : Comparable<T>>(List<T> xs) { xs.sort(); }
)");
  EXPECT_EQ(checked.said(), "test.n:6 E0478\ntest.n:7 E0478\ntest.n:9 E0478\n") << checked.messages();
}

} // namespace
} // namespace nlang::sema
