// weighted_rows.h: a difference and its candidates, scaled to equal noise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/explain/difference.h"

namespace tare::explain {

// The noise of a count is assumed proportional to sqrt(1 + (count / knee)^2): equal for all
// programs below the knee, proportional to the count above. Rows are divided by it.
struct Weighted {
  std::size_t rows = 0;
  std::vector<double> columns;  // concatenated candidates, each scaled to length 1
  std::vector<double> lengths;  // of the columns before scaling
  std::vector<double> target;
  std::vector<double> spread;  // divisor of each row
  double rounding = 0;         // sum of squares due to rounding to whole counts
  double knee = 0;

  std::size_t Count() const { return lengths.size(); }
  std::span<const double> Column(std::size_t index) const {
    return std::span(columns).subspan(index * rows, rows);
  }
};

Weighted Weigh(const Difference& difference, double knee);

// Candidate knees, from equal noise for all programs to noise proportional to every count.
std::vector<double> Knees(const Difference& difference);

}  // namespace tare::explain
