// trace_tables.cc: totals, rates, what is absent, and what the records cost.
#include "cli/trace_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "sampling/trace_facts.h"
#include "trace/series_summary.h"

namespace tare::cli {
namespace {

using report::Measured;
using sampling::EndFacts;
using sampling::StartFacts;
using trace::Channel;
using trace::ChannelKind;
using trace::ChannelSummary;

// One that is read as a whole: what the head, the records and the end say.
struct Trace {
  trace::SeriesHead head;
  trace::SeriesSummary summary;
  StartFacts start;
  EndFacts end;

  std::uint64_t IntervalNs() const {
    return summary.outcome.end ? summary.outcome.end->interval_ns : head.interval_ns;
  }
  double Seconds() const {
    return static_cast<double>(summary.last_time - summary.first_time) / summary.rate_unit;
  }
};

struct RateUnit {
  std::string symbol;
  double factor;
};

// Nanoseconds of a processor in a second are a number of processors.
RateUnit RateUnitOf(const Channel& channel) {
  if (channel.kind == ChannelKind::kLevel) return {channel.unit, 1};
  if (channel.unit == "ns") return {"", 1e-9};
  return {channel.unit.empty() ? "1/s" : channel.unit + "/s", 1};
}

Measured Judged(const Channel& channel, Measured measured) {
  if (channel.exact) return measured;
  measured.exact = false;
  return report::Doubtful(std::move(measured), fmt::format("{} gives an estimate", channel.source));
}

report::Cell Total(const Channel& channel, const ChannelSummary& summary) {
  if (channel.kind == ChannelKind::kLevel) return {};
  if (!summary.last) return report::Absent(fmt::format("{} gave nothing", channel.source));
  return report::In(channel.unit, Judged(channel, report::Exact(*summary.last)));
}

// To so many significant digits.
double Rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

report::Cell FigureOf(const Channel& channel, const std::optional<double>& value, bool in_full) {
  const RateUnit unit = RateUnitOf(channel);
  if (!value) return report::In(unit.symbol, report::Absent("too few records"));
  const double figure = *value * unit.factor;
  return report::In(unit.symbol, Judged(channel, Known(in_full ? figure : Rounded(figure, 3))));
}

// Over the whole run for totals, which begin with 0; the mean of the records for levels.
std::optional<double> Overall(const Trace& trace, const Channel& channel,
                              const ChannelSummary& summary) {
  if (channel.kind == ChannelKind::kLevel) return summary.mean;
  if (!summary.last || trace.Seconds() <= 0) return std::nullopt;
  return static_cast<double>(*summary.last) / trace.Seconds();
}

// What the user called for first, then what explains it.
std::vector<std::size_t> Shown(const Trace& trace, const TraceView& view) {
  constexpr std::array<std::string_view, 3> kFirst = {"software", "hardware", "kernel"};
  std::vector<std::size_t> shown;
  const auto add = [&](auto of_group) {
    for (std::size_t i = 0; i < trace.head.channels.size(); ++i) {
      const Channel& channel = trace.head.channels[i];
      if (of_group(channel.group) && view.choice.Wants(channel.name)) shown.push_back(i);
    }
  };
  for (const std::string_view first : kFirst) {
    add([first](const std::string& group) { return group == first; });
  }
  add([&](const std::string& group) { return std::ranges::find(kFirst, group) == kFirst.end(); });
  return shown;
}

// People see what fits in a line.
report::Table MetricsTable(const Trace& trace, const std::vector<std::size_t>& shown,
                           const TraceView& view) {
  report::Table table{"metrics", "Metrics, and their rates between records", {{"metric"}}, {}};
  const auto columns = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) table.columns.push_back({name});
  };
  if (view.all) columns({"group", "kind"});
  columns({"total", "rate"});
  if (view.all) columns({"smallest", "median"});
  columns({"largest"});
  if (view.all) columns({"source"});
  for (const std::size_t i : shown) {
    const Channel& channel = trace.head.channels[i];
    const ChannelSummary& summary = trace.summary.channels[i];
    const auto figure = [&](const std::optional<double>& value) {
      return FigureOf(channel, value, view.all);
    };
    std::vector<report::Cell> row = {Printable(channel.name)};
    if (view.all) {
      row.emplace_back(Printable(channel.group));
      row.emplace_back(channel.kind == ChannelKind::kTotal ? "total" : "level");
    }
    row.push_back(Total(channel, summary));
    row.push_back(figure(Overall(trace, channel, summary)));
    if (view.all) {
      row.push_back(figure(summary.smallest_figure));
      row.push_back(figure(summary.quantiles.empty() ? std::nullopt
                                                     : std::optional(summary.quantiles.front())));
    }
    row.push_back(figure(summary.largest_figure));
    if (view.all) row.emplace_back(Printable(channel.source));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table AbsentTable(const Trace& trace, const TraceView& view) {
  report::Table table{"absent",
                      "What could not be had",
                      {{"metric"}, {"group"}, {.name = "reason", .below = true}},
                      {}};
  for (const auto* absences : {&trace.end.absent, &trace.head.absent}) {
    for (const trace::AbsentChannel& absent : *absences) {
      if (absences == &trace.head.absent && !view.choice.Wants(absent.name)) continue;
      table.rows.push_back(
          {Printable(absent.name), Printable(absent.group), Printable(absent.reason)});
    }
  }
  return table;
}

report::Cell CostCell(const std::optional<std::uint64_t>& ns, double parts) {
  if (!ns || parts <= 0) return report::In("s", report::Absent("it was not measured"));
  return report::In("s", Known(Rounded(static_cast<double>(*ns) * 1e-9 / parts, 4)));
}

std::optional<double> Share(const Trace& trace, const std::optional<std::uint64_t>& ns) {
  const auto& cpu = trace.end.program_cpu_ns;
  if (!ns || !cpu || *cpu == 0) return std::nullopt;
  return 100 * static_cast<double>(*ns) / static_cast<double>(*cpu);
}

report::Cell ShareCell(const Trace& trace, const std::optional<std::uint64_t>& ns) {
  const auto share = Share(trace, ns);
  if (!share) return report::Absent("the program's processor time is not known");
  return Known(Rounded(*share, 3));
}

report::Table SamplingTable(const Trace& trace) {
  report::Table table{"sampling",
                      "How the records were taken, and what that cost",
                      {{"sampler"},
                       {"records"},
                       {"interval", "ns"},
                       {"missed"},
                       {"lost"},
                       {"where"},
                       {"cost"},
                       {"cost_each"},
                       {"share", "%"}},
                      {}};
  const auto& end = trace.summary.outcome.end;
  const auto ended = [&](std::uint64_t value) {
    return end ? Count(value) : report::Absent("the file has no end");
  };
  const auto add = [&](std::string where, const std::optional<std::uint64_t>& cost_ns) {
    table.rows.push_back(
        {Printable(trace.start.sampler), Count(trace.summary.records), Count(trace.IntervalNs()),
         ended(end ? end->missed : 0), ended(trace.end.lost_samples + (end ? end->dropped : 0)),
         std::move(where), CostCell(cost_ns, 1),
         CostCell(cost_ns, static_cast<double>(trace.end.taken)), ShareCell(trace, cost_ns)});
  };
  if (trace.start.sampler == "signal") add("in the program", trace.end.handler_ns);
  add("beside the program", trace.end.observer_cpu_ns);
  return table;
}

report::Table HistogramTable(const Trace& trace, const TraceView& view) {
  report::Table table{
      "histograms", "How values are spread", {{"metric"}, {"from"}, {"to"}, {"count"}}, {}};
  for (const auto& [name, histogram] : trace.end.histograms) {
    if (!view.choice.Wants(name)) continue;
    for (std::size_t bucket = 0; bucket < histogram.size(); ++bucket) {
      if (histogram[bucket] == 0) continue;
      report::Cell from;
      report::Cell to;
      if (bucket < 64) {
        from = report::Number(bucket == 0 ? 0 : std::int64_t{1} << (bucket - 1));
        to = report::Number(
            bucket == 0 ? 0 : static_cast<std::int64_t>((std::uint64_t{1} << bucket) - 1));
      } else {
        to = report::Number(std::int64_t{-1});
      }
      table.rows.push_back({Printable(name), from, to, Count(histogram[bucket])});
    }
  }
  return table;
}

// Lower-case letters, digits and '_' alone, unlike all before.
std::string IdOf(std::string_view name, std::set<std::string>& taken) {
  std::string id = "metric_";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) != 0) {
      id += static_cast<char>(std::tolower(byte));
    } else if (!id.ends_with('_')) {
      id += '_';
    }
  }
  std::string unique = id;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = fmt::format("{}_{}", id, number);
  }
  return unique;
}

