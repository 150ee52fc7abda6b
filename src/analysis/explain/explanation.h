// explanation.h: which causes a difference of counts is made of, and how sure that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/explain/difference.h"
#include "base/result.h"
#include "stats/interval.h"

namespace tare::explain {

struct ExplainOptions {
  double confidence = 0.95;  // of intervals; the level of the tests is 1 less this
  std::size_t shuffles = 499;
  std::uint64_t seed = 1;
};

// Another cause that explains the same share as well.
struct Alias {
  Cause cause;
  double extra;                    // counts per occurrence in the place of the one chosen
  std::optional<double> programs;  // how many like these would tell them apart; none: no number
};

struct Term {
  Cause cause;
  stats::Estimate extra;  // counts per occurrence, above 0
  bool by_second = true;  // counted extra by the second source, otherwise by the first
  double occurrences = 0;
  double share = 0;  // of the sum of all amounts without sign
  double p = 1;      // corrected for the search
  std::vector<Alias> aliases;

  // The whole number that alone lies in the interval of `extra`.
  std::optional<int> Whole() const;
  // Programs like these to tell all aliases apart; none where no number would do.
  std::optional<double> Needed(std::size_t given) const;
};

// What would have been seen of a candidate that was not found.
struct Sight {
  Cause cause;
  double least;  // the smallest extra count per occurrence found four times in five
};

struct Explanation {
  bool differs = true;            // false: the sources agree in every program
  std::vector<Term> terms;        // by falling share
  std::vector<double> explained;  // by program
  std::vector<double> precision;  // half of the interval of each that is explained
  std::vector<double> residuals;  // by program
  double noise = 0;               // standard deviation of a small program's residual
  double knee = 0;                // the count from which noise is a share of it; may be infinite
  std::optional<double> chance;   // that a search on noise does as well
  std::vector<Sight> sights;      // by rising `least`
  std::size_t max_terms = 0;      // that so many programs allow
};

// Causes that are looked for at the same time.
inline constexpr std::size_t kMaxTerms = 6;

// Programs needed to find a given number of causes, 1 or more.
std::size_t LeastPrograms(std::size_t terms);

// Fails (kUsage) with fewer programs than LeastPrograms(1).
Result<Explanation> Explain(const Difference& difference, const ExplainOptions& options);

}  // namespace tare::explain
