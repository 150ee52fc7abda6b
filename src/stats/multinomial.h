// multinomial.h: shares of a whole that is sampled: ranks, and whether two samples come from the
// same whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::stats {

// The places, from 1, that a part can have if all are ordered by their true shares.
struct RankRange {
  std::size_t best = 1;
  std::size_t worst = 1;

  friend bool operator==(const RankRange&, const RankRange&) = default;
};

// With probability `confidence` all ranges contain the true rank of their part. In the order of
// `counts`, which must not increase.
Result<std::vector<RankRange>> RankRanges(std::span<const std::uint64_t> counts, double confidence);

// The probability of counts as far apart as these if the part with the most samples, `first`, had
// no larger share than the one with the next most: an exact two-sided test of the two. It needs no
// correction for the number of parts (Hung and Fithian, Rank verification for exponential families,
// Annals of Statistics 47(2), 2019).
double LargestShareByChance(std::uint64_t first, std::uint64_t second);

struct HomogeneityTest {
  double chi_square = 0;
  double degrees = 0;  // 0: too few samples to compare, and p is 1
  double p = 1;
};

// Pearson's chi-square test of whether two samples come from the same shares; `a` and `b` have the
// same length. Parts with fewer than 5 expected samples are merged into one.
Result<HomogeneityTest> Homogeneity(std::span<const std::uint64_t> a,
                                    std::span<const std::uint64_t> b);

}  // namespace tare::stats
