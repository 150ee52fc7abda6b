// weighted_rows.h: a difference and its candidates, brought to one scale of noise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/explain/difference.h"

namespace tare::explain {

// Noise of a count is taken as proportional to sqrt(1 + (count / knee)^2): the same for all
// programs below the knee, a share of the count above. Rows are divided by it.
struct Weighted {
  std::size_t rows = 0;
  std::vector<double> columns;  // one candidate after the other, each of length 1
  std::vector<double> lengths;  // of the columns before that
  std::vector<double> target;
  std::vector<double> spread;  // the divisor of each row
  double rounding = 0;         // squares that rounding to whole counts leaves in any case
  double knee = 0;

  std::size_t Count() const { return lengths.size(); }
  std::span<const double> Column(std::size_t index) const {
    return std::span(columns).subspan(index * rows, rows);
  }
};

Weighted Weigh(const Difference& difference, double knee);

// From noise that is the same for all to noise that is a share of every count.
std::vector<double> Knees(const Difference& difference);

}  // namespace tare::explain
