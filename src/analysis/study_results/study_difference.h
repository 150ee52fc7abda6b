// study_difference.h: what changed between two studies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/compare/answer.h"
#include "analysis/study_results/result_set.h"
#include "base/measured.h"

namespace tare::study_results {

struct CaseDifference {
  std::vector<std::string> levels;  // by StudyDifference::factors
  std::string metric;
  std::string unit;
  Measured before;
  Measured after;
  Measured ratio;  // after / before
  compare::Answer answer = compare::Answer::kUndecided;
};

struct StudyDifference {
  std::vector<std::string> factors;  // that both have
  std::vector<CaseDifference> rows;  // cases in both
  std::vector<std::vector<std::string>> only_before;
  std::vector<std::vector<std::string>> only_after;
  std::vector<std::string> conditions;  // facts that differ, with both values
};

// Cases with the same levels are compared. The runs were not made in turn, so a difference of the
// machine between the two studies shows as one of the programs.
StudyDifference CompareStudies(const ResultSet& before, const ResultSet& after,
                               const std::vector<std::string>& metrics, double detect,
                               double confidence);

}  // namespace tare::study_results
