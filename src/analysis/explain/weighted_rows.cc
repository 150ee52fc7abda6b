// weighted_rows.cc: divides rows by their noise and columns by their length.
#include "analysis/explain/weighted_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tare::explain {
namespace {

double SizeOf(const Difference& difference, std::size_t program) {
  return std::max({1.0, difference.first_counts[program], difference.second_counts[program]});
}

}  // namespace

Weighted Weigh(const Difference& difference, double knee) {
  // Two counts, each rounded to a whole number with variance 1/12.
  constexpr double kRoundingVariance = 2.0 / 12;
  Weighted weighted;
  weighted.rows = difference.programs.size();
  weighted.knee = knee;
  for (std::size_t i = 0; i < weighted.rows; ++i) {
    const double spread = std::hypot(1.0, SizeOf(difference, i) / knee);
    weighted.spread.push_back(spread);
    weighted.target.push_back(difference.amounts[i] / spread);
    weighted.rounding += kRoundingVariance / (spread * spread);
  }
  for (const Candidate& candidate : difference.candidates) {
    double length = 0;
    for (std::size_t i = 0; i < weighted.rows; ++i) {
      // The squares of tiny counts would be 0.
      length = std::hypot(length, candidate.counts[i] / weighted.spread[i]);
    }
    for (std::size_t i = 0; i < weighted.rows; ++i) {
      weighted.columns.push_back(candidate.counts[i] / weighted.spread[i] / length);
    }
    weighted.lengths.push_back(length);
  }
  return weighted;
}

std::vector<double> Knees(const Difference& difference) {
  constexpr double kStep = 10;
  double min = std::numeric_limits<double>::infinity();
  double max = 0;
  for (std::size_t i = 0; i < difference.programs.size(); ++i) {
    min = std::min(min, SizeOf(difference, i));
    max = std::max(max, SizeOf(difference, i));
  }
  std::vector<double> knees = {std::numeric_limits<double>::infinity()};
  for (double knee = max; knee > min / (kStep * kStep); knee /= kStep) knees.push_back(knee);
  return knees;
}

}  // namespace tare::explain
