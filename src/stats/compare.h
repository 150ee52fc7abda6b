// compare.h: tests whether two sets of samples differ, and by how much.
#pragma once

#include <span>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

struct WelchTest {
  Measured difference;  // mean(a) - mean(b)
  double t;
  double degrees;   // degrees of freedom (Welch-Satterthwaite)
  double p;         // two-sided p-value
  double hedges_g;  // effect size in pooled standard deviations, bias-corrected
};

// Welch's t-test of equal means; the variances may differ. Needs at least 2 samples in each set,
// and fails if neither set varies.
Result<WelchTest> Welch(std::span<const double> a, std::span<const double> b, double confidence);

// How far the samples of `a` are shifted from those of `b`: the median of all differences between
// one of `a` and one of `b` (Hodges and Lehmann), with the interval of all shifts that the
// Mann-Whitney test does not reject (Moses). Outliers hardly move it. Fails if there are too few
// samples for `confidence`.
Result<Measured> ShiftInterval(std::span<const double> a, std::span<const double> b,
                               double confidence);

}  // namespace tare::stats
