// The table of diagnostics shows an example of each: it must provoke that diagnostic, and no other error.
#include "program_check.h"

namespace nlang::sema {
namespace {

TEST(DiagnosticExamples, ShowWhatTheyAreAnExampleOf) {
  for (size_t i = 0; i < syntax::diagnosticCount(); ++i) {
    const syntax::DiagnosticInfo& info = syntax::infoOf(static_cast<syntax::DiagId>(i));
    std::string code = info.code;
    bool isOurs = code[0] == 'W' || (code >= "E03" && code < "E07");
    if (!isOurs || *info.example == '\0') continue;
    CheckedProgram checked(info.example);
    bool isShown = false;
    for (const syntax::Diagnostic* said : checked.sink.sorted()) {
      isShown |= syntax::infoOf(said->id).code == code;
      bool isOther = said->severity == syntax::Severity::Error && syntax::infoOf(said->id).code != code;
      EXPECT_FALSE(isOther) << code << ": " << info.example << "\nsays also " << syntax::infoOf(said->id).code << " "
                            << said->message;
    }
    EXPECT_TRUE(isShown) << code << ": " << info.example;
  }
}

} // namespace
} // namespace nlang::sema
