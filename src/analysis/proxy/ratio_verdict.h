// ratio_verdict.h: whether a metric of an instrumented program represents that of the
// uninstrumented one.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace tare::proxy {

enum class RatioVerdict {
  kValid,     // the whole interval is within the tolerance
  kDoubtful,  // part of it is
  kRefused,   // none of it is
};

// Instrumented over vanilla.
struct Ratio {
  double value = 0;
  double low = 0;  // equal to `value`, with `exact`, if it cannot vary
  double high = 0;
  bool exact = false;
};

// `tolerance` 0.1 means 10 %: from 0.9 to 1.1, inclusive.
RatioVerdict VerdictOf(const Ratio& ratio, double tolerance);

}  // namespace tare::proxy
