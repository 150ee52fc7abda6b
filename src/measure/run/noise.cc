// noise.cc: compares a program's runs with each other.
#include "measure/run/noise.h"

#include <algorithm>
#include <cmath>

#include "stats/distribution.h"
#include "stats/summary.h"

namespace tare::run {

Result<Noise> NoiseOf(std::span<const double> seconds, double confidence) {
  Noise noise;
  TRY(const auto summary, stats::Summarize(seconds));
  TRY(noise.median, stats::MedianInterval(seconds, confidence));
  std::vector<double> first;
  std::vector<double> second;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    (i % 2 == 0 ? first : second).push_back(seconds[i]);
  }
  TRY(noise.against_itself, stats::RatioOfMeansInterval(first, second, confidence));
  noise.floor =
      std::max(std::abs(noise.against_itself.Low() - 1), std::abs(noise.against_itself.High() - 1));
  // Two-sample t-test: (t of the level + t of the power) x standard deviation x sqrt(2 / n),
  // relative to the mean.
  const auto n = static_cast<double>(seconds.size());
  const double freedom = 2 * n - 2;
  const double level = stats::StudentCritical(confidence, freedom);
  const double power = stats::StudentCritical(2 * kPower - 1, freedom);
  noise.coefficient_of_variation = summary.coefficient_of_variation;
  noise.smallest_difference = (level + power) * summary.coefficient_of_variation * std::sqrt(2 / n);
  return noise;
}

}  // namespace tare::run
