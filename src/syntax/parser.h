// Tokens → tree, by recursive descent with recovery.
//
// Always gives a module, however broken the text: faults are in the sink, error nodes in the tree. One report for one
// fault: after a report the parser goes on at the next boundary of a statement or member, and nothing is reported twice
// at the same token or right behind a token that the lexer has reported. A program that is nested too deeply gives one
// report, and the tree ends there.
#pragma once

#include "syntax/tree.h"

namespace nlang::base {
class Arena;
class Interner;
} // namespace nlang::base

namespace nlang::syntax {

class DiagnosticSink;
class SourceFile;

/// Statements, expressions and types within each other: so deep the parser itself recurses.
inline constexpr unsigned kMaxNesting = 256;

/// The tree refers to the text of `file`, to `arena` and to `names`; all three must outlive it. Give all modules of a
/// compilation the same `names`, then equal names have equal addresses.
Module* parseModule(const SourceFile& file, base::Arena& arena, base::Interner& names, DiagnosticSink& sink);

} // namespace nlang::syntax
