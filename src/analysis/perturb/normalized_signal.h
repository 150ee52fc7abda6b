// normalized_signal.h: signals in unlike units brought to like scale.
#pragma once

#include <span>
#include <vector>

namespace tare::perturb {

// About its mean, in units of its deviation. A constant signal is 0 all along.
std::vector<double> Normalised(std::span<const double> values);

}  // namespace tare::perturb
