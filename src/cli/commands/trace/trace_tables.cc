// trace_tables.cc: totals, rates, courses over time, and absent metrics.
#include "cli/commands/trace/trace_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "base/check.h"
#include "base/grouped.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/signal_text.h"
#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands/trace/trace_cost.h"
#include "cli/commands/trace/trace_phases.h"
#include "format/series_summary.h"
#include "measure/sample/trace_facts.h"
#include "report/figures.h"
#include "report/sparkline.h"

namespace tare::cli {
namespace {

constexpr std::string_view kMetricId = "metric_";

using format::Channel;
using format::ChannelKind;
using format::ChannelSummary;
using sample::EndFacts;

Measured WithSourceVerdict(const Channel& channel, Measured measured) {
  if (channel.exact) return measured;
  measured.exact = false;
  return Doubtful(std::move(measured), fmt::format("{} gives an estimate", channel.source));
}

report::Cell Total(const Channel& channel, const ChannelSummary& summary) {
  if (channel.kind == ChannelKind::kLevel) return {};
  if (!summary.last) return Absent(fmt::format("{} gave no value", channel.source));
  return WithUnit(channel.unit, WithSourceVerdict(channel, Exact(*summary.last)));
}

// A rate with its uncertainty in time: the program continues between the time stamp of a record and
// its last value. `width` is the time that the rate covers, in clock units.
Measured Rate(const Trace& trace, double rate, double width) {
  Measured measured = Known(rate);
  if (!trace.ByTime() || rate == 0) return measured;
  measured.exact = false;
  const auto& reading = trace.end.reading_ns;
  if (!reading)
    return Doubtful(std::move(measured), "the file does not state how long reading took");
  const double blur = static_cast<double>(*reading) / width;
  if (!(blur < 1)) {
    return Doubtful(std::move(measured), "reading took longer than the interval between records");
  }
  measured.low = rate / (1 + blur);
  measured.high = rate / (1 - blur);
  return measured;
}

// A statistic of a channel, over records that are `width` apart.
struct Statistic {
  std::optional<double> value;
  double width = 0;
};

report::Cell StatisticCell(const Trace& trace, const Channel& channel, const Statistic& statistic) {
  const RateUnit unit = RateUnitOf(trace, channel);
  if (!statistic.value) return WithUnit(unit.symbol, Absent("too few records"));
  const double value = *statistic.value * unit.factor;
  if (channel.kind == ChannelKind::kLevel) {
    return WithUnit(unit.symbol, WithSourceVerdict(channel, Known(value)));
  }
  return WithUnit(unit.symbol, WithSourceVerdict(channel, Rate(trace, value, statistic.width)));
}

// For totals the rate from the first record to the last, so that it is between the smallest and the
// largest rate; for levels the mean of the records.
Statistic Overall(const Trace& trace, const Channel& channel, const ChannelSummary& summary) {
  if (channel.kind == ChannelKind::kLevel) return {summary.mean};
  if (!summary.overall_rate || trace.Length() <= 0) return {};
  return {summary.overall_rate, trace.Length() * 1e9};
}

Statistic Median(const Trace& trace, const ChannelSummary& summary) {
  if (summary.quantiles.empty()) return {};
  return {summary.quantiles.front(), trace.summary.mean_interval.value_or(0)};
}

// A sparkline with one character per piece of the time.
std::string SparklineOf(const Trace& trace, std::size_t i) {
  constexpr std::size_t kWidth = 30;
  std::vector<double> figures;
  for (const format::BucketSummary& bucket : trace.summary.channels[i].buckets) {
    figures.push_back(bucket.figures > 0 ? bucket.mean : std::numeric_limits<double>::quiet_NaN());
  }
  return report::Sparkline(figures, kWidth);
}

// Software metrics first, which the user selected, then those that explain them.
std::vector<std::size_t> Shown(const Trace& trace, const TraceView& view) {
  constexpr std::array<std::string_view, 3> kFirst = {"software", "hardware", "kernel"};
  std::vector<std::size_t> shown;
  const auto add = [&](auto of_group) {
    for (std::size_t i = 0; i < trace.head.channels.size(); ++i) {
      const Channel& channel = trace.head.channels[i];
      if (of_group(channel.group) && view.selection.Wants(channel.name)) shown.push_back(i);
    }
  };
  for (const std::string_view first : kFirst) {
    add([first](const std::string& group) { return group == first; });
  }
  add([&](const std::string& group) { return std::ranges::find(kFirst, group) == kFirst.end(); });
  return shown;
}

// Few metrics are shown as plots, many as sparklines in the table.
bool IsBrief(const std::vector<std::size_t>& shown, const TraceView& view) {
  constexpr std::size_t kMaxPlots = 6;
  return !view.all && shown.size() > kMaxPlots;
}

report::Cell CellOf(const Trace& trace, std::size_t i, std::string_view column) {
  const Channel& channel = trace.head.channels[i];
  const ChannelSummary& summary = trace.summary.channels[i];
  const auto figure = [&](const Statistic& of) { return StatisticCell(trace, channel, of); };
  if (column == "metric") return Printable(channel.name);
  if (column == "group") return Printable(channel.group);
  if (column == "kind") return channel.kind == ChannelKind::kTotal ? "total" : "level";
  if (column == "total") return Total(channel, summary);
  if (column == "rate") return figure(Overall(trace, channel, summary));
  if (column == "min") return figure({summary.smallest_figure, summary.smallest_width});
  if (column == "median") return figure(Median(trace, summary));
  if (column == "max") return figure({summary.largest_figure, summary.largest_width});
  if (column == "source") return Printable(channel.source);
  CHECK(column == "plot");
  return SparklineOf(trace, i);
}

report::Table TableOf(const Trace& trace, const std::vector<std::size_t>& shown,
                      report::Table table, std::initializer_list<const char*> columns) {
  for (const char* column : columns) table.columns.push_back({column});
  for (const std::size_t i : shown) {
    std::vector<report::Cell> row;
    for (const char* column : columns) row.push_back(CellOf(trace, i, column));
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool Changes(const ChannelSummary& summary) {
  return summary.figures > 1 && summary.smallest_figure != summary.largest_figure;
}

// Leaves room for the plot.
void WithoutIntervals(std::vector<report::Cell>& row) {
  for (report::Cell& cell : row) {
    auto* measured = std::get_if<Measured>(&cell);
    if (measured == nullptr) continue;
    measured->exact = false;
    measured->low = measured->high = std::nullopt;
  }
}

// Text shows the columns that fit on a line.
void AddMetrics(const Trace& trace, const std::vector<std::size_t>& shown, const TraceView& view,
                report::Document& document) {
  report::Table metrics{"metrics",
                        "Metrics, and their rates between records; an interval bounds the error of "
                        "reading, not how runs vary",
                        {},
                        {}};
  if (view.all) {
    document.blocks.emplace_back(
        TableOf(trace, shown, std::move(metrics),
                {"metric", "group", "kind", "total", "rate", "min", "median", "max", "source"}));
  } else if (IsBrief(shown, view)) {
    // The plots need an axis and a scale, and a constant needs no plot.
    metrics.title =
        fmt::format("Metrics over {}; each plot from 0 to its largest value", trace.LengthText());
    std::vector<std::size_t> changing;
    std::ranges::copy_if(shown, std::back_inserter(changing),
                         [&](std::size_t i) { return Changes(trace.summary.channels[i]); });
    report::Table table =
        TableOf(trace, changing, std::move(metrics), {"metric", "total", "rate", "plot"});
    for (auto& row : table.rows) WithoutIntervals(row);
    table.columns.back().keep = true;
    document.blocks.emplace_back(std::move(table));
  } else {
    document.blocks.emplace_back(
        TableOf(trace, shown, std::move(metrics), {"metric", "total", "rate", "max"}));
  }
}

// For a trace written by `tare perturb merge`.
report::Table TrustTable(const Trace& trace) {
  constexpr std::string_view kTrust = "trust ";
  report::Table table{"trust",
                      "Trust in each metric's time series",
                      {{"metric"}, {.name = "trust", .below = true}},
                      {}};
  for (const format::SeriesFact& fact : trace.head.facts) {
    if (!fact.name.starts_with(kTrust)) continue;
    table.rows.push_back({fact.name.substr(kTrust.size()), fact.value});
  }
  return table;
}

report::Table AbsentTable(const Trace& trace, const TraceView& view) {
  report::Table table{"absent",
                      "Metrics that are not available",
                      {{"metric"}, {"group"}, {.name = "reason", .below = true}},
                      {}};
  for (const auto* absences : {&trace.end.absent, &trace.head.absent}) {
    for (const format::AbsentChannel& absent : *absences) {
      if (absences == &trace.head.absent && !view.selection.Wants(absent.name)) continue;
      table.rows.push_back(
          {Printable(absent.name), Printable(absent.group), Printable(absent.reason)});
    }
  }
  return table;
}

// A sentence for each requested metric that is absent.
std::string NotAvailable(const Trace& trace, const TraceView& view) {
  std::string text;
  for (const auto* absences : {&trace.end.absent, &trace.head.absent}) {
    for (const format::AbsentChannel& absent : *absences) {
      if (std::ranges::find(view.requested, absent.name) == view.requested.end()) continue;
      text += fmt::format("{}{} is not available: {}.", text.empty() ? "" : "\n",
                          Printable(absent.name), Printable(absent.reason));
    }
  }
  return text;
}

report::Table HistogramTable(const Trace& trace, const TraceView& view) {
  report::Table table{"histograms", "Histograms", {{"metric"}, {"from"}, {"to"}, {"count"}}, {}};
  for (const auto& [name, histogram] : trace.end.histograms) {
    if (!view.selection.Wants(name)) continue;
    for (std::size_t bucket = 0; bucket < histogram.size(); ++bucket) {
      if (histogram[bucket] == 0) continue;
      report::Cell from;
      report::Cell to;
      if (bucket < 64) {
        from = Number(bucket == 0 ? 0 : std::int64_t{1} << (bucket - 1));
        to = Number(bucket == 0 ? 0 : static_cast<std::int64_t>((std::uint64_t{1} << bucket) - 1));
      } else {
        to = Number(std::int64_t{-1});
      }
      table.rows.push_back({Printable(name), from, to, Count(histogram[bucket])});
    }
  }
  return table;
}

// Lower-case letters, digits and '_' only.
std::string MetricId(std::string_view name) {
  std::string id(kMetricId);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) != 0) {
      id += static_cast<char>(std::tolower(byte));
    } else if (!id.ends_with('_')) {
      id += '_';
    }
  }
  return id;
}

// Distinct from all earlier ids.
std::string IdOf(std::string_view name, std::set<std::string>& taken) {
  const std::string id = MetricId(name);
  std::string unique = id;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = fmt::format("{}_{}", id, number);
  }
  return unique;
}

