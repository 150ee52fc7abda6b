// timer_tables.cc: the tables, whose columns are a stable interface of the JSON output.
#include "cli/commands/timer/timer_tables.h"

#include <fmt/format.h>

#include <cmath>

#include "base/grouped.h"
#include "base/units.h"
#include "cli/cells.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

Measured Resolution(const clock::ClockCost& cost) {
  if (!cost.resolution) return Absent("the clock did not advance while it was observed");
  // Exact only if the length of a tick is known and not measured.
  return Scaled(cost.tick, *cost.resolution / cost.tick.Value());
}

std::string AccessName(const clock::ClockReport& report) {
  return std::string(report.access ? Name(*report.access) : "unknown");
}

double RoundedUpToTwoDigits(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::ceil(value / unit * (1 - 1e-9)) * unit;
}

// A rule, not a measurement: `multiple` times the upper bound of overhead or resolution.
double LongEnoughSeconds(const clock::ClockReport& report, double multiple) {
  const clock::ClockCost& cost = report.cost;
  if (report.long_enough.limited_by_resolution && cost.resolution)
    return RoundedUpToTwoDigits(multiple * *cost.resolution);
  return RoundedUpToTwoDigits(multiple * cost.overhead.High());
}

report::Table EmptyShortTable(const std::string& title, const std::string& unit) {
  return {"short",
          title,
          {{"method", ""},
           {"ticks", "ticks"},
           {"measurements", "measurements"},
           {"tick", unit},
           {"proportion", ""},
           report::Kept({"duration", unit})},
          {}};
}

// With its interval, in a readable unit.
std::string DurationText(const Measured& seconds) {
  const ScaledUnit unit = ReadableUnit(seconds.Value(), "s");
  const auto shown = [&](double value) { return Rounded(value * unit.factor, 4); };
  return fmt::format("{} {} [{}, {}]", shown(seconds.Value()), unit.symbol, shown(seconds.Low()),
                     shown(seconds.High()));
}

// Removes the rounding error of the conversion from seconds: 40 us must read 40, not 39.99999.
Measured TickLength(const Tick& tick) {
  return Known(std::round(tick.seconds / SecondsPer(tick.unit) * 1e9) / 1e9);
}

}  // namespace

report::Text ClockAnswer(std::span<const clock::ClockReport> reports) {
  const auto better = [](const clock::ClockReport* best, const clock::ClockReport& other) {
    return best == nullptr || LongEnoughSeconds(other, 100) < LongEnoughSeconds(*best, 100);
  };
  const clock::ClockReport* best = nullptr;
  const clock::ClockReport* portable = nullptr;
  for (const clock::ClockReport& report : reports) {
    const bool only = reports.size() == 1;
    // Without a barrier a reading may execute before the event has ended.
    if (!only && (report.clock->counts != clock::Counts::kWall || !report.clock->ordered)) continue;
    if (better(best, report)) best = &report;
    if (report.clock->id == clock::ClockId::kMonotonic) portable = &report;
  }
  if (best == nullptr) return {"answer", "No clock of this machine counts elapsed time."};
  const auto figures = [](const clock::ClockReport& report) {
    return fmt::format("well from {} on; a reading costs {}",
                       report::ShowSeconds(LongEnoughSeconds(report, 100)),
                       report::ShowSeconds(report.cost.read.Value()));
  };
  std::string text =
      reports.size() == 1
          ? fmt::format("{} times intervals {}.", best->clock->name, figures(*best))
          : fmt::format("{} times the shortest intervals, {}.", best->clock->name, figures(*best));
  if (portable != nullptr && portable != best) {
    text += fmt::format(
        " clock_gettime(CLOCK_MONOTONIC), which all machines have, times intervals "
        "{}.",
        figures(*portable));
  }
  return {"answer", std::move(text)};
}

report::Table ClockTable(std::span<const clock::ClockReport> reports) {
  report::Table table{"clocks",
                      "Cost and resolution of the clocks",
                      {{"clock"}, {"cost", "s"}, {"overhead", "s"}, {"resolution", "s"}},
                      {}};
  for (const clock::ClockReport& report : reports) {
    table.rows.push_back({std::string(report.clock->name), report.cost.read, report.cost.overhead,
                          WithCaveats(Resolution(report.cost), report.cost.caveats)});
  }
  return table;
}

report::Table LimitTable(std::span<const clock::ClockReport> reports) {
  report::Table table{"limits",
                      "Shortest intervals that are timed well, and roll-over",
                      {{"clock"},
                       {"counts"},
                       {"read_by"},
                       {"good_from", "s"},
                       {"better_from", "s"},
                       {"bits"},
                       {"rollover", "s"}},
                      {}};
  for (const clock::ClockReport& report : reports) {
    table.rows.push_back({std::string(report.clock->name), std::string(Name(report.clock->counts)),
                          AccessName(report), Number{LongEnoughSeconds(report, 100)},
                          Number{LongEnoughSeconds(report, 1000)},
                          Number{std::int64_t{report.clock->bits}},
                          Number{report.rollover_seconds}});
  }
  return table;
}

