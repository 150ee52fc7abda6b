// compare.cc: Welch's t-test, the Mann-Whitney test and the shift between two sets.
#include "stats/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stats/distribution.h"
#include "stats/rank.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

// The exact distribution is counted in 64-bit integers, so the number of ways to choose a's samples
// out of all samples must fit.
bool IsCountable(double few, double many) {
  const double log_ways =
      std::lgamma(few + many + 1) - std::lgamma(few + 1) - std::lgamma(many + 1);
  return log_ways < 62 * std::log(2.0) && few * few * many < 1e8;
}

// For each u, the number of arrangements of `few` and `many` samples with U = u. These are the
// coefficients of the Gaussian binomial, a product of (1 - x^(many + i)) / (1 - x^i). Intermediate
// values may exceed 64 bits and wrap around; the final values fit, so modular arithmetic makes them
// correct.
std::vector<std::uint64_t> Arrangements(std::size_t few, std::size_t many) {
  std::vector<std::uint64_t> ways(few * many + 1, 0);
  ways[0] = 1;
  for (std::size_t i = 1; i <= few; ++i) {
    for (std::size_t u = ways.size(); u-- > many + i;) ways[u] -= ways[u - many - i];
    for (std::size_t u = i; u < ways.size(); ++u) ways[u] += ways[u - i];
  }
  return ways;
}

double ExactTwoSided(double u, std::size_t few, std::size_t many) {
  const std::vector<std::uint64_t> ways = Arrangements(few, many);
  const std::size_t lesser =
      static_cast<std::size_t>(std::min(u, static_cast<double>(few * many) - u));
  double tail = 0;
  double all = 0;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    all += static_cast<double>(ways[i]);
    if (i <= lesser) tail += static_cast<double>(ways[i]);
  }
  return std::min(1.0, 2 * tail / all);
}

// Mann and Whitney (1947) with Lehmann's (1975) variance for ties and continuity correction.
double NormalApproximation(double u, double n_a, double n_b, double tie_sum) {
  const double n = n_a + n_b;
  const double variance = n_a * n_b / 12 * ((n + 1) - tie_sum / (n * (n - 1)));
  if (!(variance > 0)) return 1;
  const double away = std::max(0.0, std::fabs(u - n_a * n_b / 2) - 0.5);
  return std::min(1.0, NormalTwoSided(away / std::sqrt(variance)));
}

}  // namespace

Result<WelchTest> Welch(std::span<const double> a, std::span<const double> b, double confidence) {
  TRY_VOID(RequireSamples("Welch's test", a, 2));
  TRY_VOID(RequireSamples("Welch's test", b, 2));
  TRY_VOID(RequireConfidence("Welch's test", confidence));
  const Moments of_a = MomentsOf(a);
  const Moments of_b = MomentsOf(b);
  const double error = std::hypot(of_a.StandardError(), of_b.StandardError());
  if (error == 0) {
    return Fail(ErrorKind::kUsage,
                "Welch's test: neither sample varies; compare the two values directly");
  }
  const double difference = of_a.mean - of_b.mean;
  const double share = of_a.StandardError() / error;
  const double share_a = share * share;
  const double share_b = std::max(0.0, 1 - share_a);
  const double degrees =
      1 / (share_a * share_a / (of_a.count - 1) + share_b * share_b / (of_b.count - 1));
  const double t = difference / error;
  const double half = StudentCritical(confidence, degrees) * error;
  TRY(const Measured estimate,
      RequireFinite("Welch's test",
                    Between(difference, difference - half, difference + half, confidence)));
  const double free = of_a.count + of_b.count - 2;
  const double pooled = std::hypot(of_a.standard_deviation * std::sqrt((of_a.count - 1) / free),
                                   of_b.standard_deviation * std::sqrt((of_b.count - 1) / free));
  // Hedges (1981): the approximate small-sample correction that makes the standardised difference
  // unbiased.
  const double unbias = 1 - 3 / (4 * free - 1);
  return WelchTest{.difference = estimate,
                   .t = t,
                   .degrees = degrees,
                   .p = StudentTwoSided(t, degrees),
                   .hedges_g = difference / pooled * unbias};
}

Result<MannWhitneyTest> MannWhitney(std::span<const double> a, std::span<const double> b) {
  TRY_VOID(RequireSamples("Mann-Whitney test", a, 1));
  TRY_VOID(RequireSamples("Mann-Whitney test", b, 1));
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  double tie_sum = 0;
  const std::vector<double> ranks = AverageRanks(all, &tie_sum);
  double rank_sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) rank_sum += ranks[i];
  const double n_a = static_cast<double>(a.size());
  const double n_b = static_cast<double>(b.size());
  const double u = rank_sum - n_a * (n_a + 1) / 2;
  const auto [few, many] = std::minmax({a.size(), b.size()});
  const bool exact =
      tie_sum == 0 && IsCountable(static_cast<double>(few), static_cast<double>(many));
  const double superiority = u / (n_a * n_b);
  return MannWhitneyTest{
      .u = u,
      .p = exact ? ExactTwoSided(u, few, many) : NormalApproximation(u, n_a, n_b, tie_sum),
      .exact = exact,
      .superiority = superiority,
      .rank_biserial = 2 * superiority - 1};
}

Result<Measured> ShiftInterval(std::span<const double> a, std::span<const double> b,
                               double confidence) {
  constexpr const char* kMethod = "interval of a shift";
  TRY_VOID(RequireConfidence(kMethod, confidence));
  TRY_VOID(RequireSamples(kMethod, a, 2));
  TRY_VOID(RequireSamples(kMethod, b, 2));
  const double n_a = static_cast<double>(a.size());
  const double n_b = static_cast<double>(b.size());
  // How many of the smallest and of the largest differences lie outside (Hollander and Wolfe,
  // Nonparametric Statistical Methods, section 4.3), with the continuity correction.
  const double outside = std::floor(
      n_a * n_b / 2 +
      NormalQuantile((1 - confidence) / 2) * std::sqrt(n_a * n_b * (n_a + n_b + 1) / 12) + 0.5);
  if (!(outside >= 1)) {
    return Fail(ErrorKind::kUsage, "interval of a shift: too few samples for this confidence");
  }
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double x : a) {
    for (const double y : b) differences.push_back(x - y);
  }
  std::ranges::sort(differences);
  const auto left_out = static_cast<std::size_t>(outside);
  const double low = differences[left_out - 1];
  const double high = differences[differences.size() - left_out];
  return RequireFinite(kMethod, Between(MedianOf(differences), low, high, confidence));
}

}  // namespace tare::stats
