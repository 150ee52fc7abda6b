// metric_ratio.h: one metric of the instrumented and the uninstrumented program: amounts, ratio,
// verdict.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/proxy/ratio_verdict.h"
#include "base/measured.h"
#include "base/result.h"

namespace tare::proxy {

enum class Source : std::uint8_t {
  kClock,     // times of native runs
  kKernel,    // kernel statistics of the same runs
  kHardware,  // hardware counters
  kEngine,    // an engine that counts every instruction
  kModel,     // models of a described processor, fed by that engine
  kGiven,     // a table of ratios measured elsewhere
};
std::string_view Name(Source source);

// The metric that the simple rule uses.
inline constexpr std::string_view kRunTime = "run-time";

struct MetricRatio {
  std::string metric;  // "run-time", "stores", "l1i-misses"
  Source source = Source::kGiven;
  std::string unit = {};  // of the amounts; empty for plain numbers
  // Amounts of pairs of runs; both empty if only the ratio is known.
  std::vector<double> vanilla = {};
  std::vector<double> instrumented = {};
  Measured ratio = {};  // instrumented over vanilla, or the reason why there is none
};

struct ProgramRatios {
  std::string program;
  std::vector<MetricRatio> metrics;
};

// The metric of that name, or null.
const MetricRatio* FindMetric(const ProgramRatios& program, std::string_view metric);

// With fewer events, one more or less changes the count by more than 1 %.
inline constexpr double kFewEvents = 100;

// For noisy amounts, where drift affects both of a pair alike: the median of the pairs' ratios with
// a confidence interval from order statistics; if some amount is 0, the ratio of the means with
// Fieller's interval. Exact if all pairs are equal. Both spans have the same length. kUsage if all
// uninstrumented amounts are 0, or for a single pair. Too few pairs for order statistics are
// treated as in RatioOverLayouts.
Result<Measured> RatioOfPairs(std::span<const double> vanilla, std::span<const double> instrumented,
                              double confidence);

// For repeatable counts, each pair at another memory layout: the geometric mean of the pairs'
// ratios with Student's interval of their logarithms. Exact if all ratios are equal; a single pair
// is exact for its layout. kUsage if an uninstrumented count is 0.
Result<Measured> RatioOverLayouts(std::span<const double> vanilla,
                                  std::span<const double> instrumented, double confidence);

// Set the ratio, or the reason why there is none, from the amounts, by one of the two functions
// above.
void TakePairs(double confidence, MetricRatio& metric);
void TakeLayouts(double confidence, MetricRatio& metric);

// Sets the ratio's verdict from its interval and the tolerance. A valid verdict becomes doubtful if
// there are `doubts` or if counts are small; clock times and given ratios are not counts.
void SetVerdict(double tolerance, std::span<const std::string> doubts, MetricRatio& metric);

}  // namespace tare::proxy
