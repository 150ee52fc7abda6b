// trace_cost.h: a vertical trace as it was read, and what taking it cost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "report/document.h"
#include "sampling/trace_facts.h"
#include "trace/series_summary.h"

namespace tare::cli {

// One that is read as a whole: what the head, the records and the end say.
struct Trace {
  trace::SeriesHead head;
  trace::SeriesSummary summary;
  sampling::StartFacts start;
  sampling::EndFacts end;

  std::uint64_t IntervalNs() const {
    return summary.outcome.end ? summary.outcome.end->interval_ns : head.interval_ns;
  }
  double Seconds() const {
    return static_cast<double>(summary.last_time - summary.first_time) / summary.rate_unit;
  }
};

// Memory does not grow with the file. Fails for what is no series.
Result<Trace> ReadTrace(const std::filesystem::path& file);

// What the signal sampler took of the program's processor time, in per cent; nothing for the
// observer.
std::optional<report::Measured> ShareOfProgram(const Trace& trace);

// The table `sampling`; with `all` columns that few people need.
report::Table SamplingTable(const Trace& trace, bool all);

}  // namespace tare::cli
