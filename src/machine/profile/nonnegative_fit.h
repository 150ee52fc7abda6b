// nonnegative_fit.h: the mixture of a few columns that comes nearest to measured values.
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

// The unknowns, none below 0, with the least weighted sum of squares. All rows have the same number
// of coefficients, at most kMaxUnknowns. Columns that the rows cannot tell apart from others, or
// that are 0 throughout, get 0. Every subset of the unknowns is tried, so that the answer is the
// best one and always the same.
std::vector<double> NonNegativeFit(std::span<const FitRow> rows);

inline constexpr std::size_t kMaxUnknowns = 10;

}  // namespace tare::machine_profile
