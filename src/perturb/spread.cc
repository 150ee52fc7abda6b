// spread.cc: Student's prediction interval of Fisher's z.
#include "perturb/spread.h"

#include <cmath>

#include "base/check.h"
#include "perturb/correlation.h"
#include "stats/distribution.h"

namespace tare::perturb {

Spread::Spread(std::span<const double> correlations)
    : count_(static_cast<double>(correlations.size())), mean_(0), deviation_(0) {
  CHECK(correlations.size() >= 2);
  for (const double correlation : correlations) mean_ += FisherZ(correlation) / count_;
  double squares = 0;
  for (const double correlation : correlations) {
    squares += std::pow(FisherZ(correlation) - mean_, 2);
  }
  deviation_ = std::sqrt(squares / (count_ - 1));
  // What rounding leaves of equal values is no spread.
  if (deviation_ < 1e-12) deviation_ = 0;
}

Judged Spread::Judge(double correlation, Side side, double confidence, double least) const {
  const double scale = deviation_ * std::sqrt(1 + 1 / count_);
  const double reach = scale > 0 ? scale * stats::StudentCritical(confidence, count_ - 1) : 0;
  Judged judged;
  judged.baseline = FromFisherZ(mean_);
  judged.prediction = {FromFisherZ(mean_ - reach), FromFisherZ(mean_ + reach)};
  const double change = correlation - judged.baseline;
  if (std::abs(change) <= least || (side == Side::kLower && change > 0)) return judged;
  if (scale == 0) {
    judged.p = 0;
    return judged;
  }
  const double two_sided =
      stats::StudentTwoSided((FisherZ(correlation) - mean_) / scale, count_ - 1);
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

}  // namespace tare::perturb
