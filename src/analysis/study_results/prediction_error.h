// prediction_error.h: how far predicted metrics are from measured ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/study/study_file.h"
#include "analysis/study_results/result_set.h"
#include "base/measured.h"

namespace tare::study_results {

struct PredictionError {
  std::vector<std::string> levels;  // by `by`
  Measured predicted;
  Measured measured;
  Measured error;  // predicted / measured - 1
};

struct PredictionErrors {
  std::vector<PredictionError> rows;
  std::optional<double> median_error;  // of the absolute errors
  std::optional<double> max_error;
};

// Pairs the groups of both selections that have the same levels of `by`.
PredictionErrors ComparePredictions(const ResultSet& set, const study::SelectedMetric& predicted,
                                    const study::SelectedMetric& measured,
                                    const std::vector<std::string>& by, double confidence);

}  // namespace tare::study_results
