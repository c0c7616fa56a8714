// Any bytes go through lexer, parser and the rendering of diagnostics: no crash, no hang, and a tree always.
#include "base/arena.h"
#include "base/intern.h"
#include "syntax/diagnostic.h"
#include "syntax/parser.h"
#include "syntax/source.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace nlang;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  syntax::SourceManager sources;
  syntax::DiagnosticSink sink;
  base::Arena arena;
  base::Interner names;
  std::string text(reinterpret_cast<const char*>(data), size);
  const syntax::SourceFile* file = sources.add("fuzz.n", std::move(text)).file;
  if (!file) return 0;
  if (!syntax::parseModule(*file, arena, names, sink)) std::abort();
  syntax::renderDiagnostics(sources, sink);
  return 0;
}
