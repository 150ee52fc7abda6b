// deviation.h: confidence intervals of a standard deviation.
#pragma once

#include <span>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

// The chi-square interval of a normal population's standard deviation, given a sample's. `degrees`
// > 0 are its degrees of freedom (n - 1, or the sum for pooled samples). A deviation of 0 has an
// interval of zero width. `deviation` must be finite and not negative, `confidence` in (0, 1).
Result<Measured> DeviationInterval(double deviation, double degrees, double confidence);

// The same for the standard deviation of `samples`. Needs at least 2 samples.
Result<Measured> DeviationInterval(std::span<const double> samples, double confidence);

}  // namespace tare::stats
