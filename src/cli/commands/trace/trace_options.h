// trace_options.h: the options of `tare trace`, and what they say about taking records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "cli/program_options.h"
#include "measure/sample/trace_program.h"

namespace tare::cli {

struct TraceOptions : ProgramOptions {
  std::string sampler = "observer";
  std::optional<WrittenDuration> interval;
  std::optional<std::int64_t> every;
  std::optional<std::int64_t> records;
  std::string machine;
  std::vector<std::string> metrics;
  std::string output;
  std::string csv;
  std::string show;
  bool differences = false;
  bool children = false;
};

// Sets sampler and pace, and for the instruction sampler processor and engines. What belongs to one
// sampler is refused with the others.
Result<void> ChooseSampler(const TraceOptions& options, sample::TraceRequest& request);

// Whether a file can be made there, before a program is run for nothing. Empty: none is wanted.
Result<void> CheckDirectory(const std::string& file);

}  // namespace tare::cli
