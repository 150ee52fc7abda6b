// program_check.h: one program measured several ways under control, and which numbers can be
// trusted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/clock/clock_cost.h"
#include "measure/count/count_program.h"
#include "measure/run/noise.h"

namespace tare::check {

struct CheckRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  std::optional<engine::Region> region;
  // All measuring together, in seconds; without it twenty times the program's own time, and three
  // seconds at least: engines take a moment to start.
  std::optional<double> budget_seconds;
  double confidence = 0.95;
  std::optional<double> engine_seconds;  // the limit of an engine's run; see engine::LimitOf
  std::function<bool()> interrupted;
};

// A thing to do, with the reason; `gain` orders them.
struct Advice {
  double gain = 0;
  std::string what;
  std::string why;
};

struct CheckReport {
  run::Finished first;               // the first run, out of control; its output was passed on
  run::Setting setting;              // of all others
  bool control_dropped = false;      // it is not the one that was asked for
  std::vector<run::Finished> timed;  // native runs, the first one not among them
  Result<run::Noise> noise = Fail(ErrorKind::kUnsupported, "not measured");
  Result<clock::ClockCost> clock = Fail(ErrorKind::kUnsupported, "not measured");
  std::optional<count::CountReport> counts;  // two runs of the cheapest engine, one of another
  std::string no_counts;                     // why there are none
  double budget_seconds = 0;
  double spent_seconds = 0;
  std::vector<Caveat> time_caveats;
  std::vector<Advice> advice;  // the largest gain first
};

// `images` must outlive the report.
Result<CheckReport> CheckProgram(const CheckRequest& request, const host::EngineFiles& files,
                                 count::Images& images, const Progress& progress);

}  // namespace tare::check
