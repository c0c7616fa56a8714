// Standard output and input, on pipes.
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "vm/input.h"
#include "vm/output.h"

namespace nlang::vm {
namespace {

class StreamsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
    ASSERT_EQ(::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) > 0, true);
  }
  void TearDown() override {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  std::string readBack() {
    std::string all(1 << 20, '\0');
    ssize_t got = ::read(ends[0], all.data(), all.size());
    all.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return all;
  }
  void feed(std::string_view text) { ASSERT_EQ(writeAll(ends[1], text), 0); }
  void endInput() {
    ::close(ends[1]);
    ends[1] = ::open("/dev/null", O_WRONLY);
  }
  int ends[2];
};

TEST_F(StreamsTest, OutputIsBufferedUntilFlushed) {
  Output output(ends[1]);
  EXPECT_EQ(output.write("one", "\n"), 0);
  EXPECT_EQ(output.write("two"), 0);
  EXPECT_EQ(readBack(), "");
  EXPECT_EQ(output.flush(), 0);
  EXPECT_EQ(readBack(), "one\ntwo");
}

TEST_F(StreamsTest, OutputIsFlushedAtItsEnd) {
  {
    Output(ends[1]).write("last words");
  }
  EXPECT_EQ(readBack(), "last words");
}

TEST_F(StreamsTest, OutputKeepsTheOrderOfLargePieces) {
  std::string large(100'000, 'x'), medium(40'000, 'y');
  Output output(ends[1]);
  output.write("a");
  output.write(large);
  output.write(medium);
  output.write(medium, "z");
  output.flush();
  EXPECT_TRUE(readBack() == "a" + large + medium + medium + "z");
}

TEST_F(StreamsTest, OutputTellsOfErrors) {
  int full = ::open("/dev/full", O_WRONLY);
  Output output(full);
  EXPECT_EQ(output.write("x"), 0);
  EXPECT_EQ(output.flush(), ENOSPC);
  EXPECT_EQ(output.flush(), 0) << "what failed is not tried again";
  ::close(full);
}

TEST_F(StreamsTest, InputGivesLinesWithoutTheirEnds) {
  Input input(ends[0]);
  std::string line;
  feed("one\n\ntwo\r\nthree");
  endInput();
  for (const char* expected : {"one", "", "two", "three"}) {
    ASSERT_EQ(input.readLine(line), Input::Read::kLine);
    EXPECT_EQ(line, expected);
  }
  EXPECT_EQ(input.readLine(line), Input::Read::kEnd);
}

TEST_F(StreamsTest, InputLinesMayBeLongerThanTheBuffer) {
  Input input(ends[0]);
  std::string line, large(200'000, 'q');
  feed(large + "\nshort\n");
  endInput();
  ASSERT_EQ(input.readLine(line), Input::Read::kLine);
  EXPECT_TRUE(line == large);
  ASSERT_EQ(input.readLine(line), Input::Read::kLine);
  EXPECT_EQ(line, "short");
  EXPECT_EQ(input.readLine(line), Input::Read::kEnd);
}

TEST_F(StreamsTest, InputTellsOfErrors) {
  Input input(-1);
  std::string line;
  EXPECT_EQ(input.readLine(line), Input::Read::kError);
}

} // namespace
} // namespace nlang::vm
