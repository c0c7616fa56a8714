// Which reference registers are live at each safepoint: the maps from which the collector and the debugger read frames.
//
// A register is live where some path reads it before writing it; edges to exception handlers count, and the register
// that receives the exception is written by them. The map of a call holds what is live behind it, without its results
// (arguments have been copied into the callee's frame), and what its handlers need. The map of any other safepoint
// holds what is live in front of it, operands included.
//
// Nothing zeroes a frame, so a register that is live must have been written on every path. That is a duty of the code
// generator (a value that waits in a register through a shared finally body must be set on every way into that body);
// neverWritten() tells.
//
// How: only registers that some block reads before it writes them take part; temporaries, which live inside a block,
// cost nothing. They are followed 64 at a time: one sweep over the blocks from last to first settles everything but
// what flows around loops, and from the ends of loops a worklist goes on until nothing changes. A block is visited
// again only for a register that has become live there, so no flow graph, however contrived, takes more time than its
// live ranges are long. Equal maps of a function share their words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bytecode/flow_graph.h"
#include "bytecode/program.h"

namespace nlang::bytecode {

class Liveness {
 public:
  /// Fills safepoints and mapWords of a well-formed function. False, without maps, if they would take more memory than
  /// any sensible program needs.
  bool compute(Function& function);

  /// Reference registers, other than parameters, that the function of the last compute() may read before it has written
  /// them. Empty for correct code.
  const std::vector<uint16_t>& neverWritten() const { return neverWritten_; }

 private:
  struct Occurrence {
    uint16_t reg;
    uint32_t block;
  };
  // Occurrences sorted by register.
  struct ByRegister {
    std::vector<uint32_t> begin;
    std::vector<uint32_t> blocks;
  };

  void findOccurrences(const Function& function);
  static void sortByRegister(const std::vector<Occurrence>& from, ByRegister& to, unsigned registers);
  bool chooseColumns(const Function& function);
  void follow(const Function& function, uint32_t group);
  uint64_t liveAtStart(const Function& function, uint32_t group, uint32_t block) const;
  void pushPredecessors(const Function& function, uint32_t block);
  void addRow(uint32_t block, std::vector<uint64_t>& live) const;
  void addHandlers(const Function& function, uint32_t pc, std::vector<uint64_t>& live);
  bool makeMaps(Function& function);
  void scanBlock(Function& function, const FlowGraph::Block& block);
  void storeMap(Function& function, uint32_t key, const std::vector<uint64_t>& live);
  uint32_t placeOf(Function& function, const std::vector<uint64_t>& live);

  FlowGraph graph_;
  std::vector<Occurrence> reads_, writes_; // block reads register before writing it; block writes register
  ByRegister readsOf_, writesOf_;
  std::vector<uint32_t> readIn_, writtenIn_; // by register: last block noted, plus one
  std::vector<uint16_t> columns_;            // registers that are read before they are written in some block, rising
  uint32_t groups_ = 0;                      // of 64 columns, the last one perhaps fewer
  std::vector<uint64_t> rows_;               // by group, then by block: columns live at the block's start
  std::vector<uint64_t> written_;            // by block: columns of the group at hand that it writes
  std::vector<uint64_t> caught_; // by exception entry: the bit of its register among the group's columns, or 0
  std::vector<uint32_t> work_;
  std::vector<uint64_t> live_, handlerLive_; // by register
  std::vector<uint32_t> shared_;             // hash table of the function's maps: first word plus one
  uint32_t distinctMaps_ = 0;
  std::vector<uint16_t> neverWritten_;
};

/// For every function of the program that has code.
bool computeLiveness(Program& program);

/// The map of a frame that is inside the instruction at `pc`: one that allocates there, or whose call has not returned
/// (then pc is the return address minus one). Null if there is no safepoint.
const uint64_t* findMap(const SafepointMap* safepoints, uint32_t count, const uint64_t* words, uint32_t pc);
inline const uint64_t* findMap(const Function& function, uint32_t pc) {
  return findMap(function.safepoints.data(), static_cast<uint32_t>(function.safepoints.size()),
                 function.mapWords.data(), pc);
}

/// The map of the innermost frame of a context that goes on by executing the instruction at `pc`. It differs from
/// findMap for a call at which the context was preempted: its arguments have not been copied yet.
const uint64_t* findMapBefore(const SafepointMap* safepoints, uint32_t count, const uint64_t* words, uint32_t pc);

} // namespace nlang::bytecode
