// sampler.cc: medians with distribution-free intervals.
#include "machine/survey/sampler.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/result.h"
#include "stats/interval.h"
#include "stats/sample.h"
#include "stats/summary.h"

namespace tare::survey {
namespace {

// Consecutive rounds are more similar than distant ones, because the machine drifts. So the
// interval also covers the medians of the first, middle and last third of the rounds.
Measured CoverDrift(Measured estimate, const std::vector<double>& values) {
  constexpr std::size_t kParts = 3;
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(values.size() * part / kParts);
    const auto to =
        values.begin() + static_cast<std::ptrdiff_t>(values.size() * (part + 1) / kParts);
    std::vector<double> some(from, to);
    const double median = stats::MedianOf(some);
    estimate.low = std::min(estimate.Low(), median);
    estimate.high = std::max(estimate.High(), median);
  }
  return estimate;
}

Result<Measured> MedianWithDrift(const Samples& samples) {
  TRY(auto estimate, stats::MedianInterval(samples.values, machine_profile::kConfidence));
  return CoverDrift(std::move(estimate), samples.values);
}

double RelativeHalfWidth(const Measured& estimate) {
  return estimate.HalfWidth() / estimate.Value();
}

}  // namespace

bool Settled(const Samples& samples) {
  const auto estimate = MedianWithDrift(samples);
  return estimate && RelativeHalfWidth(*estimate) <= kWideInterval;
}

Measured FigureOf(const Samples& samples) {
  CHECK(!samples.values.empty());
  const auto estimate = MedianWithDrift(samples);
  if (!estimate) {
    const auto median = stats::Quantile(samples.values, 0.5);
    CHECK(median.has_value());
    return Doubtful(Unbounded(*median), fmt::format("only {} samples", samples.values.size()));
  }
  const double width = RelativeHalfWidth(*estimate);
  if (!(width > kWideInterval)) return *estimate;
  return Doubtful(*estimate, fmt::format("the interval is wide: ±{:.0f} %", width * 100));
}

}  // namespace tare::survey
