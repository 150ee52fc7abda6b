// whatif_tables.h: predicted times on changed machines, as a table and as plots.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "report/document.h"

namespace tare::cli {

struct WhatIfTime {
  std::string change;
  double x = 0;  // the value of the ranged quantity
  Result<double> seconds;
};

// The table `whatif`; `unchanged` is the time without a change.
report::Table WhatIfTable(double unchanged, std::span<const WhatIfTime> times);

// Whether a change alters the time by 1 % or more, and which one most, in a sentence.
std::string WhatIfAnswer(double unchanged, std::span<const WhatIfTime> times);

// Whether the times differ by 1 % or more, so that a plot shows something.
bool Differ(std::span<const WhatIfTime> times);

// Time over the quantity `ranged`, such as "L2.bytes", in `unit`.
report::Series WhatIfPlot(std::string id, const std::string& ranged, const std::string& unit,
                          std::span<const WhatIfTime> times);

}  // namespace tare::cli