report::Series LineOf(const Trace& trace, std::size_t i, std::string id, bool extremes) {
  const Channel& channel = trace.head.channels[i];
  const RateUnit unit = RateUnitOf(trace, channel);
  report::Line line{Printable(channel.name), unit.symbol, {}, {}, {}, {}};
  const double width =
      static_cast<double>(trace.summary.bucket_width) * (trace.ByTime() ? 1e-9 : 1);
  const auto& buckets = trace.summary.channels[i].buckets;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const format::BucketSummary& bucket = buckets[b];
    const bool seen = bucket.figures > 0;
    // Between records of a short trace there is nothing; in a long one it is a gap.
    if (!seen && extremes && trace.summary.records < 2 * buckets.size()) continue;
    const auto figure = [&](double value) {
      return seen ? value * unit.factor : std::numeric_limits<double>::quiet_NaN();
    };
    line.x.push_back((static_cast<double>(b) + 0.5) * width);
    line.y.push_back(figure(bucket.mean));
    if (!extremes) continue;
    line.low.push_back(figure(bucket.smallest));
    line.high.push_back(figure(bucket.largest));
  }
  const report::Column axis =
      trace.ByTime() ? report::Column{"time", "s"} : report::Column{"instructions"};
  std::string title = Printable(channel.name);
  if (unit.factor != 1) title += ", processors";
  return {std::move(id), std::move(title), axis, false, {std::move(line)}, false, {}};
}

