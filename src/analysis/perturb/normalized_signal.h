// normalized_signal.h: scales signals of different units to a common scale.
#pragma once

#include <span>
#include <vector>

namespace tare::perturb {

// Subtracts the mean and divides by the standard deviation. A constant signal becomes 0.
std::vector<double> Normalized(std::span<const double> values);

}  // namespace tare::perturb
