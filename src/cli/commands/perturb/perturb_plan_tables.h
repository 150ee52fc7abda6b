// perturb_plan_tables.h: tables of groups of metrics and of merged traces.
#pragma once

#include <string>
#include <vector>

#include "analysis/perturb/perturb_plan.h"
#include "analysis/perturb/trace_merge.h"
#include "analysis/perturb/trials.h"
#include "report/document.h"

namespace tare::cli {

struct PlannedGroup {
  const perturb::Trial* trial;
  std::string series;  // file; empty: not kept
};

// Tables `groups`, `not_placed` and `tests`, and a sentence.
void AddPlan(const perturb::Plan& plan, const std::vector<PlannedGroup>& groups,
             report::Document& document);

// Tables `merged` and `traces`, and a sentence.
void AddMerged(const perturb::Baseline& baseline, const perturb::Merged& merged,
               const std::string& file, report::Document& document);

}  // namespace tare::cli
