// correction.h: p-values corrected for multiple tests.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

// Both functions return adjusted p-values in the order of the input, each at most 1. A test is
// significant if its adjusted p-value is at most alpha. They fail if a p-value is not in [0, 1].

// Holm (1979): controls the family-wise error rate at alpha under any dependence between the tests.
Result<std::vector<double>> Holm(std::span<const double> p_values);

// Benjamini and Hochberg (1995): controls the false discovery rate at alpha for independent or
// positively dependent tests.
Result<std::vector<double>> BenjaminiHochberg(std::span<const double> p_values);

}  // namespace tare::stats
