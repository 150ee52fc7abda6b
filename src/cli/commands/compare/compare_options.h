// compare_options.h: the options of `tare compare` and the request that they make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/program_builds.h"
#include "cli/program_options.h"

namespace tare::cli {

struct CompareOptions : ProgramOptions {
  std::string detect;
  std::string gate;
  std::string of;
  std::optional<WrittenDuration> budget;
  std::optional<std::int64_t> runs;
  std::optional<std::int64_t> warm_up;
  std::string prepare;
  std::string events;
  std::string cleanup;
  std::string setup;
  std::vector<std::string> parameter;
  bool shell = false;
  bool fixed_layout = false;
  bool control = false;
  bool ignore_failure = false;
  bool no_counts = false;
  bool verbose = false;
  std::vector<std::string> builds;
  std::string build;
  std::optional<std::int64_t> placements;
  std::string machine;
  std::string baseline;
  std::string resume;
  std::optional<double> confidence;
  std::optional<std::int64_t> seed;
};

// "2%" or "2" as 0.02. kUsage unless it is above 0 and below 100.
Result<double> ParsePercentage(const char* option, const std::string& text);

// The commands of the command line, with parameters replaced and the shell in front.
struct GivenCommand {
  std::string label;
  std::vector<std::string> words;
};
Result<std::vector<GivenCommand>> GivenCommands(const CompareOptions& options,
                                                const Session& session);

// A request and what must live as long as it.
struct ReadyComparison {
  compare::CompareRequest request;
  std::optional<PrivateDirectory> spool;
  std::optional<compare::ProgramBuilds> builds;
  std::vector<Caveat> caveats;
};
Result<ReadyComparison> PrepareComparison(const CompareOptions& options, Session& session);

}  // namespace tare::cli
