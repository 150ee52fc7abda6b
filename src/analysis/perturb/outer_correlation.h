// outer_correlation.h: whether a run can be laid over the baseline's runs, record by record.
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
  std::string by = {};  // the metric by which records are matched; empty: all of the baseline's
  double band = 0.1;    // share of the length by which records may be apart
  // Unrelated noises reach it: an alignment that is worse says nothing, unless the baseline's own
  // are no better.
  double min_quality = 0.75;
};

// How the records of two traces meet.
struct Alignment {
  std::vector<stats::DtwStep> path;
  double quality = 0;  // 0 to 1
};

Result<Alignment> Align(const Baseline& baseline, const TraceSignals& a, const TraceSignals& b,
                        const AlignOptions& options);

// The values of `of` at the records of the other trace: the mean of those that meet each. `second`
// says which of the two traces `of` belongs to.
std::vector<double> Warp(const Alignment& alignment, std::span<const double> of, bool second);

struct OuterBaseline {
  // By metric, then by run: its correlation with itself in all other runs on average.
  std::vector<std::vector<double>> correlations;
  std::vector<double> qualities;  // by run, on average
};

// The run that is most like the others.
std::size_t MostTypical(const OuterBaseline& outer);

// Each run with each other one, on as many threads as there are processors.
Result<OuterBaseline> MakeOuterBaseline(const Baseline& baseline, const AlignOptions& options);

struct OuterRow {
  std::string metric;
  Judged judged;
  std::optional<double> correlation;  // with the baseline's runs on average
  double adjusted = 1;
  bool significant = false;
};

struct OuterJudgement {
  std::vector<OuterRow> rows;  // empty: refused
  double quality = 0;
  std::string refused;  // why
};

// Only lower correlations than the baseline's are perturbations.
Result<OuterJudgement> JudgeOuter(const Baseline& baseline, const OuterBaseline& outer,
                                  const TraceSignals& run, const AlignOptions& align,
                                  const JudgeOptions& options);

}  // namespace tare::perturb
