// Groups of functions that agree in all but their callees, merged round by round until nothing changes.
#include "codegen/share_functions.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>
#include <absl/types/span.h>

#include "bytecode/program.h"

namespace nlang::codegen {

using bytecode::Function;
using bytecode::Instruction;
using bytecode::kNone;
using bytecode::Op;

namespace {

// Stands for the function itself in its own code, so that recursive functions can be equal.
constexpr uint32_t kSelf = kNone;

class Sharing {
 public:
  explicit Sharing(bytecode::Program& program) : program_(program), kept_(program.functions.size()) {
    std::iota(kept_.begin(), kept_.end(), 0u);
  }

  void run() {
    findCandidates();
    // Functions that call what has just become one function may be equal now.
    while (mergeOnce()) {
    }
    if (merged_ > 0) compact();
  }

 private:
  // Calls visit(callee) with each function that an instruction names; what it answers is put there.
  template <class Visit> static void visitCallees(std::vector<Instruction>& code, Visit visit) {
    using namespace bytecode;
    for (size_t pc = 0; pc < code.size(); pc += wordCount(code[pc])) {
      Instruction word = code[pc];
      Op op = opOf(word);
      if (info(op).operands[1] == 'F') code[pc] = makeWide(op, aOf(word), visit(uimmBC(word)));
      if (op == Op::call_1)
        code[pc] = makeInstruction(op, aOf(word), static_cast<uint16_t>(visit(bOf(word))), cOf(word));
    }
  }

  // Functions that agree in all but the functions they call, two or more.
  void findCandidates() {
    std::vector<bool> isValue(kept_.size());
    for (const bytecode::Class& type : program_.classes)
      if (type.closureFunction != kNone) isValue[type.closureFunction] = true;
    absl::flat_hash_map<size_t, std::vector<uint32_t>> groups;
    for (uint32_t i = 0; i < kept_.size(); ++i) {
      const Function& f = program_.functions[i];
      if (isValue[i] || f.code.empty()) continue;
      std::vector<Instruction> code = f.code;
      visitCallees(code, [](uint32_t) { return 0u; });
      groups[absl::HashOf(f.name, f.file, f.line, f.flags, f.registerCount, absl::MakeConstSpan(f.referenceRegisters),
                          absl::MakeConstSpan(code))]
          .push_back(i);
    }
    for (auto& [hash, group] : groups)
      if (group.size() > 1) candidates_.push_back(std::move(group));
    std::sort(candidates_.begin(), candidates_.end());
  }

  // A function's code without the functions it calls, and those.
  struct Body {
    std::vector<Instruction> code;
    std::vector<uint32_t> callees;
    bool operator==(const Body&) const = default;
  };

  bool mergeOnce() {
    bool changed = false;
    for (std::vector<uint32_t>& group : candidates_) {
      std::vector<std::pair<uint32_t, Body>> distinct;
      for (uint32_t i : group) {
        Body body = bodyOf(i);
        auto same = std::find_if(distinct.begin(), distinct.end(),
                                 [&](const auto& other) { return other.second == body && agree(other.first, i); });
        if (same == distinct.end()) {
          distinct.emplace_back(i, std::move(body));
          continue;
        }
        kept_[i] = same->first;
        ++merged_;
        changed = true;
      }
      group.clear();
      for (const auto& [i, body] : distinct) group.push_back(i);
    }
    std::erase_if(candidates_, [](const std::vector<uint32_t>& group) { return group.size() < 2; });
    return changed;
  }

  Body bodyOf(uint32_t function) const {
    Body body{program_.functions[function].code, {}};
    visitCallees(body.code, [&](uint32_t callee) {
      uint32_t kept = keptFor(callee);
      body.callees.push_back(kept == function ? kSelf : kept);
      return 0u;
    });
    return body;
  }

  uint32_t keptFor(uint32_t function) const {
    while (kept_[function] != function) function = kept_[function];
    return function;
  }

  // In everything but the code.
  bool agree(uint32_t left, uint32_t right) const {
    const Function &a = program_.functions[left], &b = program_.functions[right];
    auto equalEntries = [](const bytecode::ExceptionEntry& x, const bytecode::ExceptionEntry& y) {
      return x.start == y.start && x.end == y.end && x.classIndex == y.classIndex && x.handler == y.handler &&
             x.reg == y.reg && x.skipsCancelled == y.skipsCancelled;
    };
    auto equalLines = [](const bytecode::LineEntry& x, const bytecode::LineEntry& y) {
      return x.pc == y.pc && x.line == y.line;
    };
    return a.name == b.name && a.file == b.file && a.line == b.line && a.flags == b.flags &&
           a.parameterCount == b.parameterCount && a.resultCount == b.resultCount &&
           a.registerCount == b.registerCount && a.referenceRegisters == b.referenceRegisters &&
           std::equal(a.exceptions.begin(), a.exceptions.end(), b.exceptions.begin(), b.exceptions.end(),
                      equalEntries) &&
           std::equal(a.lines.begin(), a.lines.end(), b.lines.begin(), b.lines.end(), equalLines);
  }

  void compact() {
    std::vector<uint32_t> place(kept_.size());
    std::vector<Function> remaining;
    remaining.reserve(kept_.size() - merged_);
    for (uint32_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i] != i) continue;
      place[i] = static_cast<uint32_t>(remaining.size());
      remaining.push_back(std::move(program_.functions[i]));
    }
    auto moved = [&](uint32_t function) { return function == kNone ? kNone : place[keptFor(function)]; };
    for (Function& f : remaining) visitCallees(f.code, moved);
    for (bytecode::Class& type : program_.classes) {
      for (uint32_t& function : type.virtualTable) function = moved(function);
      for (bytecode::InterfaceMethod& method : type.methods) method.function = moved(method.function);
      type.closureFunction = moved(type.closureFunction);
    }
    program_.entry = moved(program_.entry);
    for (bytecode::Test& test : program_.tests) test.entry = moved(test.entry);
    program_.functions = std::move(remaining);
  }

  bytecode::Program& program_;
  std::vector<uint32_t> kept_;                    // by function: the one that it became, itself if it stays
  std::vector<std::vector<uint32_t>> candidates_; // groups of functions that may still turn out equal
  size_t merged_ = 0;
};

} // namespace

void shareEqualFunctions(bytecode::Program& program) { Sharing(program).run(); }

} // namespace nlang::codegen
