// The members of string and StringBuilder, and format specifications.
#include <cmath>

#include "native_test.h"

namespace nlang::lib::test {
namespace {

class StringTest : public NativeTest {
 protected:
  std::string textOf(std::string_view name, const std::vector<Value>& arguments) {
    Outcome outcome = call(name, arguments, 1, true);
    return outcome == Outcome::kReturned ? std::string(resultText()) : thrown(outcome);
  }
  int32_t intOf(std::string_view name, const std::vector<Value>& arguments) {
    EXPECT_EQ(call(name, arguments), Outcome::kReturned);
    return result().i32();
  }
  std::string parsed(std::string_view name, std::string_view from) {
    if (call(name, {text(from)}) != Outcome::kReturned) return typeThrown(Outcome::kThrew);
    return std::to_string(name.ends_with("toInt") ? result().i32() : result().i64());
  }
  std::string doubleOf(std::string_view from) {
    if (call("prelude.String.toDouble", {text(from)}) != Outcome::kReturned) return typeThrown(Outcome::kThrew);
    return std::to_string(result().f64());
  }
};

TEST_F(StringTest, CountsAndDecodesCharacters) {
  EXPECT_EQ(intOf("prelude.String.charCount", {text("aé世")}), 3);
  EXPECT_EQ(intOf("prelude.String.charCount", {text("")}), 0);
  EXPECT_EQ(intOf("prelude.String.charAt", {text("aé世"), number32(3)}), 0x4e16);
  EXPECT_EQ(intOf("prelude.String.charAt", {text("aé世"), number32(2)}), 0xfffd); // in the middle of é
  for (int32_t offset : {-1, 6, INT32_MAX}) {
    EXPECT_EQ(typeThrown(call("prelude.String.charAt", {text("aé世"), number32(offset)})), "IndexOutOfBoundsException");
  }
}

TEST_F(StringTest, Finds) {
  auto indexFrom = [&](int32_t from) {
    return intOf("prelude.String.indexOf(string,int)", {text("abcabc"), text("bc"), number32(from)});
  };
  EXPECT_EQ(intOf("prelude.String.indexOf(string)", {text("abcabc"), text("bc")}), 1);
  EXPECT_EQ(indexFrom(2), 4);
  EXPECT_EQ(indexFrom(-7), 1);
  EXPECT_EQ(indexFrom(5), -1);
  EXPECT_EQ(indexFrom(100), -1);
  EXPECT_EQ(intOf("prelude.String.lastIndexOf", {text("abcabc"), text("bc")}), 4);
  EXPECT_EQ(intOf("prelude.String.lastIndexOf", {text(""), text("bc")}), -1);
  EXPECT_EQ(intOf("prelude.String.contains", {text(""), text("")}), 1);
  EXPECT_EQ(intOf("prelude.String.startsWith", {text("abc"), text("ab")}), 1);
  EXPECT_EQ(intOf("prelude.String.endsWith", {text("abc"), text("ab")}), 0);
}

TEST_F(StringTest, TakesParts) {
  EXPECT_EQ(textOf("prelude.String.substring(int)", {text("abcd"), number32(2)}), "cd");
  EXPECT_EQ(textOf("prelude.String.substring(int)", {text("abcd"), number32(4)}), "");
  EXPECT_EQ(textOf("prelude.String.substring(int,int)", {text("abcd"), number32(1), number32(3)}), "bc");
  EXPECT_EQ(textOf("prelude.String.substring(int,int)", {text(""), number32(0), number32(0)}), "");
  EXPECT_EQ(textOf("prelude.String.substring(int,int)", {text("abcd"), number32(3), number32(1)}),
            "IndexOutOfBoundsException: part from 3 to 1, length 4");
  EXPECT_EQ(typeThrown(call("prelude.String.substring(int)", {text("abcd"), number32(5)})),
            "IndexOutOfBoundsException");
  EXPECT_EQ(typeThrown(call("prelude.String.substring(int)", {text("abcd"), number32(-1)})),
            "IndexOutOfBoundsException");
}

TEST_F(StringTest, TrimsUnicodeSpaceAtBothEnds) {
  EXPECT_EQ(textOf("prelude.String.trim", {text(" \t\n x  y \u00a0\u3000")}), "x  y");
  EXPECT_EQ(textOf("prelude.String.trim", {text(" \t ")}), "");
  EXPECT_EQ(textOf("prelude.String.trim", {text("")}), "");
}

TEST_F(StringTest, SplitKeepsEmptyParts) {
  auto split = [&](std::string_view from, std::string_view separator) {
    EXPECT_EQ(call("prelude.String.split", {text(from), text(separator)}, 1, true), Outcome::kReturned);
    return resultTexts();
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(split("a,b,,c", ","), (Texts{"a", "b", "", "c"}));
  EXPECT_EQ(split(",", ","), (Texts{"", ""}));
  EXPECT_EQ(split("", ","), (Texts{""}));
  EXPECT_EQ(split("a--b", "--"), (Texts{"a", "b"}));
  EXPECT_EQ(typeThrown(call("prelude.String.split", {text("a"), text("")}, 1, true)), "IllegalArgumentException");
}

TEST_F(StringTest, ChangesCaseByUnicodesSimpleMapping) {
  EXPECT_EQ(textOf("prelude.String.toUpper", {text("héß世\xff")}), "HÉß世\xff");
  EXPECT_EQ(textOf("prelude.String.toLower", {text("ÀÉ")}), "àé");
}

TEST_F(StringTest, Replaces) {
  EXPECT_EQ(textOf("prelude.String.replace", {text("aXbX"), text("X"), text("--")}), "a--b--");
  EXPECT_EQ(textOf("prelude.String.replace", {text("aaa"), text("a"), text("")}), "");
  EXPECT_EQ(textOf("prelude.String.replace", {text("abc"), text("X"), text("y")}), "abc");
  EXPECT_EQ(typeThrown(call("prelude.String.replace", {text("abc"), text(""), text("y")}, 1, true)),
            "IllegalArgumentException");
}

TEST_F(StringTest, RepeatsAndPads) {
  EXPECT_EQ(textOf("prelude.String.repeat", {text("ab"), number32(3)}), "ababab");
  EXPECT_EQ(textOf("prelude.String.repeat", {text("ab"), number32(0)}), "");
  EXPECT_EQ(typeThrown(call("prelude.String.repeat", {text("ab"), number32(-1)}, 1, true)), "IllegalArgumentException");
  EXPECT_EQ(typeThrown(call("prelude.String.repeat", {text("abcd"), number32(INT32_MAX)}, 1, true)),
            "OutOfMemoryException");
  EXPECT_EQ(textOf("prelude.String.padLeft", {text("é"), number32(3), number32('0')}), "00é");
  EXPECT_EQ(textOf("prelude.String.padRight", {text(""), number32(2), number32(0x4e16)}), "世世");
  EXPECT_EQ(textOf("prelude.String.padLeft", {text("long"), number32(-2), number32(' ')}), "long");
}

TEST_F(StringTest, NumbersAreStrict) {
  EXPECT_EQ(parsed("prelude.String.toInt", "-2147483648"), "-2147483648");
  EXPECT_EQ(parsed("prelude.String.toInt", "+007"), "7");
  for (const char* wrong :
       {"", "+", "-", "+-1", "--1", " 1", "1 ", "0x10", "1_0", "2147483648", "1.0", "9999999999999"}) {
    EXPECT_EQ(parsed("prelude.String.toInt", wrong), "FormatException") << wrong;
  }
  EXPECT_EQ(parsed("prelude.String.toLong", "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(parsed("prelude.String.toLong", "9223372036854775808"), "FormatException");
  EXPECT_EQ(doubleOf("1.5"), "1.500000");
  EXPECT_EQ(doubleOf("-2e3"), "-2000.000000");
  EXPECT_EQ(doubleOf("+7"), "7.000000");
  EXPECT_EQ(doubleOf("1e999"), "inf");
  for (const char* wrong : {"", ".", "1.", ".5", "1e", "1e+", "inf", "nan", "0x1p3", "1.5f", " 1", "--1", "1.5.2"}) {
    EXPECT_EQ(doubleOf(wrong), "FormatException") << wrong;
  }
  EXPECT_EQ(thrown(call("prelude.String.toInt", {text("12x")})), "FormatException: \"12x\" is not an int");
}

TEST_F(StringTest, GoesToBytesAndBack) {
  ASSERT_EQ(call("prelude.String.toBytes", {text("a\xff")}, 1, true), Outcome::kReturned);
  auto* bytes = result().as<object::Array>();
  EXPECT_EQ(std::string_view(bytes->elements(), bytes->length), "a\xff");
  EXPECT_EQ(textOf("prelude.String.fromBytes", {reference(bytes)}), "a\xff");
  EXPECT_EQ(typeThrown(call("prelude.String.fromBytes", {reference(nullptr)}, 1, true)), "NullPointerException");
  EXPECT_EQ(textOf("prelude.String.fromChar", {number32(0x4e16)}), "世");
}

TEST_F(StringTest, FormatsWithASpecification) {
  auto formatted = [&](const char* type, Value value, std::string_view specification) {
    return textOf(std::string("prelude.Format.format") + type, {value, text(specification)});
  };
  EXPECT_EQ(formatted("Long", number(-42), "05d"), "-0042");
  EXPECT_EQ(formatted("Long", number(255), "#x"), "0xff");
  EXPECT_EQ(formatted("Long", number(0x4e16), "c"), "世");
  EXPECT_EQ(formatted("Long", number(-1), "c"), "FormatException: -1 is not the number of a character");
  EXPECT_EQ(formatted("ULong", number(-1), ""), "18446744073709551615");
  EXPECT_EQ(formatted("Double", floating(3.14159), "8.3f"), "   3.142");
  EXPECT_EQ(formatted("Double", floating(-std::nan("")), ""), "nan");
  EXPECT_EQ(formatted("Double", floating(3), "6"), "     3");
  EXPECT_EQ(formatted("Char", number32('c'), ">3"), "  c");
  EXPECT_EQ(formatted("Char", number32(0x4e16), "x"), "4e16");
  EXPECT_EQ(formatted("Bool", number32(1), ">6"), "  true");
  EXPECT_EQ(formatted("Bool", number32(1), "d"), "1");
  EXPECT_EQ(formatted("String", text("abcdef"), ".3"), "abc");
  EXPECT_EQ(formatted("String", text("x"), "*^5"), "**x**");
  EXPECT_EQ(formatted("String", text("x"), "d").substr(0, 15), "FormatException");
}

TEST_F(StringTest, BuilderGrows) {
  const heap::Class& plain = machine->heap().classes().wellKnown(WellKnown::kObject);
  auto* builder = reinterpret_cast<object::StringBuilder*>(
      machine->heap().allocate(carrier->allocator, plain, sizeof(object::StringBuilder)));
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    expected += "piece";
    ASSERT_EQ(call("prelude.StringBuilder.append", {reference(builder), text("piece")}, 0), Outcome::kReturned);
  }
  EXPECT_EQ(intOf("prelude.StringBuilder.length", {reference(builder)}), 500);
  EXPECT_EQ(textOf("prelude.StringBuilder.toString", {reference(builder)}), expected);
  call("prelude.StringBuilder.clear", {reference(builder)}, 0);
  EXPECT_EQ(textOf("prelude.StringBuilder.toString", {reference(builder)}), "");
}

} // namespace
} // namespace nlang::lib::test
