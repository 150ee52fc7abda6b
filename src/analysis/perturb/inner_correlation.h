// inner_correlation.h: whether a run's metrics still have to do with each other what they had in
// the baseline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "base/result.h"

namespace tare::perturb {

struct JudgeOptions {
  double alpha = 0.05;  // chance of a false alarm for the whole of a run's inner or outer tests
  // A smaller change never counts. Decides alone where baseline runs are equal to the bit.
  double least = 0.05;
};

// Correlations of less than this, before and after, are not interesting.
inline constexpr double kInteresting = 0.3;

struct InnerRow {
  std::string first;
  std::string second;
  Judged judged;              // against the baseline
  std::optional<double> run;  // absent: a signal is constant in the run
  double adjusted = 1;        // p corrected over all interesting pairs
  bool interesting = false;
  bool significant = false;

  double change() const { return run ? *run - judged.baseline : 0; }
};

// For every pair of the baseline. A metric that no longer changes at all is significant by itself.
// kUsage when the run lacks a metric or is of another kind.
Result<std::vector<InnerRow>> JudgeInner(const Baseline& baseline, const TraceSignals& run,
                                         const JudgeOptions& options);

}  // namespace tare::perturb
