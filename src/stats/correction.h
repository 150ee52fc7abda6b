// correction.h: what p-values are worth when many tests were made.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

// Both return adjusted p-values in the order of the given ones, each at most 1: comparing them with
// alpha decides each test. Fail when a p-value is not in [0, 1].

// Holm (1979): the chance of even one false rejection is at most alpha, however the tests depend on
// each other.
Result<std::vector<double>> Holm(std::span<const double> p_values);

// Benjamini and Hochberg (1995): of all rejections a share of alpha is false on average, for tests
// that are independent or positively dependent.
Result<std::vector<double>> BenjaminiHochberg(std::span<const double> p_values);

}  // namespace tare::stats