bool Changes(const ChannelSummary& summary) {
  return summary.figures > 1 && summary.smallest_figure != summary.largest_figure;
}

report::Series LineOf(const Trace& trace, std::size_t i, std::string id) {
  const Channel& channel = trace.head.channels[i];
  const RateUnit unit = RateUnitOf(channel);
  report::Line line{Printable(channel.name), unit.symbol, {}, {}, {}, {}};
  const double width = static_cast<double>(trace.summary.bucket_width) / trace.summary.rate_unit;
  const auto& buckets = trace.summary.channels[i].buckets;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const trace::BucketSummary& bucket = buckets[b];
    const bool seen = bucket.figures > 0;
    const auto figure = [&](double value) {
      return seen ? value * unit.factor : std::numeric_limits<double>::quiet_NaN();
    };
    line.x.push_back((static_cast<double>(b) + 0.5) * width);
    line.y.push_back(figure(bucket.mean));
  }
  std::string title = Printable(channel.name);
  if (unit.factor != 1) title += ", processors";
  return {std::move(id), std::move(title), {"time", "s"}, false, {std::move(line)}, false, {}};
}

std::string EndText(const EndFacts& end) {
  std::string text;
  if (end.signal) {
    text = fmt::format("The program was ended by signal {}.", *end.signal);
  } else if (end.exit_status) {
    text = fmt::format("The program ended with status {}.", *end.exit_status);
  }
  if (end.timed_out) text += " It had run out of its time.";
  if (end.interrupted) text += " It was interrupted.";
  return text;
}

