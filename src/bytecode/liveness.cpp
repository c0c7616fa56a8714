#include "bytecode/liveness.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/planted_fault.h"
#include "bytecode/operands.h"

namespace nlang::bytecode {

namespace {

// Rows of one function, and its maps, may take a gibibyte each.
constexpr uint64_t kMaxWords = uint64_t{1} << 27;

void setBit(std::vector<uint64_t>& bits, unsigned i) { bits[i / 64] |= uint64_t{1} << (i % 64); }
void clearBit(std::vector<uint64_t>& bits, unsigned i) { bits[i / 64] &= ~(uint64_t{1} << (i % 64)); }

uint64_t hashOf(const std::vector<uint64_t>& words) {
  uint64_t hash = 0;
  for (uint64_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15, hash ^= hash >> 29;
  return hash;
}

} // namespace

bool Liveness::compute(Function& function) {
  function.safepoints.clear();
  function.mapWords.clear();
  neverWritten_.clear();
  if (function.code.empty()) return true;
  graph_.build(function);
  findOccurrences(function);
  if (!chooseColumns(function)) return false;
  for (uint32_t group = 0; group < groups_; ++group) follow(function, group);
  for (uint32_t column = 0; column < columns_.size(); ++column) {
    bool isLiveAtEntry = rows_[column / 64 * graph_.blocks().size()] >> (column % 64) & 1;
    if (isLiveAtEntry && columns_[column] >= function.parameterCount) neverWritten_.push_back(columns_[column]);
  }
  return makeMaps(function);
}

// Notes for each block the reference registers that it reads before it writes them, and those that it writes.
void Liveness::findOccurrences(const Function& function) {
  reads_.clear();
  writes_.clear();
  readIn_.assign(function.registerCount, 0);
  writtenIn_.assign(function.registerCount, 0);
  uint32_t number = 0;
  for (const FlowGraph::Block& block : graph_.blocks()) {
    uint32_t b = number++;
    for (uint32_t i = block.first; i <= block.last; ++i) {
      visitRegisters(
          &function.code[graph_.instruction(i)],
          [&](uint16_t reg) {
            if (!function.isReference(reg) || readIn_[reg] == b + 1 || writtenIn_[reg] == b + 1) return;
            readIn_[reg] = b + 1;
            reads_.push_back({reg, b});
          },
          [&](uint16_t reg) {
            if (!function.isReference(reg) || writtenIn_[reg] == b + 1) return;
            writtenIn_[reg] = b + 1;
            writes_.push_back({reg, b});
          });
    }
  }
  sortByRegister(reads_, readsOf_, function.registerCount);
  sortByRegister(writes_, writesOf_, function.registerCount);
}

void Liveness::sortByRegister(const std::vector<Occurrence>& from, ByRegister& to, unsigned registers) {
  to.begin.assign(registers + 1, 0);
  to.blocks.resize(from.size());
  for (const Occurrence& o : from) ++to.begin[o.reg];
  uint32_t sum = 0;
  for (uint32_t& begin : to.begin) sum += begin, begin = sum;
  for (size_t i = from.size(); i-- > 0;) to.blocks[--to.begin[from[i].reg]] = from[i].block;
}

bool Liveness::chooseColumns(const Function& function) {
  columns_.clear();
  for (unsigned reg = 0; reg < function.registerCount; ++reg)
    if (readsOf_.begin[reg] != readsOf_.begin[reg + 1]) columns_.push_back(static_cast<uint16_t>(reg));
  groups_ = static_cast<uint32_t>((columns_.size() + 63) / 64);
  uint64_t words = uint64_t{groups_} * graph_.blocks().size();
  if (words > kMaxWords) return false;
  rows_.assign(words, 0);
  return true;
}

void Liveness::follow(const Function& function, uint32_t group) {
  auto blocks = graph_.blocks();
  auto count = static_cast<uint32_t>(blocks.size());
  uint64_t* row = rows_.data() + size_t{group} * count;
  written_.assign(count, 0);
  caught_.assign(function.exceptions.size(), 0);
  for (uint32_t i = 0; i < 64 && group * 64 + i < columns_.size(); ++i) {
    uint16_t reg = columns_[group * 64 + i];
    uint64_t bit = uint64_t{1} << i;
    for (uint32_t at = writesOf_.begin[reg]; at < writesOf_.begin[reg + 1]; ++at) written_[writesOf_.blocks[at]] |= bit;
    for (uint32_t at = readsOf_.begin[reg]; at < readsOf_.begin[reg + 1]; ++at) row[readsOf_.blocks[at]] |= bit;
  }
  auto first = columns_.begin() + group * 64;
  auto last = columns_.begin() + std::min<ptrdiff_t>(std::ssize(columns_), group * 64 + 64);
  for (size_t e = 0; e < function.exceptions.size(); ++e) {
    auto found = std::lower_bound(first, last, function.exceptions[e].reg);
    if (found != last && *found == function.exceptions[e].reg) caught_[e] = uint64_t{1} << (found - first);
  }
  for (uint32_t b = count; b-- > 0;) {
    row[b] = liveAtStart(function, group, b);
    for (uint32_t to : graph_.successors(b))
      if (to <= b) work_.push_back(b);
  }
  while (!work_.empty()) {
    uint32_t b = work_.back();
    work_.pop_back();
    uint64_t live = liveAtStart(function, group, b);
    if (live == row[b]) continue;
    row[b] = live;
    pushPredecessors(function, b);
  }
}

// What the rows of the blocks that may follow make live at the start of `block`, and what is known already.
uint64_t Liveness::liveAtStart(const Function& function, uint32_t group, uint32_t block) const {
  const uint64_t* row = rows_.data() + size_t{group} * graph_.blocks().size();
  uint64_t live = 0;
  for (uint32_t to : graph_.successors(block)) live |= row[to];
  live &= ~written_[block];
  if (graph_.blocks()[block].throwsIntoHandler)
    for (uint32_t e : graph_.entriesAround(graph_.blocks()[block].start))
      live |= row[graph_.blockAt(function.exceptions[e].handler)] & ~caught_[e];
  return live | row[block];
}

void Liveness::pushPredecessors(const Function& function, uint32_t block) {
  for (uint32_t from : graph_.predecessors(block)) work_.push_back(from);
  auto blocks = graph_.blocks();
  for (uint32_t e : graph_.entriesHandledBy(block)) {
    const ExceptionEntry& entry = function.exceptions[e];
    for (uint32_t b = graph_.firstBlockFrom(entry.start); b < blocks.size() && blocks[b].start < entry.end; ++b)
      if (blocks[b].throwsIntoHandler) work_.push_back(b);
  }
}

// Adds the registers that are live at the start of `block`.
void Liveness::addRow(uint32_t block, std::vector<uint64_t>& live) const {
  size_t blocks = graph_.blocks().size();
  for (uint32_t group = 0; group < groups_; ++group)
    for (uint64_t bits = rows_[group * blocks + block]; bits != 0; bits &= bits - 1)
      setBit(live, columns_[group * 64 + static_cast<unsigned>(std::countr_zero(bits))]);
}

// Adds what the handlers of the instruction at `pc` need.
void Liveness::addHandlers(const Function& function, uint32_t pc, std::vector<uint64_t>& live) {
  for (uint32_t e : graph_.entriesAround(pc)) {
    const ExceptionEntry& entry = function.exceptions[e];
    std::fill(handlerLive_.begin(), handlerLive_.end(), 0);
    addRow(graph_.blockAt(entry.handler), handlerLive_);
    clearBit(handlerLive_, entry.reg);
    for (size_t w = 0; w < live.size(); ++w) live[w] |= handlerLive_[w];
  }
}

bool Liveness::makeMaps(Function& function) {
  // A map of a function without registers has a word too, so that findMap can tell it from none.
  size_t words = std::max<size_t>(function.referenceRegisters.size(), 1);
  live_.assign(words, 0);
  handlerLive_.assign(words, 0);
  shared_.assign(16, 0);
  distinctMaps_ = 0;
  auto blocks = graph_.blocks();
  // Backward, so that the safepoints come in falling order.
  for (uint32_t b = static_cast<uint32_t>(blocks.size()); b-- > 0;) {
    if (!blocks[b].hasSafepoint) continue;
    std::fill(live_.begin(), live_.end(), 0);
    for (uint32_t to : graph_.successors(b)) addRow(to, live_);
    scanBlock(function, blocks[b]);
    if (function.mapWords.size() > kMaxWords) {
      function.safepoints.clear();
      function.mapWords.clear();
      return false;
    }
  }
  std::reverse(function.safepoints.begin(), function.safepoints.end());
  return true;
}

// From the end of a block, with live_ as it is there, to its start.
void Liveness::scanBlock(Function& function, const FlowGraph::Block& block) {
  for (uint32_t i = block.last + 1; i-- > block.first;) {
    uint32_t pc = graph_.instruction(i);
    const Instruction* at = &function.code[pc];
    uint16_t flags = info(opOf(*at)).flags;
    visitRegisters(
        at, [](uint16_t) {},
        [&](uint16_t reg) {
          if (function.isReference(reg)) clearBit(live_, reg);
        });
    if (i == block.first && block.throwsIntoHandler) addHandlers(function, pc, live_);
    if (flags & kCalls) storeMap(function, insideKey(pc + wordCount(*at) - 1), live_);
    visitRegisters(
        at,
        [&](uint16_t reg) {
          if (function.isReference(reg)) setBit(live_, reg);
        },
        [](uint16_t) {});
    if (flags & kCalls)
      storeMap(function, beforeKey(pc), live_);
    else if (flags & kSafepoint)
      storeMap(function, insideKey(pc), live_);
  }
}

void Liveness::storeMap(Function& function, uint32_t key, const std::vector<uint64_t>& live) {
  if (NLANG_FAULT("drop-liveness-bit")) {
    std::vector<uint64_t> fewer = live;
    for (uint64_t& word : fewer) word &= word - (word != 0);
    function.safepoints.push_back({key, placeOf(function, fewer)});
    return;
  }
  function.safepoints.push_back({key, placeOf(function, live)});
}

// Index in mapWords of words equal to `live`.
uint32_t Liveness::placeOf(Function& function, const std::vector<uint64_t>& live) {
  std::vector<uint64_t>& words = function.mapWords;
  auto isAt = [&](uint32_t first) { return std::memcmp(&words[first], live.data(), live.size() * 8) == 0; };
  if (!function.safepoints.empty() && isAt(function.safepoints.back().firstWord))
    return function.safepoints.back().firstWord;
  if (distinctMaps_ * 2 >= shared_.size()) {
    shared_.assign(shared_.size() * 2, 0);
    std::vector<uint64_t> map(live.size());
    for (size_t first = 0; first < words.size(); first += map.size()) {
      std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(first), map.size(), map.begin());
      size_t slot = hashOf(map) & (shared_.size() - 1);
      while (shared_[slot] != 0) slot = (slot + 1) & (shared_.size() - 1);
      shared_[slot] = static_cast<uint32_t>(first + 1);
    }
  }
  size_t slot = hashOf(live) & (shared_.size() - 1);
  for (; shared_[slot] != 0; slot = (slot + 1) & (shared_.size() - 1))
    if (isAt(shared_[slot] - 1)) return shared_[slot] - 1;
  auto first = static_cast<uint32_t>(words.size());
  words.insert(words.end(), live.begin(), live.end());
  shared_[slot] = first + 1;
  ++distinctMaps_;
  return first;
}

bool computeLiveness(Program& program) {
  Liveness liveness;
  bool isComplete = true;
  for (Function& function : program.functions) isComplete = liveness.compute(function) && isComplete;
  return isComplete;
}

namespace {

const uint64_t* findKey(const SafepointMap* safepoints, uint32_t count, const uint64_t* words, uint32_t key) {
  const SafepointMap* end = safepoints + count;
  const SafepointMap* found =
      std::lower_bound(safepoints, end, key, [](const SafepointMap& map, uint32_t wanted) { return map.key < wanted; });
  return found != end && found->key == key ? words + found->firstWord : nullptr;
}

} // namespace

const uint64_t* findMap(const SafepointMap* safepoints, uint32_t count, const uint64_t* words, uint32_t pc) {
  return findKey(safepoints, count, words, insideKey(pc));
}

const uint64_t* findMapBefore(const SafepointMap* safepoints, uint32_t count, const uint64_t* words, uint32_t pc) {
  const uint64_t* ofCall = findKey(safepoints, count, words, beforeKey(pc));
  return ofCall != nullptr ? ofCall : findKey(safepoints, count, words, insideKey(pc));
}

} // namespace nlang::bytecode
