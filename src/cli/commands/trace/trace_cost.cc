// trace_cost.cc: CPU time of sampling, outside and inside the program.
#include "cli/commands/trace/trace_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"

namespace tare::cli {
namespace {

// CPU time, and the amounts by which it may be too low or too high.
struct Cost {
  std::optional<std::uint64_t> ns;
  double missing_ns = kAccountNs;
  double extra_ns = kAccountNs;

  // Uncertainty of the kernel's CPU accounting of a process or thread.
  static constexpr double kAccountNs = 1000;
};

// A signal handler cannot measure its own entry and exit.
Cost HandlerCost(const Trace& trace) {
  constexpr double kWayNs = 1000;
  return {trace.end.handler_ns, kWayNs * static_cast<double>(trace.end.taken), 0};
}

Measured Bounded(double value, double low, double high) {
  Measured measured = Known(value);
  measured.exact = false;
  measured.low = std::max(0.0, low);
  measured.high = high;
  return measured;
}

report::Cell CostCell(const Cost& cost, double parts) {
  if (!cost.ns || parts <= 0) return WithUnit("s", Absent("not measured"));
  const auto ns = static_cast<double>(*cost.ns);
  const double scale = 1e-9 / parts;
  return WithUnit(
      "s", Bounded(ns * scale, (ns - cost.extra_ns) * scale, (ns + cost.missing_ns) * scale));
}

std::optional<Measured> Share(const Trace& trace, const Cost& cost) {
  const auto& cpu = trace.end.program_cpu_ns;
  if (!cost.ns || !cpu || static_cast<double>(*cpu) <= Cost::kAccountNs) return std::nullopt;
  const auto part = static_cast<double>(*cost.ns);
  const auto whole = static_cast<double>(*cpu);
  return Bounded(100 * part / whole, 100 * (part - cost.extra_ns) / (whole + Cost::kAccountNs),
                 100 * (part + cost.missing_ns) / (whole - Cost::kAccountNs));
}

}  // namespace

std::string Trace::Text(std::uint64_t steps) const {
  if (ByTime()) return LongDuration(static_cast<double>(steps) * 1e-9);
  return fmt::format("{} {}", fmt::group_digits(steps), Printable(head.clock));
}

Result<Trace> ReadTrace(const std::filesystem::path& file, std::size_t max_points) {
  TRY(auto reader, format::SeriesReader::Open(file));
  format::SeriesSummaryOptions options;
  options.quantiles = {0.5};
  Trace trace;
  if (max_points > 0) {
    const std::size_t channels = std::max<std::size_t>(reader.Head().channels.size(), 1);
    options.max_buckets = std::clamp<std::size_t>(max_points / channels, 200, 20'000);
  }
  trace.summary = format::SummariseSeries(reader, options);
  trace.head = reader.Head();
  trace.start = sample::StartFactsOf(trace.head.facts);
  if (trace.summary.outcome.end) {
    trace.end = sample::EndFactsOf(trace.summary.outcome.end->facts);
  }
  return trace;
}

std::optional<Measured> ShareOfProgram(const Trace& trace) {
  return Share(trace, HandlerCost(trace));
}

report::Table SamplingTable(const Trace& trace, bool all) {
  report::Table table{"sampling",
                      "Sampling and its cost",
                      {{"sampler"},
                       {"records"},
                       {"interval", trace.ByTime() ? "ns" : "instructions"},
                       {"missed"},
                       {"lost"},
                       {"where"},
                       {"cost"},
                       {"cost_each"},
                       {"share", "%"}},
                      {}};
  if (all) table.columns.push_back({"program_cpu"});
  const auto& end = trace.summary.outcome.end;
  const auto ended = [&](std::uint64_t value) {
    return end ? Count(value) : Absent("the file has no end record");
  };
  const auto add = [&](std::string where, const Cost& cost) {
    const auto share = Share(trace, cost);
    table.rows.push_back(
        {Printable(trace.start.sampler), Count(trace.summary.records), Count(trace.Interval()),
         ended(end ? end->missed : 0), ended(trace.end.lost_samples + (end ? end->dropped : 0)),
         std::move(where), CostCell(cost, 1), CostCell(cost, static_cast<double>(trace.end.taken)),
         share ? *share : Absent("the program's CPU time is unknown")});
    if (all) table.rows.back().push_back(CostCell({trace.end.program_cpu_ns}, 1));
  };
  if (trace.start.sampler == "signal") add("inside the program", HandlerCost(trace));
  add("outside the program", {trace.end.observer_cpu_ns});
  return table;
}

}  // namespace tare::cli
