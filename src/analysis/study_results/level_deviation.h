// level_deviation.h: how far levels of a factor (engines, nodes, variants) are from their mean.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "analysis/machines/count_comparison.h"
#include "analysis/study_results/result_set.h"
#include "base/result.h"

namespace tare::study_results {

struct DeviationRequest {
  std::vector<std::string> by;
  std::size_t metric = 0;
  std::vector<std::string> excluded;  // levels that are shown, but not in the mean
  double confidence = 0.95;
  std::function<std::string(std::size_t run)> level_of;  // of a run
};

struct LevelDeviations {
  machines::Comparison comparison;
  std::vector<std::vector<std::string>> levels;  // by benchmark of the comparison, of `by`
  double scale = 1;  // values are multiplied by it: times are compared in nanoseconds
};

// By the comparison of machines (analysis/machines): each group of `by` is a benchmark and each
// level a machine. kUsage if there is nothing to compare: no run has the metric, or there is but
// one level and one run. Negative values are left out.
Result<LevelDeviations> CompareDeviations(const ResultSet& set, const DeviationRequest& request);

// The level of this factor in the run's case.
std::function<std::string(std::size_t run)> LevelOfFactor(const ResultSet& set,
                                                          const std::string& factor);

}  // namespace tare::study_results
