// perturb_tables.h: baselines and judgements of traces as tables, plots and sentences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/run_verdict.h"
#include "analysis/perturb/trials.h"
#include "report/document.h"

namespace tare::cli {

// Tables `inner` and `outer` of a baseline: each correlation, where one more run's is expected, and
// the change that would be found. `left_out`: metrics that cannot be watched. `all`: uninteresting
// pairs too.
void AddBaseline(const perturb::Baseline& baseline, const perturb::OuterBaseline& outer,
                 const perturb::JudgeOptions& options, bool all, report::Document& document);

// Tables `inner`, `outer`, `cost` and, where it differs, `local` of runs; their plots; a sentence
// for each. `all`: uninteresting pairs too.
void AddJudgements(const std::vector<perturb::Judgement>& traces,
                   const perturb::JudgeOptions& options, bool all, report::Document& document);

// The magnitude of a correlation of the baseline with the interval for one more run.
Measured Magnitude(const perturb::Judged& judged, double confidence);

// A correlation of one run is what it is; absent where there is none.
report::Cell OfRun(const std::optional<double>& correlation);
report::Cell ChangeOf(const std::optional<double>& run, const perturb::Judged& judged);

std::string YesOrNo(bool significant);
// "yes", "no" or "uninteresting".
std::string SignificanceOf(const perturb::InnerRow& row);

// Instructions beyond the baseline's, in per cent.
Measured AddedInstructions(const perturb::Cost& cost, double confidence);
// The same beyond the mean of the baseline's runs: both were counted, the number is what it is.
Measured AddedInstructions(const perturb::Trial& trial);

}  // namespace tare::cli