std::string EndText(const EndFacts& end) {
  std::string text;
  if (end.signal) {
    text = fmt::format("The program was killed by {}.", SignalText(*end.signal));
  } else if (end.exit_status) {
    text = fmt::format("The program ended with status {}.", *end.exit_status);
  }
  if (end.timed_out) text += " It reached its time limit.";
  if (end.interrupted) text += " It was interrupted.";
  return text;
}

std::optional<std::size_t> ChannelNamed(const Trace& trace, std::string_view name) {
  const auto found = std::ranges::find(trace.head.channels, name, &Channel::name);
  if (found == trace.head.channels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - trace.head.channels.begin());
}

// The processor time of the program itself. Absent unless it covers all threads until the end: only
// events are read at the end, and kernels before 5.13 count them in the first thread only.
std::optional<double> OwnCpuNs(const Trace& trace) {
  const auto own = ChannelNamed(trace, "cpu-time");
  if (!own || trace.head.channels[*own].source != "perf_event_open") return std::nullopt;
  const auto& outcome = trace.summary.outcome;
  if (!outcome.end || outcome.end->dropped > 0) return std::nullopt;
  const auto threads = ChannelNamed(trace, "threads");
  if (!threads || trace.summary.channels[*threads].largest != 1) return std::nullopt;
  const auto& last = trace.summary.channels[*own].last;
  return last ? std::optional(static_cast<double>(*last)) : std::nullopt;
}

