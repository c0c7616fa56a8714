// "Did you mean": the edit distance in which two swapped neighbours count as one edit.
#include "syntax/diagnostic.h"

#include <algorithm>
#include <array>

namespace nlang::syntax {

namespace {

constexpr std::size_t kLongestWord = 63;

// Distance between `a` and `b`; anything above `limit` may come out as `limit + 1`.
std::size_t editDistance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > kLongestWord || b.size() > kLongestWord) return a == b ? 0 : limit + 1;
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::array<std::size_t, kLongestWord + 1> twoAgo{}, last{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t best = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], twoAgo[j - 2] + 1);
      best = std::min(best, row[j]);
    }
    if (best > limit) return limit + 1;
    twoAgo = last;
    last = row;
  }
  return last[b.size()];
}

bool equalIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

} // namespace

std::string_view nearestWord(std::string_view word, const std::vector<std::string_view>& candidates) {
  // A third of the letters may be wrong; in very short words one, and then the first letter must be right.
  const std::size_t limit = word.size() <= 4 ? 1 : std::min<std::size_t>(3, word.size() / 3);
  std::string_view best;
  std::size_t bestDistance = limit + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate == word) continue;
    const std::size_t distance = equalIgnoringCase(word, candidate) ? 0 : editDistance(word, candidate, limit);
    if (word.size() <= 2 && distance > 0 && candidate[0] != word[0]) continue;
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

} // namespace nlang::syntax
