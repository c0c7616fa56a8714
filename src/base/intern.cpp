#include "base/intern.h"

#include <cstring>

namespace nlang::base {

namespace {

constexpr std::size_t kFirstSize = 1024;

// Names are short: a multiply and a rotation for each eight bytes is enough to spread them.
std::uint32_t hashOf(std::string_view text) {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL ^ (text.size() * 0xff51afd7ed558ccdULL);
  const char* at = text.data();
  std::size_t left = text.size();
  while (left >= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdULL;
    h ^= h >> 32;
    at += 8;
    left -= 8;
  }
  if (left > 0) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < left; ++i) word |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
    h = (h ^ word) * 0xc4ceb9fe1a85ec53ULL;
    h ^= h >> 32;
  }
  h *= 0xff51afd7ed558ccdULL;
  return static_cast<std::uint32_t>(h >> 32);
}

} // namespace

Interner::Interner() : table_(kFirstSize) {}

std::string_view Interner::intern(std::string_view text) {
  const std::uint32_t hash = hashOf(text);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    Entry& entry = table_[i];
    if (entry.data == nullptr) {
      const std::string_view copy = arena_.copyText(text);
      entry = {copy.data() != nullptr ? copy.data() : "", static_cast<std::uint32_t>(text.size()), hash};
      const std::string_view result(entry.data, entry.size);
      if (++count_ * 2 > table_.size()) grow();
      return result;
    }
    if (entry.hash == hash && entry.size == text.size() &&
        (text.empty() || std::memcmp(entry.data, text.data(), text.size()) == 0)) {
      return {entry.data, entry.size};
    }
  }
}

void Interner::grow() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.data == nullptr) continue;
    std::size_t i = entry.hash & mask;
    while (table_[i].data != nullptr) i = (i + 1) & mask;
    table_[i] = entry;
  }
}

} // namespace nlang::base
