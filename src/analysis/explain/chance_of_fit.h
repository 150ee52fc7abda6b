// chance_of_fit.h: permutation tests: how often chance alone gives a fit as good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/explain/fit_search.h"

namespace tare::explain {

struct ChanceOptions {
  double alpha = 0.05;
  std::size_t shuffles = 499;
  std::uint64_t seed = 1;
};

// Both permute the unexplained part over the programs, with random signs, and repeat the search.
// They stop early once the p-value is certain to exceed alpha.

// The p-value of one term of a fit, given the others: how often the best of all columns does as
// well on permuted residuals. Uses the correlation without the most favourable program, so that a
// single program cannot establish a cause.
double ChanceOfTerm(const Weighted& weighted, const Fit& fit, std::size_t term,
                    const ChanceOptions& options);

// The p-value of the whole search: how often it finds an equally good score.
double ChanceOfSearch(const Weighted& weighted, std::size_t max_terms,
                      const ChanceOptions& options);

}  // namespace tare::explain
