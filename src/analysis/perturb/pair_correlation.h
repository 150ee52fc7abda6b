// pair_correlation.h: Spearman's correlation of many signals, with ranks computed once per signal.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tare::perturb {

// The centred ranks of a signal; empty for a constant signal, which has no correlation.
class Ranked {
 public:
  explicit Ranked(std::span<const double> values);

  // The signals must have equal length. Absent if one is constant.
  friend std::optional<double> Correlate(const Ranked& a, const Ranked& b);

 private:
  std::vector<double> centred_;  // scaled to length 1
};

// Fisher's z of a correlation. The magnitude is limited to 1 - 1e-6, because z of 1 is infinite.
double FisherZ(double correlation);
double FromFisherZ(double z);

}  // namespace tare::perturb
