// baseline.cc: finds the metrics that all runs have, and their inner correlations.
#include "analysis/perturb/baseline.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/perturb/pair_correlation.h"
#include "base/grouped.h"
#include "base/printable.h"

namespace tare::perturb {
namespace {

// Minimum share of the records in which a metric must change.
constexpr double kMinChanging = 0.05;

// Why the metric cannot be watched; empty if it can.
std::string WhyNot(const std::vector<TraceSignals>& runs, const std::string& metric) {
  if (metric == runs.front().clock)
    return "it is the sampling clock, so it is the same in every record";
  for (const TraceSignals& run : runs) {
    const Signal* const signal = run.Find(metric);
    if (signal == nullptr) {
      const auto known = std::ranges::find(run.unusable, metric, &Unusable::name);
      if (known != run.unusable.end()) return known->reason;
      return fmt::format("{} does not have this metric", Printable(run.name));
    }
    if (signal->IsConstant()) {
      return fmt::format("it is constant in {}, so it has no correlation", Printable(run.name));
    }
  }
  return "";
}

// Rejects a metric that is nearly constant: a few records would decide its correlations.
std::string WhyTooRare(const std::vector<TraceSignals>& runs, const std::string& metric) {
  for (const TraceSignals& run : runs) {
    std::vector<double> values = run.Find(metric)->values;
    std::ranges::sort(values);
    std::size_t max = 0;
    for (auto from = values.begin(); from != values.end();) {
      const auto to = std::upper_bound(from, values.end(), *from);
      max = std::max(max, static_cast<std::size_t>(to - from));
      from = to;
    }
    const std::size_t others = values.size() - max;
    if (static_cast<double>(others) < kMinChanging * static_cast<double>(values.size())) {
      return fmt::format("it has the same value in all but {} of {} records of {}", Grouped(others),
                         Grouped(values.size()), Printable(run.name));
    }
  }
  return "";
}

std::vector<std::string> Candidates(const std::vector<TraceSignals>& runs,
                                    const BaselineOptions& options) {
  if (!options.metrics.empty()) return options.metrics;
  std::vector<std::string> names;
  for (const Signal& signal : runs.front().signals) {
    if (options.software || !signal.IsSoftware()) names.push_back(signal.name);
  }
  for (const Unusable& one : runs.front().unusable) names.push_back(one.name);
  return names;
}

Result<void> ChooseMetrics(const BaselineOptions& options, Baseline& baseline) {
  for (const std::string& metric : Candidates(baseline.runs, options)) {
    std::string reason = WhyNot(baseline.runs, metric);
    if (reason.empty() && options.metrics.empty()) reason = WhyTooRare(baseline.runs, metric);
    if (reason.empty()) {
      baseline.metrics.push_back(metric);
    } else if (!options.metrics.empty()) {
      return Fail(ErrorKind::kUsage, fmt::format("metric {}: {}", Printable(metric), reason));
    } else {
      baseline.left_out.push_back({metric, reason});
    }
  }
  if (baseline.metrics.size() >= 2) return {};
  std::string reasons;
  for (const Unusable& one : baseline.left_out) {
    reasons += fmt::format("; {}: {}", Printable(one.name), one.reason);
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("correlations need at least two metrics, and {} of the baseline's can be "
                          "used{}",
                          baseline.metrics.size(), reasons));
}

}  // namespace

Result<Baseline> MakeBaseline(std::vector<TraceSignals> runs, const BaselineOptions& options) {
  if (runs.size() < kMinRuns) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a baseline of {} runs is too small: at least {} are needed",
                            runs.size(), kMinRuns));
  }
  for (const TraceSignals& run : runs) TRY_VOID(RequireSameKind(runs.front(), run));
  Baseline baseline;
  baseline.runs = std::move(runs);
  TRY_VOID(ChooseMetrics(options, baseline));
  for (std::size_t first = 0; first < baseline.metrics.size(); ++first) {
    for (std::size_t second = first + 1; second < baseline.metrics.size(); ++second) {
      baseline.pairs.push_back({first, second});
    }
  }
  baseline.correlations.resize(baseline.pairs.size());
  for (const TraceSignals& run : baseline.runs) {
    std::vector<Ranked> ranked;
    for (const std::string& metric : baseline.metrics)
      ranked.emplace_back(run.Find(metric)->values);
    for (std::size_t pair = 0; pair < baseline.pairs.size(); ++pair) {
      const auto [first, second] = baseline.pairs[pair];
      baseline.correlations[pair].push_back(*Correlate(ranked[first], ranked[second]));
    }
  }
  return baseline;
}

}  // namespace tare::perturb
