// trace_cost.h: a vertical trace read from its file, and the cost of recording it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "format/series_summary.h"
#include "measure/sample/trace_facts.h"
#include "report/document.h"

namespace tare::cli {

// The head, a summary of the records, and the end of a trace.
struct Trace {
  format::SeriesHead head;
  format::SeriesSummary summary;
  sample::StartFacts start;
  sample::EndFacts end;

  bool ByTime() const { return head.clock == "ns"; }
  // In clock units.
  std::uint64_t Interval() const {
    return summary.outcome.end ? summary.outcome.end->interval : head.interval;
  }
  // In the unit of rates: seconds, or thousands of instructions.
  double Length() const {
    return static_cast<double>(summary.last_time - summary.first_time) / summary.rate_unit;
  }
  std::string LengthText() const { return Text(summary.last_time - summary.first_time); }
  std::string IntervalText() const { return Text(Interval()); }

 private:
  std::string Text(std::uint64_t steps) const;
};

// Memory use does not grow with the file. Fails if the file is not a series.
// `max_points` is the number of buckets over time, of all channels together; 0: the default for
// text.
Result<Trace> ReadTrace(const std::filesystem::path& file, std::size_t max_points = 0);

// The signal sampler's share of the program's CPU time, in percent; absent for the observer.
std::optional<Measured> ShareOfProgram(const Trace& trace);

// The table `sampling`; `all` includes rarely needed columns.
report::Table SamplingTable(const Trace& trace, bool all);

}  // namespace tare::cli
