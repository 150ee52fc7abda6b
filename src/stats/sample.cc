// sample.cc: checks of samples, and their moments.
#include "stats/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/check.h"

namespace tare::stats {

Result<void> RequireSamples(std::string_view method, std::span<const double> samples,
                            std::size_t minimum) {
  if (samples.size() < minimum) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: needs at least {} sample{}, got {}", method,
                                               minimum, minimum == 1 ? "" : "s", samples.size()));
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!std::isfinite(samples[i])) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: sample {} is {}; omit missing values", method, i + 1,
                              std::isnan(samples[i]) ? "not a number" : "infinite"));
    }
  }
  return {};
}

Result<void> RequireConfidence(std::string_view method, double confidence) {
  if (confidence > 0 && confidence < 1) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: the confidence must be between 0 and 1, not {} (usually 0.95)",
                          method, confidence));
}

Result<Measured> RequireFinite(std::string_view method, const Measured& estimate) {
  if (std::isfinite(estimate.Value()) && std::isfinite(estimate.Low()) &&
      std::isfinite(estimate.High())) {
    return estimate;
  }
  return Fail(
      ErrorKind::kUsage,
      fmt::format("{}: the result is beyond the largest number; use a larger unit", method));
}

double Moments::StandardError() const { return standard_deviation / std::sqrt(count); }

Moments MomentsOf(std::span<const double> samples) {
  CHECK(!samples.empty());
  double largest = 0;
  for (double sample : samples) largest = std::max(largest, std::fabs(sample));
  if (largest == 0) return {static_cast<double>(samples.size()), 0, 0};
  // Scaling by a power of two is exact and prevents overflow and underflow of squares and sums.
  constexpr int kSafe = 400;
  const int size = std::ilogb(largest);
  const int exponent = std::abs(size) < kSafe ? 0 : std::max(size, -1000);
  const double unit = std::scalbn(1.0, -exponent);
  const double count = static_cast<double>(samples.size());
  double sum = 0;
  for (double sample : samples) sum += sample * unit;
  double mean = sum / count;
  // The second pass corrects the rounding error of the first.
  double rest = 0;
  double squares = 0;
  for (double sample : samples) {
    const double difference = sample * unit - mean;
    rest += difference;
    squares += difference * difference;
  }
  mean += rest / count;
  const double variance =
      samples.size() > 1 ? std::max(0.0, squares - rest * rest / count) / (count - 1) : 0;
  return {count, std::scalbn(mean, exponent), std::scalbn(std::sqrt(variance), exponent)};
}

double MedianOf(std::span<double> samples) {
  CHECK(!samples.empty());
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  const double below = *std::max_element(samples.begin(), middle);
  return below / 2 + *middle / 2;
}

}  // namespace tare::stats
