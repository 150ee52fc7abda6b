// outer_correlation.h: aligns a run with the baseline's runs record by record and correlates each
// metric with itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/inner_correlation.h"
#include "base/result.h"
#include "stats/dtw.h"

namespace tare::perturb {

struct AlignOptions {
  std::string by = {};  // the metric that aligns the records; empty: all of the baseline's
  double band = 0.1;    // maximum offset of aligned records, as a share of the length
  // Unrelated noise reaches this quality. A worse alignment is refused, unless the baseline's own
  // are no better.
  double min_quality = 0.75;
};

// A dynamic-time-warping alignment of the records of two traces.
struct Alignment {
  std::vector<stats::DtwStep> path;
  double quality = 0;  // 0 to 1
};

Result<Alignment> Align(const Baseline& baseline, const TraceSignals& a, const TraceSignals& b,
                        const AlignOptions& options);

// The values of `of` at the records of the other trace: the mean of those aligned with each.
// `second` says whether `of` belongs to the second trace.
std::vector<double> Warp(const Alignment& alignment, std::span<const double> of, bool second);

struct OuterBaseline {
  // By metric, then by run: the mean correlation with the same metric in all other runs.
  std::vector<std::vector<double>> correlations;
  std::vector<double> qualities;  // by run, mean
};

// The index of the run that is most similar to the others.
std::size_t MostTypical(const OuterBaseline& outer);

// Aligns each run with every other one, using one thread per core.
Result<OuterBaseline> MakeOuterBaseline(const Baseline& baseline, const AlignOptions& options);

struct OuterRow {
  std::string metric;
  Judged judged;
  std::optional<double> correlation;  // mean over the baseline's runs
  double adjusted = 1;
  bool significant = false;
};

struct OuterJudgement {
  std::vector<OuterRow> rows;  // empty if refused
  double quality = 0;
  std::string refused;  // the reason
};

// Only correlations below the baseline's indicate perturbation.
Result<OuterJudgement> JudgeOuter(const Baseline& baseline, const OuterBaseline& outer,
                                  const TraceSignals& run, const AlignOptions& align,
                                  const JudgeOptions& options);

}  // namespace tare::perturb
