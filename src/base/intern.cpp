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
    for (std::size_t i = 0; i < left; ++i)
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
    h = (h ^ word) * 0xc4ceb9fe1a85ec53ULL;
    h ^= h >> 32;
  }
  h *= 0xff51afd7ed558ccdULL;
  return static_cast<std::uint32_t>(h >> 32);
}

} // namespace

Interner::Interner() : table_(kFirstSize) {}

std::uint32_t Interner::idOf(std::string_view text) {
  const std::uint32_t hash = hashOf(text);
  const std::size_t mask = table_.size() - 1;
  std::size_t i = hash & mask;
  for (; table_[i].idPlusOne != 0; i = (i + 1) & mask) {
    if (table_[i].hash == hash && texts_[table_[i].idPlusOne - 1] == text) return table_[i].idPlusOne - 1;
  }
  const auto id = static_cast<std::uint32_t>(texts_.size());
  texts_.push_back(text.empty() ? std::string_view("") : arena_.copyText(text));
  table_[i] = {hash, id + 1};
  if (texts_.size() * 2 > table_.size()) grow();
  return id;
}

void Interner::grow() {
  std::vector<Place> old(table_.size() * 2);
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const Place& place : old) {
    if (place.idPlusOne == 0) continue;
    std::size_t i = place.hash & mask;
    while (table_[i].idPlusOne != 0) i = (i + 1) & mask;
    table_[i] = place;
  }
}

} // namespace nlang::base
