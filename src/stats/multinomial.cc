// multinomial.cc: pairwise order and Pearson's test.
#include "stats/multinomial.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::stats {

Result<std::vector<RankRange>> RankRanges(std::span<const std::uint64_t> counts,
                                          double confidence) {
  TRY_VOID(RequireConfidence("ranks of shares", confidence));
  const std::size_t size = counts.size();
  std::vector<RankRange> ranges(size);
  if (size < 2) return ranges;
  const auto pairs = static_cast<double>(size) * static_cast<double>(size - 1) / 2;
  const double critical = ChiSquareAbove((1 - confidence) / pairs, 1);
  // If two shares are equal, (a - b)^2 / (a + b) is chi-square with one degree of freedom.
  const auto above = [&](std::size_t i, std::size_t j) {
    const auto a = static_cast<double>(counts[i]);
    const auto b = static_cast<double>(counts[j]);
    return a > b && (a - b) * (a - b) > critical * (a + b);
  };
  // Counts do not increase, so those surely above i are a prefix, and those below a suffix.
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t first = 0;
    while (first < i && above(first, i)) ++first;
    std::size_t last = size;
    while (last > i + 1 && above(i, last - 1)) --last;
    ranges[i] = {first + 1, last};
  }
  return ranges;
}

double LargestShareByChance(std::uint64_t first, std::uint64_t second) {
  const auto most = static_cast<double>(std::max(first, second));
  const double both = static_cast<double>(first) + static_cast<double>(second);
  return both == 0 ? 1 : std::min(1.0, 2 * BinomialAtLeast(most, both, 0.5));
}

Result<HomogeneityTest> Homogeneity(std::span<const std::uint64_t> a,
                                    std::span<const std::uint64_t> b) {
  if (a.size() != b.size())
    return Fail(ErrorKind::kUsage, "test of equal shares: the samples have different parts");
  const auto sum = [](std::span<const std::uint64_t> counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  };
  const double all_a = sum(a);
  const double all_b = sum(b);
  const double smaller = std::min(all_a, all_b) / (all_a + all_b);
  HomogeneityTest test;
  double rest_a = 0;
  double rest_b = 0;
  std::size_t cells = 0;
  const auto add = [&](double x, double y) {
    const double both = x + y;
    const double expected_a = both * all_a / (all_a + all_b);
    const double expected_b = both - expected_a;
    test.chi_square += (x - expected_a) * (x - expected_a) / expected_a +
                       (y - expected_b) * (y - expected_b) / expected_b;
    ++cells;
  };
  constexpr double kMinExpected = 5;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]);
    const auto y = static_cast<double>(b[i]);
    if ((x + y) * smaller >= kMinExpected) {
      add(x, y);
    } else {
      rest_a += x;
      rest_b += y;
    }
  }
  if ((rest_a + rest_b) * smaller >= kMinExpected) add(rest_a, rest_b);
  if (cells < 2) return HomogeneityTest{};
  test.degrees = static_cast<double>(cells - 1);
  test.p = ChiSquareAtLeast(test.chi_square, test.degrees);
  return test;
}

}  // namespace tare::stats
