// metric_ratio.h: one metric of an instrumented program beside the original's: amounts, ratio,
// verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/proxy/ratio_verdict.h"
#include "base/caveat.h"
#include "base/result.h"

namespace tare::proxy {

enum class Source : std::uint8_t {
  kClock,     // times of the program on its own
  kKernel,    // what the kernel counted of the same runs
  kHardware,  // the processor's counters
  kEngine,    // an engine that sees every instruction
  kModel,     // the models of a described processor, fed by that engine
  kGiven,     // a table of ratios measured elsewhere
};
std::string_view Name(Source source);

// The metric that the plain rule looks at.
inline constexpr std::string_view kRunTime = "run-time";

struct MetricRatio {
  std::string metric;  // "run-time", "stores", "l1i-misses"
  Source source = Source::kGiven;
  std::string unit = {};  // of the amounts; empty for plain numbers
  // Amounts of pairs of runs; both empty where only the ratio is known.
  std::vector<double> vanilla = {};
  std::vector<double> instrumented = {};
  std::optional<Ratio> ratio = {};
  std::optional<double> confidence = {};  // of the ratio's bounds, where they have one
  std::string absence = {};               // why there is no ratio
  Verdict verdict = Verdict::kValid;      // of the ratio, where there is one
  std::string reason = {};                // unless it is valid
};

struct JudgedProgram {
  std::string program;
  std::vector<MetricRatio> metrics;
};

// The metric of that name, or null.
const MetricRatio* FindMetric(const JudgedProgram& program, std::string_view metric);

// Fewer events than this tell little: one more or less is 1 % already.
inline constexpr double kFewEvents = 100;

// For noisy amounts, where drift hits both of a pair alike: the median of the pairs' ratios with
// its interval from order statistics; where some amount is 0, the ratio of the means with Fieller's
// interval. For pairs that are all the same: exact. Both spans are as long; errors: kUsage when all
// of the original's amounts are 0, and for one pair alone. Pairs too few for order statistics at
// the confidence are treated as RatioOverLayouts does.
Result<Ratio> RatioOfPairs(std::span<const double> vanilla, std::span<const double> instrumented,
                           double confidence);

// For counts that repeat, each pair at another layout of memory: the geometric mean of the pairs'
// ratios with Student's interval, of their logarithms. For pairs with the same ratio: exact.
// Errors: kUsage when one of the original's counts is 0. One pair alone is exact, of its layout.
Result<Ratio> RatioOverLayouts(std::span<const double> vanilla,
                               std::span<const double> instrumented, double confidence);

// The ratio and its confidence, or its absence, from the amounts, by one of the two.
void TakePairs(double confidence, MetricRatio& metric);
void TakeLayouts(double confidence, MetricRatio& metric);

// Takes the verdict from ratio and tolerance, and makes a valid one doubtful for each of `doubts`
// and for small counts; clock times and given ratios are no counts.
void Settle(double tolerance, std::span<const std::string> doubts, MetricRatio& metric);

}  // namespace tare::proxy
