// The standard library is written in NLang, and its bodies are checked only when a program uses them: here all of them
// are.
#include "program_check.h"

namespace nlang::sema {
namespace {

TEST(StandardLibrary, EveryBodyChecks) {
  std::string imports;
  std::filesystem::path folder = std::filesystem::path(NLANG_SOURCE_DIR) / "std";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string stem = entry.path().stem().string();
    if (entry.path().extension() == ".n" && stem != "prelude") imports += "import " + stem + ";\n";
  }
  CheckedProgram checked(imports);
  for (ModuleSymbol* module : checked.program.modules) {
    if (!module->isStandard) continue;
    for (FunctionSymbol* function : module->functions)
      EXPECT_TRUE(checked.checker->ensureBody(function)) << function->name;
    for (ClassSymbol* type : module->classes) {
      for (FunctionSymbol* method : type->methods)
        EXPECT_TRUE(checked.checker->ensureBody(method)) << type->name << "." << method->name;
      for (FunctionSymbol* constructor : type->constructors)
        EXPECT_TRUE(checked.checker->ensureBody(constructor)) << type->name;
    }
  }
  EXPECT_FALSE(checked.sink.hasErrors()) << checked.said() << checked.messages();
}

} // namespace
} // namespace nlang::sema
