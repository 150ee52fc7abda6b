// perturb_method_tables.cc: deviations and verdicts of the document's method, beside the default's.
#include "cli/commands/perturb/perturb_method_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/perturb/perturb_tables.h"

namespace tare::cli {
namespace {

template <typename Row>
report::Cell SignificantRows(const std::vector<Row>& rows) {
  return Number(static_cast<std::int64_t>(std::ranges::count_if(rows, &Row::significant)));
}

report::Table MethodsTable(const std::vector<JudgedTwice>& runs) {
  report::Table table{"methods",
                      "Where each method calls a run perturbed",
                      {report::Kept({"run"}),
                       report::Kept({"default"}),
                       report::Kept({"document"}),
                       {"default_inner"},
                       {"document_inner"},
                       {"default_outer"},
                       {"document_outer"}},
                      {}};
  for (const JudgedTwice& run : runs) {
    table.rows.push_back(
        {run.name, WhereOf(*run.by_default), WhereOf(run.by_document),
         SignificantRows(run.by_default->inner), SignificantRows(run.by_document.inner),
         run.by_default->outer.refused.empty() ? SignificantRows(run.by_default->outer.rows)
                                               : Absent(run.by_default->outer.refused),
         SignificantRows(run.by_document.outer)});
  }
  return table;
}

report::Table DocumentInnerTable(const std::vector<JudgedTwice>& runs) {
  report::Table table{"document_inner",
                      "Pairs of metrics, by the document's method",
                      {{"first"},
                       {"second"},
                       {"baseline"},
                       {"run"},
                       {"deviation"},
                       {"observed"},
                       {"significant"},
                       {"of"}},
                      {}};
  for (const JudgedTwice& run : runs) {
    for (const perturb::DocumentInner& row : run.by_document.inner) {
      table.rows.push_back(
          {row.first, row.second, Known(row.baseline), OfRun(row.run),
           row.run ? report::Cell(Known(row.deviation))
                   : Absent("a signal is constant: there is no correlation"),
           Known(row.observed),
           row.interesting ? YesOrNo(row.significant) : std::string("uninteresting"), run.name});
    }
  }
  return table;
}

report::Table DocumentOuterTable(const std::vector<JudgedTwice>& runs) {
  report::Table table{
      "document_outer",
      "Metrics against themselves in the aligned baseline, by the document's method",
      {{"metric"}, {"correlation"}, {"deviation"}, {"observed"}, {"significant"}, {"of"}},
      {}};
  for (const JudgedTwice& run : runs) {
    for (const perturb::DocumentOuter& row : run.by_document.outer) {
      table.rows.push_back(
          {row.metric,
           row.correlation ? report::Cell(Known(*row.correlation))
                           : Absent("a signal is constant: there is no correlation"),
           Known(row.deviation), Known(row.observed), YesOrNo(row.significant), run.name});
    }
  }
  return table;
}

std::string Agreement(const std::vector<JudgedTwice>& runs) {
  std::size_t only_default = 0;
  std::size_t only_document = 0;
  std::size_t both = 0;
  for (const JudgedTwice& run : runs) {
    const bool one = run.by_default->IsPerturbed();
    const bool other = run.by_document.IsPerturbed();
    both += one && other ? 1 : 0;
    only_default += one && !other ? 1 : 0;
    only_document += other && !one ? 1 : 0;
  }
  return fmt::format(
      "Of {} runs, both methods call {} perturbed, the default method alone {}, and the document's "
      "method alone {}.",
      runs.size(), both, only_default, only_document);
}

}  // namespace

std::string WhereOf(const perturb::DocumentJudgement& judgement) {
  const bool inside = judgement.IsPerturbedInside();
  const bool outside = judgement.IsPerturbedOutside();
  if (inside && outside) return "both";
  if (inside) return "inside";
  return outside ? "outside" : "no";
}

std::string WhereOf(const perturb::Judgement& judgement) {
  if (!judgement.outer.refused.empty()) return "unalignable";
  const bool inside = judgement.IsPerturbedInside();
  const bool outside = judgement.IsPerturbedOutside();
  if (inside && outside) return "both";
  if (inside) return "inside";
  return outside ? "outside" : "no";
}

Result<DocumentJudgements> JudgeTrials(const perturb::Trials& trials,
                                       const std::vector<perturb::SweepOrder>& orders,
                                       const perturb::AlignOptions& align) {
  const perturb::Baseline& baseline = trials.GetBaseline();
  TRY(const auto document, perturb::MakeDocumentBaseline(baseline, align));
  DocumentJudgements judgements;
  for (const perturb::SweepOrder& order : orders) {
    for (const perturb::Trial* const trial : order.points) {
      if (judgements.contains(trial)) continue;
      TRY(auto judged, perturb::JudgeByDocument(baseline, document, trial->run, align));
      judgements.emplace(trial, std::move(judged));
    }
  }
  return judgements;
}

void AddMethods(const std::vector<JudgedTwice>& runs, bool brief, Outcome& outcome) {
  report::Document& document = outcome.document;
  document.blocks.emplace_back(MethodsTable(runs));
  document.blocks.emplace_back(DocumentInnerTable(runs));
  document.blocks.emplace_back(DocumentOuterTable(runs));
  outcome.not_in_text.emplace_back("document_inner");
  outcome.not_in_text.emplace_back("document_outer");
  std::string text = brief ? Agreement(runs) : "";
  for (const JudgedTwice& run : runs) {
    if (brief) break;
    if (!text.empty()) text += "\n\n";
    text += fmt::format("{}, by the document's method: {}", Printable(run.name),
                        perturb::VerdictOf(run.by_document));
  }
  document.blocks.emplace_back(report::Text{"document", text});
}

}  // namespace tare::cli
