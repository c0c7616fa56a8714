// What the generator knows of a class of the program beyond bytecode::Class.
//
// Classes come into being when code first mentions them, and their methods are compiled only when both is true: an
// instance may exist, and something calls the slot or interface method. `usedSlots` and `usedMethods` hold the second
// half; they flow from bases to subclasses and from interfaces to implementers in either order of events.
#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/program.h"
#include "codegen/instance.h"
#include "codegen/type_layout.h"

namespace nlang::codegen {

struct InterfaceUse {
  sema::FunctionSymbol* method;
  uint32_t selector;
};

// A captured value in a closure: where it stands and whether it is the variable's cell instead of its value.
struct CaptureSlice {
  uint32_t offset;          // bytes from the closure's start
  const TypeLayout* layout; // of the value; of the reference if isCell
  bool isCell;
};

struct ClassRecord {
  enum class Kind : uint8_t {
    kClass,  // a class of the source: `symbol`
    kArray,  // T[]; `symbol` is Array<T>
    kString, // `symbol` is String
    kInterface,
    kEnum,     // holds the member names
    kBox,      // a scalar, enum or struct as an Object
    kFunction, // a func<…> type: the base of its closures
    kClosure,  // the closures of one lambda or function value
    kCell,     // the heap cell of a captured variable
    kHidden,   // the run-time system's own (text buffers)
  } kind;
  const sema::Type* type = nullptr;       // kClosure: the func<…> type; kCell: of the variable; null if kHidden
  sema::ClassSymbol* symbol = nullptr;    // null if there is no declaration
  uint32_t index = 0;                     // in Program::classes
  ClassRecord* super = nullptr;           // null for interfaces, Object and what never is an Object
  std::vector<ClassRecord*> subclasses;   // created so far
  std::vector<ClassRecord*> interfaces;   // all of them
  std::vector<ClassRecord*> implementers; // kInterface: created so far, interfaces that extend it not included
  std::vector<bool> usedSlots;            // of the virtual table: called on this class or a base
  std::vector<InterfaceUse> usedMethods;  // kInterface: methods that something calls
  std::vector<uint32_t> fieldOffsets;     // own instance fields by FieldSymbol::index: bytes from the object's start
  std::vector<const TypeLayout*> fieldLayouts; // of the same
  uint32_t end = 8;                            // first byte behind the fields
  std::vector<CaptureSlice> captures; // kClosure: `this` first if it is captured, then FunctionSymbol::captures
  bool isBound = false;               // kClosure: of a method value
};

} // namespace nlang::codegen
