// run_design.h: which runs to make, so that few of them tell which factors move a response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/why/factor.h"
#include "base/progress.h"
#include "base/result.h"
#include "stats/interval.h"

namespace tare::why {

// One run at these levels, all other factors held: the response.
using Measure = std::function<Result<double>(const Levels&)>;

struct DesignOptions {
  double alpha = 0.05;  // chance that any factor without effect is called a cause
  // The smallest change that is called a cause, as a fraction of the held response; 0: any.
  double min_effect = 0;
  std::uint64_t seed = 1;
  std::function<bool()> spent = [] { return false; };  // no further step once it says true
};

// A factor, or several that act only together, put to the test in runs of their own.
struct Cause {
  std::vector<Factor> factors;
  // One other level: the response there less the held one. Several: the mean absolute change.
  stats::Estimate effect;
  double largest = 0;  // change, signed
  double p = 1;        // corrected for all that were put to the test
  bool significant = false;
  // The change is real and smaller than `min_effect` at every level: no cause to anybody.
  bool negligible = false;
  std::size_t levels = 0;
  std::size_t runs = 0;
};

// A factor that screening saw no reason to test.
struct Cleared {
  Factor factor;
  std::size_t levels = 0;  // at which nothing moved; 0 when the budget was spent before it came
};

struct Findings {
  std::vector<double> held;         // the response with everything held, in the order of time
  bool repeats = false;             // all of them are equal
  double min_effect = 0;            // as it was asked for
  bool negligible_scatter = false;  // they differ, each by less than `min_effect` from their median
  std::vector<Cause> causes;        // significant ones first, by their effect
  std::vector<Cleared> cleared;
  bool out_of_budget = false;
  std::size_t runs = 0;
};

// Group screening with sequential bifurcation, then confirmation. All factors are moved at once; a
// group that moves the response is halved until single factors, or a smallest set that acts only
// together, are left. Those are measured anew, at several levels and several times each in random
// order, and judged by shuffling the labels, with Holm's correction. A response that repeats to the
// last bit needs one run to see a movement; for one that scatters, groups are compared.
Result<Findings> FindCauses(const std::vector<Choice>& choices, const Measure& measure,
                            const DesignOptions& options, const Progress& progress);

}  // namespace tare::why
