// ratio_verdict.h: whether a metric of an instrumented program represents that of the
// uninstrumented one.
#pragma once

#include "base/measured.h"

namespace tare::proxy {

// A ratio is instrumented over vanilla. It is valid if its whole interval is within the tolerance,
// doubtful if part of it is, and refused if none of it is. `tolerance` 0.1 means 10 %: from 0.9 to
// 1.1, inclusive.
Verdict VerdictOf(const Measured& ratio, double tolerance);

// A ratio whose range is not a confidence interval; a range of zero width is left out.
Measured RatioWithin(double value, double low, double high);

}  // namespace tare::proxy
