// Checks a program before it runs: what the code generator made (in debug builds), and what an image file holds.
//
// A verified program keeps the interpreter and the collector inside their own structures:
// - every index (register, constant, global, class, function, file, selector) is in range, every register is used as
// its kind says;
// - jumps land on instructions, control never runs off the end, every way backward is a back-edge, so a program can
// always be stopped;
// - calls pass as many arguments and expect as many results as the callee has, of the same kinds; methods agree with
// those they override
//   and with all others of their selector; all returns of a function agree;
// - a reference register is written on every path before it is read, so a liveness map never names garbage;
// - classes form a forest, their fields and elements are aligned and lie inside their instances.
//
// It does not follow the classes of objects from register to register. That the object in a register has the field,
// virtual method, element kind or leaf that an instruction names is the code generator's word: an image is trusted as a
// native library is, and the verifier guards against damage, not malice. Null, index and cast checks happen at run
// time, in the instructions.
//
// Nothing here recurses, so no program is too deep.
#pragma once

#include <string>

namespace nlang::bytecode {

struct Program;

/// True if the program is sound; its liveness maps have then been computed, because the check of written registers is
/// the same analysis. Otherwise `error` says what is wrong and where.
bool verify(Program& program, std::string& error);

} // namespace nlang::bytecode
