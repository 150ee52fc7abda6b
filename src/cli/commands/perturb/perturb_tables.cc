// perturb_tables.cc: correlations are shown as magnitudes, without their sign.
#include "cli/commands/perturb/perturb_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "cli/cells.h"

namespace tare::cli {
namespace {

using perturb::InnerRow;
using perturb::Judgement;
using perturb::OuterRow;

// The decrease that is detected at 80 % power, rounded to meaningful digits.
report::Cell Detectable(const perturb::Spread& spread, const perturb::JudgeOptions& options) {
  constexpr double kPower = 0.8;
  const auto fall = spread.Detectable(options.alpha, kPower);
  if (!fall) return Absent("the runs vary too much to detect a decrease reliably");
  return Number(std::round(std::max(options.min_change, *fall) * 1000) / 1000);
}

report::Table InnerTable(const std::vector<Judgement>& traces, double confidence, bool all) {
  report::Table table{
      "inner",
      "Inner perturbation: correlations between the metrics of a run",
      {{"first"}, {"second"}, {"baseline"}, {"run"}, {"change"}, {"significant"}, {"p"}, {"trace"}},
      {}};
  for (const Judgement& trace : traces) {
    for (const InnerRow& row : trace.inner) {
      if (!row.interesting && !all) continue;
      table.rows.push_back({row.first, row.second, Magnitude(row.judged, confidence),
                            OfRun(row.run), ChangeOf(row.run, row.judged), SignificanceOf(row),
                            Number(row.adjusted), trace.trace});
    }
  }
  return table;
}

report::Table OuterTable(const std::vector<Judgement>& traces, double confidence) {
  report::Table table{
      "outer",
      "Outer perturbation: correlation of each metric with itself in the aligned baseline",
      {{"metric"},
       {"correlation"},
       {"significant"},
       {"baseline"},
       {"p"},
       report::Detail({"quality"}),
       {"trace"}},
      {}};
  for (const Judgement& trace : traces) {
    for (const OuterRow& row : trace.outer.rows) {
      table.rows.push_back({row.metric, OfRun(row.correlation), YesOrNo(row.significant),
                            Magnitude(row.judged, confidence), Number(row.adjusted),
                            Known(trace.outer.quality), trace.trace});
    }
  }
  return table;
}

report::Table LocalTable(const std::vector<Judgement>& traces) {
  report::Table table{"local",
                      "Parts of the trace that are farther from the baseline than its own runs",
                      {{"from", "records"}, {"to", "records"}, {"score"}, {"trace"}},
                      {}};
  for (const Judgement& trace : traces) {
    for (const perturb::LocalScore& stretch : trace.local.stretches) {
      if (!stretch.significant) continue;
      table.rows.push_back({Number(static_cast<std::int64_t>(stretch.from)),
                            Number(static_cast<std::int64_t>(stretch.to)), Known(stretch.score),
                            trace.trace});
    }
  }
  return table;
}

report::Series LocalPlot(const std::vector<Judgement>& traces) {
  report::Series plot{
      "local_scores",
      "Distance from the baseline along the trace, in standard deviations of the baseline",
      {"record"},
      false,
      {}};
  for (const Judgement& trace : traces) {
    report::Line line{Printable(trace.trace), "", {}, {}, {}, {}};
    for (const perturb::LocalScore& stretch : trace.local.stretches) {
      line.x.push_back(static_cast<double>(stretch.from + stretch.to) / 2);
      line.y.push_back(stretch.score);
    }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
  }
  return plot;
}

report::Table CostTable(const std::vector<Judgement>& traces) {
  report::Table table{
      "cost", "Added instructions", {{"trace"}, {"baseline"}, {"run"}, {"added", "%"}}, {}};
  for (const Judgement& trace : traces) {
    if (!trace.cost) {
      const auto absent = Absent("the traces have no instruction counts");
      table.rows.push_back({trace.trace, absent, absent, absent});
      continue;
    }
    table.rows.push_back({trace.trace, trace.cost->baseline,
                          Count(static_cast<std::uint64_t>(trace.cost->run)),
                          AddedInstructions(*trace.cost)});
  }
  return table;
}

}  // namespace

Measured Magnitude(const perturb::Judged& judged, double confidence) {
  const double value = std::abs(judged.baseline);
  const double a = judged.prediction.low;
  const double b = judged.prediction.high;
  const bool crosses = a < 0 && b > 0;
  const double low = crosses ? 0 : std::min(std::abs(a), std::abs(b));
  return Between(value, low, std::max(std::abs(a), std::abs(b)), confidence);
}

report::Cell OfRun(const std::optional<double>& correlation) {
  if (!correlation) return Absent("a signal is constant: there is no correlation");
  return Known(std::abs(*correlation));
}

report::Cell ChangeOf(const std::optional<double>& run, const perturb::Judged& judged) {
  if (!run) return Absent("a signal is constant: there is no correlation");
  return Known(std::abs(*run) - std::abs(judged.baseline));
}

std::string YesOrNo(bool significant) { return significant ? "yes" : "no"; }

std::string SignificanceOf(const InnerRow& row) {
  return row.interesting ? YesOrNo(row.significant) : "uninteresting";
}

Measured AddedInstructions(const perturb::Cost& cost) {
  const auto percent = [&](double baseline) { return 100 * (cost.run / baseline - 1); };
  const Measured& baseline = cost.baseline;
  if (baseline.Low() == baseline.High()) return Known(cost.AddedPercent());
  Measured added = baseline;
  added.value = cost.AddedPercent();
  added.low = percent(baseline.High());
  added.high = percent(baseline.Low());
  return added;
}

Measured AddedInstructions(const perturb::Trial& trial) {
  return Known(std::round(trial.added_percent * 1e4) / 1e4);
}

void AddBaseline(const perturb::Baseline& baseline, const perturb::OuterBaseline& outer,
                 const perturb::JudgeOptions& options, bool all, report::Document& document) {
  const double confidence = 1 - options.alpha;
  report::Table inner_table{
      "inner",
      fmt::format("Correlations between metrics, over {} runs", baseline.runs.size()),
      {{"first"}, {"second"}, {"baseline"}, {"detectable"}},
      {}};
  for (std::size_t pair = 0; pair < baseline.pairs.size(); ++pair) {
    const perturb::Spread spread = baseline.SpreadOf(pair);
    const perturb::Judged judged = spread.Judge(0, perturb::Side::kBoth, confidence, 2);
    if (!all && std::abs(judged.baseline) < perturb::kInteresting) continue;
    inner_table.rows.push_back({baseline.metrics[baseline.pairs[pair].first],
                                baseline.metrics[baseline.pairs[pair].second],
                                Magnitude(judged, confidence), Detectable(spread, options)});
  }
  document.blocks.emplace_back(std::move(inner_table));
  report::Table outer_table{"outer",
                            "Correlation of each metric with itself in the other runs, aligned",
                            {{"metric"}, {"correlation"}, {"detectable"}},
                            {}};
  for (std::size_t metric = 0; metric < baseline.metrics.size(); ++metric) {
    const perturb::Spread spread(outer.correlations[metric]);
    const perturb::Judged judged = spread.Judge(0, perturb::Side::kBoth, confidence, 2);
    outer_table.rows.push_back(
        {baseline.metrics[metric], Magnitude(judged, confidence), Detectable(spread, options)});
  }
  document.blocks.emplace_back(std::move(outer_table));
  if (baseline.left_out.empty()) return;
  report::Table left_out{"left_out",
                         "Metrics that cannot be watched",
                         {{"metric"}, {.name = "reason", .below = true}},
                         {}};
  for (const perturb::Unusable& one : baseline.left_out) {
    left_out.rows.push_back({one.name, one.reason});
  }
  document.blocks.emplace_back(std::move(left_out));
}

void AddJudgements(const std::vector<Judgement>& traces, const perturb::JudgeOptions& options,
                   bool all, report::Document& document) {
  const double confidence = 1 - options.alpha;
  document.blocks.emplace_back(InnerTable(traces, confidence, all));
  document.blocks.emplace_back(OuterTable(traces, confidence));
  const bool any_cost =
      std::ranges::any_of(traces, [](const Judgement& trace) { return trace.cost.has_value(); });
  if (all || any_cost) document.blocks.emplace_back(CostTable(traces));
  auto local = LocalTable(traces);
  if (all || !local.rows.empty()) document.blocks.emplace_back(std::move(local));
  auto plot = LocalPlot(traces);
  if (all || !plot.lines.empty()) document.blocks.emplace_back(std::move(plot));
  std::string answer;
  for (const Judgement& trace : traces) {
    if (!answer.empty()) answer += "\n\n";
    answer += fmt::format("{}: {}", Printable(trace.trace), perturb::VerdictOf(trace));
  }
  document.blocks.emplace_back(report::Text{"answer", answer});
}

}  // namespace tare::cli
