// explanation.h: which causes make up a difference of counts, with their statistical certainty.
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
  double confidence = 0.95;  // of intervals; tests use the level 1 - confidence
  std::size_t shuffles = 499;
  std::uint64_t seed = 1;
};

// Another cause that explains the same share as well.
struct Alias {
  Cause cause;
  double extra;  // counts per occurrence if it replaces the chosen cause
  std::optional<double>
      programs;  // programs like these needed to distinguish them; absent: no number suffices
};

struct Term {
  Cause cause;
  Measured extra;         // counts per occurrence, greater than 0
  bool by_second = true;  // the second source counts the extra, otherwise the first
  double occurrences = 0;
  double share = 0;  // of the sum of all absolute amounts
  double p = 1;      // p-value, corrected for the search
  std::vector<Alias> aliases;

  // The only whole number in the interval of `extra`.
  std::optional<int> Whole() const;
  // Programs like these needed to distinguish all aliases; absent if no number suffices.
  std::optional<double> Needed(std::size_t given) const;
};

// The minimum detectable effect of a candidate that was not found.
struct DetectableCause {
  Cause cause;
  double min_extra;  // extra count per occurrence, at 80 % power
};

struct Explanation {
  bool differs = true;            // false: the sources agree in every program
  std::vector<Term> terms;        // by decreasing share
  std::vector<double> explained;  // by program
  std::vector<double> precision;  // half width of the interval of each explained value
  std::vector<double> residuals;  // by program
  double noise = 0;               // standard deviation of a small program's residual
  double knee = 0;  // the count above which noise is proportional to it; may be infinite
  std::optional<double> chance;             // probability that a search on noise does as well
  std::vector<DetectableCause> detectable;  // by increasing `min_extra`
  std::size_t max_terms = 0;                // maximum for this number of programs
};

// Maximum number of simultaneous causes.
inline constexpr std::size_t kMaxTerms = 6;

// Minimum number of programs to find `terms` causes; `terms` is at least 1.
std::size_t MinPrograms(std::size_t terms);

// kUsage with fewer programs than LeastPrograms(1).
Result<Explanation> Explain(const Difference& difference, const ExplainOptions& options);

}  // namespace tare::explain
