// metric_ratio.cc: ratios of pairs with confidence intervals, and their verdicts.
#include "analysis/proxy/metric_ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/units.h"
#include "stats/interval.h"
#include "stats/sample.h"

namespace tare::proxy {
namespace {

bool AllSame(std::span<const double> values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

bool AnyZero(std::span<const double> values) {
  return std::ranges::find(values, 0.0) != values.end();
}

Result<void> RequirePairs(std::span<const double> vanilla, std::span<const double> instrumented) {
  CHECK(vanilla.size() == instrumented.size());
  if (vanilla.empty()) return Fail(ErrorKind::kUsage, "no pair of runs was measured");
  if (std::ranges::all_of(vanilla, [](double value) { return value == 0; })) {
    return Fail(ErrorKind::kUsage, "the vanilla program has a count of 0, so there is no ratio");
  }
  return {};
}

std::vector<double> RatiosOf(std::span<const double> vanilla,
                             std::span<const double> instrumented) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < vanilla.size(); ++i) ratios.push_back(instrumented[i] / vanilla[i]);
  return ratios;
}

// Logarithms make ratios symmetric, and keep the bounds above 0.
Result<Measured> GeometricMean(std::span<const double> ratios, double confidence) {
  std::vector<double> logarithms;
  for (const double ratio : ratios) logarithms.push_back(std::log(ratio));
  TRY(const auto mean, stats::MeanInterval(logarithms, confidence));
  return Between(std::exp(mean.Value()), std::exp(mean.Low()), std::exp(mean.High()), confidence);
}

Result<Measured> RatioOfMeans(std::span<const double> vanilla, std::span<const double> instrumented,
                              double confidence) {
  auto ratio = stats::RatioOfMeansInterval(instrumented, vanilla, confidence);
  if (!ratio) {
    return Fail(ErrorKind::kUsage,
                "the vanilla program's values are too close to 0 for an interval of the ratio");
  }
  ratio->low = std::max(0.0, ratio->Low());
  return ratio;
}

std::string Limits(double tolerance) {
  return fmt::format("{} to {}", Rounded(1 - tolerance, 6), Rounded(1 + tolerance, 6));
}

std::string ReasonOf(Verdict verdict, const Measured& ratio, double tolerance) {
  if (verdict == Verdict::kValid) return "";
  const bool wide = ratio.Low() < ratio.High();
  const std::string_view part = !wide                          ? "it"
                                : verdict == Verdict::kRefused ? "the whole interval"
                                                               : "part of the interval";
  return fmt::format("{} is outside {}", part, Limits(tolerance));
}

Measured OrAbsent(const Result<Measured>& ratio) {
  return ratio ? *ratio : Absent(ratio.error().message);
}

double Median(std::vector<double> values) { return stats::MedianOf(values); }

bool IsCount(const MetricRatio& metric) {
  return metric.unit.empty() && metric.source != Source::kGiven && !metric.vanilla.empty();
}

}  // namespace

std::string_view Name(Source source) {
  switch (source) {
    case Source::kClock:
      return "clock";
    case Source::kKernel:
      return "kernel";
    case Source::kHardware:
      return "hardware";
    case Source::kEngine:
      return "engine";
    case Source::kModel:
      return "model";
    case Source::kGiven:
      return "given";
  }
  return "given";
}

const MetricRatio* FindMetric(const ProgramRatios& program, std::string_view metric) {
  const auto found = std::ranges::find(program.metrics, metric, &MetricRatio::metric);
  return found == program.metrics.end() ? nullptr : &*found;
}

Result<Measured> RatioOfPairs(std::span<const double> vanilla, std::span<const double> instrumented,
                              double confidence) {
  TRY_VOID(RequirePairs(vanilla, instrumented));
  if (vanilla.size() < 2) {
    return Fail(ErrorKind::kUsage, "one pair of runs does not show the spread");
  }
  if (AllSame(vanilla) && AllSame(instrumented)) {
    return Known(instrumented.front() / vanilla.front());
  }
  if (AnyZero(vanilla) || AnyZero(instrumented)) {
    return RatioOfMeans(vanilla, instrumented, confidence);
  }
  const auto ratios = RatiosOf(vanilla, instrumented);
  auto median = stats::MedianInterval(ratios, confidence);
  if (!median) return GeometricMean(ratios, confidence);
  // Pairs that vary much have a median ratio unlike the ratio of the medians, which readers compute
  // from the amounts. Then the interval covers both.
  const double of_medians =
      Median({instrumented.begin(), instrumented.end()}) / Median({vanilla.begin(), vanilla.end()});
  if (!median->Contains(of_medians)) {
    median->low = std::min(median->Low(), of_medians);
    median->high = std::max(median->High(), of_medians);
    median->value = of_medians;
  }
  return median;
}

Result<Measured> RatioOverLayouts(std::span<const double> vanilla,
                                  std::span<const double> instrumented, double confidence) {
  TRY_VOID(RequirePairs(vanilla, instrumented));
  if (AnyZero(vanilla)) {
    return Fail(ErrorKind::kUsage, "the vanilla program has a count of 0 at some memory layouts");
  }
  const auto ratios = RatiosOf(vanilla, instrumented);
  if (AllSame(ratios)) return Known(ratios.front());
  if (AnyZero(instrumented)) return RatioOfMeans(vanilla, instrumented, confidence);
  return GeometricMean(ratios, confidence);
}

void TakePairs(double confidence, MetricRatio& metric) {
  metric.ratio = OrAbsent(RatioOfPairs(metric.vanilla, metric.instrumented, confidence));
}

void TakeLayouts(double confidence, MetricRatio& metric) {
  metric.ratio = OrAbsent(RatioOverLayouts(metric.vanilla, metric.instrumented, confidence));
}

void SetVerdict(double tolerance, std::span<const std::string> doubts, MetricRatio& metric) {
  Measured& ratio = metric.ratio;
  if (!ratio.value) return;
  ratio.verdict = VerdictOf(ratio, tolerance);
  ratio.reason = ReasonOf(ratio.verdict, ratio, tolerance);
  if (IsCount(metric) &&
      std::max(Median(metric.vanilla), Median(metric.instrumented)) < kFewEvents) {
    ratio.verdict = Verdict::kDoubtful;
    ratio.reason = fmt::format("fewer than {} events in either program", kFewEvents);
  }
  if (ratio.verdict == Verdict::kRefused) return;
  for (const std::string& doubt : doubts) ratio = Doubtful(std::move(ratio), doubt);
}

}  // namespace tare::proxy
