// near_match.cc: edit distance in which swapping two neighbouring letters is one edit.
#include "base/near_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace tare {
namespace {

// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbouring
// letters cost one each.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

// The names that begin with `name`; none if it is too short or there are too many.
std::vector<std::string_view> LongerNames(std::string_view name,
                                          std::span<const std::string_view> candidates) {
  constexpr std::size_t kShortest = 3;
  constexpr std::size_t kMax = 4;
  std::vector<std::string_view> longer;
  if (name.size() < kShortest) return longer;
  for (const std::string_view candidate : candidates) {
    if (!candidate.starts_with(name)) continue;
    if (std::ranges::find(longer, candidate) == longer.end()) longer.push_back(candidate);
  }
  if (longer.size() > kMax) longer.clear();
  std::ranges::sort(longer);
  return longer;
}

}  // namespace

std::string_view NearMatch(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongestName =
      200;  // a longer name is no typo, and the distance takes quadratic time
  if (name.empty() || name.size() > kLongestName) return {};
  const std::size_t max_distance = std::max<std::size_t>(1, name.size() / 3);
  std::string_view best;
  std::size_t fewest = max_distance + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance < fewest) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates) {
  if (const std::string_view near = NearMatch(name, candidates); !near.empty()) {
    return fmt::format("; did you mean {}?", near);
  }
  const auto longer = LongerNames(name, candidates);
  return longer.empty() ? std::string()
                        : fmt::format("; did you mean {}?", fmt::join(longer, " or "));
}

std::string DidYouMeanOrAll(std::string_view name, std::span<const std::string_view> candidates,
                            std::string_view there_are) {
  const std::string near = DidYouMean(name, candidates);
  return near.empty() ? fmt::format("; {} {}", there_are, fmt::join(candidates, ", ")) : near;
}

}  // namespace tare
