// rivals.h: columns that explain a difference as well as a chosen column.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/explain/fit_search.h"

namespace tare::explain {

// A column that fits as well in place of a term.
struct Rival {
  std::size_t column;
  double extra;  // counts per occurrence
  double worse;  // increase of -2 ln likelihood
};

// All columns with the same sign whose likelihood is not significantly worse.
std::vector<Rival> RivalsOf(const Weighted& weighted, const Fit& fit, std::size_t term,
                            double confidence);

// How far a coefficient is from a simple one: whole numbers rank first, small ones before large.
double Oddness(double extra);

// The column to use in place of a term that others fit as well: the constant, which claims the
// least, or a column with a coefficient of 1 or 2 if the term's own is neither.
std::optional<std::size_t> Plainer(const Difference& difference, const Weighted& weighted,
                                   const Fit& fit, std::size_t term, double confidence);

}  // namespace tare::explain
