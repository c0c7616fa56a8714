// Standard output and input, on pipes.
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "vm/input.h"
#include "vm/output.h"

namespace nlang::vm {
namespace {

using Buffer = Output::Buffer;
using Patience = Output::Patience;
constexpr uint64_t kLongest = 1 << 20; // bytes of a line

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
  static std::string readFrom(int descriptor) {
    std::string all(1 << 20, '\0');
    ssize_t got = ::read(descriptor, all.data(), all.size());
    all.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return all;
  }
  std::string readBack() { return readFrom(ends[0]); }
  void feed(std::string_view text) { ASSERT_EQ(::write(ends[1], text.data(), text.size()), text.size()); }
  void endInput() {
    ::close(ends[1]);
    ends[1] = ::open("/dev/null", O_WRONLY);
  }
  int ends[2];
};

TEST_F(StreamsTest, OutputIsBufferedUntilFlushed) {
  Output output(ends[1], Buffer::kLarge);
  EXPECT_EQ(output.write("one", "\n", Patience::kNone), 0);
  EXPECT_EQ(output.write("two", {}, Patience::kNone), 0);
  EXPECT_EQ(readBack(), "");
  EXPECT_EQ(output.flush(Patience::kNone), 0);
  EXPECT_EQ(readBack(), "one\ntwo");
}

TEST_F(StreamsTest, OutputWithoutABufferIsWrittenAtOnce) {
  Output output(ends[1], Buffer::kNone);
  EXPECT_EQ(output.write("one", "\n", Patience::kNone), 0);
  EXPECT_EQ(readBack(), "one\n");
}

TEST_F(StreamsTest, OutputIsFlushedAtItsEnd) {
  {
    Output output(ends[1], Buffer::kLarge);
    output.write("last words", {}, Patience::kNone);
  }
  EXPECT_EQ(readBack(), "last words");
}

TEST_F(StreamsTest, OutputKeepsTheOrderOfLargePieces) {
  std::string large(100'000, 'x'), medium(40'000, 'y');
  Output output(ends[1], Buffer::kLarge);
  output.write("a", {}, Patience::kNone);
  output.write(large, {}, Patience::kNone);
  output.write(medium, {}, Patience::kNone);
  output.write(medium, "z", Patience::kNone);
  output.flush(Patience::kNone);
  EXPECT_TRUE(readBack() == "a" + large + medium + medium + "z");
}

TEST_F(StreamsTest, FullOutputRefusesOrKeepsWholePieces) {
  for (bool own : {true, false}) {
    int sockets[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0); // cannot be opened once more
    ASSERT_GT(::fcntl(ends[1], F_SETPIPE_SZ, 1 << 16), 0);
    int from = own ? ends[0] : sockets[0];
    ::fcntl(from, F_SETFL, O_NONBLOCK);
    for (Buffer buffer : {Buffer::kLarge, Buffer::kNone}) {
      std::string expected, read;
      Output output(own ? ends[1] : sockets[1], buffer);
      int line = 0, error = 0;
      while ((error = output.write(std::to_string(line), "\n", Patience::kNone)) == 0)
        expected += std::to_string(line++) + '\n';
      ASSERT_EQ(error, Output::kFull);
      EXPECT_EQ(output.write("kept", "\n", Patience::kKeeps), 0);
      expected += "kept\n";
      EXPECT_EQ(output.flush(Patience::kNone), Output::kFull);
      while (output.flush(Patience::kNone) == Output::kFull) read += readFrom(from);
      read += readFrom(from);
      EXPECT_TRUE(read == expected);
      EXPECT_EQ(output.write("again", {}, Patience::kNone), 0);
      output.flush(Patience::kNone);
      EXPECT_EQ(readFrom(from), "again");
    }
    ::close(sockets[0]);
    ::close(sockets[1]);
  }
}

TEST_F(StreamsTest, LinesStayWholeWhenTwoWriteToOneFullPipe) {
  ASSERT_GT(::fcntl(ends[1], F_SETPIPE_SZ, 1 << 16), 0);
  Output out(ends[1], Buffer::kLarge), errors(ends[1], Buffer::kNone);
  std::string o(99, 'o'), e(70, 'e'), read;
  for (int i = 0; i < 20'000; ++i) {
    if (out.write(o, "\n", Patience::kNone) == Output::kFull) read += readBack();
    if (i % 3 == 0 && errors.write(e, "\n", Patience::kNone) == Output::kFull) read += readBack();
  }
  out.flush(Patience::kNone);
  errors.flush(Patience::kNone);
  read += readBack();
  for (size_t at = 0; at < read.size(); at = read.find('\n', at) + 1) {
    std::string line = read.substr(at, read.find('\n', at) - at);
    ASSERT_TRUE(line == o || line == e) << line;
  }
}

TEST_F(StreamsTest, ALargePieceOnAFullOutputStaysOne) {
  ASSERT_GT(::fcntl(ends[1], F_SETPIPE_SZ, 1 << 16), 0);
  Output output(ends[1], Buffer::kLarge);
  std::string large(1'000'000, 'x'), read;
  EXPECT_EQ(output.write(large, "\n", Patience::kNone), 0) << "the buffer was empty";
  EXPECT_EQ(output.write("y", {}, Patience::kNone), Output::kFull);
  while (output.flush(Patience::kNone) == Output::kFull) read += readBack();
  EXPECT_EQ(output.write("y", {}, Patience::kNone), 0);
  output.flush(Patience::kNone);
  read += readBack();
  EXPECT_TRUE(read == large + "\ny");
}

TEST_F(StreamsTest, OthersSeeNoChangeOfTheDescriptor) {
  ::fcntl(ends[1], F_SETFL, 0);
  Output output(ends[1], Buffer::kNone);
  output.write("x", {}, Patience::kNone);
  EXPECT_EQ(::fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(StreamsTest, OutputTellsOfErrors) {
  int full = ::open("/dev/full", O_WRONLY);
  Output output(full, Buffer::kLarge);
  EXPECT_EQ(output.write("x", {}, Patience::kNone), 0);
  EXPECT_EQ(output.flush(Patience::kNone), ENOSPC);
  EXPECT_EQ(output.flush(Patience::kNone), 0) << "what failed is not tried again";
  ::close(full);
}

TEST_F(StreamsTest, InputKeepsPartsOfALineUntilTheRestComes) {
  Input input(ends[0]);
  std::string line;
  EXPECT_EQ(input.readLine(line, kLongest), Input::Read::kNothing);
  feed("half");
  EXPECT_EQ(input.readLine(line, kLongest), Input::Read::kNothing);
  feed(" and half\nnext");
  ASSERT_EQ(input.readLine(line, kLongest), Input::Read::kLine);
  EXPECT_EQ(line, "half and half");
  EXPECT_EQ(input.readLine(line, kLongest), Input::Read::kNothing);
  endInput();
  ASSERT_EQ(input.readLine(line, kLongest), Input::Read::kLine);
  EXPECT_EQ(line, "next");
  EXPECT_EQ(input.readLine(line, kLongest), Input::Read::kEnd);
}

TEST_F(StreamsTest, InputGivesLinesWithoutTheirEnds) {
  Input input(ends[0]);
  std::string line;
  feed("one\n\ntwo\r\nthree");
  endInput();
  for (const char* expected : {"one", "", "two", "three"}) {
    ASSERT_EQ(input.readLine(line, kLongest), Input::Read::kLine);
    EXPECT_EQ(line, expected);
  }
  EXPECT_EQ(input.readLine(line, kLongest), Input::Read::kEnd);
}

TEST_F(StreamsTest, InputLinesMayBeLongerThanTheBuffer) {
  Input input(ends[0]);
  std::string line, large(200'000, 'q');
  feed(large + "\nshort\n");
  endInput();
  ASSERT_EQ(input.readLine(line, kLongest), Input::Read::kLine);
  EXPECT_TRUE(line == large);
  ASSERT_EQ(input.readLine(line, kLongest), Input::Read::kLine);
  EXPECT_EQ(line, "short");
  EXPECT_EQ(input.readLine(line, kLongest), Input::Read::kEnd);
}

TEST_F(StreamsTest, AnInputLineBeyondTheLimitIsThrownAway) {
  Input input(ends[0]);
  std::string line;
  feed(std::string(100, 'q') + "\nshort\n");
  EXPECT_EQ(input.readLine(line, 99), Input::Read::kTooLong);
  ASSERT_EQ(input.readLine(line, 100), Input::Read::kLine);
  EXPECT_TRUE(line == std::string(100, 'q')) << "what had not been taken is the next line";
  ASSERT_EQ(input.readLine(line, 5), Input::Read::kLine);
  EXPECT_EQ(line, "short");
}

TEST_F(StreamsTest, InputTellsOfErrors) {
  int folder = ::open("/", O_RDONLY);
  Input input(folder);
  std::string line;
  EXPECT_EQ(input.readLine(line, kLongest), Input::Read::kError);
  EXPECT_EQ(errno, EISDIR);
  ::close(folder);
}

} // namespace
} // namespace nlang::vm