report::Table StepTable(std::span<const clock::ClockReport> reports) {
  report::Table table{"steps",
                      "Steps between consecutive readings",
                      {{"clock"},
                       {"tick", "s"},
                       {"min_ticks", "ticks"},
                       {"median_ticks", "ticks"},
                       {"p99_ticks", "ticks"},
                       {"max_ticks", "ticks"}},
                      {}};
  for (const clock::ClockReport& report : reports) {
    const clock::Steps& steps = report.cost.steps;
    const auto ticks = [&](double count) {
      return steps.seen == 0 ? Absent("no step was observed") : Known(count);
    };
    table.rows.push_back({std::string(report.clock->name), report.cost.tick,
                          ticks(static_cast<double>(steps.min)), ticks(steps.median),
                          ticks(steps.p99), ticks(static_cast<double>(steps.max))});
  }
  return table;
}

report::Table OrderTable(std::span<const clock::ClockReport> reports) {
  report::Table table{"order",
                      "Readings below an earlier one, on one core and between two",
                      {{"clock", ""},
                       {"readings", "readings"},
                       {"unchanged_readings", "readings"},
                       {"backward_readings", "readings"},
                       {"handovers", "handovers"},
                       {"backward_handovers", "handovers"}},
                      {}};
  for (const clock::ClockReport& report : reports) {
    const auto across = [&](std::uint64_t clock::Order::* member) {
      return report.across_cores ? Count((*report.across_cores).*member) : Absent(report.no_order);
    };
    table.rows.push_back({std::string(report.clock->name), Count(report.cost.steps.readings),
                          Count(report.cost.steps.zero), Count(report.cost.steps.backward),
                          across(&clock::Order::hand_overs), across(&clock::Order::backward)});
  }
  return table;
}

report::Table ShortTable(std::span<const CountedRow> rows, const Tick& tick) {
  report::Table table = EmptyShortTable("Duration of an event shorter than a tick", tick.unit);
  for (const CountedRow& row : rows) {
    const clock::ShortEstimate& estimate = row.estimate;
    const auto duration = Scaled(estimate.duration, 1 / SecondsPer(tick.unit));
    table.rows.push_back({row.method, Count(row.advanced), Count(row.measurements),
                          TickLength(tick), WithCaveats(estimate.proportion, estimate.caveats),
                          WithCaveats(duration, estimate.caveats)});
  }
  return table;
}

report::Text CountedAnswer(const CountedRow& row) {
  return {"answer",
          fmt::format("The event takes {} by {}'s interval: the clock advanced in {} of {} "
                      "measurements.",
                      DurationText(row.estimate.duration), row.method, Grouped(row.advanced),
                      Grouped(row.measurements))};
}

report::Table ShortTable(const clock::ShortMeasurement& measured, const Tick& tick) {
  const double factor = 1 / SecondsPer(tick.unit);
  const auto none = Absent("measured with the fine clock, without ticks");
  report::Table table = EmptyShortTable("Duration of the event", tick.unit);
  table.rows.push_back({std::string("ticks"), Count(measured.advanced),
                        Count(measured.measurements), TickLength(tick),
                        measured.with_overhead.proportion,
                        WithCaveats(Scaled(measured.by_ticks, factor), measured.caveats)});
  table.rows.push_back({std::string("difference"), none, none, none, none,
                        WithCaveats(Scaled(measured.by_difference, factor), measured.caveats)});
  return table;
}

report::Text ShortAnswer(const clock::ShortMeasurement& measured) {
  return {"answer",
          fmt::format(
              "The event takes {} by ticks and {} by the difference method, which {} at "
              "{:.0f} % confidence. The clock reports {} or {} ticks for it. The fine clock "
              "is {}; its own overhead of {:.1f} ns is subtracted.",
              DurationText(measured.by_ticks), DurationText(measured.by_difference),
              measured.agree ? "agree" : "do not agree", clock::kAgreementConfidence * 100,
              measured.n, measured.n + 1, measured.fine->name, measured.overhead.Value() * 1e9)};
}

report::Table QuantizationTable(const clock::ShortMeasurement& measured, const Tick& tick) {
  report::Table table{"quantization",
                      "What the clock reports for the same event",
                      {{"ticks", "ticks"},
                       {"reported", tick.unit},
                       {"measurements", "measurements"},
                       {"share", "%"}},
                      {}};
  std::uint64_t all = 0;
  for (const auto& [ticks, count] : measured.by_advance) all += count;
  for (const auto& [ticks, count] : measured.by_advance) {
    const double share = 100 * static_cast<double>(count) / static_cast<double>(all);
    table.rows.push_back(
        {Count(ticks), Scaled(TickLength(tick), ticks), Count(count), Known(share)});
  }
  return table;
}

report::Table AgreementTable(const clock::ShortMeasurement& measured, const Tick& tick) {
  return {"agreement",
          "Ticks minus difference",
          {{"difference", tick.unit}, {"agree", ""}},
          {{Scaled(measured.apart, 1 / SecondsPer(tick.unit)),
            std::string(measured.agree ? "yes" : "no")}}};
}

}  // namespace tare::cli
