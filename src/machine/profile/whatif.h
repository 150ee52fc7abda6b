// whatif.h: hypothetical machines as users write them: changes, one of which can be a range.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/profile/projection.h"

namespace tare::machine_profile {

// One hypothetical machine.
struct WhatIf {
  std::string text;  // all changes, separated by ", "
  std::vector<Change> changes;
  double x = 0;  // the value of the range; 0 if there is none
};

// What one option describes: "L3.bytes=64MiB,memory.bandwidth=x2", "L2.bytes=256KiB..4MiB".
struct WhatIfSeries {
  std::string ranged;  // "L2.bytes"; empty: there is no range, and one machine
  std::string unit;    // of x
  std::vector<WhatIf> machines;
};

// Sizes and numbers of entries double from the low end of the range to the high one; other values
// take kSteps steps at equal ratios. kUsage for more than one range, for an empty range, for one
// that starts at 0, and for what ParseChange rejects.
inline constexpr int kSteps = 9;
Result<WhatIfSeries> ParseWhatIf(std::string_view text);

}  // namespace tare::machine_profile
