// perturb_method_tables.h: the verdicts of two methods side by side.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/perturb/document_method.h"
#include "analysis/perturb/metric_sweep.h"
#include "analysis/perturb/run_verdict.h"
#include "cli/command.h"

namespace tare::cli {

inline constexpr std::array<std::string_view, 2> kPerturbMethods = {"default", "document"};
inline constexpr std::string_view kMethodHelp =
    "document: also judge as Mytkowicz and others (2007) did, by one baseline run and the largest "
    "deviation among the others, and show both verdicts (default: default)";

// A run and what both methods say about it.
struct JudgedTwice {
  std::string name;  // the trace, or the order and the metrics of a sweep
  const perturb::Judgement* by_default;
  perturb::DocumentJudgement by_document;
};

// "no", "inside", "outside" or "both".
std::string WhereOf(const perturb::DocumentJudgement& judgement);
// The same, or "unalignable".
std::string WhereOf(const perturb::Judgement& judgement);

using DocumentJudgements = std::map<const perturb::Trial*, perturb::DocumentJudgement>;
// Judges each run of the orders once.
Result<DocumentJudgements> JudgeTrials(const perturb::Trials& trials,
                                       const std::vector<perturb::SweepOrder>& orders,
                                       const perturb::AlignOptions& align);

// Adds tables `methods`, `document_inner` and `document_outer`, of which text shows the first only,
// and the text `document`: a sentence for each run, or a summary if `brief`.
void AddMethods(const std::vector<JudgedTwice>& runs, bool brief, Outcome& outcome);

}  // namespace tare::cli
