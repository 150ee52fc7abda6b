// proxy_report.h: the report of `tare proxy`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/program_options.h"

namespace tare::cli {

struct ProxyOptions : ProgramOptions {
  std::string import;
  std::string machine;
  std::string region;
  std::string tolerance = "10%";
  std::string interface;
  std::string events;
  std::optional<std::int64_t> runs;
  std::optional<std::int64_t> vary;
  std::optional<std::int64_t> top;
  std::optional<double> confidence;
  std::optional<WrittenDuration> budget;
  bool children = false;
  bool predict = false;
};

// Judges a table, predicts, or measures two programs, as the options request.
Result<Outcome> ProxyReportOf(const ProxyOptions& options, Session& session);

}  // namespace tare::cli
