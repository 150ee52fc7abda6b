// perturb_intervals.h: `tare perturb sweep --intervals`: where sampling starts to perturb.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "cli/commands/perturb/perturb_options.h"

namespace tare::cli {

struct SweepOptions : TrialOptions {
  SweepOptions() { sampler.clear(); }  // depends on the kind of sweep
  std::string intervals;
  std::string detect;
  std::string method = "default";
  std::optional<std::int64_t> random_orders;
  std::optional<std::int64_t> control;
  std::optional<std::int64_t> seed;
  bool alone = false;
};

// kUsage for options that add metrics.
Result<Outcome> SweepIntervals(const SweepOptions& options, Session& session);

}  // namespace tare::cli
