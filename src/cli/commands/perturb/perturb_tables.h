// perturb_tables.h: tables, plots and sentences about baselines and judged traces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/run_verdict.h"
#include "analysis/perturb/trials.h"
#include "report/document.h"

namespace tare::cli {

// Tables `inner` and `outer` of a baseline: each correlation, the prediction interval for one more
// run, and the minimum detectable change. `left_out`: metrics that cannot be watched. `all`:
// uninteresting pairs too.
void AddBaseline(const perturb::Baseline& baseline, const perturb::OuterBaseline& outer,
                 const perturb::JudgeOptions& options, bool all, report::Document& document);

// Tables `inner`, `outer`, `cost` and, if there are differences, `local`; their plots; a sentence
// for each run. `all`: uninteresting pairs too.
void AddJudgements(const std::vector<perturb::Judgement>& traces,
                   const perturb::JudgeOptions& options, bool all, report::Document& document);

// The magnitude of a baseline correlation with the prediction interval for one more run.
Measured Magnitude(const perturb::Judged& judged, double confidence);

// A correlation of one run, which has no interval; absent if there is none.
report::Cell OfRun(const std::optional<double>& correlation);
report::Cell ChangeOf(const std::optional<double>& run, const perturb::Judged& judged);

std::string YesOrNo(bool significant);
// "yes", "no" or "uninteresting".
std::string SignificanceOf(const perturb::InnerRow& row);

// Instructions added to the baseline's, in percent.
Measured AddedInstructions(const perturb::Cost& cost);
// The same relative to the mean of the baseline's runs; both were counted, so there is no interval.
Measured AddedInstructions(const perturb::Trial& trial);

}  // namespace tare::cli
