// logistic.h: the probability of an outcome that is yes or no, from columns of numbers.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "stats/least_squares.h"

namespace tare::stats {

struct LogisticFit {
  std::vector<double> coefficients;  // one per column; 0 for a column that depends on earlier ones

  // Sum of coefficient * value; `row` has a value for each column.
  double LogOdds(std::span<const double> row) const;
  double Probability(std::span<const double> row) const;
};

// Logistic regression with the penalty of Jeffreys' prior (Firth 1993), so that coefficients stay
// finite where columns separate the outcomes. `outcomes` are 0 or 1; all columns must be as long.
// A constant term is a column of ones. Fails without outcomes, on values that are not finite, and
// if the steps do not converge.
Result<LogisticFit> FitLogistic(Columns columns, std::span<const double> outcomes);

// The probability with these log odds.
double FromLogOdds(double log_odds);

}  // namespace tare::stats
