// deviation.h: how far a standard deviation can be trusted.
#pragma once

#include <span>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

// The interval of a normal population's standard deviation from a sample's, with `degrees` > 0 of
// freedom (n - 1; of pooled samples the sum): by chi-square. A deviation of 0 has an interval of no
// width. `deviation` is finite and not below 0; `confidence` lies in (0, 1).
Result<Estimate> DeviationInterval(double deviation, double degrees, double confidence);

// The same of a sample's own standard deviation. Needs 2 samples or more.
Result<Estimate> DeviationInterval(std::span<const double> samples, double confidence);

}  // namespace tare::stats
