// trace_options.h: the options of `tare trace`, and the sampling that they request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "cli/program_options.h"
#include "measure/sample/trace_program.h"

namespace tare::cli {

struct TraceOptions : ProgramOptions {
  std::string sampler = "observer";
  std::string_view event_samplers = "observer or signal";  // of this command, that take --event
  std::optional<WrittenDuration> interval;
  std::optional<std::int64_t> every;
  std::optional<std::int64_t> records;
  std::string machine;
  std::vector<std::string> metrics;
  std::string output;
  std::string records_csv;
  std::string show;
  bool differences = false;
  bool children = false;
  std::string events;
};

// Sets sampler and pace, and processor and engines for the instruction sampler. kUsage for an
// option of another sampler.
Result<void> ChooseSampler(const TraceOptions& options, sample::TraceRequest& request);

// The sources of the counts that the sampler records.
std::vector<std::string> SourcesOf(const sample::TraceRequest& request);

}  // namespace tare::cli
