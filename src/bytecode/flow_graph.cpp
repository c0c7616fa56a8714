#include "bytecode/flow_graph.h"

#include <algorithm>

#include "bytecode/operands.h"

namespace nlang::bytecode {

void FlowGraph::build(const Function& function) {
  findRanges(function);
  findBlocks(function);
  findEdges(function);
}

void FlowGraph::fill(Lists& lists, const std::vector<Edge>& edges, uint32_t nodes) {
  lists.begin.assign(nodes + 1, 0);
  lists.items.resize(edges.size());
  for (const Edge& edge : edges) ++lists.begin[edge.from];
  uint32_t sum = 0;
  for (uint32_t& begin : lists.begin) sum += begin, begin = sum;
  for (size_t i = edges.size(); i-- > 0;) lists.items[--lists.begin[edges[i].from]] = edges[i].to;
}

void FlowGraph::findRanges(const Function& function) {
  boundaries_.clear();
  edges_.clear();
  for (const ExceptionEntry& entry : function.exceptions) {
    boundaries_.push_back(entry.start);
    boundaries_.push_back(entry.end);
  }
  std::sort(boundaries_.begin(), boundaries_.end());
  boundaries_.erase(std::unique(boundaries_.begin(), boundaries_.end()), boundaries_.end());
  for (uint32_t e = 0; e < function.exceptions.size(); ++e) {
    auto at = std::lower_bound(boundaries_.begin(), boundaries_.end(), function.exceptions[e].start);
    for (; at != boundaries_.end() && *at < function.exceptions[e].end; ++at)
      edges_.push_back({static_cast<uint32_t>(at - boundaries_.begin()), e});
  }
  fill(around_, edges_, static_cast<uint32_t>(boundaries_.size()));
}

std::span<const uint32_t> FlowGraph::entriesAround(uint32_t pc) const {
  auto behind = std::upper_bound(boundaries_.begin(), boundaries_.end(), pc);
  if (behind == boundaries_.begin()) return {};
  return edgesFrom(around_, static_cast<uint32_t>(behind - boundaries_.begin() - 1));
}

uint32_t FlowGraph::firstBlockFrom(uint32_t pc) const {
  auto found =
      std::lower_bound(blocks_.begin(), blocks_.end(), pc, [](const Block& b, uint32_t at) { return b.start < at; });
  return static_cast<uint32_t>(found - blocks_.begin());
}

void FlowGraph::findBlocks(const Function& function) {
  constexpr uint32_t kLeader = 0;
  const std::vector<Instruction>& code = function.code;
  auto size = static_cast<uint32_t>(code.size());
  instructions_.clear();
  blockAt_.assign(size + 1, kNone);
  blockAt_[0] = kLeader;
  for (const ExceptionEntry& entry : function.exceptions) blockAt_[entry.handler] = kLeader;
  for (uint32_t pc = 0; pc < size;) {
    instructions_.push_back(pc);
    Op op = opOf(code[pc]);
    uint32_t next = pc + wordCount(code[pc]);
    visitJumps(&code[pc], [&](int32_t distance) { blockAt_[pc + static_cast<uint32_t>(distance)] = kLeader; });
    if (info(op).flags & (kJumps | kEnds)) blockAt_[next] = kLeader;
    if (!boundaries_.empty() && mayThrow(op) && !entriesAround(pc).empty()) blockAt_[pc] = kLeader;
    pc = next;
  }
  blocks_.clear();
  for (uint32_t i = 0; i < instructions_.size(); ++i) {
    uint32_t pc = instructions_[i];
    Op op = opOf(code[pc]);
    if (blockAt_[pc] == kLeader) {
      blockAt_[pc] = static_cast<uint32_t>(blocks_.size());
      bool throws = !boundaries_.empty() && mayThrow(op) && !entriesAround(pc).empty();
      blocks_.push_back({pc, i, i, throws, false});
    }
    blocks_.back().last = i;
    if (info(op).flags & kSafepoint) blocks_.back().hasSafepoint = true;
  }
}

void FlowGraph::findEdges(const Function& function) {
  const std::vector<Instruction>& code = function.code;
  auto count = static_cast<uint32_t>(blocks_.size());
  edges_.clear();
  for (uint32_t b = 0; b < count; ++b) {
    uint32_t pc = instructions_[blocks_[b].last];
    visitJumps(&code[pc],
               [&](int32_t distance) { edges_.push_back({b, blockAt_[pc + static_cast<uint32_t>(distance)]}); });
    if (!(info(opOf(code[pc])).flags & kEnds) && b + 1 < count) edges_.push_back({b, b + 1});
  }
  fill(successors_, edges_, count);
  for (Edge& edge : edges_) std::swap(edge.from, edge.to);
  fill(predecessors_, edges_, count);
  edges_.clear();
  for (uint32_t e = 0; e < function.exceptions.size(); ++e)
    edges_.push_back({blockAt_[function.exceptions[e].handler], e});
  fill(handled_, edges_, count);
}

} // namespace nlang::bytecode
