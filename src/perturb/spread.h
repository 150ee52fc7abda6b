// spread.h: whether one more correlation is like those of the baseline runs.
#pragma once

#include <optional>
#include <span>

#include "stats/interval.h"

namespace tare::perturb {

// What is looked for: any change, or only a lower value.
enum class Side { kBoth, kLower };

struct Judged {
  double baseline = 0;         // the baseline's, back from the mean of Fisher's z
  stats::Interval prediction;  // where one more run's is expected
  double p = 1;                // of a value as far away, or as low, by chance
};

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

}  // namespace tare::perturb
