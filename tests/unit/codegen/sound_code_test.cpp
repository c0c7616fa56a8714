// Whatever the code generator makes passes the verifier, which also proves that no liveness map names a register before
// it was written.
#include <gtest/gtest.h>

#include "bytecode/program.h"
#include "bytecode/verifier.h"
#include "codegen/codegen.h"
#include "unit/sema/program_check.h"

namespace nlang::codegen {
namespace {

/// Compiles a program and expects sound code. False, without an expectation, if it has errors.
bool isCompiledSoundly(const std::string& text, const std::string& name) {
  sema::CheckedProgram checked(text, {}, true);
  if (checked.sink.hasErrors()) return false;
  bytecode::Program program;
  if (!generate(*checked.checker, checked.program, checked.sources, checked.sink, program)) return false;
  std::string error;
  EXPECT_TRUE(bytecode::verify(program, error)) << name << ": " << error;
  return true;
}

/// The same for one that must compile.
void expectSound(const std::string& text) {
  sema::CheckedProgram checked(text, {}, true);
  ASSERT_FALSE(checked.sink.hasErrors()) << checked.said() << checked.messages();
  bytecode::Program program;
  ASSERT_TRUE(generate(*checked.checker, checked.program, checked.sources, checked.sink, program))
      << checked.messages();
  std::string error;
  EXPECT_TRUE(bytecode::verify(program, error)) << error;
}

std::string repeat(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(SoundCode, OfEveryLanguageTest) {
  std::filesystem::path tests = std::filesystem::path(NLANG_SOURCE_DIR) / "tests";
  unsigned compiled = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests / "lang")) {
    if (entry.path().extension() != ".n") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    compiled += isCompiledSoundly(text.str(), entry.path().string());
  }
  EXPECT_GT(compiled, 150u);
}

TEST(SoundCode, OfAFunctionWhoseJumpsDoNotReach) {
  expectSound("import io;\nvoid main() {\n  int n = 0;\n  string s = \"\";\n  for (int i = 0; i < 3; i++) {\n    if (n "
              "< 5) {\n" +
              repeat("      n += i; s += \"x\"; if (n == 7) { continue; }\n", 20000) +
              "    }\n  }\n  io.print(s);\n}\n");
}

TEST(SoundCode, OfALongLiteral) {
  expectSound("import io;\nvoid main() {\n  List<string> l = [" + repeat("\"a\", \"b\",\n", 50000) +
              "\"c\"];\n  io.print(l.length());\n}\n");
}

TEST(SoundCode, OfManyLocals) {
  std::string text = "import io;\nstring next(int i) { return \"${i}\"; }\nvoid main() {\n", uses;
  for (int i = 0; i < 5000; ++i) {
    std::string name = "s" + std::to_string(i);
    text += "  string " + name + " = next(" + std::to_string(i) + ");\n";
    uses += "  io.print(" + name + ");\n";
  }
  expectSound(text + uses + "}\n");
}

TEST(SoundCode, OfNestedTryStatements) {
  constexpr int kDepth = 60;
  std::string text = "import io;\nint f(int n) {\n  string s = \"\";\n  while (n > 0) {\n";
  for (int i = 0; i < kDepth; ++i) text += "try { s += \"${n}\"; if (n == " + std::to_string(i) + ") { return n; }\n";
  text += "n -= 1;\n";
  for (int i = 0; i < kDepth; ++i) {
    if (i % 3 == 0)
      text += "} finally { s += \"f\"; }\n";
    else if (i % 3 == 1)
      text += "} catch (Exception e) { s += e.message; if (n == 3) { continue; } }\n";
    else
      text += "} catch (IOException e) { throw; } finally { s += \"g\"; n -= 1; }\n";
  }
  expectSound(text + "  }\n  return s.length();\n}\nvoid main() { io.print(f(9)); }\n");
}

TEST(SoundCode, OfAReturnThroughFinally) {
  expectSound(R"(
import io;
string f(int n) {
    try {
        if (n == 1) { return "one"; }
        for (int i = 0; i < n; i++) {
            try {
                if (i == 2) { break; }
                if (i == 3) { continue; }
                if (i == 4) { return "four"; }
            } finally {
                io.print("inner");
            }
        }
    } catch (Exception e) {
        return e.message;
    } finally {
        io.print("outer");
    }
    return "end";
}
void main() { io.print(f(5)); }
)");
}

} // namespace
} // namespace nlang::codegen
