// ratio_verdict.h: whether a metric of an instrumented program still stands for the original's.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace tare::proxy {

enum class Standing {
  kValid,     // the whole interval lies within the tolerance
  kDoubtful,  // a part of it does
  kRefused,   // none of it does
};

// Instrumented over vanilla.
struct Ratio {
  double value = 0;
  double low = 0;  // equal to the value, with `exact`, when it cannot vary
  double high = 0;
  bool exact = false;
};

// `tolerance` is 0.1 for 10 %: from 0.9 to 1.1, both included.
Standing Judge(const Ratio& ratio, double tolerance);

}  // namespace tare::proxy
