// summary.cc: location and spread of a set of samples.
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/sample.h"

namespace tare::stats {

Result<Summary> Summarize(std::span<const double> samples) {
  TRY_VOID(RequireSamples("summary", samples, 1));
  const Moments moments = MomentsOf(samples);
  const auto [minimum, maximum] = std::ranges::minmax(samples);
  std::vector<double> scratch(samples.begin(), samples.end());
  const double median = MedianOf(scratch);
  for (double& sample : scratch) sample = std::fabs(sample - median);
  const double variation = moments.mean == 0 ? std::numeric_limits<double>::quiet_NaN()
                                             : moments.standard_deviation / std::fabs(moments.mean);
  return Summary{.count = samples.size(),
                 .mean = moments.mean,
                 .median = median,
                 .standard_deviation = moments.standard_deviation,
                 .coefficient_of_variation = variation,
                 .mad = MedianOf(scratch),
                 .minimum = minimum,
                 .maximum = maximum};
}

Result<double> Quantile(std::span<const double> samples, double q) {
  TRY(const auto quantiles, Quantiles(samples, {&q, 1}));
  return quantiles[0];
}

Result<std::vector<double>> Quantiles(std::span<const double> samples, std::span<const double> qs) {
  TRY_VOID(RequireSamples("quantile", samples, 1));
  for (double q : qs) {
    if (!(q >= 0 && q <= 1)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("quantile: {} is not between 0 and 1; the median is 0.5", q));
    }
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  std::vector<double> quantiles;
  quantiles.reserve(qs.size());
  for (double q : qs) {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const std::size_t below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    quantiles.push_back(std::lerp(sorted[below], sorted[above], place - std::floor(place)));
  }
  return quantiles;
}

}  // namespace tare::stats
