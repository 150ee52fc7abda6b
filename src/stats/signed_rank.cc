// signed_rank.cc: inverts the signed-rank test on the sorted means of pairs.
#include "stats/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

constexpr std::size_t kExactSamples = 50;

// P(W <= w) for w = 0, 1, ..., where W is the sum of the positive ranks of n samples: each rank is
// positive with probability one half.
std::vector<double> RankSumCdf(std::size_t n) {
  std::vector<double> chance(n * (n + 1) / 2 + 1, 0.0);
  chance[0] = 1;
  std::size_t reached = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    reached += rank;
    for (std::size_t sum = reached + 1; sum-- > 0;) {
      chance[sum] = chance[sum] / 2 + (sum >= rank ? chance[sum - rank] / 2 : 0);
    }
  }
  for (std::size_t sum = 1; sum < chance.size(); ++sum) chance[sum] += chance[sum - 1];
  return chance;
}

// How many of the smallest and of the largest means of pairs lie outside the interval: the largest
// k with P(W <= k - 1) <= tail (Hollander and Wolfe, Nonparametric Statistical Methods, section
// 3.3).
std::size_t MeansOutside(std::size_t n, double tail) {
  if (n <= kExactSamples) {
    const auto cdf = RankSumCdf(n);
    std::size_t outside = 0;
    while (outside < cdf.size() && cdf[outside] <= tail) ++outside;
    return outside;
  }
  const double count = static_cast<double>(n);
  const double mean = count * (count + 1) / 4;
  const double deviation = std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
  // With the continuity correction: P(W <= k - 1) is about the normal probability of k - 1/2.
  return static_cast<std::size_t>(
      std::max(0.0, std::floor(mean + NormalQuantile(tail) * deviation + 0.5)));
}

}  // namespace

std::size_t SignedRankSamples(double confidence) {
  // The smallest tail is that of all ranks having the same sign: 2^-n.
  std::size_t n = 1;
  while (std::ldexp(1.0, -static_cast<int>(n)) > (1 - confidence) / 2 && n < 1000) ++n;
  return n;
}

Result<Measured> SignedRankInterval(std::span<const double> samples, double confidence) {
  constexpr const char* kMethod = "signed-rank interval";
  TRY_VOID(RequireConfidence(kMethod, confidence));
  TRY_VOID(RequireSamples(kMethod, samples, SignedRankSamples(confidence)));
  const std::size_t n = samples.size();
  std::vector<double> means;
  means.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) means.push_back(samples[i] / 2 + samples[j] / 2);
  }
  const std::size_t outside = MeansOutside(n, (1 - confidence) / 2);
  const auto at = [&means](std::size_t index) {
    std::nth_element(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(index),
                     means.end());
    return means[index];
  };
  const double low = at(outside - 1);
  const double high = at(means.size() - outside);
  return RequireFinite(kMethod, Between(MedianOf(means), low, high, confidence));
}

}  // namespace tare::stats
