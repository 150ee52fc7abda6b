// metric_correlation.h: whether pairs of metrics behave alike in all levels of a factor.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/study_results/result_set.h"
#include "base/measured.h"

namespace tare::study_results {

struct CorrelationChange {
  std::size_t first = 0;  // metrics
  std::size_t second = 0;
  std::string level;
  Measured baseline;     // Spearman's coefficient over the runs of the baseline
  Measured correlation;  // over those of the level
  bool differs = false;  // the intervals have no value in common
  std::size_t runs = 0;
};

// Rank correlation of each pair of metrics over all runs of a level, against the baseline level
// (docs/methods/perturbation.md, inner correlation). Pairs of which one is constant are left out.
std::vector<CorrelationChange> CompareCorrelations(const ResultSet& set, const std::string& of,
                                                   const std::string& baseline,
                                                   const std::vector<std::size_t>& metrics,
                                                   double confidence);

}  // namespace tare::study_results
