#include "cli/statistics.h"

#include <cstdio>
#include <string>

#include "vm/vm.h"

namespace nlang::cli {

namespace {

// 1234567 as 1,234,567: numbers of this table have up to fifteen digits.
std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string millis(uint64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", static_cast<double>(nanos) / 1e6);
  return text;
}

class Table {
 public:
  void row(const std::string& name, const std::string& value) {
    char line[128];
    std::snprintf(line, sizeof line, "%-42s %20s\n", name.c_str(), value.c_str());
    text_ += line;
  }
  void row(const std::string& name, uint64_t value) { row(name, grouped(value)); }
  void print() const { std::fputs(text_.c_str(), stderr); }

 private:
  std::string text_;
};

} // namespace

void printStatistics(vm::Vm& vm) {
  sched::SchedulerStatistics s = vm.scheduler().statistics();
  heap::HeapStatistics h = vm.heap().statistics();
  uint64_t parks = 0;
  for (uint64_t count : s.parks) parks += count;
  Table table;
  table.row("threads started", s.started);
  table.row("threads alive at most", s.peakAlive);
  table.row("carriers", s.carriers);
  table.row("switches", s.switches);
  table.row("preemptions", s.preemptions);
  table.row("steals", s.steals);
  table.row("parks", parks);
  for (unsigned reason = 0; reason < std::size(s.parks); ++reason) {
    if (s.parks[reason] == 0) continue;
    table.row(std::string("  ") + sched::parkReasonText(static_cast<sched::ParkReason>(reason)), s.parks[reason]);
  }
  table.row("collections", h.collections);
  table.row("  longest pause", millis(h.longestPauseNanos));
  table.row("  all pauses", millis(h.totalPauseNanos));
  table.row("bytes allocated", h.allocatedBytes);
  table.row("bytes live", h.liveBytes);
  table.row("bytes reserved at most", h.peakReservedBytes);
  if (const auto* events = vm.scheduler().eventHash()) {
    char hash[32];
    std::snprintf(hash, sizeof hash, "0x%016llx", static_cast<unsigned long long>(events->hash()));
    table.row("scheduling events", events->count());
    table.row("  hash", hash);
  }
  table.print();
}

} // namespace nlang::cli
