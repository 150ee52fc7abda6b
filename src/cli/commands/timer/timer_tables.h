// timer_tables.h: tables of clocks and short events.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "machine/clock/clock_survey.h"
#include "machine/clock/short_interval.h"
#include "machine/clock/short_measure.h"
#include "report/document.h"

namespace tare::cli {

// Which clock times the shortest intervals, and how well.
report::Text ClockAnswer(std::span<const clock::ClockReport> reports);

report::Table ClockTable(std::span<const clock::ClockReport> reports);
report::Table LimitTable(std::span<const clock::ClockReport> reports);
report::Table StepTable(std::span<const clock::ClockReport> reports);
report::Table OrderTable(std::span<const clock::ClockReport> reports);

// A tick, and the unit of time for durations.
struct Tick {
  double seconds;
  std::string unit;
};

// The clock advanced `advanced` times in `measurements`; one row per formula for the interval.
struct CountedRow {
  std::string method;
  std::uint64_t advanced;
  std::uint64_t measurements;
  clock::ShortEstimate estimate;
};
report::Table ShortTable(std::span<const CountedRow> rows, const Tick& tick);
report::Text CountedAnswer(const CountedRow& row);

// One event by both methods, and their difference.
report::Table ShortTable(const clock::ShortMeasurement& measured, const Tick& tick);
report::Text ShortAnswer(const clock::ShortMeasurement& measured);
// How often the clock advanced by how many ticks during the event, and what it reports then.
report::Table QuantizationTable(const clock::ShortMeasurement& measured, const Tick& tick);
report::Table AgreementTable(const clock::ShortMeasurement& measured, const Tick& tick);

}  // namespace tare::cli
