// least_squares.h: ordinary, weighted and non-negative least squares.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

// The columns of a linear system. Each has one value per row.
using Columns = std::span<const std::span<const double>>;

struct LinearFit {
  std::vector<double> coefficients;  // one per column; 0 for a column that is left out
  // One per column. Nothing for a column that is left out, and for all of them unless there are
  // more rows with a weight than columns in the fit.
  std::vector<std::optional<double>> standard_errors;
  // The length of each column, times the roots of the weights, without the part that earlier
  // columns explain; 0 for a column that is left out.
  std::vector<double> own_lengths;
  std::vector<double> residuals;  // target minus fit, one per row
  double residual_norm = 0;       // root of the weighted sum of squared residuals
  std::size_t rank = 0;           // the number of columns in the fit
  // Condition number, in the 1-norm, of the triangular factor of the weighted columns in the fit,
  // each scaled to length 1. 1 if they are orthogonal.
  double condition = 1;
};

// Minimizes the weighted sum of squares of target - sum of coefficient * column. Leaves out columns
// of zeros and those that depend linearly on earlier ones, up to a relative remainder of 1e-10. The
// scale of a column does not affect the accuracy. `weights` are those of the squares: 1 / variance;
// without weights, all are 1. Fails on values that are not finite, on negative weights, and on
// coefficients that overflow. All columns must be as long as the target.
Result<LinearFit> LeastSquares(Columns columns, std::span<const double> target,
                               std::span<const double> weights = {});

// The same with coefficients of 0 or more (Lawson and Hanson 1974). Columns with the coefficient 0
// are left out of the fit, so standard errors hold for the given choice of columns.
Result<LinearFit> NonNegativeLeastSquares(Columns columns, std::span<const double> target,
                                          std::span<const double> weights = {});

// The space that some columns span.
class ColumnSpace {
 public:
  // All columns must have `rows` values. Leaves out columns as LeastSquares does, and those that
  // are not finite.
  ColumnSpace(Columns columns, std::size_t rows);

  // Stores `vector` without its part in the space in `rest`; both have as many values as a column.
  void TakeOut(std::span<const double> vector, std::span<double> rest) const;
  // The weight of a row's own target in its fitted value.
  double Leverage(std::size_t row) const;

 private:
  std::size_t rows_;
  std::vector<double> basis_;  // orthonormal vectors, one after another
};

}  // namespace tare::stats
