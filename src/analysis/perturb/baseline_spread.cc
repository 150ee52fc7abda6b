// baseline_spread.cc: Student's prediction interval for Fisher's z.
#include "analysis/perturb/baseline_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/perturb/pair_correlation.h"
#include "base/check.h"
#include "stats/correction.h"
#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::perturb {

Judged WithoutCorrelation(Judged judged) {
  judged.statistic = std::numeric_limits<double>::infinity();
  judged.p = 0;
  return judged;
}

Spread::Spread(std::span<const double> correlations) {
  CHECK(correlations.size() >= 2);
  std::vector<double> z;
  for (const double correlation : correlations) z.push_back(FisherZ(correlation));
  const stats::Moments moments = stats::MomentsOf(z);
  count_ = moments.count;
  mean_ = moments.mean;
  // The rounding error of equal values is not a spread.
  deviation_ = moments.standard_deviation < 1e-12 ? 0 : moments.standard_deviation;
}

Judged Spread::Judge(double correlation, Side side, double confidence, double min_change) const {
  const double scale = deviation_ * std::sqrt(1 + 1 / count_);
  const double half_width = scale > 0 ? scale * stats::StudentCritical(confidence, count_ - 1) : 0;
  Judged judged;
  judged.baseline = FromFisherZ(mean_);
  judged.prediction = {FromFisherZ(mean_ - half_width), FromFisherZ(mean_ + half_width)};
  const double change = correlation - judged.baseline;
  if (std::abs(change) <= min_change || (side == Side::kLower && change > 0)) return judged;
  if (scale == 0) return WithoutCorrelation(judged);
  judged.statistic = std::abs(FisherZ(correlation) - mean_) / scale;
  const double two_sided = stats::StudentTwoSided(judged.statistic, count_ - 1);
  judged.p = side == Side::kBoth ? two_sided : two_sided / 2;
  return judged;
}

std::optional<double> Spread::Detectable(double alpha, double power) const {
  const double scale = deviation_ * std::sqrt(1 + 1 / count_);
  const double degrees = count_ - 1;
  const double away = scale * (stats::StudentCritical(1 - alpha, degrees) +
                               stats::StudentCritical(2 * power - 1, degrees));
  if (away > std::abs(mean_)) return std::nullopt;
  return FromFisherZ(std::abs(mean_)) - FromFisherZ(std::abs(mean_) - away);
}

LargestByChance::LargestByChance(std::span<const std::vector<double>> tests, Side side,
                                 double min_change)
    : largest_(tests.empty() ? 0 : tests.front().size()) {
  for (const std::vector<double>& test : tests) {
    for (std::size_t run = 0; run < test.size(); ++run) {
      std::vector<double> others = test;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(run));
      const Judged judged = Spread(others).Judge(test[run], side, 0.95, min_change);
      largest_[run] = std::max(largest_[run], judged.statistic);
    }
  }
}

double LargestByChance::P(double statistic, double alpha) const {
  const auto all = static_cast<double>(largest_.size() + 1);
  if (all * alpha < 1) return 0;
  const auto as_large =
      std::ranges::count_if(largest_, [statistic](double one) { return one >= statistic; });
  return (static_cast<double>(as_large) + 1) / all;
}

Result<std::vector<double>> Adjusted(std::span<const Judged> judged, const LargestByChance& chance,
                                     double alpha) {
  std::vector<double> p_values;
  for (const Judged& one : judged) p_values.push_back(one.p);
  TRY(auto adjusted, stats::Holm(p_values));
  for (std::size_t i = 0; i < judged.size(); ++i) {
    adjusted[i] = std::max(adjusted[i], chance.P(judged[i].statistic, alpha));
  }
  return adjusted;
}

}  // namespace tare::perturb
