// inner_correlation.h: tests whether a run's metrics correlate with each other as in the baseline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "base/result.h"

namespace tare::perturb {

struct JudgeOptions {
  double alpha = 0.05;  // family-wise error rate of a run's inner tests, and of its outer tests
  // A smaller change never counts. Decides alone if the baseline runs are bit-identical.
  double min_change = 0.05;
};

// Pairs with a smaller correlation before and after are not tested.
inline constexpr double kInteresting = 0.3;

struct InnerRow {
  std::string first;
  std::string second;
  Judged judged;              // compared with the baseline
  std::optional<double> run;  // absent: a signal is constant in the run
  double adjusted = 1;        // p-value, corrected over all interesting pairs
  bool interesting = false;
  bool significant = false;

  double change() const { return run ? *run - judged.baseline : 0; }
};

// One row for each pair of the baseline. A metric that has become constant is always significant.
// kUsage if the run lacks a metric or is of another kind.
Result<std::vector<InnerRow>> JudgeInner(const Baseline& baseline, const TraceSignals& run,
                                         const JudgeOptions& options);

}  // namespace tare::perturb
