// explain_tables.h: which opcodes and events two sources of counts differ by, as a document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace tare::cli {

// What `tare count --explain FILE...` was asked for.
struct ExplainRequest {
  std::vector<std::string> files;       // saved counts (JSON) and CSV, mixed as they come
  std::string sources;                  // "FIRST,SECOND"; empty: the files hold exactly two
  std::optional<double> confidence;     // of all intervals; 1 less it is the level of all tests
  std::optional<double> baseline_rate;  // Hz of the timer behind the first source
};

// Tables explanation, residuals, ticks, clock and the text summary; those that nothing in the
// files speaks of are left out. Fails with one sentence on files that hold too little.
Result<Outcome> ExplainCounts(const ExplainRequest& request);

}  // namespace tare::cli
