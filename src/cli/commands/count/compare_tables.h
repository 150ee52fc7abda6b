// compare_tables.h: counts of several machines, joined from files, as tables of a document.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/count_comparison.h"
#include "base/result.h"
#include "cli/command.h"
#include "report/document.h"

namespace tare::cli {

struct CompareOptions {
  std::vector<std::string> files;
  std::string aside;                    // machines with commas, kept out of mean and deviation
  std::string metric = "instructions";  // the column of documents; CSV has only `count`
  double confidence = 0.95;
};

// Within machines: `mean` is that of the machines' means, `sd` the standard deviation over the
// runs, pooled over the machines of the mean, `cv` the one over the other; then each machine's own
// standard deviation over its runs.
report::Table IntraTable(const compare::Comparison& comparison, double confidence);

// Between machines: the mean of the machines' means, their standard deviation, the one over the
// other; then how far each machine's mean is from it.
report::Table InterTable(const compare::Comparison& comparison, double confidence);

// Machines far from the others, and how many runs there are of each.
report::Table OutlierTable(const compare::Comparison& comparison, double confidence);
report::Table RunsTable(const compare::Comparison& comparison);

// Two or three sentences that say what the tables show.
std::string CompareSummary(const compare::Comparison& comparison);

// All of them. With one machine the block `inter` is a text that says why, with one run on every
// machine the block `intra`.
Result<Outcome> CompareReportOf(const CompareOptions& options, const Session& session);

}  // namespace tare::cli
