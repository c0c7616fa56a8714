// A compiled program as plain data: what the code generator makes, the printer shows, the verifier checks, an image
// file holds and the run-time system loads. Nothing here points into a heap or at run-time structures; everything
// refers by index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/instruction.h"

namespace nlang::bytecode {

constexpr uint32_t kNone = 0xffffffff;

// How a value is stored in fields, arrays, containers: one leaf for a scalar or reference, one for each flattened field
// of a struct. In registers a value takes one register a leaf, consecutive.
enum class StorageKind : uint8_t { kI8, kU8, kI16, kU16, k32, k64, kReference };
constexpr uint32_t storageSize(StorageKind kind) {
  constexpr uint8_t sizes[] = {1, 1, 2, 2, 4, 8, 8};
  return sizes[static_cast<unsigned>(kind)];
}
struct Leaf {
  uint32_t offset; // bytes from the start of the value
  StorageKind kind;
  bool isFloating; // equals and hash treat NaN and zero by value
};
struct ElementLayout {
  uint32_t size = 0; // bytes, a multiple of the alignment
  std::vector<Leaf> leaves;
};

struct ExceptionEntry {
  uint32_t start, end; // instruction range [start, end) in words
  uint32_t classIndex; // what is caught; kNone catches everything (finally)
  uint32_t handler;    // where control goes
  uint16_t reg;        // reference register that receives the exception
  bool skipsCancelled; // a clause for Exception itself, which does not catch CancelledException (L5.7)
};

struct LineEntry {
  uint32_t pc;
  uint32_t line;
}; // the line of instructions from pc on; sorted

// The live reference registers at one safepoint, as a bit set of (registerCount + 63) / 64 words in Function::mapWords.
// An instruction that allocates or loops has one map, of what is live in front of it. A call has two: while it runs,
// keyed by its last word (the word before the return address); and in front of it, keyed by its first word, for a
// context that was preempted there.
struct SafepointMap {
  uint32_t key;
  uint32_t firstWord;
};
constexpr uint32_t beforeKey(uint32_t pc) { return pc * 2; }
constexpr uint32_t insideKey(uint32_t pc) { return pc * 2 + 1; }

enum FunctionFlags : uint16_t {
  kFunctionNative = 1,
  kFunctionBlocking = 2, // blocking native
  kFunctionHidden = 4,   // a thunk: not shown in backtraces
};

struct Function {
  std::string name;  // as in backtraces: module.function, module.Class.method, module.function.lambda
  uint32_t file = 0; // index in Program::files
  uint32_t line = 0; // of the declaration
  uint16_t flags = 0;
  uint16_t parameterCount = 0; // in slots; parameters are registers 0 …; a method's receiver comes first
  uint16_t resultCount = 0;    // in slots: the result, then `out` parameters in order
  uint16_t registerCount = 0;  // at most kMaxRegisters. Natives: parameterCount + resultCount
  std::vector<uint64_t>
      referenceRegisters;        // bit set: which registers are of reference kind. Natives: parameters, then results
  std::vector<Instruction> code; // empty for natives
  std::vector<ExceptionEntry> exceptions; // inner before outer
  std::vector<LineEntry> lines;
  std::string nativeName; // natives: prelude.List.add, io.writeText, …; the key in the run-time system's table
  uint32_t ownerClass =
      kNone; // natives that are members: the (monomorphised) class; static generic natives: see typeClasses
  std::vector<uint32_t> typeClasses; // natives with type arguments: for each the class index of its array type (gives
                                     // layout), in order owner's arguments first
  uint32_t resultClass =
      kNone; // natives whose result is an instance of a class or an array: that class (Future<int> of spawn, …)
  // Computed by liveness (never stored in an image).
  std::vector<SafepointMap> safepoints; // sorted by key
  std::vector<uint64_t> mapWords;

  bool isReference(unsigned reg) const { return (referenceRegisters[reg / 64] >> (reg % 64)) & 1; }
};
constexpr uint32_t kMaxRegisters = 60000;

// What a class is to the run-time system: which C++ structure its instances have, how they are traced.
enum class ClassKind : uint8_t {
#define NLANG_CLASS_KIND(name, meaning) name,
#include "bytecode/class_kinds.def"
#undef NLANG_CLASS_KIND
};

struct InterfaceMethod {
  uint32_t selector;
  uint32_t function;
};
struct EnumMember {
  std::string name;
  int32_t value;
};

struct Class {
  std::string name; // as in messages: IllegalStateException, List<int>, …
  ClassKind kind = ClassKind::kPlain;
  uint32_t superIndex = kNone;
  std::vector<uint32_t> interfaces;       // all of them, inherited ones too
  uint32_t instanceSize = 0;              // kPlain, kException, kClosure, kBox: bytes with header
  std::vector<uint32_t> referenceOffsets; // same kinds: byte offsets of reference fields, inherited ones too
  std::vector<uint32_t> virtualTable;     // function indices; kNone for abstract ones and those that nothing calls
  std::vector<InterfaceMethod> methods;   // of its interfaces
  ElementLayout element; // kArray, kList, kChannel, kFuture, kPromise; kDict: the value; kBox: the boxed value;
                         // kTable: an entry, whose leaves are a k32 at offset 0 (the hash code, 0: removed), those of
                         // the key, those of the value
  ElementLayout key;     // kDict, kSet
  uint32_t arrayClass = kNone;      // kList, kChannel: class index of T[], for storage; kDict, kSet: the kTable class;
                                    // kPromise: the Future<T> class
  uint32_t closureFunction = kNone; // kClosure
  bool isBoundMethod =
      false; // kClosure: equality compares function and receiver (its one captured reference at offset 16)
  std::vector<EnumMember> members; // kEnum (never instantiated; its boxes are kBox)
  uint32_t enumClass = kNone;      // kBox of an enum: its kEnum class, for the text
  bool isAbstract = false;

  // The name in a program's own texts (L2.6): without type arguments.
  std::string_view plainName() const { return std::string_view(name).substr(0, name.find('<')); }
};

struct Constant {
  enum class Kind : uint8_t { kBits, kString, kClosure } kind;
  uint64_t bits = 0; // kBits; kClosure: the class index
  std::string text;  // kString; "" is a real object here, not null: the empty string as an Object
};

// Classes the run-time system itself makes instances of. Always present, at these fixed positions in
// Program::wellKnown.
enum class WellKnown : uint8_t {
#define NLANG_WELL_KNOWN(name, text) name,
#include "bytecode/well_known.def"
#undef NLANG_WELL_KNOWN
  kCount
};

// A test function of a module of tests.
struct Test {
  std::string name;
  uint32_t entry; // like Program::entry; calls the test function in place of main
};

struct Program {
  std::vector<std::string> files; // as in backtraces: file names without folders
  std::vector<Function> functions;
  std::vector<Class> classes;
  std::vector<Constant> constants;
  uint32_t globalCount = 0;
  std::vector<uint64_t> referenceGlobals; // bit set
  std::vector<uint32_t> wellKnown;        // class index of each WellKnown
  uint32_t entry = kNone; // function without parameters that initialises static fields, then calls main and returns its
                          // status as int; kNone if there are tests
  std::vector<Test> tests; // of a module of tests, in textual order
};

} // namespace nlang::bytecode
