// compare.h: whether two sets of samples differ, and by how much.
#pragma once

#include <span>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

struct WelchTest {
  Estimate difference;  // mean(a) - mean(b)
  double t;
  double degrees;   // of freedom, by Welch and Satterthwaite
  double p;         // two-sided
  double hedges_g;  // the difference in pooled standard deviations, corrected for small samples
};

// Welch's test of equal means; variances may differ. Needs 2 samples or more of each, and that they
// vary: constant samples are compared by looking at them.
Result<WelchTest> Welch(std::span<const double> a, std::span<const double> b, double confidence);

struct MannWhitneyTest {
  double u;              // pairs with a > b, equal ones counted half
  double p;              // two-sided
  bool exact;            // from the exact distribution; otherwise normal, corrected for ties
  double superiority;    // Vargha and Delaney's A: chance that a sample of a is above one of b
  double rank_biserial;  // 2 A - 1, in [-1, 1]
};

// Mann and Whitney's test that neither tends to be above the other. Needs 1 sample or more of each.
// Exact for small samples without ties.
Result<MannWhitneyTest> MannWhitney(std::span<const double> a, std::span<const double> b);

}  // namespace tare::stats
