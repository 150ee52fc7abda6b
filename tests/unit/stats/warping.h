// warping.h: textbook dynamic time warping, as a reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "stats/dtw.h"
#include "stats/random.h"

namespace tare::stats {

using Recording = std::vector<std::vector<double>>;  // [signal][sample]

inline std::vector<std::span<const double>> Views(const Recording& recording) {
  return {recording.begin(), recording.end()};
}

inline double CostOf(const Recording& a, const Recording& b, std::size_t i, std::size_t j,
                     DtwCost cost) {
  double sum = 0;
  for (std::size_t s = 0; s < a.size(); ++s) {
    const double difference = a[s][i] - b[s][j];
    sum += cost == DtwCost::kAbsolute ? std::fabs(difference) : difference * difference;
  }
  return sum;
}

inline bool InBand(std::size_t i, std::size_t j, const DtwOptions& options) {
  return !options.band || (i < j ? j - i : i - j) <= *options.band;
}

// The whole matrix, cell by cell (Sakoe and Chiba 1978).
inline double DistanceByMatrix(const Recording& a, const Recording& b, const DtwOptions& options) {
  const std::size_t rows = a[0].size();
  const std::size_t columns = b[0].size();
  std::vector<std::vector<double>> sums(
      rows + 1, std::vector<double>(columns + 1, std::numeric_limits<double>::infinity()));
  sums[0][0] = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (!InBand(i, j, options)) continue;
      sums[i + 1][j + 1] =
          std::min({sums[i][j], sums[i][j + 1], sums[i + 1][j]}) + CostOf(a, b, i, j, options.cost);
    }
  }
  return sums[rows][columns];
}

// Passes when the path goes from both starts to both ends, step by step within the band, and has
// the claimed cost.
inline ::testing::AssertionResult IsPath(std::span<const DtwStep> path, const Recording& a,
                                         const Recording& b, const DtwOptions& options,
                                         double distance) {
  if (path.empty() || path.front() != DtwStep{0, 0} ||
      path.back() != DtwStep{a[0].size() - 1, b[0].size() - 1}) {
    return ::testing::AssertionFailure() << "does not go from start to end";
  }
  double sum = 0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const auto [i, j] = path[k];
    if (!InBand(i, j, options)) return ::testing::AssertionFailure() << "leaves the band at " << k;
    if (k > 0) {
      const std::size_t step_a = i - path[k - 1].a;
      const std::size_t step_b = j - path[k - 1].b;
      if (step_a > 1 || step_b > 1 || step_a + step_b == 0) {
        return ::testing::AssertionFailure() << "jumps or stands still at " << k;
      }
    }
    sum += CostOf(a, b, i, j, options.cost);
  }
  if (sum != distance) {
    return ::testing::AssertionFailure() << "costs " << sum << " and not " << distance;
  }
  return ::testing::AssertionSuccess();
}

// With `whole`, draws from few integers, so that many paths are equally good.
inline Recording DrawRecording(Generator& generator, std::size_t signals, std::size_t length,
                               bool whole) {
  Recording recording(signals, std::vector<double>(length));
  for (auto& signal : recording) {
    for (double& sample : signal) {
      sample = whole ? static_cast<double>(generator.Below(4)) : generator.Unit();
    }
  }
  return recording;
}

}  // namespace tare::stats
