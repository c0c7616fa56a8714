// What the tests of this room share: a text, its tokens, its tree, what was reported.
#pragma once

#include "base/arena.h"
#include "base/intern.h"
#include "syntax/diagnostic.h"
#include "syntax/lexer.h"
#include "syntax/parser.h"
#include "syntax/print_tree.h"
#include "syntax/source.h"
#include "syntax/tree.h"

#include <string>
#include <string_view>

namespace nlang::syntax {

class Text {
 public:
  explicit Text(std::string text) : file_(sources_.add("test.n", std::move(text)).file) {}

  TokenStream lex() { return syntax::lex(*file_, arena_, names_, sink_); }
  Module* parse() { return parseModule(*file_, arena_, names_, sink_); }

  /// Kinds of the tokens as messages name them, names and numbers with their text: "`int` x `=` 1".
  std::string tokens();

  const SourceFile& file() const { return *file_; }
  const DiagnosticSink& sink() const { return sink_; }
  std::string rendered() const { return renderDiagnostics(sources_, sink_); }
  /// Every report as `LINE:COLUMN CODE`, separated by blanks.
  std::string reports() const;

 private:
  SourceManager sources_;
  base::Arena arena_;
  base::Interner names_;
  DiagnosticSink sink_;
  const SourceFile* file_;
};

/// The printed tree without its `(module …)`, and behind it the reports if there are any: "TREE !! REPORTS".
std::string tree(std::string text);
/// The same for the statements of a function's body, and for one expression.
std::string body(const std::string& statements);
std::string expr(const std::string& expression);
/// Only the reports.
std::string reports(std::string text);

} // namespace nlang::syntax
