// effect_size.cc: medians, because a response that scatters has outliers.
#include "analysis/why/effect_size.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stats/compare.h"
#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::why {
namespace {

// The distances of all runs from the median of their group.
std::vector<double> ResidualsOf(const Groups& groups) {
  std::vector<double> residuals;
  for (const auto& group : groups) {
    const double median = Median(group);
    for (const double value : group) residuals.push_back(std::abs(value - median));
  }
  return residuals;
}

double MeanChangeOf(const Groups& groups) {
  double sum = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    sum += std::abs(Median(groups[i]) - Median(groups[0]));
  }
  return sum / static_cast<double>(groups.size() - 1);
}

// The mean absolute change over the levels that were tested, with the error that the variation
// between equal runs leaves. Not an interval over all levels that there could be: of two levels,
// of which one doubles the time, it would say nothing.
Measured MeanChangeInterval(const Groups& groups, const std::vector<double>& residuals,
                            double confidence) {
  const auto levels = static_cast<double>(groups.size() - 1);
  double inverse = 1 / static_cast<double>(groups[0].size());  // of the numbers of runs
  for (std::size_t i = 1; i < groups.size(); ++i) {
    inverse += 1 / static_cast<double>(groups[i].size()) / (levels * levels);
  }
  const auto runs = static_cast<double>(residuals.size());
  const double degrees = runs - levels - 1;
  // Medians of normal samples vary by a factor of pi / 2 more than their means do.
  const double error = DeviationOf(residuals) * std::sqrt(runs / degrees) *
                       std::sqrt(std::numbers::pi / 2 * inverse);
  const double half = stats::StudentCritical(confidence, degrees) * error;
  const double mean = MeanChangeOf(groups);
  return Between(mean, std::max(0.0, mean - half), mean + half, confidence);
}

}  // namespace

double Median(std::vector<double> group) { return stats::MedianOf(group); }

double LargestOf(const Groups& groups) {
  double largest = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const double change = Median(groups[i]) - Median(groups[0]);
    if (std::abs(change) > std::abs(largest)) largest = change;
  }
  return largest;
}

Result<Measured> EffectOf(const Groups& groups, double confidence) {
  const std::vector<double> residuals = ResidualsOf(groups);
  if (residuals.size() == groups.size()) return Unbounded(LargestOf(groups));  // one run each
  if (std::ranges::max(residuals) == 0) {
    return Known(groups.size() == 2 ? LargestOf(groups) : MeanChangeOf(groups));
  }
  if (groups.size() == 2) {
    // With a small alpha there are too few runs for an interval by ranks.
    if (const auto shift = stats::ShiftInterval(groups[1], groups[0], confidence)) return *shift;
    TRY(const auto welch, stats::Welch(groups[1], groups[0], confidence));
    return welch.difference;
  }
  return MeanChangeInterval(groups, residuals, confidence);
}

double DeviationOf(const std::vector<double>& residuals) {
  constexpr double kNormalDeviations = 1.4826;  // of a median absolute deviation
  if (const double median = Median(residuals); median > 0) return kNormalDeviations * median;
  double squares = 0;
  for (const double residual : residuals) squares += residual * residual;
  return std::sqrt(squares / static_cast<double>(residuals.size()));
}

}  // namespace tare::why
