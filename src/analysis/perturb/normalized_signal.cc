// normalized_signal.cc: normalizes by mean and standard deviation.
#include "analysis/perturb/normalized_signal.h"

#include "stats/sample.h"

namespace tare::perturb {

std::vector<double> Normalized(std::span<const double> values) {
  const stats::Moments moments = stats::MomentsOf(values);
  std::vector<double> normalized(values.size());
  if (moments.standard_deviation == 0) return normalized;
  for (std::size_t i = 0; i < values.size(); ++i) {
    normalized[i] = (values[i] - moments.mean) / moments.standard_deviation;
  }
  return normalized;
}

}  // namespace tare::perturb
