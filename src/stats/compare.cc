// compare.cc: Welch's t-test and the shift between two sets.
#include "stats/compare.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::stats {
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
