// rank.h: the order of samples, in time that grows almost in proportion to their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tare::stats {

// A sample's place in the order of values, as a whole number that compares as the values do.
// Negative and positive zero have the same key.
struct OrderedSample {
  std::uint64_t key;
  std::size_t index;
};

// From the smallest to the largest sample; the order of equal ones is not stated. Samples must not
// be NaN.
std::vector<OrderedSample> InOrder(std::span<const double> samples);

// Ranks from 1; equal samples share the average of their ranks. `tie_sum`, where wanted, gets the
// sum of t^3 - t over the groups of t equal samples.
std::vector<double> AverageRanks(std::span<const double> samples, double* tie_sum = nullptr);

// Ranks from 0 without gaps: equal samples share one, the next larger has the next.
std::vector<std::uint32_t> DenseRanks(std::span<const double> samples);

}  // namespace tare::stats
