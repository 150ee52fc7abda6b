// count_files.h: options of `tare count` that read saved counts, and run nothing.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/command.h"

namespace tare::cli {

struct CountFileOptions {
  bool compare = false;
  bool explain = false;
  std::string aside;
  std::string sources;
  std::optional<double> baseline_rate;
  std::optional<double> confidence;
};

// Saved counts, compared or explained. `metric` is the column to compare; empty: instructions.
Result<Outcome> ReadCountFiles(const CountFileOptions& options, const std::string& metric,
                               const Session& session);

// Words and options that mean nothing when a program is to be run.
Result<void> RefuseCountFiles(const CountFileOptions& options, const Session& session);

}  // namespace tare::cli
