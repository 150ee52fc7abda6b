// layout_causes.cc: one factor at a time, interleaved.
#include "analysis/compare/layout_causes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stats/sample.h"

namespace tare::compare {
namespace {

constexpr std::size_t kRoundsEach = 9;
// The share of the gap that a cause closes at least.
constexpr double kShare = 0.4;

struct Candidate {
  RunLayout layout;
  std::optional<LayoutFactor> factor;  // absent: one of the two layouts themselves
  std::vector<double> log_ratios = {};

  double Centre() const {
    std::vector<double> sorted = log_ratios;
    return stats::MedianOf(sorted);
  }
  // Of the median; the scale of a median absolute deviation is that of a normal population.
  double Error() const {
    std::vector<double> distances;
    for (const double ratio : log_ratios) distances.push_back(std::abs(ratio - Centre()));
    return 1.4826 * 1.2533 * stats::MedianOf(distances) /
           std::sqrt(static_cast<double>(log_ratios.size()));
  }
};

std::vector<Candidate> CandidatesOf(const LayoutPair& pair) {
  std::vector<Candidate> candidates = {{pair.from, std::nullopt}, {pair.to, std::nullopt}};
  for (const LayoutFactor factor : kLayoutFactors) {
    if (DiffersIn(factor, pair.from, pair.to)) {
      candidates.push_back({WithFactor(pair.from, factor, pair.to), factor});
    }
  }
  return candidates;
}

}  // namespace

std::size_t RoundsForCauses(const LayoutPair& pair) {
  return kRoundsEach * CandidatesOf(pair).size();
}

Result<std::vector<LayoutFactor>> FindLayoutCauses(RoundRunner& runner, const LayoutPair& pair) {
  std::vector<Candidate> candidates = CandidatesOf(pair);
  for (std::size_t i = 0; i < kRoundsEach; ++i) {
    for (Candidate& candidate : candidates) {
      TRY(const auto timed, runner.RunOnce(candidate.layout, false));
      candidate.log_ratios.push_back(
          std::log(timed.round.seconds[pair.command] / timed.round.seconds.front()));
    }
  }
  const double from = candidates[0].Centre();
  const double gap = candidates[1].Centre() - from;
  std::vector<LayoutFactor> causes;
  const double noise = std::hypot(candidates[0].Error(), candidates[1].Error());
  if (std::abs(gap) < 3 * noise) return causes;
  std::vector<std::pair<double, LayoutFactor>> closed;
  for (const Candidate& candidate : candidates) {
    if (!candidate.factor) continue;
    const double change = candidate.Centre() - from;
    const bool clear = std::abs(change) > 3 * std::hypot(candidate.Error(), candidates[0].Error());
    if (clear && change / gap > kShare) closed.emplace_back(change / gap, *candidate.factor);
  }
  std::ranges::sort(closed, std::greater(), &std::pair<double, LayoutFactor>::first);
  for (const auto& [share, factor] : closed) causes.push_back(factor);
  return causes;
}

}  // namespace tare::compare
