// rivals.h: columns that explain as well as a chosen one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/explain/fit_search.h"

namespace tare::explain {

// A column that fits as well in the place of a term.
struct Rival {
  std::size_t column;
  double extra;  // counts per occurrence
  double worse;  // by so much, as -2 ln of the likelihood
};

// All whose likelihood is worse by less than chance allows, and that point the same way.
std::vector<Rival> RivalsOf(const Weighted& weighted, const Fit& fit, std::size_t term,
                            double confidence);

// How far a coefficient is from a plain one: whole numbers first, small ones before large.
double Oddness(double extra);

// The column to put in the place of a term that others fit as well as: the same for every program,
// which claims the least, or one with a coefficient of 1 or 2 where the term's own is no such
// number.
std::optional<std::size_t> Plainer(const Difference& difference, const Weighted& weighted,
                                   const Fit& fit, std::size_t term, double confidence);

}  // namespace tare::explain
