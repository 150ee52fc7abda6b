// perturb_tables.h: baselines and judgements of traces as tables, plots and sentences.
#pragma once

#include <string>

#include "perturb/baseline.h"
#include "perturb/inner.h"
#include "perturb/local.h"
#include "perturb/outer.h"
#include "report/document.h"

namespace tare::cli {

// Everything that was found out about one run.
struct JudgedTrace {
  std::string trace;  // its file
  std::vector<perturb::InnerRow> inner;
  perturb::OuterJudgement outer;
  perturb::LocalScores local;
};

// Tables `inner` and `outer` of a baseline: each correlation, where one more run's is expected, and
// the change that would be found. `left_out`: metrics that cannot be watched. `all`: uninteresting
// pairs too.
void AddBaseline(const perturb::Baseline& baseline, const perturb::OuterBaseline& outer,
                 const perturb::JudgeOptions& options, bool all, report::Document& document);

// Tables `inner`, `outer` and, where it differs, `local` of runs; their plots; a sentence for each.
// `all`: uninteresting pairs too.
void AddJudgements(const std::vector<JudgedTrace>& traces, const perturb::JudgeOptions& options,
                   bool all, report::Document& document);

// "perturbed: ..." or "not perturbed: ...", in one sentence.
std::string Verdict(const JudgedTrace& trace);

}  // namespace tare::cli