std::string SummaryText(const Trace& trace) {
  std::string text =
      fmt::format("{}{}{} records of {} metrics in {}", Printable(trace.start.program),
                  trace.start.program.empty() ? "" : ": ", trace.summary.records,
                  trace.head.channels.size(), LongDuration(trace.Seconds()));
  if (trace.head.clock == "ns" && trace.IntervalNs() > 0) {
    text +=
        fmt::format(", one each {}{}", LongDuration(static_cast<double>(trace.IntervalNs()) * 1e-9),
                    trace.start.automatic ? " (found on the way)" : "");
  }
  text += ".";
  const std::string end = EndText(trace.end);
  return end.empty() ? text : text + "\n\n" + end;
}

std::vector<Caveat> CaveatsOf(const Trace& trace) {
  constexpr std::uint64_t kFew = 20;
  constexpr double kMuchPercent = 5;
  std::vector<Caveat> caveats;
  const trace::SeriesOutcome& outcome = trace.summary.outcome;
  const EndFacts& end = trace.end;
  if (!outcome.end) caveats.push_back({CaveatId::kIncomplete, outcome.reason});
  if (end.interrupted) caveats.push_back({CaveatId::kIncomplete, "interrupted by the user"});
  if (trace.summary.records < kFew) {
    caveats.push_back({CaveatId::kFewSamples, fmt::format("{} records in {}", trace.summary.records,
                                                          LongDuration(trace.Seconds()))});
  }
  const std::uint64_t dropped = outcome.end ? outcome.end->dropped : 0;
  if (dropped + end.lost_samples > 0) {
    caveats.push_back({CaveatId::kRecordsLost, fmt::format("{} of {}", dropped + end.lost_samples,
                                                           end.taken + end.lost_samples)});
  }
  const std::uint64_t missed = outcome.end ? outcome.end->missed : 0;
  if (missed > trace.summary.records / 10) {
    caveats.push_back({CaveatId::kMissedMoments,
                       fmt::format("{} beside {} that were", missed, trace.summary.records)});
  }
  const bool inside = trace.start.sampler == "signal";
  const auto share = Share(trace, inside ? end.handler_ns : end.observer_cpu_ns);
  if (inside && share && *share > kMuchPercent) {
    caveats.push_back({CaveatId::kCostlySampling, fmt::format("{:.1f} %", *share)});
  }
  if (end.lost_threads + end.lost_children + end.lost_function_calls > 0) {
    caveats.push_back(
        {CaveatId::kUncounted, fmt::format("{} threads, {} processes, {} calls", end.lost_threads,
                                           end.lost_children, end.lost_function_calls)});
  }
  return caveats;
}

Result<Trace> ReadTrace(const std::filesystem::path& file) {
  TRY(auto reader, trace::SeriesReader::Open(file));
  trace::SeriesSummaryOptions options;
  options.quantiles = {0.5};
  Trace trace;
  trace.summary = trace::SummariseSeries(reader, options);
  trace.head = reader.Head();
  trace.start = sampling::StartFactsOf(trace.head.facts);
  if (trace.summary.outcome.end) {
    trace.end = sampling::EndFactsOf(trace.summary.outcome.end->facts);
  }
  return trace;
}

}  // namespace

Result<void> ShowTrace(const std::filesystem::path& file, const TraceView& view,
                       report::Document& document) {
  TRY(const Trace trace, ReadTrace(file));
  const std::vector<std::size_t> shown = Shown(trace, view);
  document.blocks.emplace_back(MetricsTable(trace, shown, view));
  std::set<std::string> ids;
  for (const std::size_t i : shown) {
    if (!view.all && !Changes(trace.summary.channels[i])) continue;
    document.blocks.emplace_back(LineOf(trace, i, IdOf(trace.head.channels[i].name, ids)));
  }
  if (auto table = HistogramTable(trace, view); !table.rows.empty()) {
    document.blocks.emplace_back(std::move(table));
  }
  if (auto table = AbsentTable(trace, view); !table.rows.empty()) {
    document.blocks.emplace_back(std::move(table));
  }
  document.blocks.emplace_back(SamplingTable(trace));
  document.blocks.emplace_back(report::Text{"summary", SummaryText(trace)});
  AddCaveats(document, CaveatsOf(trace));
  return {};
}

}  // namespace tare::cli
