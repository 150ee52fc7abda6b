// compare_tables.h: tables that compare counts of several machines, joined from files.
#pragma once

#include <string>
#include <vector>

#include "analysis/machines/count_comparison.h"
#include "base/result.h"
#include "cli/command.h"
#include "report/document.h"

namespace tare::cli {

struct CompareOptions {
  std::vector<std::string> files;
  std::string excluded;  // comma-separated machines to exclude from mean and deviation
  std::string metric = "instructions";  // column of documents; CSV has only `count`
  double confidence = 0.95;
};

// Within machines: `mean` is the mean of the machines' means, `sd` the standard deviation over the
// runs, pooled over the machines of the mean, and `cv` their ratio; then each machine's own
// standard deviation over its runs.
report::Table IntraTable(const machines::Comparison& comparison);

// Between machines: the mean of the machines' means, their standard deviation and the ratio of the
// two; then each machine's deviation from the mean.
report::Table InterTable(const machines::Comparison& comparison);

// The benchmarks as rows show them.
std::vector<std::string> ShownBenchmarks(const machines::Comparison& comparison);

// Outliers among the machines, and the number of runs of each machine.
report::Table OutlierTable(const machines::Comparison& comparison);
report::Table RunsTable(const machines::Comparison& comparison);

// Two or three sentences that summarize the tables.
std::string CompareSummary(const machines::Comparison& comparison);

// The complete report. With one machine, the block `inter` is a text with the reason; with one run
// on every machine, so is `intra`.
Result<Outcome> CompareReportOf(const CompareOptions& options, const Session& session);

}  // namespace tare::cli
