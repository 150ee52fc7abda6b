// profile_options.h: the options of `tare profile`, and the sampling that they request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/program_options.h"
#include "measure/profile/profile_plan.h"
#include "measure/profile/profile_shares.h"
#include "measure/profile/take_profile.h"

namespace tare::cli {

struct ProfileOptions : ProgramOptions {
  std::optional<double> frequency;
  std::string event = "auto";
  std::string chains = "fp";
  std::optional<std::int64_t> process;
  bool system = false;
  std::optional<WrittenDuration> duration;
  std::optional<std::int64_t> runs;
  std::string per = "function";
  std::optional<std::int64_t> top;
  bool inclusive = false;
  bool tree = false;
  bool verbose = false;
  std::optional<double> confidence;
  std::string output;
  bool show = false;
  bool diff = false;
  bool exact = false;
  bool both = false;
  std::string folded;
  std::string speedscope;
  std::string pprof;
  std::string callgrind;
  std::string perf_data;
  bool plan = false;
  std::optional<double> share;
  std::optional<std::int64_t> samples;
  std::optional<double> chance;
  std::optional<std::int64_t> parts;
};

inline constexpr double kDefaultFrequency = 1000;

// kUsage for values out of range and for options that contradict each other.
Result<void> CheckProfileOptions(const ProfileOptions& options, const Session& session);
Result<profile::SamplingPlan> SamplingOf(const ProfileOptions& options);
Result<profile::PlanRequest> PlanOf(const ProfileOptions& options);
profile::Part PartOf(const ProfileOptions& options);

// Writes the exports that the options request.
Result<void> WriteExports(const ProfileOptions& options, const format::SampledProfile& profile);

}  // namespace tare::cli
