// pair_correlation.h: Spearman's correlation of many signals, with ranks computed once per signal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/perturb/signals.h"
#include "base/result.h"

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

// The metrics of a run, in this order. kUsage if the run lacks one.
Result<std::vector<Ranked>> RankedMetrics(const TraceSignals& run,
                                          std::span<const std::string> metrics);

// Fisher's z of a correlation. The magnitude is limited to 1 - 1e-6, because z of 1 is infinite.
double FisherZ(double correlation);
double FromFisherZ(double z);

}  // namespace tare::perturb
