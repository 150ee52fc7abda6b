// perturb_interval_tables.cc: ratios are shown as increases in percent.
#include "cli/commands/perturb/perturb_interval_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/cells.h"
#include "report/figures.h"
#include "stats/interval.h"

namespace tare::cli {
namespace {

using perturb::IntervalCost;
using perturb::IntervalRun;
using perturb::IntervalVerdict;

// 1.031 as 3.1 percent.
Measured Increase(const Measured& ratio) {
  if (!ratio.value) return ratio;
  Measured increase = ratio;
  increase.value = 100 * (ratio.Value() - 1);
  if (ratio.low) increase.low = 100 * (*ratio.low - 1);
  if (ratio.high) increase.high = 100 * (*ratio.high - 1);
  return increase;
}

std::string IncreaseText(const Measured& ratio) {
  const report::Figure figure = report::ShowMeasured(Increase(ratio), 1);
  return fmt::format("{} {}", figure.value, figure.interval);
}

std::vector<double> TimesWithout(std::span<const IntervalRun> runs, double IntervalRun::* time) {
  std::vector<double> times;
  for (const IntervalRun& run : runs) {
    if (run.interval == 0) times.push_back(run.*time);
  }
  return times;
}

report::Cell MedianTime(std::span<const IntervalRun> runs, double IntervalRun::* time,
                        double confidence) {
  const auto times = TimesWithout(runs, time);
  const auto median = stats::MedianInterval(times, confidence);
  if (median) return *median;
  return times.empty() ? Absent("there are no runs") : Unbounded(times.front());
}

report::Cell CorrelationCell(const IntervalCost& cost, double value) {
  if (!cost.correlations) return Absent(cost.without_correlations);
  return Unbounded(value);
}

report::Table IntervalTable(const IntervalView& view) {
  const bool traces = view.how.sampler != perturb::IntervalSampler::kProfiler;
  report::Table table{"intervals",
                      fmt::format("Sampling by the {}, against runs without sampling",
                                  perturb::Name(view.how.sampler)),
                      {report::Kept({"interval", "s"}),
                       {"samples"},
                       {"lost"},
                       report::Detail({"reached", "s"}),
                       report::Kept({"cpu_time", "%"}),
                       {"elapsed", "%"},
                       {"each", "s"},
                       report::Kept({"perturbs"})},
                      {}};
  if (traces) {
    table.columns.push_back({"change"});
    table.columns.push_back({"lowest"});
    table.columns.push_back({"perturbed_runs"});
  }
  table.whole = true;
  for (const IntervalCost& cost : view.costs) {
    table.rows.push_back({Known(cost.seconds), cost.samples, cost.lost, cost.reached,
                          Increase(cost.cpu), Increase(cost.wall), cost.each,
                          std::string(perturb::Name(cost.verdict))});
    if (!traces) continue;
    const auto found = cost.correlations.value_or(perturb::IntervalCorrelations{});
    table.rows.back().push_back(CorrelationCell(cost, found.change));
    table.rows.back().push_back(CorrelationCell(cost, found.lowest));
    table.rows.back().push_back(cost.correlations ? report::Cell(Count(found.perturbed))
                                                  : Absent(cost.without_correlations));
  }
  return table;
}

report::Table UnsampledTable(const IntervalView& view) {
  report::Table table{
      "unsampled", "Runs without sampling", {{"runs"}, {"cpu_time", "s"}, {"elapsed", "s"}}, {}};
  const auto runs = TimesWithout(view.runs, &IntervalRun::cpu_seconds).size();
  table.rows.push_back({Count(runs),
                        MedianTime(view.runs, &IntervalRun::cpu_seconds, view.how.confidence),
                        MedianTime(view.runs, &IntervalRun::wall_seconds, view.how.confidence)});
  return table;
}

report::Series IntervalPlot(const IntervalView& view) {
  report::Series plot{
      "interval_costs", "Additional time by sampling interval", {"interval", "s"}, true, {}};
  const auto draw = [&](const char* name, Measured IntervalCost::* ratio) {
    report::Line line{name, "%", {}, {}, {}, {}};
    // Axes ascend; the intervals descend.
    for (auto cost = view.costs.rbegin(); cost != view.costs.rend(); ++cost) {
      const Measured increase = Increase((*cost).*ratio);
      if (!increase.value) continue;
      line.x.push_back(cost->seconds);
      line.y.push_back(increase.Value());
      line.low.push_back(increase.Low());
      line.high.push_back(increase.High());
    }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
  };
  draw("CPU time", &IntervalCost::cpu);
  draw("elapsed time", &IntervalCost::wall);
  return plot;
}

report::Table RunsTable(const IntervalView& view) {
  report::Table table{
      "interval_runs",
      "All runs",
      {{"round"}, {"interval", "s"}, {"cpu_time", "s"}, {"elapsed", "s"}, {"samples"}, {"lost"}},
      {}};
  for (const IntervalRun& run : view.runs) {
    const bool sampled = run.interval > 0;
    table.rows.push_back(
        {Number(static_cast<std::int64_t>(run.round + 1)),
         sampled ? report::Cell(Known(view.costs[run.interval - 1].seconds))
                 : Absent("this run was not sampled"),
         Unbounded(run.cpu_seconds), Unbounded(run.wall_seconds),
         sampled ? report::Cell(Count(run.samples)) : Absent("this run was not sampled"),
         sampled ? report::Cell(Count(run.lost)) : Absent("this run was not sampled")});
  }
  return table;
}

std::string Undecided(std::span<const IntervalCost> costs) {
  std::vector<std::string> names;
  for (const IntervalCost& cost : costs) {
    if (cost.verdict == IntervalVerdict::kUndecided)
      names.push_back(report::ShowSeconds(cost.seconds, 4));
  }
  if (names.empty()) return "";
  return fmt::format(" Undecided: {}; more runs (--runs) narrow the intervals.",
                     fmt::join(names, ", "));
}

std::string NothingFound(const IntervalView& view) {
  double highest = 0;
  for (const IntervalCost& cost : view.costs) {
    if (!cost.cpu.value) return "";
    highest = std::max(highest, 100 * (cost.cpu.High() - 1));
  }
  return fmt::format("No interval down to {} costs more than {} % of CPU time.",
                     report::ShowSeconds(view.costs.back().seconds, 4), Rounded(highest, 2));
}

}  // namespace

std::string IntervalAnswer(const IntervalView& view) {
  const auto first = perturb::FirstPerturbing(view.costs);
  if (!first) {
    const std::string nothing = NothingFound(view);
    if (!nothing.empty()) return nothing + Undecided(view.costs);
    return fmt::format("There is no answer: {}.", view.costs.front().cpu.reason);
  }
  const IntervalCost& cost = view.costs[*first];
  const std::string effect = fmt::format("the program takes {} % more {}",
                                         IncreaseText(cost.by_cpu ? cost.cpu : cost.wall),
                                         cost.by_cpu ? "CPU time" : "elapsed time");
  const std::string at = report::ShowSeconds(cost.seconds, 4);
  const std::string finding =
      *first == 0 ? fmt::format("Sampling perturbs at {}, the longest interval: {}.", at, effect)
                  : fmt::format("Sampling starts to perturb below {}: at {} {}.",
                                report::ShowSeconds(view.costs[*first - 1].seconds, 4), at, effect);
  return finding + Undecided(view.costs);
}

void AddIntervals(const IntervalView& view, Outcome& outcome) {
  report::Document& document = outcome.document;
  document.blocks.emplace_back(report::Text{"answer", IntervalAnswer(view)});
  document.blocks.emplace_back(IntervalTable(view));
  document.blocks.emplace_back(UnsampledTable(view));
  document.blocks.emplace_back(IntervalPlot(view));
  document.blocks.emplace_back(RunsTable(view));
  outcome.details.emplace_back("interval_costs");
  outcome.not_in_text.emplace_back("interval_runs");
}

}  // namespace tare::cli
