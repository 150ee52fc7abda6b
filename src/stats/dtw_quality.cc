// dtw_quality.cc: the cost of random pairings, and the path's distance from a straight line.
#include "stats/dtw_quality.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/rank.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

std::vector<double> Sorted(std::span<const double> samples) {
  std::vector<double> sorted;
  sorted.reserve(samples.size());
  for (const OrderedSample& sample : InOrder(samples)) sorted.push_back(samples[sample.index]);
  return sorted;
}

// Sums over the gaps between neighbours of the merged samples: each gap counts for all pairs with
// one sample on either side. All terms are positive, so there is no cancellation.
double MeanAbsoluteDifference(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> sorted_a = Sorted(a);
  const std::vector<double> sorted_b = Sorted(b);
  const double count_a = static_cast<double>(a.size());
  const double count_b = static_cast<double>(b.size());
  double mean = 0;
  double before = std::min(sorted_a[0], sorted_b[0]);
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool from_a = j == b.size() || (i < a.size() && sorted_a[i] <= sorted_b[j]);
    const double here = from_a ? sorted_a[i] : sorted_b[j];
    const double below_a = static_cast<double>(i) / count_a;
    const double below_b = static_cast<double>(j) / count_b;
    mean += (here - before) * (below_a * (1 - below_b) + below_b * (1 - below_a));
    before = here;
    ++(from_a ? i : j);
  }
  return mean;
}

double MeanSquaredDifference(std::span<const double> a, std::span<const double> b) {
  const Moments of_a = MomentsOf(a);
  const Moments of_b = MomentsOf(b);
  const auto spread = [](const Moments& moments) {
    return moments.standard_deviation * moments.standard_deviation * (moments.count - 1) /
           moments.count;
  };
  const double apart = of_a.mean - of_b.mean;
  return spread(of_a) + spread(of_b) + apart * apart;
}

double Straightness(const WarpProblem& problem, std::span<const DtwStep> path) {
  if (problem.rows == 1 || problem.columns == 1) return 1;  // only one path exists
  const double last_a = static_cast<double>(problem.rows - 1);
  const double last_b = static_cast<double>(problem.columns - 1);
  double distance = 0;
  for (const DtwStep& step : path) {
    distance +=
        std::fabs(static_cast<double>(step.a) / last_a - static_cast<double>(step.b) / last_b);
  }
  // For a path along two edges of the square the mean distance is one half.
  return std::max(0.0, 1 - 2 * distance / static_cast<double>(path.size()));
}

}  // namespace

double MeanPairCost(std::span<const double> a, std::span<const double> b, DtwCost cost) {
  return cost == DtwCost::kAbsolute ? MeanAbsoluteDifference(a, b) : MeanSquaredDifference(a, b);
}

DtwQuality AssessAlignment(const WarpProblem& problem, double distance,
                           std::span<const DtwStep> path) {
  double by_chance = 0;
  for (std::size_t s = 0; s < problem.signals; ++s) {
    by_chance += MeanPairCost(std::span(problem.a).subspan(s * problem.rows, problem.rows),
                              std::span(problem.b).subspan(s * problem.columns, problem.columns),
                              problem.cost);
  }
  const double per_step = distance / static_cast<double>(path.size());
  const double match = per_step == 0 ? 1 : std::clamp(1 - per_step / by_chance, 0.0, 1.0);
  return {.match = match, .straightness = Straightness(problem, path)};
}

}  // namespace tare::stats
