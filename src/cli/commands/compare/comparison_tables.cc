// comparison_tables.cc: tables of times, counts, functions, samples and layouts.
#include "cli/commands/compare/comparison_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/printable.h"
#include "cli/cells.h"
#include "report/short_symbol.h"
#include "stats/interval.h"
#include "stats/summary.h"

namespace tare::cli {
namespace {

using compare::CommandAnswer;
using compare::CommandCounts;
using compare::MetricValue;
using compare::TimedRound;

constexpr std::size_t kMaxLabel = 18;

Number PlainNumber(std::size_t value) { return Number{static_cast<std::int64_t>(value)}; }

std::size_t LayoutsOf(const CompareView& view) {
  return view.fixed_layout ? 1 : view.report.layouts;
}

constexpr std::string_view kEventSource = "event";

// The events of --event, means over the runs.
void AddEvents(const CompareView& view, std::size_t command, std::vector<MetricValue>& metrics) {
  std::map<std::string, std::vector<double>> values;
  std::vector<std::pair<std::string, std::string>> names;  // with the reason of an absence
  for (const TimedRound& timed : view.report.rounds) {
    if (command >= timed.events.size()) continue;
    for (const pmu::ProgramCount& count : timed.events[command]) {
      if (std::ranges::find(names, count.name, [](const auto& one) { return one.first; }) ==
          names.end())
        names.emplace_back(count.name, count.absence);
      if (count.value) values[count.name].push_back(static_cast<double>(*count.value));
    }
  }
  for (const auto& [name, absence] : names) {
    const std::vector<double>& all = values[name];
    Measured value = Absent(absence.empty() ? "it was not counted" : absence);
    if (!all.empty()) {
      const auto mean = stats::MeanInterval(all, 0.95);
      value = mean ? *mean : Unbounded(all.front());
    }
    metrics.push_back({name, "", std::string(kEventSource), std::move(value)});
  }
}

// What rusage says about the runs, as metrics.
std::vector<MetricValue> UseMetrics(const CompareView& view, std::size_t command) {
  std::vector<MetricValue> metrics;
  const auto add = [&](const char* name, const char* unit, auto of) {
    std::vector<double> values;
    for (const TimedRound& timed : view.report.rounds) {
      if (command >= timed.use.size() || !timed.use[command]) continue;
      if (const std::optional<double> value = of(*timed.use[command])) values.push_back(*value);
    }
    if (values.empty()) return;
    const auto mean = stats::MeanInterval(values, 0.95);
    metrics.push_back({name, unit, "rusage", mean ? *mean : Unbounded(values.front())});
  };
  using Use = run::ResourceUse;
  using Value = std::optional<double>;
  add("user_time", "s", [](const Use& use) { return Value(use.user_seconds); });
  add("system_time", "s", [](const Use& use) { return Value(use.system_seconds); });
  add("memory_peak", "B", [](const Use& use) {
    return use.max_resident_bytes ? Value(static_cast<double>(*use.max_resident_bytes)) : Value();
  });
  add("page_faults", "", [](const Use& use) {
    return Value(static_cast<double>(use.minor_faults + use.major_faults));
  });
  add("context_switches", "", [](const Use& use) {
    return Value(static_cast<double>(use.voluntary_switches + use.involuntary_switches));
  });
  return metrics;
}

std::vector<MetricValue> MetricsOf(const CompareView& view, std::size_t command) {
  std::vector<MetricValue> metrics;
  if (command < view.report.counts.size()) metrics = view.report.counts[command].metrics;
  for (MetricValue& metric : UseMetrics(view, command)) {
    const auto same = std::ranges::find(metrics, metric.metric, &MetricValue::metric);
    if (same == metrics.end()) metrics.push_back(std::move(metric));
  }
  for (MetricValue& metric : metrics) std::ranges::replace(metric.metric, '-', '_');
  AddEvents(view, command, metrics);
  return metrics;
}

const MetricValue* MetricNamed(const std::vector<MetricValue>& metrics, const std::string& name,
                               const std::string& source) {
  const auto found = std::ranges::find_if(metrics, [&](const MetricValue& metric) {
    return metric.metric == name && metric.source == source;
  });
  return found == metrics.end() ? nullptr : &*found;
}

// value - first, with the interval of the difference of two independent means.
Measured MetricDifference(const Measured& first, const Measured& other) {
  if (!first.value || !other.value) return Absent("not counted for both");
  if (first.exact && other.exact) {
    return Exact(std::get<std::int64_t>(*other.value) - std::get<std::int64_t>(*first.value));
  }
  const double difference = other.Value() - first.Value();
  if (!first.HasInterval() || !other.HasInterval()) return Unbounded(difference);
  const double half = std::hypot(first.HalfWidth(), other.HalfWidth());
  return Between(difference, difference - half, difference + half, 0.95);
}

// In percent of the first.
Measured MetricChange(const Measured& first, const Measured& difference) {
  if (!first.value || !difference.value) return Absent("not counted for both");
  if (first.Value() == 0) {
    return difference.Value() == 0 ? Unbounded(0) : Absent("the first is 0");
  }
  const double factor = 100 / first.Value();
  if (!difference.HasInterval()) return Unbounded(difference.Value() * factor);
  return Between(difference.Value() * factor, difference.Low() * factor, difference.High() * factor,
                 0.95);
}

std::string DifferenceVerdict(const Measured& difference) {
  if (!difference.value) return "refused";
  if (difference.exact) return difference.Value() == 0 ? "same" : "different";
  if (!difference.HasInterval()) return "one run";
  return difference.Contains(0) ? "not significant" : "different";
}

Measured WithOwnUnit(const MetricValue& metric, Measured measured) {
  measured.unit = metric.unit;
  return measured;
}

// A Gaussian kernel estimate at evenly spaced times.
std::vector<double> DensityOf(const std::vector<double>& samples, const std::vector<double>& at,
                              double width) {
  std::vector<double> density;
  for (const double x : at) {
    double sum = 0;
    for (const double sample : samples) sum += std::exp(-0.5 * std::pow((x - sample) / width, 2));
    density.push_back(sum);
  }
  const double top = *std::ranges::max_element(density);
  for (double& y : density) y = top > 0 ? 100 * y / top : 0;
  return density;
}

}  // namespace

report::Table ComparisonTable(const CompareView& view) {
  report::Table table{
      "comparison",
      "Times",
      {{"command"}, {"time", "s"}, {"ratio"}, {"answer"}, {"layouts"}, {"outliers"}},
      {}};
  for (std::size_t command = 0; command < view.Commands(); ++command) {
    if (command >= view.report.answers.size()) break;
    const CommandAnswer& answer = view.report.answers[command];
    report::Cell text;
    if (command > 0) text = std::string(Name(answer.answer));
    table.rows.push_back({view.report.labels[command], answer.time, answer.ratio, text,
                          PlainNumber(LayoutsOf(view)), PlainNumber(answer.outliers)});
  }
  return table;
}

report::Table CountsTable(const CompareView& view) {
  report::Table table{"counts",
                      "Counts",
                      {{"command"},
                       {"metric"},
                       {"value"},
                       {"difference"},
                       {"change", "%"},
                       {"verdict"},
                       {"source"}},
                      {}};
  const auto first = MetricsOf(view, 0);
  for (std::size_t command = 0; command < view.Commands(); ++command) {
    const auto metrics = MetricsOf(view, command);
    for (const MetricValue& metric : metrics) {
      const MetricValue* reference = MetricNamed(first, metric.metric, metric.source);
      const Measured difference = reference == nullptr
                                      ? Absent("not counted for the first command")
                                      : MetricDifference(reference->value, metric.value);
      const Measured change =
          reference == nullptr ? difference : MetricChange(reference->value, difference);
      table.rows.push_back({view.report.labels[command], metric.metric,
                            WithOwnUnit(metric, metric.value), WithOwnUnit(metric, difference),
                            change, DifferenceVerdict(difference), metric.source});
    }
    if (command < view.report.counts.size() && !view.report.counts[command].absence.empty()) {
      const Measured absent = Absent(view.report.counts[command].absence);
      table.rows.push_back({view.report.labels[command], std::string("instructions"), absent,
                            absent, absent, std::string("refused"), std::string("none")});
    }
  }
  return table;
}

namespace {

// The table of counts has the intervals.
Measured MeanAlone(const Measured& measured) {
  return measured.HasInterval() ? Unbounded(measured.Value()) : measured;
}

// Without its interval, to leave room; a change that is not significant is not a number.
report::Cell ShownChange(const Measured& first, const Measured& difference) {
  const Measured change = MetricChange(first, difference);
  if (!change.value) return change;
  if (change.HasInterval() && change.Contains(0)) return std::string("not significant");
  return Unbounded(change.Value());
}

// A table with a row for each metric for which `wanted` is true, and a column for each command.
report::Table SideBySide(const CompareView& view, report::Table table,
                         const std::function<bool(const MetricValue&)>& wanted) {
  for (std::size_t command = 0; command < view.Commands(); ++command) {
    const std::string label = Printable(view.report.labels[command]);
    std::string name = label.size() > kMaxLabel ? report::ShortSymbol(label, kMaxLabel) : label;
    while (std::ranges::find(table.columns, name, &report::Column::name) != table.columns.end()) {
      name += "'";
    }
    table.columns.push_back({name, "", false, false, true});
  }
  const bool pair = view.Commands() == 2;
  if (pair) table.columns.push_back({"change", "%"});
  std::vector<std::vector<MetricValue>> metrics;
  for (std::size_t command = 0; command < view.Commands(); ++command) {
    metrics.push_back(MetricsOf(view, command));
  }
  for (const MetricValue& metric : metrics.front()) {
    if (!wanted(metric)) continue;
    std::string name = metric.metric;
    if (metric.source != kEventSource) std::ranges::replace(name, '_', ' ');
    std::vector<report::Cell> row = {name};
    Measured difference;
    for (const auto& own : metrics) {
      const MetricValue* value = MetricNamed(own, metric.metric, metric.source);
      const Measured measured = value == nullptr ? Absent("not counted") : value->value;
      row.emplace_back(WithOwnUnit(metric, MeanAlone(measured)));
      difference = MetricDifference(metric.value, measured);
    }
    if (pair) row.push_back(ShownChange(metric.value, difference));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

report::Table ChangesTable(const CompareView& view) {
  std::string engine;
  for (const auto& counts : view.report.counts) {
    if (const MetricValue* found = counts.Find("instructions")) engine = found->source;
  }
  const std::string title = engine.empty() ? "Counts" : fmt::format("Counts by {}", engine);
  return SideBySide(view, {"changes", title, {{"metric"}}, {}},
                    [](const MetricValue& metric) { return metric.value.exact; });
}

report::Table ResourcesTable(const CompareView& view) {
  return SideBySide(view, {"resources", "Resources, means of all runs", {{"metric"}}, {}},
                    [](const MetricValue& metric) {
                      return metric.source == "rusage" ||
                             (metric.source == "hardware" && metric.metric != "page_faults");
                    });
}

report::Table EventsTable(const CompareView& view) {
  return SideBySide(view, {"events", "Events, means of all runs", {{"event"}}, {}},
                    [](const MetricValue& metric) { return metric.source == kEventSource; });
}

report::Table FunctionsTable(const CompareView& view, std::size_t max_rows) {
  report::Table table{
      "functions",
      "Instructions by function, largest difference first",
      {{"command"}, report::SymbolColumn("function"), {"first"}, {"second"}, {"difference"}},
      {}};
  for (std::size_t command = 1; command < view.report.counts.size(); ++command) {
    const auto differences =
        compare::DifferencesOf(view.report.counts.front(), view.report.counts[command]);
    for (std::size_t i = 0; i < std::min(max_rows, differences.size()); ++i) {
      const auto& difference = differences[i];
      table.rows.push_back({view.report.labels[command], difference.function,
                            Exact(difference.first), Exact(difference.second),
                            Exact(difference.Difference())});
    }
  }
  return table;
}

report::Table FunctionCountsTable(const CompareView& view) {
  report::Table table{"function_counts",
                      "Instructions by function",
                      {{"command"}, report::SymbolColumn("function"), {"instructions"}},
                      {}};
  for (std::size_t command = 0; command < view.report.counts.size(); ++command) {
    for (const auto& count : view.report.counts[command].functions) {
      table.rows.push_back(
          {view.report.labels[command], count.function, Count(count.instructions)});
    }
  }
  return table;
}

report::Table SamplesTable(const CompareView& view) {
  report::Table table{"samples",
                      "All timed runs, in order of time",
                      {{"command"}, {"layout"}, {"run"}, {"time", "s"}, {"build"}},
                      {}};
  std::size_t run = 0;
  for (const TimedRound& timed : view.report.rounds) {
    for (const std::size_t command : timed.order) {
      table.rows.push_back({view.report.labels[command], PlainNumber(timed.round.layout),
                            PlainNumber(++run), Unbounded(timed.round.seconds[command]),
                            PlainNumber(timed.round.build)});
    }
  }
  return table;
}

report::Table LayoutsTable(const CompareView& view) {
  report::Table table{"layouts", "Ratio in each layout", {{"command"}, {"layout"}, {"ratio"}}, {}};
  for (std::size_t command = 1; command < view.Commands(); ++command) {
    std::map<std::size_t, std::vector<compare::Round>> by_layout;
    for (const TimedRound& timed : view.report.rounds) {
      by_layout[timed.round.layout].push_back(timed.round);
    }
    for (const auto& [layout, rounds] : by_layout) {
      const auto ratio = compare::LogRatios(rounds, command, compare::Unit::kLayout);
      table.rows.push_back(
          {view.report.labels[command], PlainNumber(layout), Unbounded(std::exp(ratio.front()))});
    }
  }
  return table;
}

report::Table ControlTable(const CompareView& view) {
  report::Table table{
      "control", "The first command against itself", {{"command"}, {"ratio"}, {"answer"}}, {}};
  const CommandAnswer& answer = view.report.answers.back();
  table.rows.push_back({view.report.labels.back(), answer.ratio, std::string(Name(answer.answer))});
  return table;
}

report::Series DistributionSeries(const CompareView& view) {
  report::Series series{"distribution",
                        "Times of all runs: density, relative to its maximum",
                        {"time", "s"},
                        false,
                        {},
                        false,
                        {}};
  std::vector<std::vector<double>> samples(view.Commands());
  std::vector<double> all;
  for (const TimedRound& timed : view.report.rounds) {
    for (std::size_t command = 0; command < view.Commands(); ++command) {
      samples[command].push_back(timed.round.seconds[command]);
      all.push_back(timed.round.seconds[command]);
    }
  }
  if (all.size() < 4) return series;
  // Outliers would leave no room for the others; they are in the table of samples.
  const double low = stats::Quantile(all, 0.0).value_or(0);
  const double high = stats::Quantile(all, 0.95).value_or(1);
  constexpr int kPoints = 80;
  std::vector<double> at;
  const double margin = 0.05 * (high - low);
  for (int i = 0; i <= kPoints; ++i) {
    at.push_back(low - margin + (high - low + 2 * margin) * i / kPoints);
  }
  for (std::size_t command = 0; command < view.Commands(); ++command) {
    const auto quartiles = stats::Quantiles(samples[command], std::vector<double>{0.25, 0.75});
    if (!quartiles) continue;
    // Silverman's rule of thumb with the interquartile range.
    const double spread = ((*quartiles)[1] - (*quartiles)[0]) / 1.349;
    const double width =
        std::max(0.9 * spread * std::pow(samples[command].size(), -0.2), (high - low) / kPoints);
    if (!(width > 0)) continue;
    series.lines.push_back({Printable(view.report.labels[command]),
                            "%",
                            at,
                            DensityOf(samples[command], at, width),
                            {},
                            {}});
  }
  return series;
}

}  // namespace tare::cli
