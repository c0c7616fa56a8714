// Format specifications of interpolations.
#include "sema/format_spec.h"
#include "type_world.h"

namespace nlang::sema {
namespace {

class FormatSpecTest : public TypeWorld {
 protected:
  void good(const Type* type, std::initializer_list<std::string_view> texts) {
    for (std::string_view text : texts) EXPECT_EQ(checkFormatSpec(text, type), "") << text << " for " << typeName(type);
  }
  void bad(const Type* type, std::initializer_list<std::string_view> texts) {
    for (std::string_view text : texts) EXPECT_NE(checkFormatSpec(text, type), "") << text << " for " << typeName(type);
  }
};

TEST_F(FormatSpecTest, EveryPartIsRead) {
  FormatSpec spec;
  ASSERT_EQ(parseFormatSpec("é^+#012.5Lf", spec), "");
  EXPECT_EQ(spec.fill, "é");
  EXPECT_EQ(spec.align, '^');
  EXPECT_EQ(spec.sign, '+');
  EXPECT_TRUE(spec.alternate);
  EXPECT_TRUE(spec.zero);
  EXPECT_EQ(spec.width, 12);
  EXPECT_EQ(spec.precision, 5);
  EXPECT_TRUE(spec.localized);
  EXPECT_EQ(spec.type, 'f');
}

TEST_F(FormatSpecTest, PartsMayBeMissing) {
  FormatSpec spec;
  ASSERT_EQ(parseFormatSpec("", spec), "");
  EXPECT_EQ(spec.width, -1);
  EXPECT_EQ(spec.precision, -1);
  ASSERT_EQ(parseFormatSpec("<<5", spec), "");
  EXPECT_EQ(spec.fill, "<");
  EXPECT_EQ(spec.align, '<');
  ASSERT_EQ(parseFormatSpec(">7", spec), "");
  EXPECT_EQ(spec.fill, "");
  EXPECT_EQ(spec.width, 7);
  ASSERT_EQ(parseFormatSpec(".3", spec), "");
  EXPECT_EQ(spec.precision, 3);
}

// rule: L3.3
TEST_F(FormatSpecTest, Numbers) {
  good(Int, {"", "5", "05", "+d", "#x", "#010b", "<8", "*^8", "o", "X", "B", "c", " d", "L"});
  bad(Int, {"f", ".2", "s", "e", "5.1d", "+c", "#c", "?", "dd", "x5", "{}", "{", "5#"});
  good(ULong, {"x", "020"});
  good(Double, {"", ".2f", "08.3f", "+.1e", "G", "a", "10", ".0f", "#g", "L"});
  bad(Double, {"d", "x", "s", ".f", ".", "c"});
  good(Float, {"6.2f"});
}

// rule: L3.3
TEST_F(FormatSpecTest, TextsBoolsAndChars) {
  good(String, {"", "10", "<10", "-^10", ".3", "s", "10.3s"});
  bad(String, {"d", "+", "#", "05", "f", "L", "c"});
  good(Char, {"", "c", "5", "d", "#x", "*<5"});
  bad(Char, {"s", ".2", "+", "f"});
  good(Bool, {"", "s", "6", "d", "#b"});
  bad(Bool, {"f", "+", "05", "c"});
}

// rule: L3.3
TEST_F(FormatSpecTest, OtherTypesFormatTheirText) {
  for (const Type* type : {Color, Point, Animal, listOf(Int), T, Object}) {
    good(type, {"10", "^20s", ".5"});
    bad(type, {"d", "+5", "f"});
    EXPECT_FALSE(formatsDirectly(type));
  }
  for (const Type* type : {Int, Double, Char, Bool, String}) EXPECT_TRUE(formatsDirectly(type));
}

TEST_F(FormatSpecTest, NumbersAreLimited) {
  good(Int, {"1000000"});
  bad(Int, {"1000001", "99999999999999999999"});
  bad(Double, {".1000001f"});
}

TEST_F(FormatSpecTest, MessagesSayWhatIsWrong) {
  EXPECT_EQ(checkFormatSpec("f", Int), "`f` does not present a value of type int");
  EXPECT_EQ(checkFormatSpec("d", Color), "`d` does not present a value of type the text of Color");
  EXPECT_EQ(checkFormatSpec("y", Int), "`y` is no type of presentation");
  EXPECT_EQ(checkFormatSpec("5中", Int), "`中` is no type of presentation");
  EXPECT_EQ(checkFormatSpec("+", String), "a sign does not go with string");
}

TEST_F(FormatSpecTest, ErrorsPassSilently) { EXPECT_EQ(checkFormatSpec("f", Error), ""); }

} // namespace
} // namespace nlang::sema
