// level_comparison.h: ratios between levels of a factor.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/compare/answer.h"
#include "analysis/study_results/group_summary.h"
#include "analysis/study_results/result_set.h"
#include "base/measured.h"

namespace tare::study_results {

struct LevelRatio {
  std::vector<std::string> levels;  // by the factors of the request
  std::string level;                // of the compared factor
  std::size_t metric = 0;
  Measured baseline;  // its centre
  Measured value;
  Measured ratio;  // absent, with the reason, if there are no pairs
  compare::Answer answer = compare::Answer::kUndecided;
  std::size_t pairs = 0;
};

struct ComparisonRequest {
  std::string of;
  std::string baseline;
  std::vector<std::string> by;
  std::vector<std::size_t> metrics;
  double detect = 0.01;
  double confidence = 0.95;
};

// Runs of the same round are pairs. With several layouts, each layout is one unit of the interval;
// other factors that are neither in `by` nor compared are averaged geometrically within a round.
std::vector<LevelRatio> CompareLevels(const ResultSet& set, const ComparisonRequest& request);

}  // namespace tare::study_results
