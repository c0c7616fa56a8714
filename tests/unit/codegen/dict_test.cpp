// Which keys the run-time system looks up alone, and what the code for that is.
#include "unit/codegen/generated.h"

namespace nlang::codegen {
namespace {

using bytecode::Op;

// A program that puts a key of `type` into a dictionary of a function `f` and reads it there.
std::string programWithKey(const std::string& declarations, const std::string& type, const std::string& key) {
  return declarations + "\nint f(Dict<" + type + ", int> d, " + type +
         " k) { d[k] = 1; return d[k]; }\nvoid main() { f({}, " + key + "); }\n";
}

TEST(DictCode, PlainKeysAreOneInstruction) {
  const char* structs = R"(
enum Color { Red }
struct Inner { string text; float weight; }
struct Key { int id; Inner inner; Color color; }
)";
  for (auto [type, key] : {std::pair{"int", "1"},
                           {"bool", "true"},
                           {"double", "0.5"},
                           {"char", "'a'"},
                           {"string", "\"a\""},
                           {"Color", "Color.Red"},
                           {"Inner", "Inner{}"},
                           {"Key", "Key{}"}}) {
    Generated made(programWithKey(structs, type, key));
    EXPECT_EQ(made.count("test.f", Op::call_find), 1u) << type;
    EXPECT_EQ(made.count("test.f", Op::call_put), 1u) << type;
    EXPECT_EQ(made.find("prelude.HashTable.locate"), nullptr) << type;
  }
}

TEST(DictCode, KeysWithCodeAreLookedUpByTheLibrary) {
  const char* types = R"(
class Node { }
interface Named { string name(); }
struct Own { int id; public int hashCode() { return id; } }
struct Outer { Own own; }
enum Size { Small; public bool equals(Object other) { return true; } }
)";
  for (auto [type, key] : {std::pair{"Node", "Node()"},
                           {"Object", "1"},
                           {"Named", "null"},
                           {"int[]", "[1]"},
                           {"Own", "Own{}"},
                           {"Outer", "Outer{}"},
                           {"Size", "Size.Small"},
                           {"func<int>", "() => 1"}}) {
    Generated made(programWithKey(types, type, key));
    EXPECT_EQ(made.count("test.f", Op::call_find), 0u) << type;
    EXPECT_EQ(made.count("test.f", Op::call_put), 0u) << type;
    EXPECT_NE(made.find("prelude.HashTable.locate"), nullptr) << type;
  }
}

TEST(DictCode, SetsUseTheSameInstructions) {
  Generated made(R"(
bool f(Set<string> s, string x) { return s.add(x) && s.contains(x); }
void main() { f({}, ""); }
)");
  EXPECT_EQ(made.count("test.f", Op::call_put), 1u);
  EXPECT_EQ(made.count("test.f", Op::call_find), 1u);
}

TEST(DictCode, EntriesArePacked) {
  Generated made(R"(
struct Mixed { byte b; double d; short s; }
void main() {
    Dict<long, int> a = {};
    Dict<int, byte> b = {};
    Dict<string, Mixed> c = {};
    Set<short> d = {};
}
)");
  auto sizeOf = [&](const char* name) {
    const bytecode::Class* table = made.findClass(name);
    return table == nullptr ? 0 : table->element.size;
  };
  EXPECT_EQ(sizeOf("table of Dict<long, int>"), 16u);
  EXPECT_EQ(sizeOf("table of Dict<int, byte>"), 12u);
  EXPECT_EQ(sizeOf("table of Dict<string, Mixed>"), 24u);
  EXPECT_EQ(sizeOf("table of Set<short>"), 8u);
}

} // namespace
} // namespace nlang::codegen
