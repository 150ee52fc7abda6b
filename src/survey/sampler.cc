// sampler.cc: medians with distribution-free intervals.
#include "survey/sampler.h"

#include <fmt/format.h>

#include "base/check.h"
#include "stats/interval.h"
#include "stats/summary.h"

namespace tare::survey {
namespace {

double RelativeHalfWidth(const stats::Estimate& estimate) {
  return estimate.interval.HalfWidth() / estimate.value;
}

}  // namespace

bool Settled(const Samples& samples) {
  const auto estimate = stats::MedianInterval(samples.values, rates::kConfidence);
  return estimate && RelativeHalfWidth(*estimate) <= kWideInterval;
}

rates::Figure FigureOf(const Samples& samples) {
  CHECK(!samples.values.empty());
  rates::Figure figure;
  const auto estimate = stats::MedianInterval(samples.values, rates::kConfidence);
  if (!estimate) {
    const auto median = stats::Quantile(samples.values, 0.5);
    CHECK(median.has_value());
    figure.value = *median;
    figure.verdict = Verdict::kDoubtful;
    figure.reason = fmt::format("only {} samples", samples.values.size());
    return figure;
  }
  figure.value = estimate->value;
  figure.low = estimate->interval.low;
  figure.high = estimate->interval.high;
  if (const double width = RelativeHalfWidth(*estimate); width > kWideInterval) {
    figure.verdict = Verdict::kDoubtful;
    figure.reason = fmt::format("the interval stays wide: {:.0f} % either way", width * 100);
  }
  return figure;
}

}  // namespace tare::survey
