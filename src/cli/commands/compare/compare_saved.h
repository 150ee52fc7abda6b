// compare_saved.h: comparisons that were saved, to resume them or as a baseline.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "base/result.h"
#include "report/document.h"

namespace tare::cli {

struct SavedComparison {
  std::vector<std::string> labels;
  std::vector<compare::TimedRound> rounds;  // without resource use
  std::vector<compare::CommandCounts> counts;
  std::string machine;
  std::string kernel;
  std::uint64_t seed = 1;
  bool fixed_layout = false;
};

// Reads a document that `tare compare --save` or `--json` wrote. kFormat for other documents.
Result<SavedComparison> ReadComparison(const std::string& path);
Result<SavedComparison> ComparisonOf(const report::Document& document);

// kUsage, with what differs, unless the saved comparison can be continued with these commands.
Result<void> RequireSame(const SavedComparison& saved, const compare::CompareRequest& request,
                         const std::string& machine);

// The saved rounds with the commands in the order of the request.
std::vector<compare::TimedRound> InOrderOf(const SavedComparison& saved,
                                           const compare::CompareRequest& request);

// Puts the saved command in front of the measured ones, paired by layout. The saved command is the
// one with the label of the first measured command, or else the first.
compare::CompareReport WithBaseline(const SavedComparison& saved, compare::CompareReport measured,
                                    const compare::CompareRequest& request);

}  // namespace tare::cli
