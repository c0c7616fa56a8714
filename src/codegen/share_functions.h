// One body for equal functions.
//
// Instances of a generic function for several reference types often come out the same. Each class of equal functions
// keeps its first; calls, virtual tables and the rest are redirected, and the others leave the program. Functions
// behind function values stay apart: which function it is decides whether two function values are equal.
#pragma once

namespace nlang::bytecode {
struct Program;
}

namespace nlang::codegen {

void shareEqualFunctions(bytecode::Program& program);

} // namespace nlang::codegen
