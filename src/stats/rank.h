// rank.h: sorts and ranks samples in almost linear time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tare::stats {

// An integer key that compares as the sample's value does, and the sample's index. Negative and
// positive zero have the same key.
struct OrderedSample {
  std::uint64_t key;
  std::size_t index;
};

// The samples in ascending order; the order of equal samples is unspecified. Samples must not be
// NaN.
std::vector<OrderedSample> InOrder(std::span<const double> samples);

// Ranks from 1; equal samples share the average of their ranks.
std::vector<double> AverageRanks(std::span<const double> samples);

// Ranks from 0 without gaps: equal samples share a rank, and the next larger sample has the next.
std::vector<std::uint32_t> DenseRanks(std::span<const double> samples);

}  // namespace tare::stats
