// trace_cost.h: a vertical trace as it was read, and what taking it cost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "format/series_summary.h"
#include "measure/sample/trace_facts.h"
#include "report/document.h"

namespace tare::cli {

// One that is read as a whole: what the head, the records and the end say.
struct Trace {
  format::SeriesHead head;
  format::SeriesSummary summary;
  sample::StartFacts start;
  sample::EndFacts end;

  bool ByTime() const { return head.clock == "ns"; }
  // In steps of the clock.
  std::uint64_t Interval() const {
    return summary.outcome.end ? summary.outcome.end->interval : head.interval;
  }
  // In the unit that rates are for: seconds, or thousands of instructions.
  double Length() const {
    return static_cast<double>(summary.last_time - summary.first_time) / summary.rate_unit;
  }
  std::string LengthText() const { return Text(summary.last_time - summary.first_time); }
  std::string IntervalText() const { return Text(Interval()); }

 private:
  std::string Text(std::uint64_t steps) const;
};

// Memory does not grow with the file. Fails for what is no series.
Result<Trace> ReadTrace(const std::filesystem::path& file);

// What the signal sampler took of the program's processor time, in per cent; nothing for the
// observer.
std::optional<Measured> ShareOfProgram(const Trace& trace);

// The table `sampling`; with `all` columns that few people need.
report::Table SamplingTable(const Trace& trace, bool all);

}  // namespace tare::cli
