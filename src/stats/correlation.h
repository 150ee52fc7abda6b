// correlation.h: correlation coefficients of two series with confidence intervals.
#pragma once

#include <span>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

// All functions need equally many x and y, at least 5, all finite, and neither series constant. The
// values are in [-1, 1]. A value of exactly 1 or -1 has an interval of zero width.

// Linear correlation. The interval is Fisher's (1921) and assumes normal populations.
Result<Measured> Pearson(std::span<const double> x, std::span<const double> y, double confidence);

// Rank correlation; equal samples share their average rank. The interval uses Fisher's z with the
// variance of Bonett and Wright (2000).
Result<Measured> Spearman(std::span<const double> x, std::span<const double> y, double confidence);

// Rank correlation by concordant and discordant pairs: Kendall's tau-b, which allows for ties. The
// interval uses Fisher's z with the variance of Fieller, Hartley and Pearson (1957).
Result<Measured> Kendall(std::span<const double> x, std::span<const double> y, double confidence);

}  // namespace tare::stats
