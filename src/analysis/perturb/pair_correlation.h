// pair_correlation.h: Spearman's correlation of many signals with each other, from ranks that are
// found once.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tare::perturb {

// The ranks of a signal about their mean; empty for a constant signal, which has no correlation.
class Ranked {
 public:
  explicit Ranked(std::span<const double> values);

  // Of signals of equal length. Absent when one is constant.
  friend std::optional<double> Correlate(const Ranked& a, const Ranked& b);

 private:
  std::vector<double> centred_;  // of length 1 as a vector
};

// Fisher's z of a correlation. What is nearer to 1 than one part in a million counts as that near:
// the distance of 1 from anything is infinite otherwise.
double FisherZ(double correlation);
double FromFisherZ(double z);

}  // namespace tare::perturb
