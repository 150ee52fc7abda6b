// nonnegative_fit.h: nonnegative least squares for a few unknowns.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tare::machine_profile {

// One equation: sum of coefficients times unknowns = target, with its weight.
struct FitRow {
  std::vector<double> coefficients;
  double target = 0;
  double weight = 1;
};

// The nonnegative unknowns that minimize the weighted sum of squares. All rows have the same number
// of coefficients, at most kMaxUnknowns. Linearly dependent columns and zero columns get 0. Tries
// every subset of the unknowns, so the result is optimal and deterministic.
std::vector<double> NonNegativeFit(std::span<const FitRow> rows);

inline constexpr std::size_t kMaxUnknowns = 10;

}  // namespace tare::machine_profile
