// The whole program while it is compiled: instances and the queue of those still to be compiled, classes, constants,
// globals.
//
// Everything that is asked for by meaning (the function for an instance, the class of a type, the constant with a text)
// is made on first request and has its index from then on; bodies are compiled later, in the order of the requests, so
// that equal sources give equal programs. After the first error nothing more is compiled.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "bytecode/program.h"
#include "codegen/class_record.h"
#include "codegen/instance.h"
#include "codegen/known_symbols.h"
#include "codegen/type_layout.h"
#include "sema/checker.h"
#include "sema/conversions.h"

namespace nlang::codegen {

struct Signature;

class ProgramGenerator {
 public:
  ProgramGenerator(sema::Checker& checker, const sema::TypedProgram& typed, syntax::SourceManager& sources,
                   syntax::DiagnosticSink& diagnostics, bytecode::Program& out);

  bool run();

  sema::Checker& checker() { return checker_; }
  sema::TypeTable& types() { return checker_.types(); }
  const sema::TypedProgram& typed() const { return typed_; }
  const KnownSymbols& known() const { return known_; }
  const sema::Conversions& conversions() const { return conversions_; }
  const sema::Type* simple(sema::TypeKind kind) { return types().simple(kind); }
  const sema::Type* objectType() const { return known_.classes.object->selfType; }

  // ---- types
  // The layout of a concrete type; `range` is where a program that wants a value too large is told so.
  const TypeLayout& layout(const sema::Type* type, syntax::SourceRange range = {});
  // `type` seen as an instance of its base class, interface, or itself.
  const sema::Type* asSuper(const sema::Type* type, sema::ClassSymbol* base);
  // `type` with its parameters replaced; T[] and string for the classes that hold their members.
  const sema::Type* canonical(const sema::Type* type, const sema::Substitution& substitution);
  // The type parameters of the class behind a concrete type.
  std::span<sema::TypeParameterSymbol* const> typeParametersOf(const sema::Type* type) const;
  // func<void, …> of the list, null for none.
  const sema::Type* listOf(std::span<const sema::Type* const> list);

  // ---- functions (program_generator.cpp, naming.cpp)
  uint32_t function(const Instance& instance, syntax::SourceRange usedAt = {});
  // A function of the source. `owner` is the concrete type of its class, or null.
  uint32_t function(sema::FunctionSymbol* symbol, const sema::Type* owner, std::span<const sema::Type* const> arguments,
                    syntax::SourceRange usedAt);
  // A native for one select statement; see select.cpp.
  uint32_t selectNative(const Signature& signature, syntax::SourceRange range);
  std::span<sema::FieldSymbol* const> initializerStretch(uint32_t number) const { return stretches_[number]; }
  uint32_t stretchCount() const { return static_cast<uint32_t>(stretches_.size()); }
  // The instruction that calls it: call, or one that does the same quicker.
  bytecode::Op callOf(uint32_t function) const {
    auto found = quickCalls_.find(function);
    return found == quickCalls_.end() ? bytecode::Op::call : found->second;
  }
  // Whether hash code and equality of such a key follow from its value alone, without code of the program.
  bool isPlainKey(const sema::Type* type);
  // Whether construction by `constructor` does nothing beyond making the zeroed object.
  bool isTrivialConstructor(sema::FunctionSymbol* constructor);

  // ---- classes (classes.cpp)
  // The class of a reference, string, or interface type; the enum class of an enum (its boxes are boxOf).
  ClassRecord& classOf(const sema::Type* type);
  ClassRecord& boxOf(const sema::Type* type);
  ClassRecord& cellOf(const sema::Type* type);
  ClassRecord& wellKnown(bytecode::WellKnown which);
  // The class of the closures of `function` (an instance that takes its closure first) whose values have type `type`.
  ClassRecord& closureOf(const Instance& function, const sema::Type* type,
                         std::span<const CaptureSlice> unplacedCaptures);
  ClassRecord& closureOf(const Instance& function) { return *closures_.at(function); }
  void useSlot(ClassRecord& record, uint32_t slot);
  uint32_t selector(ClassRecord& interface, sema::FunctionSymbol* method);
  uint32_t fieldOffset(ClassRecord& record, const sema::FieldSymbol* field);

  // ---- constants and globals
  uint32_t stringConstant(std::string_view text);
  uint32_t bitsConstant(uint64_t bits);
  uint32_t closureConstant(ClassRecord& closure);
  uint32_t global(const sema::FieldSymbol* field);

