// perturb_sweep_tables.cc: the points of a sweep, and lines through them.
#include "cli/commands/perturb/perturb_sweep_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/perturb/pair_kind.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/perturb/perturb_method_tables.h"
#include "cli/commands/perturb/perturb_tables.h"

namespace tare::cli {
namespace {

using perturb::SweepOrder;
using perturb::Trial;

constexpr std::size_t kShownLines = 6;
constexpr std::size_t kDrawnPoints = 400;
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// Correlations of one run, rounded to meaningful digits.
double Rounded(double correlation) { return std::round(correlation * 1000) / 1000; }

template <typename Row>
report::Cell Significant(const std::vector<Row>& rows) {
  return Number(static_cast<std::int64_t>(std::ranges::count_if(rows, &Row::significant)));
}

// The largest change of an interesting pair, significant or not.
report::Cell LargestOf(const perturb::Judgement& judgement) {
  double largest = 0;
  for (const perturb::InnerRow& row : judgement.inner) {
    if (!row.interesting || !row.run) continue;
    const double change = std::abs(*row.run) - std::abs(row.judged.baseline);
    if (std::abs(change) > std::abs(largest)) largest = change;
  }
  return Known(Rounded(largest));
}

report::Cell LowestOf(const perturb::Judgement& judgement) {
  if (!judgement.outer.refused.empty()) return Absent(judgement.outer.refused);
  double lowest = 1;
  for (const perturb::OuterRow& row : judgement.outer.rows) {
    lowest = std::min(lowest, row.correlation.value_or(0));
  }
  return Known(Rounded(lowest));
}

report::Table PointsTable(const perturb::Baseline& baseline,
                          const std::vector<SweepOrder>& orders) {
  const bool software = perturb::HasSoftware(baseline);
  report::Table table{"points",
                      "Runs with added metrics",
                      {{"order"},
                       {"metrics"},
                       {"added"},
                       {"instructions", "%"},
                       {"inner"},
                       {"change"},
                       {"outer"},
                       {"lowest"},
                       {"perturbed"}},
                      {}};
  if (software) {
    table.columns.insert(table.columns.end(), {{"mixed_pairs"}, {"software_pairs"}, {"hidden"}});
  }
  for (const SweepOrder& order : orders) {
    for (std::size_t point = 0; point < order.points.size(); ++point) {
      const Trial& trial = *order.points[point];
      table.rows.push_back({order.name, Number(static_cast<std::int64_t>(trial.metrics.size())),
                            order.metrics[point], AddedInstructions(trial),
                            Significant(trial.judgement.inner), LargestOf(trial.judgement),
                            Significant(trial.judgement.outer.rows), LowestOf(trial.judgement),
                            WhereOf(trial.judgement)});
      if (!software) continue;
      const auto changed = perturb::CountChanged(baseline, trial.judgement.inner);
      const auto count = [](std::size_t pairs) { return Number(static_cast<std::int64_t>(pairs)); };
      table.rows.back().insert(
          table.rows.back().end(),
          {count(changed.mixed), count(changed.software), YesOrNo(changed.IsHidden())});
    }
  }
  return table;
}

report::Table InnerTable(const perturb::Baseline& baseline, const std::vector<SweepOrder>& orders,
                         double confidence) {
  report::Table table{"inner",
                      "Pairs of metrics",
                      {{"first"},
                       {"second"},
                       {"baseline"},
                       {"run"},
                       {"change"},
                       {"significant"},
                       {"instructions", "%"},
                       {"order"},
                       {"metrics"},
                       {"pair"}},
                      {}};
  for (const SweepOrder& order : orders) {
    for (const Trial* const trial : order.points) {
      for (const perturb::InnerRow& row : trial->judgement.inner) {
        table.rows.push_back({row.first, row.second, Magnitude(row.judged, confidence),
                              OfRun(row.run), ChangeOf(row.run, row.judged), SignificanceOf(row),
                              AddedInstructions(*trial), order.name,
                              Number(static_cast<std::int64_t>(trial->metrics.size())),
                              std::string(Name(perturb::KindOf(baseline, row)))});
      }
    }
  }
  return table;
}

report::Table OuterTable(const std::vector<SweepOrder>& orders, double confidence) {
  report::Table table{"outer",
                      "Metrics against themselves in the aligned baseline",
                      {{"metric"},
                       {"correlation"},
                       {"significant"},
                       {"baseline"},
                       {"quality"},
                       {"instructions", "%"},
                       {"order"},
                       {"metrics"}},
                      {}};
  for (const SweepOrder& order : orders) {
    for (const Trial* const trial : order.points) {
      for (const perturb::OuterRow& row : trial->judgement.outer.rows) {
        table.rows.push_back({row.metric, OfRun(row.correlation), YesOrNo(row.significant),
                              Magnitude(row.judged, confidence),
                              Known(trial->judgement.outer.quality), AddedInstructions(*trial),
                              order.name,
                              Number(static_cast<std::int64_t>(trial->metrics.size()))});
      }
    }
  }
  return table;
}

constexpr std::string_view kPointColumns =
    "inner: pairs of metrics that correlate otherwise than in the baseline; change: the largest "
    "change of a pair. outer: metrics that differ from the baseline; lowest: the smallest "
    "correlation of a metric with it.";

// Lines through a whole order, those with the largest range first.
void KeepMoving(std::vector<report::Line>& lines, bool all) {
  const auto range = [](const report::Line& line) {
    double low = 1;
    double high = 0;
    for (const double y : line.y) {
      if (std::isnan(y)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    return high - low;
  };
  std::ranges::stable_sort(lines, std::greater(), range);
  if (!all && lines.size() > kShownLines) lines.resize(kShownLines);
}

std::string PairName(const perturb::Baseline& baseline, std::size_t pair) {
  return fmt::format("{} - {}", baseline.metrics[baseline.pairs[pair].first],
                     baseline.metrics[baseline.pairs[pair].second]);
}

// Figure 3 of the paper that docs/studies/perturbation.md repeats; figures below are of the same
// paper.
report::Series BaselinePlot(const perturb::Baseline& baseline, bool all) {
  report::Series plot{
      "baseline_inner", "Pairs of metrics in the baseline's runs", {"run"}, false, {}};
  for (std::size_t pair = 0; pair < baseline.pairs.size(); ++pair) {
    report::Line line{PairName(baseline, pair), "", {}, {}, {}, {}};
    for (std::size_t run = 0; run < baseline.runs.size(); ++run) {
      line.x.push_back(static_cast<double>(run + 1));
      line.y.push_back(std::abs(baseline.correlations[pair][run]));
    }
    if (std::ranges::max(line.y) >= perturb::kInteresting) plot.lines.push_back(std::move(line));
  }
  KeepMoving(plot.lines, all);
  return plot;
}

// A plot of one order against the added instructions.
report::Series OrderPlot(std::string_view kind, std::string_view title, const SweepOrder& order) {
  std::string id = fmt::format("{}_{}", kind, order.name);
  std::ranges::replace(id, ' ', '_');
  return {std::move(id),
          fmt::format("{}, order {}", title, order.name),
          {"instructions", "%"},
          false,
          {}};
}

// Points of an order by added instructions.
std::vector<std::size_t> ByInstructions(const SweepOrder& order) {
  std::vector<std::size_t> points(order.points.size());
  std::iota(points.begin(), points.end(), 0U);
  std::ranges::stable_sort(points, {},
                           [&](std::size_t point) { return order.points[point]->added_percent; });
  return points;
}

// Counting can remove instructions, so that the baseline is not always the first point.
void SortByInstructions(report::Line& line) {
  std::vector<std::size_t> order(line.x.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return line.x[i]; });
  const report::Line unsorted = line;
  for (std::size_t i = 0; i < order.size(); ++i) {
    line.x[i] = unsorted.x[order[i]];
    line.y[i] = unsorted.y[order[i]];
  }
}

// Figures 4 and 6.
report::Series InnerPlot(const perturb::Trials& trials, const SweepOrder& order, bool all) {
  const perturb::Baseline& baseline = trials.GetBaseline();
  report::Series plot = OrderPlot("inner", "Inner correlation", order);
  for (std::size_t pair = 0; pair < baseline.pairs.size(); ++pair) {
    report::Line line{PairName(baseline, pair), "", {0}, {}, {}, {}};
    line.y.push_back(std::abs(baseline.correlations[pair].front()));
    bool interesting = line.y.front() >= perturb::kInteresting;
    for (const std::size_t point : ByInstructions(order)) {
      const perturb::InnerRow& row = order.points[point]->judgement.inner[pair];
      interesting = interesting || row.interesting;
      line.x.push_back(order.points[point]->added_percent);
      line.y.push_back(row.run ? std::abs(*row.run) : kGap);
    }
    SortByInstructions(line);
    if (interesting) plot.lines.push_back(std::move(line));
  }
  KeepMoving(plot.lines, all);
  return plot;
}

// Figures 7 and 8.
report::Series OuterPlot(const perturb::Trials& trials, const SweepOrder& order, bool all) {
  const perturb::Baseline& baseline = trials.GetBaseline();
  report::Series plot = OrderPlot("outer", "Outer correlation", order);
  for (std::size_t metric = 0; metric < baseline.metrics.size(); ++metric) {
    report::Line line{baseline.metrics[metric], "", {0}, {}, {}, {}};
    line.y.push_back(trials.GetOuter().correlations[metric].front());
    for (const std::size_t point : ByInstructions(order)) {
      const auto& rows = order.points[point]->judgement.outer.rows;
      line.x.push_back(order.points[point]->added_percent);
      line.y.push_back(rows.empty() ? kGap : rows[metric].correlation.value_or(kGap));
    }
    SortByInstructions(line);
    plot.lines.push_back(std::move(line));
  }
  KeepMoving(plot.lines, all);
  return plot;
}

// A signal relative to its maximum, so that several fit into one plot.
report::Line DrawnSignal(const perturb::TraceSignals& run, const std::string& metric) {
  report::Line line{metric, "", {}, {}, {}, {}};
  const perturb::Signal* const signal = run.Find(metric);
  if (signal == nullptr) return line;
  const std::size_t step = std::max<std::size_t>(1, signal->values.size() / kDrawnPoints);
  for (std::size_t at = 0; at + step <= signal->values.size(); at += step) {
    const auto from = signal->values.begin() + static_cast<std::ptrdiff_t>(at);
    line.x.push_back(static_cast<double>(run.times[at + step - 1]));
    line.y.push_back(std::accumulate(from, from + static_cast<std::ptrdiff_t>(step), 0.0));
  }
  const double max = std::ranges::max(line.y);
  for (double& y : line.y) y = max > 0 ? y / max : 0;
  return line;
}

// Figure 5: the two signals before and after, and the added metric.
void AddSignals(const perturb::Trials& trials, const SweepOrder& order,
                const perturb::LargestChange& change, report::Document& document) {
  const perturb::Baseline& baseline = trials.GetBaseline();
  const auto [first, second] = baseline.pairs[change.pair];
  const perturb::TraceSignals& before =
      change.point == 0 ? baseline.runs.front() : order.points[change.point - 1]->run;
  const perturb::TraceSignals& after = order.points[change.point]->run;
  const std::string& added = order.metrics[change.point];
  const auto draw = [&](const char* id, std::string title, const perturb::TraceSignals& run,
                        bool with_added) {
    report::Series plot{id, std::move(title), {before.clock}, false, {}};
    plot.lines.push_back(DrawnSignal(run, baseline.metrics[first]));
    plot.lines.push_back(DrawnSignal(run, baseline.metrics[second]));
    if (with_added) plot.lines.push_back(DrawnSignal(run, added));
    std::erase_if(plot.lines, [](const report::Line& line) { return line.x.empty(); });
    document.blocks.emplace_back(std::move(plot));
  };
  draw("signals_before",
       fmt::format("{} before {} was added: {:.2f}", PairName(baseline, change.pair),
                   Printable(added), change.before),
       before, false);
  draw("signals_after",
       fmt::format("The same with it: {:.2f}{}", change.after,
                   change.significant ? "" : " (not significant)"),
       after, true);
}

// "none of 5 runs is perturbed"
std::string HowMany(std::size_t count, std::size_t runs) {
  if (runs == 1) return fmt::format("the run is {}perturbed", count == 0 ? "not " : "");
  const std::string which = count == 0      ? fmt::format("none of {}", runs)
                            : count == runs ? fmt::format("all {}", runs)
                                            : fmt::format("{} of {}", count, runs);
  return fmt::format("{} runs {} perturbed", which, count < 2 ? "is" : "are");
}

std::string Answer(const std::vector<SweepOrder>& orders) {
  std::string answer;
  for (const SweepOrder& order : orders) {
    const auto perturbed = [](const Trial* trial) { return trial->judgement.IsPerturbed(); };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(order.points, perturbed));
    if (!answer.empty()) answer += "\n\n";
    const std::string how_many = HowMany(count, order.points.size());
    if (order.IsControl()) {
      answer += fmt::format("Without added metrics (order {}), {}.", order.name, how_many);
      continue;
    }
    answer += fmt::format("With added metrics (order {}), {}", order.name, how_many);
    const auto by_cost = ByInstructions(order);
    const auto first = std::ranges::find_if(
        by_cost, [&](std::size_t point) { return perturbed(order.points[point]); });
    if (first == by_cost.end()) {
      answer += fmt::format("; counting adds {}{:.2f} % to the instructions.",
                            order.points.size() == 1 ? "" : "up to ",
                            order.points[by_cost.back()]->added_percent);
      continue;
    }
    const Trial& trial = *order.points[*first];
    answer += fmt::format(", {} {} ({} counted, {:+.2f} % instructions): {}",
                          order.points.size() == 1 ? "with" : "the first with",
                          Printable(order.metrics[*first]), trial.metrics.size(),
                          trial.added_percent, perturb::VerdictOf(trial.judgement));
  }
  return answer;
}

// Problem 2 of the document: perturbed relations of software metrics that no pair of hardware
// metrics shows.
std::string HiddenSentence(const perturb::Baseline& baseline,
                           const std::vector<SweepOrder>& orders) {
  if (!perturb::HasSoftware(baseline)) return "";
  std::size_t all = 0;
  std::size_t changed_runs = 0;
  std::size_t hidden = 0;
  for (const SweepOrder& order : orders) {
    if (order.IsControl()) continue;
    for (const Trial* const trial : order.points) {
      const auto changed = perturb::CountChanged(baseline, trial->judgement.inner);
      ++all;
      changed_runs += changed.mixed + changed.software > 0 ? 1U : 0U;
      hidden += changed.IsHidden() ? 1U : 0U;
    }
  }
  return fmt::format(
      "\n\nRelations with the program's own metrics changed in {} of {} runs, in {} of these "
      "without "
      "a change between metrics of the processor.",
      changed_runs, all, hidden);
}

}  // namespace

void AddSweep(const perturb::Trials& trials, const std::vector<SweepOrder>& orders,
              const perturb::JudgeOptions& options, bool all, Outcome& outcome) {
  const double confidence = 1 - options.alpha;
  report::Document& document = outcome.document;
  document.blocks.emplace_back(PointsTable(trials.GetBaseline(), orders));
  const std::size_t first_plot = document.blocks.size();
  document.blocks.emplace_back(BaselinePlot(trials.GetBaseline(), all));
  for (const SweepOrder& order : orders) {
    if (order.IsControl()) continue;
    document.blocks.emplace_back(InnerPlot(trials, order, all));
    document.blocks.emplace_back(OuterPlot(trials, order, all));
  }
  const auto change = perturb::FindLargestChange(trials, orders.front());
  if (change) AddSignals(trials, orders.front(), *change, document);
  // The signals are shown if they are evidence of something.
  for (std::size_t i = first_plot; i < document.blocks.size(); ++i) {
    const std::string& id = std::get<report::Series>(document.blocks[i]).id;
    if (!(id.starts_with("signals_") && change->significant)) outcome.details.push_back(id);
  }
  if (all) {
    document.blocks.emplace_back(InnerTable(trials.GetBaseline(), orders, confidence));
    document.blocks.emplace_back(OuterTable(orders, confidence));
  }
  document.blocks.emplace_back(report::Text{"columns", std::string(kPointColumns)});
  document.blocks.emplace_back(
      report::Text{"answer", Answer(orders) + HiddenSentence(trials.GetBaseline(), orders)});
}

}  // namespace tare::cli
