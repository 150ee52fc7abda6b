// chance_of_fit.h: how often chance alone does as well as a fit.
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

// Both shuffle what is not explained over the programs, with random signs, and search again. They
// stop early once the answer is above alpha for certain.

// The p-value of one term of a fit, given the others: how often the best of all columns does as
// well on shuffled residuals. What counts is the correlation without the program that helps most,
// so that no single program makes a cause.
double ChanceOfTerm(const Weighted& weighted, const Fit& fit, std::size_t term,
                    const ChanceOptions& options);

// The p-value of there being anything: how often the whole search finds a score as good.
double ChanceOfSearch(const Weighted& weighted, std::size_t max_terms,
                      const ChanceOptions& options);

}  // namespace tare::explain
