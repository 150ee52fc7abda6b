// interval.cc: confidence intervals of the mean, the median, a proportion and a ratio of means.
#include "stats/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

// The largest k for which the k-th smallest and k-th largest of n samples enclose the median with
// the requested confidence; 0 if even the extremes do not.
std::size_t EnclosingRank(std::size_t n, double confidence) {
  const auto encloses = [&](std::size_t k) {
    return 1 - 2 * BinomialCdf(static_cast<double>(k) - 1, static_cast<double>(n), 0.5) >=
           confidence;
  };
  std::size_t good = 0;
  std::size_t bad = n / 2 + 1;
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (encloses(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

Result<Measured> MeanInterval(std::span<const double> samples, double confidence) {
  TRY_VOID(RequireSamples("interval of the mean", samples, 2));
  TRY_VOID(RequireConfidence("interval of the mean", confidence));
  const Moments moments = MomentsOf(samples);
  const double half = StudentCritical(confidence, moments.count - 1) * moments.StandardError();
  return RequireFinite("interval of the mean",
                       Between(moments.mean, moments.mean - half, moments.mean + half, confidence));
}

Result<Measured> MedianInterval(std::span<const double> samples, double confidence) {
  TRY_VOID(RequireSamples("interval of the median", samples, 1));
  TRY_VOID(RequireConfidence("interval of the median", confidence));
  const std::size_t n = samples.size();
  const std::size_t k = EnclosingRank(n, confidence);
  if (k == 0) {
    // The extremes enclose the median with probability 1 - 2^(1-n).
    const double needed = std::ceil(1 - std::log2(1 - confidence));
    return Fail(
        ErrorKind::kUsage,
        fmt::format(
            "interval of the median: {} sample{} cannot reach a confidence of {}; use at least {}",
            n, n == 1 ? "" : "s", confidence, needed));
  }
  std::vector<double> scratch(samples.begin(), samples.end());
  const double median = MedianOf(scratch);
  const auto at = [&](std::size_t rank) {
    const auto place = scratch.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(scratch.begin(), place, scratch.end());
    return *place;
  };
  const double low = at(k - 1);
  return Between(median, low, at(n - k), confidence);
}

Result<Measured> ProportionInterval(std::uint64_t m, std::uint64_t n, double confidence,
                                    ProportionMethod method) {
  TRY_VOID(RequireConfidence("interval of a proportion", confidence));
  if (n == 0 || m > n) {
    return Fail(ErrorKind::kUsage,
                fmt::format("interval of a proportion: {} of {} is not a proportion", m, n));
  }
  const double count = static_cast<double>(n);
  const double p = static_cast<double>(m) / count;
  const double z = NormalCritical(confidence);
  double centre = p;
  double half = z * std::sqrt(p * (1 - p) / count);
  if (method == ProportionMethod::kWilson) {
    const double shrink = 1 + z * z / count;
    centre = (p + z * z / (2 * count)) / shrink;
    half = z * std::sqrt(p * (1 - p) / count + z * z / (4 * count * count)) / shrink;
  }
  Interval interval{.low = std::max(0.0, centre - half), .high = std::min(1.0, centre + half)};
  // At these ends the interval includes 0 or 1 exactly; this removes the rounding error.
  if (m == 0) interval.low = 0;
  if (m == n) interval.high = 1;
  return Between(p, interval.low, interval.high, confidence);
}

Result<Measured> RatioOfMeansInterval(std::span<const double> numerator,
                                      std::span<const double> denominator, double confidence) {
  constexpr std::string_view kMethod = "interval of a ratio of means";
  TRY_VOID(RequireSamples("interval of a ratio of means, numerator", numerator, 2));
  TRY_VOID(RequireSamples("interval of a ratio of means, denominator", denominator, 2));
  TRY_VOID(RequireConfidence(kMethod, confidence));
  const Moments a = MomentsOf(numerator);
  const Moments b = MomentsOf(denominator);
  const double ratio = a.mean / b.mean;
  // The standard errors of the ratio due to each sample alone.
  const double from_a = a.StandardError() / std::fabs(b.mean);
  const double relative_b = b.StandardError() / std::fabs(b.mean);
  const double from_b = std::fabs(ratio) * relative_b;
  const double both = std::hypot(from_a, from_b);
  // Welch-Satterthwaite degrees of freedom of mean(a) - ratio * mean(b).
  const double share_a = both > 0 ? (from_a / both) * (from_a / both) : 0.5;
  const double degrees =
      1 / (share_a * share_a / (a.count - 1) + (1 - share_a) * (1 - share_a) / (b.count - 1));
  const double t = StudentCritical(confidence, degrees);
  const double g = (t * relative_b) * (t * relative_b);
  if (b.mean == 0 || !(g < 1)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: the denominator's mean {} is not significantly different from 0, "
                            "so the ratio has no interval; use more samples",
                            kMethod, b.mean));
  }
  const double centre = ratio / (1 - g);
  const double half = t / (1 - g) * std::hypot(from_a * std::sqrt(1 - g), from_b);
  return RequireFinite(kMethod, Between(ratio, centre - half, centre + half, confidence));
}

}  // namespace tare::stats
