// Any bytes as a source file through the parser: no crash, a tree with ranges inside the file that can be walked by
// recursion, a report for every error node, and diagnostics that can be printed.
#include "base/arena.h"
#include "base/intern.h"
#include "fuzz/mutator_hooks.h"
#include "syntax/diagnostic.h"
#include "syntax/parser.h"
#include "syntax/print_tree.h"
#include "syntax/source.h"
#include "syntax/tree.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace nlang;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void checkRange(const syntax::Node* node, std::size_t size) {
  require(node->range.file == 1 && node->range.begin <= node->range.end && node->range.end <= size);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  syntax::SourceManager sources;
  syntax::DiagnosticSink sink;
  base::Arena arena;
  base::Interner names;
  const syntax::LoadResult loaded = sources.add("fuzz.n", std::string(reinterpret_cast<const char*>(data), size));
  const syntax::Module* module = parseModule(*loaded.file, arena, names, sink);
  for (const syntax::ImportDecl* import : module->imports) checkRange(import, size);
  for (const syntax::Decl* decl : module->declarations) checkRange(decl, size);
  // The printer visits every node.
  const std::string printed = printTree(module);
  require(printed.starts_with("(module"));
  // A tree with error nodes comes with a report.
  const bool hasErrorNodes =
      printed.find("<error") != std::string::npos || printed.find("<missing>") != std::string::npos;
  const bool isText = printed.find('"') != std::string::npos; // then the words may be the program's own
  require(!hasErrorNodes || isText || sink.hasErrors());
  renderDiagnostics(sources, sink);
  return 0;
}
