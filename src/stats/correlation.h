// correlation.h: how closely two series go together.
#pragma once

#include <span>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

// All need as many x as y, 5 or more, finite, neither constant. Values lie in [-1, 1]; a value of
// exactly 1 or -1 has an interval of no width.

// Of straight lines. The interval is Fisher's (1921) and right for normal populations.
Result<Estimate> Pearson(std::span<const double> x, std::span<const double> y, double confidence);

// Of order, by ranks; equal samples share their average rank. Interval by Fisher's z with the
// variance of Bonett and Wright (2000).
Result<Estimate> Spearman(std::span<const double> x, std::span<const double> y, double confidence);

// Of order, by pairs: Kendall's tau-b, which allows for ties. Interval by Fisher's z with the
// variance of Fieller, Hartley and Pearson (1957).
Result<Estimate> Kendall(std::span<const double> x, std::span<const double> y, double confidence);

}  // namespace tare::stats
