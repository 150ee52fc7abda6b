// fit_search.h: the few columns that together come nearest to a target.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/explain/weighted_rows.h"

namespace tare::explain {

struct Fit {
  std::vector<std::size_t> columns;  // rising
  std::vector<double> coefficients;  // of columns of length 1
  std::vector<double> residuals;
  std::vector<double> own_lengths;  // of each column, without what those before it explain
  double squares = 0;               // of the residuals

  // Some columns are counted extra by one source, some by the other.
  bool BothWays() const;
};

// Least squares on the given columns. Columns that depend on each other get 0.
Fit LeastSquares(const Weighted& weighted, std::span<const double> target,
                 std::vector<std::size_t> columns);

// The best fit of each size from 0 to `max_terms` that a search of the given width finds: from
// every size the best `width` sets go on, and members are exchanged until nothing is gained. Sets
// whose members all point one way are preferred.
std::vector<Fit> BestFits(const Weighted& weighted, std::span<const double> target,
                          std::size_t max_terms, std::size_t width);

// How plausible a fit is, as -2 ln of its evidence: of the noise, of coefficients that are counts
// per occurrence (1 or so unless they are found larger), and of having chosen among all columns.
// Comparable between fits and between weights; lower is better.
double Implausibility(const Weighted& weighted, const Fit& fit);

// Orthonormal directions of some columns, to take them out of others.
class Basis {
 public:
  Basis(const Weighted& weighted, std::span<const std::size_t> columns);
  // What is left of `vector`; both are as long as a column.
  void TakeOut(std::span<const double> vector, std::span<double> left) const;
  // The share of a row's own target in its fitted value.
  double Leverage(std::size_t row) const;

 private:
  std::vector<std::vector<double>> directions_;
};

}  // namespace tare::explain
