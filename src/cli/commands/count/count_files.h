// count_files.h: the options of `tare count` that read saved counts and run nothing.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/command.h"

namespace tare::cli {

struct CountFileOptions {
  bool compare = false;
  bool explain = false;
  std::string excluded;
  std::string sources;
  std::optional<double> baseline_rate;
  std::optional<double> confidence;
};

// Compares or explains saved counts. `metric` is the column to compare; empty: instructions.
Result<Outcome> ReadCountFiles(const CountFileOptions& options, const std::string& metric,
                               const Session& session);

// Rejects operands and options that have no meaning if a program is run.
Result<void> RefuseCountFiles(const CountFileOptions& options, const Session& session);

}  // namespace tare::cli