// Metrics of a program that lets others work for it say little about that work.
std::string ChildrenText(const Trace& trace) {
  constexpr double kMuch = 0.1;  // of the processor time
  if (trace.start.children || !trace.end.program_cpu_ns) return "";
  const auto own = OwnCpuNs(trace);
  if (!own) return "";
  const double all = static_cast<double>(*trace.end.program_cpu_ns);
  const double children = all - *own;
  // A time of the kernel's accounting and one of a clock differ by a tick or two.
  if (children < kMuch * all || children < 20e6) return "";
  return fmt::format(
      " Its children used {} of {} of processor time, which the metrics do not contain; --children "
      "includes them.",
      report::ShowSeconds(1e-9 * children), report::ShowSeconds(1e-9 * all));
}

std::string SummaryText(const Trace& trace) {
  std::string text = fmt::format(
      "{}{}{} records of {} metric{} in {}", Printable(trace.start.program),
      trace.start.program.empty() ? "" : ": ", Grouped(trace.summary.records),
      trace.head.channels.size(), trace.head.channels.size() == 1 ? "" : "s", trace.LengthText());
  if (trace.Interval() > 0) {
    text += fmt::format(", one every {}{}", trace.IntervalText(),
                        trace.start.automatic ? " (adjusted during the run)" : "");
  }
  text += "." + ChildrenText(trace);
  const std::string end = EndText(trace.end);
  return end.empty() ? text : text + "\n\n" + end;
}

