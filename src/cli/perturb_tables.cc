// perturb_tables.cc: correlations are shown without their sign, as magnitudes of what goes
// together.
#include "cli/perturb_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "cli/cells.h"

namespace tare::cli {
namespace {

using perturb::InnerRow;
using perturb::OuterRow;

// The magnitude of a correlation with that of its interval.
report::Measured Magnitude(const perturb::Judged& judged, double confidence) {
  const double value = std::abs(judged.baseline);
  const double a = judged.prediction.low;
  const double b = judged.prediction.high;
  const bool crosses = a < 0 && b > 0;
  const double low = crosses ? 0 : std::min(std::abs(a), std::abs(b));
  return report::Between(value, low, std::max(std::abs(a), std::abs(b)), confidence);
}

// A correlation of one run is what it is.
report::Cell OfRun(const std::optional<double>& correlation) {
  if (!correlation) return report::Absent("a signal never changes: there is no correlation");
  return Known(std::abs(*correlation));
}

report::Cell Change(const std::optional<double>& run, const perturb::Judged& judged) {
  if (!run) return report::Absent("a signal never changes: there is no correlation");
  return Known(std::abs(*run) - std::abs(judged.baseline));
}

// A fall that is found most times, to as many digits as mean something.
report::Cell Detectable(const perturb::Spread& spread, const perturb::JudgeOptions& options) {
  constexpr double kPower = 0.8;
  const auto fall = spread.Detectable(options.alpha, kPower);
  if (!fall) return report::Absent("the runs differ too much: no fall would be found for sure");
  return report::Number(std::round(std::max(options.least, *fall) * 1000) / 1000);
}

std::string Answer(bool significant) { return significant ? "yes" : "no"; }

report::Table InnerTable(const std::vector<JudgedTrace>& traces, double confidence, bool all) {
  report::Table table{
      "inner",
      "Inner perturbation: what metrics of one run have to do with each other",
      {{"first"}, {"second"}, {"baseline"}, {"run"}, {"change"}, {"significant"}, {"p"}, {"trace"}},
      {}};
  for (const JudgedTrace& trace : traces) {
    for (const InnerRow& row : trace.inner) {
      if (!row.interesting && !all) continue;
      table.rows.push_back({row.first, row.second, Magnitude(row.judged, confidence),
                            OfRun(row.run), Change(row.run, row.judged),
                            row.interesting ? Answer(row.significant) : "uninteresting",
                            report::Number(row.adjusted), trace.trace});
    }
  }
  return table;
}

report::Table OuterTable(const std::vector<JudgedTrace>& traces, double confidence) {
  report::Table table{
      "outer",
      "Outer perturbation: each metric against itself in the aligned baseline",
      {{"metric"}, {"correlation"}, {"significant"}, {"baseline"}, {"p"}, {"quality"}, {"trace"}},
      {}};
  for (const JudgedTrace& trace : traces) {
    for (const OuterRow& row : trace.outer.rows) {
      table.rows.push_back({row.metric, OfRun(row.correlation), Answer(row.significant),
                            Magnitude(row.judged, confidence), report::Number(row.adjusted),
                            Known(trace.outer.quality), trace.trace});
    }
  }
  return table;
}

report::Table LocalTable(const std::vector<JudgedTrace>& traces) {
  report::Table table{"local",
                      "Where in time runs are farther from the baseline than its own runs are",
                      {{"from", "records"}, {"to", "records"}, {"score"}, {"trace"}},
                      {}};
  for (const JudgedTrace& trace : traces) {
    for (const perturb::LocalScore& stretch : trace.local.stretches) {
      if (!stretch.significant) continue;
      table.rows.push_back({report::Number(static_cast<std::int64_t>(stretch.from)),
                            report::Number(static_cast<std::int64_t>(stretch.to)),
                            Known(stretch.score), trace.trace});
    }
  }
  return table;
}

report::Series LocalPlot(const std::vector<JudgedTrace>& traces) {
  report::Series plot{"local_scores",
                      "Distance from the baseline along the trace, in its own deviations",
                      {"record"},
                      false,
                      {}};
  for (const JudgedTrace& trace : traces) {
    report::Line line{Printable(trace.trace), "", {}, {}, {}, {}};
    for (const perturb::LocalScore& stretch : trace.local.stretches) {
      line.x.push_back(static_cast<double>(stretch.from + stretch.to) / 2);
      line.y.push_back(stretch.score);
    }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
  }
  return plot;
}

template <typename Row>
const Row* MostChanged(const std::vector<Row>& rows, auto change) {
  const Row* worst = nullptr;
  for (const Row& row : rows) {
    if (row.significant && (worst == nullptr || change(row) > change(*worst))) worst = &row;
  }
  return worst;
}

std::string InnerSentence(const JudgedTrace& trace) {
  const auto count = std::ranges::count_if(trace.inner, &InnerRow::significant);
  const InnerRow* const worst = MostChanged(
      trace.inner, [](const InnerRow& row) { return row.run ? std::abs(row.change()) : 2.0; });
  if (worst == nullptr) return "";
  if (!worst->run) {
    return fmt::format(
        "{} pairs of metrics changed what they have to do with each other, most of "
        "all {} and {}, of which one no longer changes",
        count, worst->first, worst->second);
  }
  return fmt::format(
      "{} pairs of metrics changed what they have to do with each other, most of "
      "all {} and {}: {:.2f} instead of {:.2f}",
      count, worst->first, worst->second, std::abs(*worst->run), std::abs(worst->judged.baseline));
}

std::string OuterSentence(const JudgedTrace& trace) {
  if (!trace.outer.refused.empty()) return trace.outer.refused;
  const auto count = std::ranges::count_if(trace.outer.rows, &OuterRow::significant);
  const OuterRow* const worst = MostChanged(trace.outer.rows, [](const OuterRow& row) {
    return row.correlation ? row.judged.baseline - *row.correlation : 2.0;
  });
  if (worst == nullptr) return "";
  return fmt::format(
      "{} metrics no longer follow the baseline, least of all {}: {:.2f} instead of "
      "{:.2f}",
      count, worst->metric, worst->correlation.value_or(0), worst->judged.baseline);
}

}  // namespace

std::string Verdict(const JudgedTrace& trace) {
  const std::string inner = InnerSentence(trace);
  const std::string outer = OuterSentence(trace);
  const std::string name = Printable(trace.trace);
  if (inner.empty() && outer.empty()) {
    return fmt::format(
        "{}: not perturbed: every correlation is one that the baseline's own runs "
        "could have had.",
        name);
  }
  if (inner.empty()) return fmt::format("{}: perturbed outside: {}.", name, outer);
  if (outer.empty()) return fmt::format("{}: perturbed inside: {}.", name, inner);
  return fmt::format("{}: perturbed inside and outside: {}; {}.", name, inner, outer);
}

void AddBaseline(const perturb::Baseline& baseline, const perturb::OuterBaseline& outer,
                 const perturb::JudgeOptions& options, bool all, report::Document& document) {
  const double confidence = 1 - options.alpha;
  report::Table inner_table{
      "inner",
      fmt::format("What metrics have to do with each other, over {} runs", baseline.runs.size()),
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
                            "Each metric against itself in the other runs, aligned",
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

void AddJudgements(const std::vector<JudgedTrace>& traces, const perturb::JudgeOptions& options,
                   bool all, report::Document& document) {
  const double confidence = 1 - options.alpha;
  document.blocks.emplace_back(InnerTable(traces, confidence, all));
  document.blocks.emplace_back(OuterTable(traces, confidence));
  auto local = LocalTable(traces);
  if (all || !local.rows.empty()) document.blocks.emplace_back(std::move(local));
  auto plot = LocalPlot(traces);
  if (all || !plot.lines.empty()) document.blocks.emplace_back(std::move(plot));
  std::string answer;
  for (const JudgedTrace& trace : traces) {
    if (!answer.empty()) answer += "\n\n";
    answer += Verdict(trace);
  }
  document.blocks.emplace_back(report::Text{"answer", answer});
}

}  // namespace tare::cli
