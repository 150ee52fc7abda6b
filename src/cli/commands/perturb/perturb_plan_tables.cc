// perturb_plan_tables.cc: a row per group, metric or test.
#include "cli/commands/perturb/perturb_plan_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/grouped.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/perturb/perturb_tables.h"

namespace tare::cli {
namespace {

using perturb::Trial;

report::Cell WholeCell(std::size_t number) { return Number(static_cast<std::int64_t>(number)); }

std::string Names(const perturb::MetricSet& metrics) {
  return fmt::format("{}", fmt::join(metrics, ", "));
}

report::Table GroupsTable(const std::vector<PlannedGroup>& groups) {
  report::Table table{"groups",
                      "Groups of metrics that one run can count",
                      {{"group"},
                       {"size"},
                       {"instructions", "%"},
                       {"quality"},
                       {"series"},
                       {.name = "metrics", .below = true}},
                      {}};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Trial& trial = *groups[i].trial;
    table.rows.push_back({WholeCell(i + 1), WholeCell(trial.metrics.size()),
                          AddedInstructions(trial), Known(trial.judgement.outer.quality),
                          groups[i].series, Names(trial.metrics)});
  }
  return table;
}

report::Table NotPlacedTable(const perturb::Plan& plan) {
  report::Table table{"not_placed",
                      "Metrics that fit into no group",
                      {{"metric"}, {.name = "reason", .below = true}},
                      {}};
  for (const perturb::NotPlaced& one : plan.not_placed) {
    table.rows.push_back({one.metric, one.reason});
  }
  return table;
}

report::Table TestsTable(const perturb::Plan& plan) {
  report::Table table{
      "tests",
      "Tested sets",
      {{"test"}, {"size"}, {"runs"}, {"passed"}, {.name = "metrics", .below = true}},
      {}};
  for (std::size_t i = 0; i < plan.tests.size(); ++i) {
    const perturb::Tested& test = plan.tests[i];
    table.rows.push_back({WholeCell(i + 1), WholeCell(test.metrics.size()),
                          WholeCell(test.answer.runs), test.answer.against.empty() ? "yes" : "no",
                          Names(test.metrics)});
  }
  return table;
}

report::Cell AgreementOf(const perturb::Trust& trust) {
  if (!trust.agreement) return Absent("the metric is constant: there is no correlation");
  if (trust.against.empty()) return *trust.agreement;
  return Doubtful(*trust.agreement, trust.against);
}

}  // namespace

void AddPlan(const perturb::Plan& plan, const std::vector<PlannedGroup>& groups,
             report::Document& document) {
  document.blocks.emplace_back(GroupsTable(groups));
  if (!plan.not_placed.empty()) document.blocks.emplace_back(NotPlacedTable(plan));
  document.blocks.emplace_back(TestsTable(plan));
  std::size_t placed = 0;
  for (const PlannedGroup& group : groups) placed += group.trial->metrics.size();
  std::string answer =
      fmt::format("{} of {} metrics can be counted in {}; {} sets were tested in {} runs.", placed,
                  placed + plan.not_placed.size(),
                  groups.size() == 1 ? "one run" : fmt::format("{} runs", groups.size()),
                  plan.tests.size(), plan.runs);
  if (plan.out_of_budget) {
    answer += " The budget was spent before all sets were tested; raise it with --budget.";
  }
  document.blocks.emplace_back(report::Text{"answer", answer});
}

void AddMerged(const perturb::Baseline& baseline, const perturb::Merged& merged,
               const std::string& file, report::Document& document) {
  report::Table table{
      "merged", "Trust in each metric's time series", {{"metric"}, {"trust"}, {"trace"}}, {}};
  for (const perturb::Trust& trust : merged.trust) {
    table.rows.push_back({trust.metric, AgreementOf(trust), trust.trace});
  }
  document.blocks.emplace_back(std::move(table));
  report::Table traces{
      "traces", "Traces", {{"trace"}, {"quality"}, {.name = "verdict", .below = true}}, {}};
  for (const perturb::Judgement& judgement : merged.judgements) {
    traces.rows.push_back(
        {judgement.trace, Known(judgement.outer.quality), perturb::VerdictOf(judgement)});
  }
  document.blocks.emplace_back(std::move(traces));
  const auto perturbed = std::ranges::count_if(
      merged.trust, [](const perturb::Trust& trust) { return !trust.against.empty(); });
  std::string answer = fmt::format(
      "Merged {} software metrics from {} onto the {} records of {} in {}, with {} of its own "
      "metrics.",
      merged.trust.size(),
      merged.judgements.size() == 1 ? "1 trace"
                                    : fmt::format("{} traces", merged.judgements.size()),
      Grouped(baseline.runs[merged.reference].length() + 1),
      Printable(baseline.runs[merged.reference].name), Printable(file),
      merged.signals.size() - merged.trust.size());
  if (perturbed > 0) {
    answer += fmt::format(" {} of them come from perturbed runs and are doubtful.", perturbed);
  }
  document.blocks.emplace_back(report::Text{"answer", answer});
}

}  // namespace tare::cli
