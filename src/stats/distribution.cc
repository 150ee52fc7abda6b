// distribution.cc: Boost.Math with a policy that reports errors as NaN or infinity and never
// throws.
#include "stats/distribution.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

namespace tare::stats {
namespace {

namespace policies = boost::math::policies;

// Promotion is off because long double differs between architectures and is slow on some.
using Quiet = policies::policy<
    policies::promote_double<false>, policies::domain_error<policies::ignore_error>,
    policies::pole_error<policies::ignore_error>, policies::overflow_error<policies::ignore_error>,
    policies::underflow_error<policies::ignore_error>,
    policies::denorm_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>,
    policies::rounding_error<policies::ignore_error>,
    policies::indeterminate_result_error<policies::ignore_error>>;

using Normal = boost::math::normal_distribution<double, Quiet>;
using StudentsT = boost::math::students_t_distribution<double, Quiet>;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

bool IsConfidence(double confidence) { return confidence > 0 && confidence < 1; }

}  // namespace

double NormalCritical(double confidence) {
  if (!IsConfidence(confidence)) return kNoNumber;
  return quantile(complement(Normal(), (1 - confidence) / 2));
}

double NormalCdf(double z) {
  if (std::isnan(z)) return kNoNumber;
  if (std::isinf(z)) return z > 0 ? 1 : 0;
  return cdf(Normal(), z);
}

double NormalQuantile(double chance) {
  if (!IsConfidence(chance)) return kNoNumber;
  return quantile(Normal(), chance);
}

double NormalTwoSided(double z) {
  if (std::isnan(z)) return kNoNumber;
  if (std::isinf(z)) return 0;
  return 2 * cdf(complement(Normal(), std::fabs(z)));
}

double StudentCritical(double confidence, double degrees) {
  if (!IsConfidence(confidence) || !(degrees > 0)) return kNoNumber;
  if (std::isinf(degrees)) return NormalCritical(confidence);
  return quantile(complement(StudentsT(degrees), (1 - confidence) / 2));
}

double StudentTwoSided(double t, double degrees) {
  if (std::isnan(t) || !(degrees > 0)) return kNoNumber;
  if (std::isinf(t)) return 0;
  if (std::isinf(degrees)) return NormalTwoSided(t);
  return 2 * cdf(complement(StudentsT(degrees), std::fabs(t)));
}

// The binomial tail is a regularised incomplete beta function (Abramowitz and Stegun 1964,
// 26.5.24), which stays accurate where summing the terms does not.
double BinomialAtLeast(double k, double n, double chance) {
  if (!(n >= 0) || !(chance >= 0 && chance <= 1) || std::isnan(k)) return kNoNumber;
  if (k <= 0) return 1;
  if (k > n) return 0;
  return boost::math::ibeta(k, n - k + 1, chance, Quiet());
}

// A chi-square variable with d degrees of freedom is twice a gamma variable of shape d / 2.
double ChiSquareBelow(double chance, double degrees) {
  if (!IsConfidence(chance) || !(degrees > 0)) return kNoNumber;
  return 2 * boost::math::gamma_p_inv(degrees / 2, chance, Quiet());
}

double ChiSquareAbove(double chance, double degrees) {
  if (!IsConfidence(chance) || !(degrees > 0)) return kNoNumber;
  return 2 * boost::math::gamma_q_inv(degrees / 2, chance, Quiet());
}

double ChiSquareAtLeast(double x, double degrees) {
  if (!(x >= 0) || !(degrees > 0)) return kNoNumber;
  if (std::isinf(x)) return 0;
  return boost::math::gamma_q(degrees / 2, x / 2, Quiet());
}

double BinomialCdf(double k, double n, double chance) {
  if (!(n >= 0) || !(chance >= 0 && chance <= 1) || std::isnan(k)) return kNoNumber;
  if (k < 0) return 0;
  if (k >= n) return 1;
  return boost::math::ibetac(k + 1, n - k, chance, Quiet());
}

}  // namespace tare::stats
