// explain_tables.h: explains the difference between two sources of counts by opcodes and events.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace tare::cli {

// The request of `tare count --explain FILE...`.
struct ExplainRequest {
  std::vector<std::string> files;    // saved counts (JSON) and CSV, in any mixture
  std::string sources;               // "FIRST,SECOND"; empty: the files have exactly two
  std::optional<double> confidence;  // of all intervals; all tests use the level 1 - confidence
  std::optional<double>
      baseline_rate;  // rate of the timer tick in the first source's counts, in Hz
};

// Tables explanation, residuals, ticks, clock and the text summary, without those for which the
// files have no data. Fails if the files contain too little.
Result<Outcome> ExplainCounts(const ExplainRequest& request);

}  // namespace tare::cli
