// bootstrap.cc: resampling and the BCa correction.
#include "stats/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distribution.h"
#include "stats/random.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

// The acceleration only needs to be approximate. A grouped jackknife with this many groups
// estimates it as well as leaving out every single sample.
constexpr std::size_t kJackknifeGroups = 200;

std::vector<double> Draw(std::span<const double> samples, const Statistic& statistic,
                         const BootstrapOptions& options) {
  Generator generator(options.seed);
  std::vector<double> resample(samples.size());
  std::vector<double> drawn(options.resamples);
  for (double& value : drawn) {
    for (double& sample : resample) sample = samples[generator.Below(samples.size())];
    value = statistic(resample);
  }
  return drawn;
}

// Efron (1987), equation 6.6: one sixth of the skewness of the jackknife influence values.
double Acceleration(std::span<const double> samples, const Statistic& statistic) {
  const std::size_t groups = std::min(samples.size(), kJackknifeGroups);
  std::vector<double> without;
  std::vector<double> values;
  double sum = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    without.clear();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i % groups != group) without.push_back(samples[i]);
    }
    values.push_back(statistic(without));
    sum += values.back();
  }
  const double mean = sum / static_cast<double>(groups);
  double squares = 0;
  double cubes = 0;
  for (double value : values) {
    const double influence = mean - value;
    squares += influence * influence;
    cubes += influence * influence * influence;
  }
  const double scale = 6 * squares * std::sqrt(squares);
  return scale > 0 && std::isfinite(cubes / scale) ? cubes / scale : 0;
}

// Efron's bias correction: the normal quantile of the fraction of resampled statistics below the
// estimate, in standard deviations.
double Bias(std::span<const double> sorted, double estimate) {
  const auto [equal_begin, equal_end] = std::ranges::equal_range(sorted, estimate);
  const double below = static_cast<double>(equal_begin - sorted.begin()) +
                       static_cast<double>(equal_end - equal_begin) / 2;
  const double count = static_cast<double>(sorted.size());
  return NormalQuantile(std::clamp(below, 0.5, count - 0.5) / count);
}

double SortedQuantile(std::span<const double> sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

}  // namespace

Result<Measured> BootstrapInterval(std::span<const double> samples, const Statistic& statistic,
                                   double confidence, const BootstrapOptions& options) {
  TRY_VOID(RequireSamples("bootstrap", samples, 2));
  TRY_VOID(RequireConfidence("bootstrap", confidence));
  if (options.resamples < 100) {
    return Fail(ErrorKind::kUsage,
                fmt::format("bootstrap: {} resamples are too few; use at least 100 (usually 2000)",
                            options.resamples));
  }
  const double estimate = statistic(samples);
  std::vector<double> drawn = Draw(samples, statistic, options);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::isfinite(estimate) || !std::ranges::all_of(drawn, is_finite)) {
    return Fail(ErrorKind::kUsage,
                "bootstrap: the statistic has no finite value for some resamples; use more samples "
                "or another statistic");
  }
  std::ranges::sort(drawn);
  double low = (1 - confidence) / 2;
  double high = 1 - low;
  if (options.method == BootstrapMethod::kBca) {
    const double bias = Bias(drawn, estimate);
    const double acceleration = Acceleration(samples, statistic);
    const auto corrected = [&](double z) {
      const double moved = bias + z;
      return NormalCdf(bias + moved / (1 - acceleration * moved));
    };
    const double z = NormalCritical(confidence);
    low = corrected(-z);
    high = corrected(z);
  }
  return Between(estimate, SortedQuantile(drawn, std::min(low, high)),
                 SortedQuantile(drawn, std::max(low, high)), confidence);
}

}  // namespace tare::stats
