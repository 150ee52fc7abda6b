// fit_search.h: searches for the few columns that together fit a target best.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/explain/weighted_rows.h"
#include "stats/least_squares.h"

namespace tare::explain {

struct Fit {
  std::vector<std::size_t> columns;  // increasing
  std::vector<double> coefficients;  // of columns of length 1
  std::vector<double> residuals;
  std::vector<double> own_lengths;  // of each column, without the part that earlier columns explain
  double squares = 0;               // sum of squared residuals

  // Whether the first source counts some columns extra and the second others.
  bool BothWays() const;
};

// Least-squares fit on the given columns. Linearly dependent columns get 0.
Fit LeastSquares(const Weighted& weighted, std::span<const double> target,
                 std::vector<std::size_t> columns);

// The best fit of each size from 0 to `max_terms` that a beam search finds: the best `width` sets
// of each size are extended, and members are exchanged while that improves the fit. Prefers sets
// whose coefficients all have the same sign.
std::vector<Fit> BestFits(const Weighted& weighted, std::span<const double> target,
                          std::size_t max_terms, std::size_t width);

// -2 ln of a fit's evidence (marginal likelihood): of the noise, of coefficients that are counts
// per occurrence (about 1 unless found larger), and of the choice among all columns. Comparable
// between fits and between weights; lower is better.
double Implausibility(const Weighted& weighted, const Fit& fit);

// The space of some columns, for removing them from other vectors.
stats::ColumnSpace SpaceOf(const Weighted& weighted, std::span<const std::size_t> columns);

}  // namespace tare::explain
