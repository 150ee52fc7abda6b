// normalised.cc: by mean and deviation.
#include "perturb/normalised.h"

#include <cmath>
#include <numeric>

namespace tare::perturb {

std::vector<double> Normalised(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / count);
  std::vector<double> normalised;
  normalised.reserve(values.size());
  for (const double value : values) {
    normalised.push_back(deviation > 0 ? (value - mean) / deviation : 0);
  }
  return normalised;
}

}  // namespace tare::perturb
