// baseline_spread.h: whether one more correlation is like those of the baseline runs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::perturb {

// What is looked for: any change, or only a lower value.
enum class Side { kBoth, kLower };

struct Judged {
  double statistic = 0;        // how far away it is, in deviations of one more run; 0: not at all
  double baseline = 0;         // the baseline's, back from the mean of Fisher's z
  stats::Interval prediction;  // where one more run's is expected
  double p = 1;                // of a value as far away, or as low, by chance
};

// The same for a run in which there is no correlation, because a signal no longer changes: nothing
// is farther away.
Judged Gone(Judged judged);

// Correlations of baseline runs, of which there are two or more. As Fisher's z they are taken for
// normal, so that one more of their kind has Student's distribution about their mean. `least` is a
// change that never counts: baselines that are equal to the bit have no spread, and then alone it
// decides.
class Spread {
 public:
  explicit Spread(std::span<const double> correlations);

  Judged Judge(double correlation, Side side, double confidence, double least) const;

  // The fall of the baseline's magnitude that is found with the given chance when one test is made
  // at `alpha`; absent when not even a fall to 0 would be.
  std::optional<double> Detectable(double alpha, double power) const;

 private:
  double count_;
  double mean_;       // of z
  double deviation_;  // of z
};

// What chance does to the largest of several statistics: each baseline run judged by the others, in
// every test that is given by the runs' correlations. It needs no distribution to be normal.
class LargestByChance {
 public:
  LargestByChance(std::span<const std::vector<double>> tests, Side side, double least);

  // The share of runs, this one among them, whose largest is as large; never less than
  // 1 / (runs + 1). 0 where so few runs could not tell anything at `alpha`.
  double P(double statistic, double alpha) const;

 private:
  std::vector<double> largest_;  // by run
};

// Of tests of one run: p that allows for their number in two ways, of which the larger one counts:
// Holm's correction of Student's, and the share of baseline runs that chance led as far.
Result<std::vector<double>> Adjusted(std::span<const Judged> judged, const LargestByChance& chance,
                                     double alpha);

}  // namespace tare::perturb
