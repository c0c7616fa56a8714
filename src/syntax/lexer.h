// Source text → tokens, the whole file at once.
//
// Never fails: what is no token is reported and stands as `Invalid` or as a token with `kBroken`. A file that is not
// UTF-8 gives one error and no tokens but `EndOfFile`.
#pragma once

#include "syntax/token.h"

namespace nlang::base {
class Arena;
class Interner;
} // namespace nlang::base

namespace nlang::syntax {

class DiagnosticSink;
class SourceFile;

/// The result refers to the text of `file`, to `arena` and to `names`.
TokenStream lex(const SourceFile& file, base::Arena& arena, base::Interner& names, DiagnosticSink& sink);

} // namespace nlang::syntax