  // ---- places in the source
  uint32_t lineOf(syntax::SourceRange range);
  uint32_t lineOfCall(const sema::CallExpression& call); // of the name that is called
  uint32_t fileIndex(uint32_t file);
  std::string functionName(const Instance& instance);
  std::string calleeName(bytecode::Op call, uint32_t target); // for a message; slow
  std::string typeText(const sema::Type* type);               // of bounded length

  // ---- errors
  template <class... Args> void fail(syntax::DiagId id, syntax::SourceRange range, const Args&... args) {
    diagnostics_.report(id, range, args...);
    failed_ = true;
  }
  bool failed() const { return failed_; }

 private:
  void makeWellKnown();
  ClassRecord& makeHidden(bytecode::WellKnown which);
  void splitInitialization();
  void compile(const Instance& instance, uint32_t index);
  void describeNative(const Instance& instance, bytecode::Function& out);
  static void describeRegisters(const Signature& signature, bytecode::Function& out);
  std::string nativeName(const sema::FunctionSymbol* function);
  void appendTypeText(const sema::Type* type, std::string& text);

  ClassRecord& newRecord(ClassRecord::Kind kind, const sema::Type* type, bytecode::ClassKind structure);
  bytecode::Class& data(const ClassRecord& record) { return out_.classes[record.index]; }
  void setSuper(ClassRecord& record, ClassRecord* super);
  void addInterface(ClassRecord& record, const sema::Type* type);
  void addInterfacesOf(ClassRecord& record, const sema::Type* type);
  void finishRecord(ClassRecord& record);
  ClassRecord& makeClass(const sema::Type* type);
  void describeContainer(ClassRecord& record);
  void layOutFields(ClassRecord& record);
  void addReferences(ClassRecord& record, const TypeLayout& layout, uint32_t offset);
  uint32_t slotFunction(ClassRecord& record, uint32_t slot);
  uint32_t methodFunction(ClassRecord& record, ClassRecord& interface, sema::FunctionSymbol* method);
  void fillSlot(ClassRecord& record, uint32_t slot);
  void addMethod(ClassRecord& record, ClassRecord& interface, const InterfaceUse& use);
  bool canHaveInstances(const ClassRecord& record);

  sema::Checker& checker_;
  const sema::TypedProgram& typed_;
  syntax::SourceManager& sources_;
  syntax::DiagnosticSink& diagnostics_;
  bytecode::Program& out_;
  KnownSymbols known_;
  sema::Conversions conversions_;
  LayoutTable layouts_;
  bool failed_ = false;
  const sema::ClassSymbol* tooDeep_ = nullptr; // a class beyond the limit; reported if no function that leads there is

  struct Request {
    Instance instance;
    uint32_t index; // in Program::functions
  };
  absl::flat_hash_map<Instance, uint32_t> functions_;
  absl::flat_hash_map<uint32_t, bytecode::Op> quickCalls_;     // natives with an instruction of their own
  std::deque<Request> queue_;                                  // bodies still to be compiled
  std::vector<std::span<sema::FieldSymbol* const>> stretches_; // static initialisers, one module's at a time
  absl::flat_hash_map<const sema::FunctionSymbol*, bool> trivialConstructors_;

  std::deque<ClassRecord> records_; // by class index
  absl::flat_hash_map<const sema::Type*, ClassRecord*> classes_;
  absl::flat_hash_map<const sema::Type*, ClassRecord*> boxes_;
  absl::flat_hash_map<const sema::Type*, ClassRecord*> cells_;
  absl::flat_hash_map<Instance, ClassRecord*> closures_;
  uint32_t selectors_ = 0;

  absl::flat_hash_map<std::string, uint32_t> strings_;
  absl::flat_hash_map<uint64_t, uint32_t> bits_;
  absl::flat_hash_map<uint32_t, uint32_t> closureConstants_; // by class index
  absl::flat_hash_map<const sema::FieldSymbol*, uint32_t> globals_;
  absl::flat_hash_map<uint32_t, uint32_t> files_; // by source file id
  uint32_t lineFile_ = 0;                         // the line that was asked for last: its file, its extent, its number
  uint32_t lineBegin_ = 0, lineEnd_ = 0, line_ = 0;
};

} // namespace nlang::codegen
