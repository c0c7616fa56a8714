// Typed tree → bytecode, for the whole program at once.
#pragma once

namespace nlang::bytecode {
struct Program;
}
namespace nlang::sema {
class Checker;
struct TypedProgram;
} // namespace nlang::sema
namespace nlang::syntax {
class DiagnosticSink;
class SourceManager;
} // namespace nlang::syntax

namespace nlang::codegen {

// Compiles what `typed.entries`, of which there is at least one, and the static initialisers can reach into `out`.
// False if something is beyond a limit or not supported; the sink says what.
bool generate(sema::Checker& checker, const sema::TypedProgram& typed, syntax::SourceManager& sources,
              syntax::DiagnosticSink& diagnostics, bytecode::Program& out);

} // namespace nlang::codegen