std::vector<Caveat> CaveatsOf(const Trace& trace) {
  constexpr std::uint64_t kFew = 20;
  constexpr double kMuchPercent = 5;
  std::vector<Caveat> caveats;
  const format::SeriesOutcome& outcome = trace.summary.outcome;
  const EndFacts& end = trace.end;
  if (!outcome.end) caveats.push_back({CaveatId::kIncomplete, outcome.reason});
  if (end.interrupted) caveats.push_back({CaveatId::kIncomplete, "interrupted by the user"});
  if (trace.summary.records < kFew) {
    caveats.push_back({CaveatId::kFewSamples,
                       fmt::format("{} records in {}", trace.summary.records, trace.LengthText())});
  }
  const std::uint64_t dropped = outcome.end ? outcome.end->dropped : 0;
  if (dropped + end.lost_samples > 0) {
    const std::string loss = outcome.end ? Printable(outcome.end->loss) : "";
    caveats.push_back(
        {CaveatId::kRecordsLost,
         fmt::format("{} of {}{}{}", Grouped(dropped + end.lost_samples),
                     Grouped(end.taken + end.lost_samples), loss.empty() ? "" : ": ", loss)});
  }
  const std::uint64_t missed = outcome.end ? outcome.end->missed : 0;
  if (missed > trace.summary.records / 10) {
    caveats.push_back({CaveatId::kMissedSamples, fmt::format("{} missed, {} taken", Grouped(missed),
                                                             Grouped(trace.summary.records))});
  }
  const auto share = ShareOfProgram(trace);
  if (share && share->high > kMuchPercent) {
    caveats.push_back(
        {CaveatId::kCostlySampling, fmt::format("{:.1f} to {:.1f} %", *share->low, *share->high)});
  }
  if (end.lost_threads + end.lost_children + end.lost_function_calls > 0) {
    caveats.push_back(
        {CaveatId::kLostCounts, fmt::format("{} threads, {} processes, {} calls", end.lost_threads,
                                            end.lost_children, end.lost_function_calls)});
  }
  return caveats;
}

void AddPhases(const std::optional<TracePhases>& phases, report::Document& document) {
  if (!phases) return;
  document.blocks.emplace_back(report::Text{"answer", phases->answer});
  if (phases->table.rows.size() > 1) document.blocks.emplace_back(phases->table);
}

}  // namespace

Result<void> ShowTrace(const std::filesystem::path& file, const TraceView& view,
                       report::Document& document) {
  TRY(const Trace trace, ReadTrace(file, view.max_points));
  const std::vector<std::size_t> shown = Shown(trace, view);
  const auto phases = PhasesOf(trace, shown);
  // Scripts rely on the order of the blocks.
  if (!view.all) AddPhases(phases, document);
  AddMetrics(trace, shown, view, document);
  std::set<std::string> ids;
  for (const std::size_t i : shown) {
    if (IsBrief(shown, view) || (!view.all && !Changes(trace.summary.channels[i]))) continue;
    document.blocks.emplace_back(
        LineOf(trace, i, IdOf(trace.head.channels[i].name, ids), view.max_points > 0));
  }
  if (auto table = HistogramTable(trace, view); !table.rows.empty()) {
    document.blocks.emplace_back(std::move(table));
  }
  if (auto table = TrustTable(trace); !table.rows.empty()) {
    document.blocks.emplace_back(std::move(table));
  }
  if (auto table = AbsentTable(trace, view); !table.rows.empty()) {
    document.blocks.emplace_back(std::move(table));
  }
  document.blocks.emplace_back(SamplingTable(trace, view.all));
  if (std::string text = NotAvailable(trace, view); !text.empty()) {
    document.blocks.emplace_back(report::Text{"not_available", std::move(text)});
  }
  document.blocks.emplace_back(report::Text{"summary", SummaryText(trace)});
  if (view.all) AddPhases(phases, document);
  AddCaveats(document, CaveatsOf(trace));
  return {};
}

Result<void> CheckPlot(const std::string& id, const format::SeriesHead& head) {
  if (!id.starts_with(kMetricId)) return {};
  std::set<std::string> taken;
  for (const Channel& channel : head.channels) IdOf(channel.name, taken);
  if (taken.contains(id)) return {};
  for (const format::AbsentChannel& absent : head.absent) {
    if (MetricId(absent.name) != id) continue;
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} is not available here: {}", Printable(absent.name),
                            Printable(absent.reason)));
  }
  const std::vector<std::string_view> names(taken.begin(), taken.end());
  return Fail(ErrorKind::kUsage, fmt::format("this result has no table '{}'{}", Printable(id),
                                             DidYouMeanOrAll(id, names, "of metrics it has")));
}

}  // namespace tare::cli
