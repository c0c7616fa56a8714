// Captures and uses of variables; flow.h says what the results mean.
#pragma once

#include "sema/symbols.h"
#include "sema/typed_tree.h"
#include "syntax/diagnostic.h"

namespace nlang::sema {

// Fills in captures, capturesThis of the lambdas inside, isCaptured, assignedAfterCapture and isUsed of the variables;
// reports captured `out` parameters and, if `warnings`, unused variables.
void analyzeCaptures(FunctionSymbol* function, syntax::DiagnosticSink& diagnostics, bool warnings);
void analyzeCaptures(Expression* initializer, syntax::DiagnosticSink& diagnostics, bool warnings);

} // namespace nlang::sema
