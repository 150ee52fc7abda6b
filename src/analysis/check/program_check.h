// program_check.h: measures one program in several ways in a controlled setup and says which
// numbers can be trusted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"
#include "machine/clock/clock_cost.h"
#include "measure/count/count_program.h"
#include "measure/run/noise.h"

namespace tare::check {

struct CheckRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  std::optional<engine::Region> region;
  // Budget for all measurements, in seconds. Default: twenty times the native time, and at least
  // three seconds, because engines take time to start.
  std::optional<double> budget_seconds;
  double confidence = 0.95;
  std::optional<double> engine_seconds;  // limit of one run under an engine; see engine::LimitOf
  StopAsked interrupted;
};

// A recommendation with its reason; `gain` orders them.
struct Advice {
  double gain = 0;
  std::string what;
  std::string why;
};

struct CheckReport {
  run::Finished first;   // native run outside the controlled setup; its output was passed on
  run::Setting setting;  // of all other runs
  bool control_dropped = false;      // `setting` differs from the requested one
  std::vector<run::Finished> timed;  // native runs after the first
  Result<run::Noise> noise = Fail(ErrorKind::kUnsupported, "not measured");
  Result<clock::ClockCost> clock = Fail(ErrorKind::kUnsupported, "not measured");
  std::optional<count::CountReport> counts;  // two runs of the cheapest engine, one of another
  std::string no_counts;                     // why there are none
  std::string counts_need;                   // and what to do about it
  double budget_seconds = 0;
  double spent_seconds = 0;
  std::vector<Caveat> time_caveats;
  std::vector<Advice> advice;  // largest gain first
};

// `images` must outlive the report.
Result<CheckReport> CheckProgram(const CheckRequest& request, const host::EngineFiles& files,
                                 count::Images& images, const Progress& progress);

}  // namespace tare::check
