// processor_change.h: hypothetical processors: one with other caches, or a range of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/core/processor.h"

namespace tare::model {

struct ChangedProcessor {
  std::string text;  // "L2.bytes=1MiB"
  double x = 0;      // the value of the ranged quantity
  Processor processor;
};

struct ProcessorRange {
  std::string ranged;  // "L2.bytes"; empty: there is no range, and one processor
  std::string unit;    // of x
  std::vector<ChangedProcessor> processors;
};

// The grammar of machine_profile::ParseWhatIf: "L2.bytes=1MiB", several with commas, one of them
// possibly a range, "L2.bytes=512KiB..4MiB". Levels are L1d (also L1), L1i, L2 and L3, in upper or
// lower case; their bytes, ways and line can be set and scaled. kUsage for other changes, and for
// impossible caches.
Result<ProcessorRange> ChangesOf(std::string_view text, const Processor& processor);

}  // namespace tare::model
