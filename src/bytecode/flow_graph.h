// The flow of control inside one function: basic blocks, edges between them, and edges to exception handlers.
//
// An instruction that may throw inside the range of an exception entry always starts a block. So whatever control can
// leave for a handler leaves from the start of a block, before anything in that block has been written, and edges to
// handlers need no precision below blocks. An instruction has an edge to the handler of every entry around it, also
// where an inner entry would catch everything.
//
// The function must be well formed: instructions whole, jumps and entries inside the code. The graph is a scratch
// structure, built again for function after function without new memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bytecode/program.h"

namespace nlang::bytecode {

class FlowGraph {
 public:
  struct Block {
    uint32_t start;         // pc of the first instruction
    uint32_t first, last;   // indices of its first and last instruction
    bool throwsIntoHandler; // its first instruction may throw and has an exception entry around it
    bool hasSafepoint;
  };

  void build(const Function& function);

  std::span<const Block> blocks() const { return blocks_; }
  /// pc of instruction `index`, counting instructions.
  uint32_t instruction(uint32_t index) const { return instructions_[index]; }
  std::span<const uint32_t> successors(uint32_t block) const { return edgesFrom(successors_, block); }
  std::span<const uint32_t> predecessors(uint32_t block) const { return edgesFrom(predecessors_, block); }
  /// Indices of the exception entries whose handler is `block`.
  std::span<const uint32_t> entriesHandledBy(uint32_t block) const { return edgesFrom(handled_, block); }
  /// Indices of the exception entries around `pc`, in the order of the table.
  std::span<const uint32_t> entriesAround(uint32_t pc) const;
  /// The block that starts at `pc`, which must be a block's start.
  uint32_t blockAt(uint32_t pc) const { return blockAt_[pc]; }
  /// The first block that starts at or behind `pc`.
  uint32_t firstBlockFrom(uint32_t pc) const;

 private:
  // Lists of numbers, one list for each node, in one array.
  struct Lists {
    std::vector<uint32_t> begin; // of each list, and the end of the last one
    std::vector<uint32_t> items;
  };
  struct Edge {
    uint32_t from, to;
  };

  static std::span<const uint32_t> edgesFrom(const Lists& lists, uint32_t node) {
    return std::span(lists.items).subspan(lists.begin[node], lists.begin[node + 1] - lists.begin[node]);
  }
  /// Sorts edges by `from` into lists, keeping their order otherwise.
  static void fill(Lists& lists, const std::vector<Edge>& edges, uint32_t nodes);

  void findRanges(const Function& function);
  void findBlocks(const Function& function);
  void findEdges(const Function& function);

  std::vector<Block> blocks_; // by rising start
  std::vector<uint32_t> instructions_;
  std::vector<uint32_t> blockAt_; // by pc: the block that starts there, kNone elsewhere
  Lists successors_, predecessors_;
  Lists handled_;
  std::vector<uint32_t> boundaries_; // sorted starts and ends of exception entries
  Lists around_;                     // entries around the code from boundary i to the next
  std::vector<Edge> edges_;          // scratch
};

} // namespace nlang::bytecode
