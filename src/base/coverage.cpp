#include "base/coverage.h"

#ifdef NLANG_COVERAGE

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <unistd.h>

namespace nlang::coverage {
namespace {

// An open-addressed table keyed by the two addresses. A slot is written once, under gLock: name first, then family
// with release, so a reader that sees the family sees the name.
struct Slot {
  std::atomic<const char*> family{nullptr};
  std::atomic<const char*> name{nullptr};
  std::atomic<bool> written{false}; // already appended to the file
};

constexpr uint32_t kSlots = 8192; // several times the entries of all tables; when full, recording stops

Slot gSlots[kSlots];
std::mutex gLock;

uint32_t firstSlot(const char* family, const char* name) {
  uint64_t mixed = (reinterpret_cast<uintptr_t>(family) * 31 + reinterpret_cast<uintptr_t>(name)) * 0x9E3779B97F4A7C15u;
  return static_cast<uint32_t>(mixed >> 51);
}

void insert(const char* family, const char* name) {
  std::lock_guard guard(gLock);
  static const bool flushesAtExit = std::atexit(flush) == 0;
  static_cast<void>(flushesAtExit);
  uint32_t at = firstSlot(family, name);
  for (uint32_t tried = 0; tried < kSlots; ++tried, at = (at + 1) % kSlots) {
    Slot& slot = gSlots[at];
    const char* holder = slot.family.load(std::memory_order_relaxed);
    if (holder == family && slot.name.load(std::memory_order_relaxed) == name) return;
    if (holder) continue;
    slot.name.store(name, std::memory_order_relaxed);
    slot.family.store(family, std::memory_order_release);
    return;
  }
}

} // namespace

void record(const char* family, const char* name) {
  uint32_t at = firstSlot(family, name);
  for (uint32_t tried = 0; tried < kSlots; ++tried, at = (at + 1) % kSlots) {
    const char* holder = gSlots[at].family.load(std::memory_order_acquire);
    if (!holder) return insert(family, name);
    if (holder == family && gSlots[at].name.load(std::memory_order_relaxed) == name) return;
  }
}

void flush() {
  const char* path = std::getenv("NLANG_COVERAGE_FILE");
  if (!path || !*path) return;
  std::lock_guard guard(gLock);
  std::string lines;
  for (Slot& slot : gSlots) {
    const char* family = slot.family.load(std::memory_order_acquire);
    if (!family || slot.written.exchange(true)) continue;
    lines.append(family).append(" ").append(slot.name.load(std::memory_order_relaxed)).append("\n");
  }
  if (lines.empty()) return;
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  for (size_t done = 0; done < lines.size();) {
    ssize_t wrote = write(file, lines.data() + done, lines.size() - done);
    if (wrote <= 0) break;
    done += static_cast<size_t>(wrote);
  }
  close(file);
}

} // namespace nlang::coverage

#endif
