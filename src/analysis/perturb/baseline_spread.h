// baseline_spread.h: tests whether one more correlation is consistent with those of the baseline
// runs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::perturb {

// Two-sided, or only for a lower value.
enum class Side { kBoth, kLower };

struct Judged {
  double statistic = 0;        // distance in standard deviations of one more run; 0: none
  double baseline = 0;         // back-transformed mean of Fisher's z of the baseline
  stats::Interval prediction;  // prediction interval for one more run
  double p = 1;                // p-value
};

// The result for a run without a correlation, because a signal is constant: the largest distance.
Judged WithoutCorrelation(Judged judged);

// Correlations of two or more baseline runs. Their Fisher z values are assumed normal, so one more
// value has Student's distribution around their mean. `min_change` is a change that never counts.
// It decides alone if the baseline runs are bit-identical, because they then have no spread.
class Spread {
 public:
  explicit Spread(std::span<const double> correlations);

  Judged Judge(double correlation, Side side, double confidence, double min_change) const;

  // The decrease of the baseline's magnitude that one test at `alpha` detects with probability
  // `power`; absent if it would not even detect a decrease to 0.
  std::optional<double> Detectable(double alpha, double power) const;

 private:
  double count_;
  double mean_;       // of z
  double deviation_;  // of z
};

// The null distribution of the largest of several statistics: judges each baseline run by the
// others, in every test. `tests` are the runs' correlations. Does not assume normality.
class LargestByChance {
 public:
  LargestByChance(std::span<const std::vector<double>> tests, Side side, double min_change);

  // The share of runs, including the judged one, whose largest statistic is at least as large;
  // never less than 1 / (runs + 1). 0 if there are too few runs for the level `alpha`.
  double P(double statistic, double alpha) const;

 private:
  std::vector<double> largest_;  // by run
};

// p-values of one run's tests, corrected for their number. The larger of two corrections counts:
// Holm's of Student's p-values, and the share of baseline runs that are as far away by chance.
Result<std::vector<double>> Adjusted(std::span<const Judged> judged, const LargestByChance& chance,
                                     double alpha);

}  // namespace tare::perturb
