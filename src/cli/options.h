// The command line of `nlang`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nlang::cli {

enum class Command : uint8_t { kRun, kTest, kCheck, kDisassemble };

struct Options {
  Command command = Command::kRun;
  std::string file;                           // the program's main file; of a project its nlang.toml
  bool isProject = false;                     // no file was named: the project around the current folder is meant
  std::vector<std::string> arguments;         // run: what follows the file
  std::vector<std::string> searchDirectories; // -I
  uint32_t carriers = 0;                      // run: at most so many; 0: min(4, processors); 1 with a scheduleSeed
  std::vector<std::string> testPaths;         // test: files and folders
  std::string filter;                         // test: only tests whose FILE:FUNCTION contains it
  uint32_t explore = 0;                       // test: with so many schedule seeds; 0: first in, first out
  uint32_t timeout = 60;                      // test: seconds that one may run; 0: for ever
  bool realTime = false;                      // test: no virtual clock
  bool verbose = false;                       // test: also tells of tests that pass
  uint32_t quota = 1000;
  bool virtualTime = false;
  std::optional<uint64_t> scheduleSeed;
  bool gcStress = false;
  bool carrierStress = false;
  bool statistics = false;
  bool leaks = false;                // run: list the leaked threads at exit
  int64_t pinReportMillis = -1;      // run: report natives that take longer; -1: none
  bool maps = false;                 // disasm: print liveness maps
  uint64_t heapLimit = UINT64_MAX;   // bytes
  uint64_t stackLimit = 64ull << 20; // bytes, of one context
};

// Parses; on a wrong command line prints what is wrong and returns false with `status` 2; on --help or --version prints
// and returns false with status 0.
bool parse(int argc, char** argv, Options& options, int& status);

} // namespace nlang::cli
