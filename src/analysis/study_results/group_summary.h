// group_summary.h: medians and spread of metrics by groups of cases.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/study_results/result_set.h"
#include "base/measured.h"
#include "stats/summary.h"

namespace tare::study_results {

// Cases with the same levels of the factors in `by`.
struct CaseGroup {
  std::vector<std::string> levels;  // by `by`
  std::vector<std::size_t> cases;   // indices into ResultSet::Cases()
};

// In order of first appearance. Factors that do not exist are ignored.
std::vector<CaseGroup> GroupCases(const ResultSet& set, const std::vector<std::string>& by);

struct GroupSummary {
  std::vector<std::string> levels;
  std::size_t metric = 0;  // index into the metrics
  std::size_t cases = 0;
  std::size_t runs = 0;
  std::size_t failed = 0;
  Measured centre;
  stats::Summary summary;
};

// One row for each group and each metric that its runs have. The centre of one case is the median
// of its runs. The centre of several cases is the median, over repetitions, of the geometric mean
// of the cases' values in that repetition (arithmetic if a value is not positive): so it holds for
// this set of cases, and the interval for the noise of the runs.
std::vector<GroupSummary> SummarizeGroups(const ResultSet& set, const std::vector<std::string>& by,
                                          const std::vector<std::size_t>& metrics,
                                          double confidence);

// The values of one metric of a group, one for each repetition that all its cases with that metric
// have.
struct GroupValues {
  std::vector<std::int64_t> repetitions;
  std::vector<double> values;
  std::vector<std::size_t> runs;  // all that contribute
  std::size_t cases = 0;
};
GroupValues ValuesOf(const ResultSet& set, const CaseGroup& group, std::size_t metric);

// The median with its interval; exact if all are the same whole number; doubtful and without an
// interval if there are too few. `doubt` may be empty.
Measured CentreOf(const std::vector<double>& values, bool whole, double confidence,
                  const std::string& doubt);

}  // namespace tare::study_results
