// correction.h: p-values corrected for multiple tests.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

// Adjusted p-values in the order of the input, each at most 1. A test is significant if its
// adjusted p-value is at most alpha. Controls the family-wise error rate at alpha under any
// dependence between the tests (Holm 1979). Fails if a p-value is not in [0, 1].
Result<std::vector<double>> Holm(std::span<const double> p_values);

}  // namespace tare::stats
