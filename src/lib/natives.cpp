#include "lib/natives.h"

#include <vector>

namespace nlang::lib {

std::span<const vm::NativeDefinition> allNatives() {
  static const std::vector<vm::NativeDefinition> all = [] {
    std::vector<vm::NativeDefinition> joined;
    for (NativeTable table :
         {arrayNatives(),  atomicNatives(), channelNatives(), dictNatives(),      exceptionNatives(),
          formatNatives(), futureNatives(), ioNatives(),      jsonNatives(),      listNatives(),
          logNatives(),    mathNatives(),   mutexNatives(),   objectNatives(),    programNatives(),
          randomNatives(), regexNatives(),  selectNatives(),  semaphoreNatives(), stringBuilderNatives(),
          stringNatives(), threadNatives(), timeNatives()}) {
      joined.insert(joined.end(), table.begin(), table.end());
    }
    return joined;
  }();
  return all;
}

} // namespace nlang::lib
