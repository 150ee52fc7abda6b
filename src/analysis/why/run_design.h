// run_design.h: the experimental design: finds the factors that affect a response with few runs.
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

// Measures the response of one run at these levels, with all other factors fixed.
using Measure = std::function<Result<double>(const Levels&)>;

// While smaller effects than this, a fraction of the response, may be missed, the search goes on
// after a screening that found nothing, as long as the budget lasts.
inline constexpr double kLargeEffect = 0.25;

struct DesignOptions {
  double alpha =
      0.05;  // family-wise error rate: probability that any factor without effect is reported
  // The smallest change that counts as a cause, as a fraction of the response with all factors
  // fixed; 0: any change.
  double min_effect = 0;
  std::uint64_t seed = 1;
  // Whether so many further runs fit into the budget. No run is begun that does not fit. A run that
  // fails with kTimedOut when none fits any more was ended by the budget.
  std::function<bool(std::size_t runs)> fits = [](std::size_t) { return true; };
};

// A factor, or several that act only together, tested in separate runs.
struct Cause {
  std::vector<Factor> factors;
  // With one level: the response there minus the fixed one. With several: the mean absolute change.
  Measured effect;
  double largest = 0;  // largest change, signed
  double p = 1;        // p-value, corrected for all tests
  bool significant = false;
  // The change is significant but smaller than `min_effect` at every level.
  bool negligible = false;
  std::size_t levels = 0;
  std::size_t runs = 0;
};

// Whether it is what the machine does to every program.
bool IsOfMachine(const Cause& cause);

// A factor that screening found no reason to test.
struct Cleared {
  Factor factor;
  // At which nothing changed, fewer than were meant where the budget was used up; 0: not tested.
  std::size_t levels = 0;
};

// One run of the search.
struct RunSample {
  Levels levels;  // of the factors that were varied
  double response = 0;
};

struct Findings {
  std::vector<RunSample> samples;  // all runs, in order of time
  std::vector<double> fixed;       // the responses with all factors fixed, in order of time
  bool repeats = false;            // they are all equal
  double min_effect = 0;           // as requested
  // A change that the search finds nearly always, as a fraction of the response; smaller ones may
  // be missed. 0 if the response repeats.
  double detectable = 0;
  bool negligible_scatter = false;  // they differ, each by less than `min_effect` from their median
  // Significant ones first, those of the machine last of them, by effect.
  std::vector<Cause> causes;
  std::vector<Cleared> cleared;
  bool out_of_budget = false;
  std::size_t unaffordable_runs = 0;  // that the next step would have taken
  std::size_t runs = 0;
};

// Group screening by sequential bifurcation, then confirmation. Varies all factors at once and
// halves a group that changes the response, until single factors, or a smallest set that acts only
// together, are left. These are measured again, at several levels and several times each in random
// order, and judged by a permutation test with Holm's correction. If the response repeats exactly,
// one run shows a change; if it scatters, groups of runs are compared. kTimedOut if the budget is
// too short for the first runs.
Result<Findings> FindCauses(const std::vector<FactorLevels>& factors, const Measure& measure,
                            const DesignOptions& options, const Progress& progress);

}  // namespace tare::why
