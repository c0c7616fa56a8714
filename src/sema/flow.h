// What is true along the paths of a typed body: definite assignment (L6.4), reachability, jumps out of `finally`
// (L5.5), captures (L4.8).
//
// Both analyses run once over each finished body, after the body has been checked, also if it had errors: they skip
// what has the error type and never report in code that cannot run. They are the only ones to report
//   - reads of unassigned locals, `out` parameters unassigned at a return, missing returns,
//   - assignments to `const` locals and to fields of struct values that such locals hold,
//   - `return`, `break`, `continue` out of a `finally`,
//   - captured `out` parameters,
//   - the warnings on unreachable code and unused variables,
// and the only ones to set VariableSymbol::isCaptured, assignedAfterCapture, FunctionSymbol::captures and capturesThis.
//
// assignedAfterCapture: an assignment inside a lambda that captures the variable always counts. One in the variable's
// own function counts if it stands behind the creation of a lambda that captures the variable, or if both stand in a
// loop that does not contain the variable's declaration. A variable that is declared in a loop's body, or is the
// variable of a `foreach`, is a fresh one in each iteration. A variable of a `for (;;)` header is fresh too: the
// instance of an iteration begins with the copy and the update clause and ends with the body, so an update is no
// assignment after the capture of the previous instance. The rule for the code generator:
//   - assignedAfterCapture false: the variable is a register; a lambda copies its value; a `for` update changes the
//   register in place.
//   - assignedAfterCapture true: the variable is a cell from its declaration; a `for` makes a new cell, holding the old
//   one's value,
//     before the update clause (in `continue` too).
// A struct's variable counts as assigned, in this sense, when one of its fields is. (For definite assignment it must
// have a value first.)
//
// What the checker leaves for them: a local whose initialiser was in error has an initialiser or the error type; a use
// of a local that leaves no LocalExpression behind (a constant that was folded) sets isUsed. Default values that a call
// was given are the very tree of the callee's ParameterDefault and are analysed with the callee, not with the call.
#pragma once

#include "sema/symbols.h"
#include "sema/typed_tree.h"
#include "syntax/diagnostic.h"

namespace nlang::sema {

struct FlowOptions {
  bool warnings = true; // report warnings too (not for std/)
};

// A function, method or constructor, with the lambdas inside it, its default values and its superCall.
void analyzeFlow(FunctionSymbol* function, syntax::DiagnosticSink& diagnostics, const FlowOptions& options = {});
// The initialiser of a field or module variable, which may hold lambdas.
void analyzeFlow(Expression* initializer, syntax::DiagnosticSink& diagnostics, const FlowOptions& options = {});

} // namespace nlang::sema
