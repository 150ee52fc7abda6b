// distribution.h: probabilities and quantiles of the distributions for intervals and tests.
#pragma once

namespace tare::stats {

// Probabilities are doubles in [0, 1]. Arguments out of range give NaN; no function here throws.

// The z with P(|Z| <= z) = confidence for a standard normal Z.
double NormalCritical(double confidence);

// P(Z <= z), and the z with P(Z <= z) = chance.
double NormalCdf(double z);
double NormalQuantile(double chance);

// P(|Z| >= |z|).
double NormalTwoSided(double z);

// The t with P(|T| <= t) = confidence for Student's T with `degrees` > 0 degrees of freedom.
double StudentCritical(double confidence, double degrees);

// P(|T| >= |t|).
double StudentTwoSided(double t, double degrees);

// The x with P(X <= x) = chance, and the x with P(X >= x) = chance, for a chi-square X with
// `degrees` > 0 degrees of freedom.
double ChiSquareBelow(double chance, double degrees);
double ChiSquareAbove(double chance, double degrees);

// P(X >= x) for that X.
double ChiSquareAtLeast(double x, double degrees);

// P(X <= k) and P(X >= k) for a binomial X of n trials with success probability `chance`.
double BinomialCdf(double k, double n, double chance);
double BinomialAtLeast(double k, double n, double chance);

}  // namespace tare::stats
